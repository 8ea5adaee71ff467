//! The questions of all pages: two are answered at a time, a few wait, and none takes longer than a few seconds.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use tokio::sync::{Semaphore, oneshot};

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
    idle: IdleWorkers,
}

type Job = Box<dyn FnOnce() + Send>;

/// Threads that have nothing to do, the one that was busy last at the end. Every thread keeps what its largest answer
/// needed, so the same few answer all questions.
#[derive(Clone, Default)]
struct IdleWorkers(Arc<Mutex<Vec<mpsc::Sender<Job>>>>);

impl IdleWorkers {
    /// Gives work to a thread; what it returns or that it panicked is received.
    fn give<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> oneshot::Receiver<Option<T>> {
        let (sender, receiver) = oneshot::channel();
        let idle = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let Some(worker) = idle.or_else(start_worker) else { return receiver };
        let (idle, own) = (self.clone(), worker.clone());
        let job = move || {
            let done = catch_unwind(AssertUnwindSafe(work)).ok();
            idle.0.lock().unwrap_or_else(PoisonError::into_inner).push(own);
            drop(sender.send(done));
        };
        drop(worker.send(Box::new(job)));
        receiver
    }
}

fn start_worker() -> Option<mpsc::Sender<Job>> {
    let (sender, jobs) = mpsc::channel::<Job>();
    let work = move || jobs.into_iter().for_each(|job| job());
    std::thread::Builder::new().name("question".to_owned()).spawn(work).ok().map(|_| sender)
}

impl Questions {
    pub(super) fn new() -> Questions {
        Questions {
            turns: Arc::new(Semaphore::new(MAX_ANSWERED)),
            waiting: AtomicUsize::new(0),
            idle: IdleWorkers::default(),
        }
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
        let mut answering = self.idle.give(move || {
            let _turn = turn;
            question(&shared)
        });
        let broken = || Err(ViewError::internal());
        if let Ok(answered) = tokio::time::timeout(QUESTION_TIMEOUT, &mut answering).await {
            return answered.ok().flatten().unwrap_or_else(broken);
        }
        stop.0.stop();
        match tokio::time::timeout(NOTICE_TIMEOUT, answering).await {
            Ok(answered) => answered.ok().flatten().unwrap_or_else(broken),
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
