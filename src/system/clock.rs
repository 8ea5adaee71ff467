//! The clock.

use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use jiff::tz::TimeZone;

use crate::config::env;
use crate::files;
use crate::model::{DAY, Timestamp};

/// Returns the seconds since 1970.
pub(crate) fn unix_seconds() -> u64 {
    since_epoch(now()).as_secs()
}

/// Returns the milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    i64::try_from(since_epoch(now()).as_millis()).unwrap_or(i64::MAX)
}

/// Returns the current time, as observations have it.
pub(crate) fn timestamp() -> Timestamp {
    Timestamp(i64::try_from(unix_seconds()).unwrap_or(i64::MAX))
}

/// Returns the current time in the format of state files: `2026-01-05T14:30:00.000Z`.
pub(crate) fn iso_now() -> String {
    let now = jiff::Timestamp::try_from(now()).unwrap_or_default();
    now.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// Returns the time one millisecond after the given one, in the same format.
pub(crate) fn iso_after(at: &str) -> String {
    let at = at.parse::<jiff::Timestamp>().unwrap_or_default();
    let after = jiff::Timestamp::from_millisecond(at.as_millisecond() + 1).unwrap_or(at);
    after.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// Formats a time as RFC 3339.
pub(crate) fn iso(at: Timestamp) -> String {
    jiff::Timestamp::from_second(at.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH).to_string()
}

/// Parses a time in the format of state files.
pub(crate) fn from_iso(text: &str) -> Option<Timestamp> {
    text.parse::<jiff::Timestamp>().ok().map(|at| Timestamp(at.as_second()))
}

#[expect(clippy::disallowed_methods, reason = "only this module reads the clock")]
pub(crate) fn now() -> SystemTime {
    SystemTime::now()
}

/// Returns the time since 1970; zero for an earlier time.
pub(crate) fn since_epoch(time: SystemTime) -> std::time::Duration {
    time.duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Returns the current instant for deadlines, which changes of the clock do not affect.
#[expect(clippy::disallowed_methods, reason = "only this module reads the clock")]
pub(crate) fn instant() -> std::time::Instant {
    std::time::Instant::now()
}

/// Returns the current time for hints.
pub(crate) fn moment() -> jiff::Timestamp {
    jiff::Timestamp::try_from(now()).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
}

/// Starts a stopwatch; the returned function reads it.
#[expect(clippy::disallowed_methods, reason = "only this module reads the clock")]
pub(crate) fn stopwatch() -> impl Fn() -> std::time::Duration {
    let started = std::time::Instant::now();
    move || started.elapsed()
}

/// Formats a time for people in the local zone: `14:30` for today, else with the day.
pub(crate) fn local_time(at: Timestamp) -> String {
    formatter(["%H:%M", "%b %-d, %H:%M", "%Y-%m-%d %H:%M"])(at)
}

/// Looks up the local zone once; the returned function formats many times, in the form of the seed's table: `2:30 PM`.
pub(crate) fn local_times() -> impl Fn(Timestamp) -> String {
    formatter(["%-I:%M %p", "%b %-d, %-I:%M %p", "%Y-%m-%d"])
}

/// Returns a function that formats times of today, of this year, and all others.
fn formatter(forms: [&'static str; 3]) -> impl Fn(Timestamp) -> String {
    let zone = zone();
    let zoned =
        move |seconds| jiff::Timestamp::from_second(seconds).ok().map(|time| time.to_zoned(zone.clone()));
    let today = i64::try_from(unix_seconds()).ok().and_then(&zoned).map(|now| now.date());
    move |at| {
        let Some(time) = zoned(at.0) else { return "unknown".to_owned() };
        let form = match today {
            Some(today) if today == time.date() => forms[0],
            Some(today) if today.year() == time.year() => forms[1],
            _ => forms[2],
        };
        time.strftime(form).to_string()
    }
}

/// Returns the time zone of this machine.
///
/// The library would list all zones of the world to find the one that the system's file points to, and a hook would
/// wait for that; the file itself is enough.
pub(super) fn zone() -> TimeZone {
    let of_system = || {
        TimeZone::tzif("local", &files::read_regular(Path::new("/etc/localtime"), MAX_ZONE_BYTES).ok()?).ok()
    };
    match env::time_zone() {
        Some(named) if is_endless(&named.to_string_lossy()) => TimeZone::UTC,
        Some(_) => TimeZone::system(),
        None => of_system().unwrap_or_else(TimeZone::system),
    }
}

/// Maximum size of a zone file; real ones have a few kilobytes.
const MAX_ZONE_BYTES: u64 = 1 << 20;

/// Returns whether a zone names a file that the library would block on or read forever: it accepts any path.
fn is_endless(zone: &str) -> bool {
    let meta = fs::metadata(zone.strip_prefix(':').unwrap_or(zone));
    meta.is_ok_and(|meta| !meta.is_dir() && (!meta.is_file() || meta.len() > MAX_ZONE_BYTES))
}

/// Formats a day, counted from 1970: `Mon Jan 5`.
pub(crate) fn day_name(day: i64) -> String {
    format_day(day, "%a %b %-d")
}

/// Formats a day, counted from 1970, as `2026-01-05`.
pub(crate) fn iso_day(day: i64) -> String {
    format_day(day, "%Y-%m-%d")
}

/// Days are counted in UTC, so they are formatted in UTC too.
fn format_day(day: i64, form: &str) -> String {
    let moment = jiff::Timestamp::from_second(day.saturating_mul(DAY));
    moment.map_or_else(|_| "unknown".to_owned(), |moment| moment.strftime(form).to_string())
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::tz::TimeZone;

    use super::{is_endless, zone};

    #[test]
    fn the_zone_of_the_file_is_the_one_of_the_system() {
        let (ours, system) = (zone(), TimeZone::system());
        for year in 0..50 {
            for month in 0..12 {
                let at = Timestamp::from_second(year * 31_557_600 + month * 2_629_800).unwrap();
                assert_eq!(ours.to_offset(at), system.to_offset(at), "{at}");
            }
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_zone_that_cannot_be_read_to_its_end_is_recognized() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        std::fs::File::create(path("large")).unwrap().set_len((1 << 20) + 1).unwrap();
        std::fs::File::create(path("small")).unwrap().set_len(1 << 20).unwrap();
        for (name, endless) in [("large", true), ("small", false), ("", false), ("none", false)] {
            assert_eq!(
                (is_endless(&path(name)), is_endless(&format!(":{}", path(name)))),
                (endless, endless)
            );
        }
        assert!(is_endless("/dev/zero") && is_endless(":/dev/zero"));
        assert!(
            !["", ":", "UTC", "Europe/Berlin", "EST5EDT,M3.2.0,M11.1.0"].iter().any(|zone| is_endless(zone))
        );
    }
}
