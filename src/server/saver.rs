//! Keeps the snapshot of the session close behind the hints: at most once a second, and never most of the time.

use std::io;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::hub::Hub;
use crate::config::clock;
use crate::model::Problem;
use crate::ops::hints::Desk;
use crate::ops::problems;
use crate::runtime::Folder;

pub(super) struct Saver {
    hub: Arc<Hub>,
    folder: Folder,
    /// The generation that the snapshot covers.
    generation: AtomicU64,
    /// One writes at a time, and nobody after the last word.
    is_over: Mutex<bool>,
}

const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
/// After a write that took long, the pause is so many times longer.
const PAUSE_TO_WRITE: u32 = 9;

impl Saver {
    /// What is there before the first change is covered: it is empty, or was read from the snapshot.
    pub(super) fn new(hub: Arc<Hub>, folder: Folder) -> Saver {
        let generation = AtomicU64::new(hub.generation());
        Saver { hub, folder, generation, is_over: Mutex::new(false) }
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }

    /// Writes after each change, until the task is ended.
    pub(super) async fn run(self: Arc<Self>) {
        let mut failed = false;
        loop {
            self.hub.changed.notified().await;
            let saver = Arc::clone(&self);
            let writing = tokio::task::spawn_blocking(move || {
                let took = clock::stopwatch();
                (saver.write(), took())
            });
            let Ok((written, took)) = writing.await else { continue };
            if let Err(error) = &written
                && !failed
            {
                problems::record(&[Problem::error(format!(
                    "the session's snapshot cannot be written: {error}"
                ))
                .hint("hints are kept, but are lost if this server is killed")]);
            }
            failed = written.is_err();
            if failed {
                self.hub.changed.notify_one();
            }
            tokio::time::sleep(SHORTEST_PAUSE.max(took * PAUSE_TO_WRITE)).await;
        }
    }

    fn write(&self) -> io::Result<()> {
        let is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_over || self.hub.generation() == self.generation() {
            return Ok(());
        }
        let Some((generation, snapshot)) = self.hub.snapshot() else { return Ok(()) };
        self.folder.write_snapshot(|out| snapshot.write(out))?;
        self.generation.store(generation, Ordering::Relaxed);
        Ok(())
    }

    /// Has the last word: all of it is kept for the next PRIMARY, or nothing.
    pub(super) fn finish(&self, desk: Option<Desk>, is_handed_over: bool) -> io::Result<()> {
        let mut is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        *is_over = true;
        match desk {
            Some(desk) if is_handed_over => {
                if desk.generation() == self.generation() {
                    return Ok(());
                }
                let snapshot = desk.snapshot();
                self.folder.write_snapshot(|out| snapshot.write(out))
            }
            _ => {
                self.folder.remove_snapshot();
                Ok(())
            }
        }
    }
}
