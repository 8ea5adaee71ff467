//! Keeps the session's snapshot file up to date: writes at most once a second, and a small part of the time.

use std::io;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::hub::Hub;
use crate::model::Problem;
use crate::ops::hints::HintService;
use crate::ops::problems;
use crate::peers::Folder;
use crate::system::clock;

pub(super) struct Saver {
    hub: Arc<Hub>,
    folder: Folder,
    /// The generation that the snapshot covers.
    generation: AtomicU64,
    /// One thread writes at a time, and none after the last write.
    is_over: Mutex<bool>,
}

const MIN_WRITE_INTERVAL: Duration = Duration::from_secs(1);
/// After a long write, the pause is this many times longer than the write.
const PAUSE_FACTOR: u32 = 9;

impl Saver {
    /// The snapshot covers the changes up to `covered`; later ones come from the log.
    pub(super) fn new(hub: Arc<Hub>, folder: Folder, covered: u64) -> Saver {
        if hub.generation() != covered {
            hub.changed.notify_one();
        }
        let generation = AtomicU64::new(covered);
        Saver { hub, folder, generation, is_over: Mutex::new(false) }
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }

    /// Writes after each change, until the task is aborted.
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
                    "the snapshot of the session's hints cannot be written: {error}"
                ))
                .hint("the hints are still in use, but are lost if this server is killed")]);
            }
            failed = written.is_err();
            if failed {
                self.hub.changed.notify_one();
            }
            tokio::time::sleep(MIN_WRITE_INTERVAL.max(took * PAUSE_FACTOR)).await;
        }
    }

    fn write(&self) -> io::Result<()> {
        let is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_over || self.hub.generation() == self.generation() {
            return Ok(());
        }
        let Some((generation, snapshot)) = self.hub.snapshot() else { return Ok(()) };
        self.folder.write_snapshot(|out| snapshot.write(out))?;
        self.folder.remove_old_changes();
        self.generation.store(generation, Ordering::Relaxed);
        self.hub.log_debug(format!("nudge: snapshot written, change {generation}"));
        Ok(())
    }

    /// Writes for the last time: keeps all hints for the next PRIMARY, or deletes the snapshot.
    pub(super) fn finish(&self, service: Option<HintService>, is_handed_over: bool) -> io::Result<()> {
        let mut is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        *is_over = true;
        match service {
            Some(service) if is_handed_over => {
                if service.generation() != self.generation() {
                    let snapshot = service.snapshot();
                    self.folder.write_snapshot(|out| snapshot.write(out))?;
                }
                self.folder.remove_changes();
                Ok(())
            }
            _ => {
                self.folder.remove_snapshot();
                Ok(())
            }
        }
    }
}
