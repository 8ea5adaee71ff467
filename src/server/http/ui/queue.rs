//! The questions of all pages: two are answered at a time, a few wait, and none takes longer than a few seconds.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Semaphore;

use crate::ops::view::{QueryStop, ViewError};

/// Hooks and agents need the disk too.
const MAX_ANSWERED: usize = 2;
const MAX_WAITING: usize = 8;
/// A question that takes longer is interrupted.
const QUESTION_TIMEOUT: Duration = Duration::from_secs(5);
/// How long an interrupted question has to notice.
const NOTICE_TIMEOUT: Duration = Duration::from_secs(1);

pub(super) struct Questions {
    turns: Arc<Semaphore>,
    waiting: AtomicUsize,
}

impl Questions {
    pub(super) fn new() -> Questions {
        Questions { turns: Arc::new(Semaphore::new(MAX_ANSWERED)), waiting: AtomicUsize::new(0) }
    }

    /// Answers a question on a thread that may block. It is interrupted when it takes too long, and when its caller is
    /// gone: then the future is dropped.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&QueryStop) -> Result<T, ViewError> + Send + 'static,
    ) -> Result<T, ViewError> {
        let turn = {
            let place = Place::take(&self.waiting);
            if place.number > MAX_WAITING && self.turns.available_permits() == 0 {
                return Err(ViewError::busy("too many questions at the same time".to_owned()));
            }
            let turn = tokio::time::timeout(QUESTION_TIMEOUT, Arc::clone(&self.turns).acquire_owned()).await;
            turn.map_err(|_| ViewError::late())?.map_err(|_| ViewError::late())?
        };
        let stop = StopOnDrop(Arc::new(QueryStop::default()));
        let shared = Arc::clone(&stop.0);
        let mut answering = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            question(&shared)
        });
        let broken = |_| Err(ViewError::internal());
        if let Ok(answered) = tokio::time::timeout(QUESTION_TIMEOUT, &mut answering).await {
            return answered.unwrap_or_else(broken);
        }
        stop.0.stop();
        match tokio::time::timeout(NOTICE_TIMEOUT, answering).await {
            Ok(answered) => answered.unwrap_or_else(broken),
            Err(_) => Err(ViewError::late()),
        }
    }
}

/// Interrupts a question whose caller is gone.
struct StopOnDrop(Arc<QueryStop>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Counts a question while it waits.
struct Place<'q> {
    waiting: &'q AtomicUsize,
    number: usize,
}

impl<'q> Place<'q> {
    fn take(waiting: &'q AtomicUsize) -> Place<'q> {
        Place { number: waiting.fetch_add(1, Ordering::Relaxed) + 1, waiting }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}
