//! How long a server waits until the next exchange. Everybody in a team does this, so no two wait equally long.

use std::time::Duration;

use crate::peers;

/// After an exchange that moved something.
const SHORT_PAUSE: Duration = Duration::from_secs(60);
/// After a failure, at first.
const FIRST_RETRY: Duration = Duration::from_secs(2);
const MAX_PAUSE: Duration = Duration::from_secs(15 * 60);
/// A pause is longer or shorter by up to this part of it.
const SPREAD: f64 = 0.2;

/// How an exchange ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExchangeEnd {
    Moved,
    Idle,
    Failed,
}

/// Returns a random number from 0 to 1.
pub(crate) fn dice() -> f64 {
    let digits = u32::from_str_radix(peers::id().get(..8).unwrap_or_default(), 16).unwrap_or_default();
    f64::from(digits) / f64::from(u32::MAX)
}

/// The pauses of one server.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Pauses {
    last: Option<Duration>,
    failures: u32,
}

impl Pauses {
    /// Returns the pause until the next exchange; `dice` is a random number from 0 to 1.
    pub(crate) fn next(&mut self, end: ExchangeEnd, dice: f64) -> Duration {
        if end == ExchangeEnd::Failed {
            let longest = FIRST_RETRY.saturating_mul(1 << self.failures.min(16)).min(MAX_PAUSE);
            self.failures += 1;
            // Fully random: when a server comes back, not all of its clients come at once.
            return longest.mul_f64(dice);
        }
        self.failures = 0;
        let pause = match (end, self.last) {
            (ExchangeEnd::Idle, Some(last)) => (last * 2).min(MAX_PAUSE),
            _ => SHORT_PAUSE,
        };
        self.last = Some(pause);
        pause.mul_f64(1.0 - SPREAD + 2.0 * SPREAD * dice)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{ExchangeEnd, Pauses};

    #[test]
    fn pauses_grow_while_nothing_happens_and_are_short_again_when_something_does() {
        let mut pauses = Pauses::default();
        use ExchangeEnd::{Failed, Idle, Moved};
        let ends = [Moved, Idle, Idle, Idle, Idle, Idle, Moved, Idle];
        let seconds = ends.map(|end| pauses.next(end, 0.5).as_secs());
        assert_eq!(seconds, [60, 120, 240, 480, 900, 900, 60, 120]);
        assert_eq!([0.0, 1.0].map(|dice| Pauses::default().next(Moved, dice).as_secs()), [48, 72]);
        let mut failing = Pauses::default();
        let seconds: Vec<u64> = (0..12).map(|_| failing.next(Failed, 1.0).as_secs()).collect();
        assert_eq!(seconds, [2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
        assert_eq!(failing.next(Failed, 0.0), Duration::ZERO);
        failing.next(Moved, 0.5);
        assert_eq!(failing.next(Failed, 1.0).as_secs(), 2);
    }

    #[test]
    fn an_hour_without_work_has_at_most_eight_exchanges() {
        for dice in [0.0, 0.5, 1.0] {
            let (mut pauses, mut passed, mut exchanges) = (Pauses::default(), Duration::ZERO, 0);
            let mut end = ExchangeEnd::Moved;
            loop {
                passed += pauses.next(end, dice);
                if passed > Duration::from_secs(3_600) {
                    break;
                }
                (end, exchanges) = (ExchangeEnd::Idle, exchanges + 1);
            }
            assert!(exchanges <= 8, "{exchanges} with {dice}");
        }
    }
}
