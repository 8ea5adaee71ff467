//! The total time that one hook may take: every wait is limited by what is left of it.

use std::time::{Duration, Instant};

use super::clock;
use crate::config::env;

/// How long a hook may take besides its rules. Agents are set up to wait ten seconds; a person notices two.
const HOOK_TIMEOUT: Duration = Duration::from_millis(1_850);

/// A deadline that is set once, when a hook begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    ends: Instant,
}

impl Budget {
    /// Starts the time of a hook.
    pub(crate) fn of_hook() -> Budget {
        Budget::lasting(HOOK_TIMEOUT + env::rule_deadline())
    }

    pub(crate) fn lasting(time: Duration) -> Budget {
        Budget { ends: clock::instant() + time }
    }

    /// Returns how long one wait may take: `timeout`, or what is left.
    pub(crate) fn within(self, timeout: Duration) -> Duration {
        timeout.min(self.left())
    }

    /// Returns whether nothing is left, so that whatever can be skipped is skipped.
    pub(crate) fn is_over(self) -> bool {
        self.left().is_zero()
    }

    fn left(self) -> Duration {
        self.ends.saturating_duration_since(clock::instant())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Budget;

    #[test]
    fn no_wait_is_longer_than_what_is_left() {
        let second = Duration::from_secs(1);
        let ample = Budget::lasting(Duration::from_secs(3_600));
        assert_eq!((ample.within(second), ample.is_over()), (second, false));
        let over = Budget::lasting(Duration::ZERO);
        assert_eq!((over.within(second), over.is_over()), (Duration::ZERO, true));
    }
}
