//! Runs an exchange on a thread of its own, as long as it makes progress.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use crate::system::clock;

/// How often the caller is asked whether to go on, and shown how far it is.
const TICK: Duration = Duration::from_millis(50);

/// Counts the lines of an exchange, so that silence is noticed.
#[derive(Debug, Clone, Default)]
pub(super) struct Pulse(Arc<AtomicU64>);

impl Pulse {
    pub(super) fn beat(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Runs work until it is done, or nothing has happened for `timeout`: then `stop` ends what it waits for, and the result
/// is `None`.
///
/// The thread is not ended: it ends by itself, or with the process, which to the database looks like a killed process.
pub(super) fn while_alive<T: Send + 'static>(
    pulse: &Pulse,
    timeout: Duration,
    mut tick: impl FnMut(),
    mut stop: impl FnMut(),
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (sender, receiver) = mpsc::sync_channel(1);
    std::thread::spawn(move || drop(sender.send(work())));
    let mut last = (pulse.0.load(Ordering::Relaxed), clock::stopwatch());
    loop {
        match receiver.recv_timeout(TICK) {
            Ok(outcome) => return Some(outcome),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
        tick();
        let beats = pulse.0.load(Ordering::Relaxed);
        if beats != last.0 {
            last = (beats, clock::stopwatch());
        } else if last.1() > timeout {
            stop();
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Pulse, while_alive};

    #[test]
    fn work_that_makes_no_progress_is_stopped() {
        let pulse = Pulse::default();
        let hour = Duration::from_secs(3_600);
        assert_eq!(while_alive(&pulse, hour, || {}, || {}, || 1), Some(1));
        let mut stopped = false;
        let endless = while_alive(
            &pulse,
            Duration::from_millis(1),
            || {},
            || stopped = true,
            || {
                loop {
                    std::thread::park();
                }
            },
        );
        assert_eq!(endless.map(|()| 1), None);
        assert!(stopped);
    }
}
