//! A time in whole seconds since 1970, by which observations are ordered and expire.

use serde::{Deserialize, Serialize};

/// A day in seconds.
pub(crate) const DAY: i64 = 86_400;

/// Seconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub(crate) struct Timestamp(pub(crate) i64);

impl Timestamp {
    #[must_use]
    pub(crate) fn minus_days(self, days: u32) -> Timestamp {
        Timestamp(self.0.saturating_sub(i64::from(days) * DAY))
    }

    /// Returns the seconds since an earlier time, or 0 if that time is later.
    pub(crate) fn since(self, earlier: Timestamp) -> i64 {
        self.0.saturating_sub(earlier.0).max(0)
    }
}
