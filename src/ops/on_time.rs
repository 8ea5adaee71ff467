//! Runs database work for a hook, which waits for it no longer than its own time budget.

use std::panic;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use crate::store::StoreError;
use crate::system::budget::Budget;

/// Runs the work on its own thread, and waits for it until the hook's time is over.
///
/// SQLite sleeps for up to ten seconds if another process was stopped while it held a lock, and no timeout changes
/// that. The thread is not stopped: it ends with the process, which to the database looks like a killed process.
pub(crate) fn on_time<T: Send + 'static>(
    budget: Budget,
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    if budget.is_over() {
        return Err(StoreError::Busy);
    }
    let (sender, receiver) = mpsc::sync_channel(1);
    let started = std::thread::Builder::new().spawn(move || drop(sender.send(work())));
    let Ok(thread) = started else { return Err(StoreError::Busy) };
    match receiver.recv_timeout(budget.within(Duration::MAX)) {
        Ok(outcome) => outcome,
        Err(RecvTimeoutError::Timeout) => Err(StoreError::Busy),
        Err(RecvTimeoutError::Disconnected) => match thread.join() {
            Err(panic) => panic::resume_unwind(panic),
            Ok(()) => Err(StoreError::Busy),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::on_time;
    use crate::store::StoreError;
    use crate::system::budget::Budget;

    #[test]
    fn work_that_does_not_end_is_not_waited_for() {
        let ample = Budget::lasting(Duration::from_secs(3_600));
        assert_eq!(on_time(ample, || Ok(1)), Ok(1));
        let brief = Budget::lasting(Duration::from_millis(10));
        let endless = on_time(brief, || -> Result<(), _> {
            loop {
                std::thread::park();
            }
        });
        assert_eq!(endless, Err(StoreError::Busy));
        assert_eq!(on_time(brief, || Ok(1)), Err(StoreError::Busy));
    }
}
