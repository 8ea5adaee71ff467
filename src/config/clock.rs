//! The clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the seconds since 1970.
pub(crate) fn unix_seconds() -> u64 {
    since_epoch(now()).as_secs()
}

#[expect(clippy::disallowed_methods, reason = "this is the clock's one home")]
pub(crate) fn now() -> SystemTime {
    SystemTime::now()
}

/// Returns the time since 1970, or nothing for a time before it.
pub(crate) fn since_epoch(time: SystemTime) -> std::time::Duration {
    time.duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Starts a stopwatch and returns the way to read it.
#[expect(clippy::disallowed_methods, reason = "this is the clock's one home")]
pub(crate) fn stopwatch() -> impl Fn() -> std::time::Duration {
    let started = std::time::Instant::now();
    move || started.elapsed()
}
