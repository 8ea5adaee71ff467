//! The clock.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::model::Timestamp;

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

/// Says a time as a person here would: `2:30 PM` of today, else with its day.
pub(crate) fn local_time(at: Timestamp) -> String {
    let zone = jiff::tz::TimeZone::system();
    let zoned = |seconds| jiff::Timestamp::from_second(seconds).ok().map(|time| time.to_zoned(zone.clone()));
    let today = i64::try_from(unix_seconds()).ok().and_then(zoned);
    let Some(time) = zoned(at.0) else { return "unknown".to_owned() };
    let today = today.as_ref().map(jiff::Zoned::date);
    let form = match today {
        Some(today) if today == time.date() => "%-I:%M %p",
        Some(today) if today.year() == time.year() => "%b %-d, %-I:%M %p",
        _ => "%Y-%m-%d",
    };
    time.strftime(form).to_string()
}
