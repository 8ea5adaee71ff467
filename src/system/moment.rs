//! Times as people write them: a date, a time, `yesterday`, or how long ago.

use jiff::civil::DateTime;
use jiff::{Span, ToSpan, Zoned};

use super::clock;
use crate::model::{DAY, Timestamp};

/// Parses a time, in the user's own zone if it names none.
pub(crate) fn parse(text: &str) -> Result<Timestamp, String> {
    let zone = clock::zone();
    let seconds = i64::try_from(clock::unix_seconds()).unwrap_or(i64::MAX);
    let now = jiff::Timestamp::from_second(seconds).map_err(|error| error.to_string())?.to_zoned(zone);
    parse_at(text, &now).ok_or_else(|| {
        "write a date or time (`2026-01-31`, `2026-01-31T14:30`), how long ago (`3d`, `2h`, `1w`), `today` or `yesterday`"
            .to_owned()
    })
}

/// Parses the end of a period: a day without a time includes all its hours.
pub(crate) fn parse_end(text: &str) -> Result<Timestamp, String> {
    let start = parse(text)?;
    let whole_day = text.trim().parse::<jiff::civil::Date>().is_ok() && !text.contains([':', 'T', 't'])
        || matches!(text.trim().to_lowercase().as_str(), "today" | "yesterday");
    Ok(if whole_day { Timestamp(start.0 + DAY) } else { start })
}

/// Formats the local date of a time, as in `2026-01-31`.
pub(crate) fn local_date(at: Timestamp) -> String {
    let moment = jiff::Timestamp::from_second(at.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    moment.to_zoned(clock::zone()).date().to_string()
}

/// Formats the local time of a moment in milliseconds since 1970: `14:30:05` for today, else `01-31 14:30`.
pub(crate) fn clock_time(milliseconds: u64) -> String {
    let zone = clock::zone();
    let moment = i64::try_from(milliseconds).ok().and_then(|at| jiff::Timestamp::from_millisecond(at).ok());
    let Some(time) = moment.map(|moment| moment.to_zoned(zone.clone())) else { return "unknown".to_owned() };
    let is_today = clock::moment().to_zoned(zone).date() == time.date();
    time.strftime(if is_today { "%H:%M:%S" } else { "%m-%d %H:%M" }).to_string()
}

/// Returns a duration in ISO 8601 if it is written as people do (`2h`, `7d`); other texts stay as they are.
pub(crate) fn iso_duration(text: &str) -> String {
    let span = text.trim().parse::<Span>().ok().filter(|_| text.contains(|c: char| c.is_ascii_lowercase()));
    span.map_or_else(|| text.to_owned(), |span| span.to_string())
}

/// Parses a duration into seconds: `30m`, `1h`, `PT2H`, `1d`.
pub(crate) fn parse_seconds(text: &str) -> Result<i64, String> {
    let span = text.trim().parse::<Span>().ok().filter(|_| text.contains(|c: char| c.is_alphabetic()));
    let seconds = span
        .and_then(|span| span.total((jiff::Unit::Second, jiff::SpanRelativeTo::days_are_24_hours())).ok());
    let seconds = seconds.filter(|seconds| *seconds >= 1.0).map(|seconds| seconds as i64);
    seconds.ok_or_else(|| "write how long, as in `30m`, `1h`, `PT2H` or `1d`".to_owned())
}

fn parse_at(text: &str, now: &Zoned) -> Option<Timestamp> {
    let text = text.trim();
    let moment = match text.to_lowercase().as_str() {
        "now" => now.timestamp(),
        "today" => now.start_of_day().ok()?.timestamp(),
        "yesterday" => now.checked_sub(1.day()).ok()?.start_of_day().ok()?.timestamp(),
        _ => parse_absolute_or_ago(text, now)?,
    };
    Some(Timestamp(moment.as_second()))
}

fn parse_absolute_or_ago(text: &str, now: &Zoned) -> Option<jiff::Timestamp> {
    if let Ok(moment) = text.parse::<jiff::Timestamp>() {
        return Some(moment);
    }
    if let Ok(time) = text.parse::<DateTime>() {
        return time.to_zoned(now.time_zone().clone()).ok().map(|zoned| zoned.timestamp());
    }
    // A number without a unit could mean anything.
    let span = text.parse::<Span>().ok().filter(|_| text.contains(|c: char| c.is_alphabetic()))?;
    now.checked_sub(span.abs()).ok().map(|then| then.timestamp())
}

#[cfg(test)]
mod tests;
