//! Moments as people write them: a date, a time, `yesterday`, or how long ago.

use jiff::civil::DateTime;
use jiff::{Span, ToSpan, Zoned};

use super::clock;
use crate::model::Timestamp;

/// Reads a moment, in the user's own zone where it names none.
pub(crate) fn parse(text: &str) -> Result<Timestamp, String> {
    let zone = clock::zone();
    let seconds = i64::try_from(clock::unix_seconds()).unwrap_or(i64::MAX);
    let now = jiff::Timestamp::from_second(seconds).map_err(|error| error.to_string())?.to_zoned(zone);
    parse_at(text, &now).ok_or_else(|| {
        "write a date or time (`2026-01-31`, `2026-01-31T14:30`), how long ago (`3d`, `2h`, `1w`), `today` or `yesterday`"
            .to_owned()
    })
}

/// Reads the end of a time: a day without a time is meant with all its hours.
pub(crate) fn parse_end(text: &str) -> Result<Timestamp, String> {
    let start = parse(text)?;
    let whole_day = text.trim().parse::<jiff::civil::Date>().is_ok() && !text.contains([':', 'T', 't'])
        || matches!(text.trim().to_lowercase().as_str(), "today" | "yesterday");
    Ok(if whole_day { Timestamp(start.0 + DAY) } else { start })
}

/// Writes the day of a moment in the user's own zone, as in `2026-01-31`.
pub(crate) fn local_date(at: Timestamp) -> String {
    let moment = jiff::Timestamp::from_second(at.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    moment.to_zoned(clock::zone()).date().to_string()
}

/// Returns a duration as ISO 8601 has it, if it is written as people do (`2h`, `7d`); other texts stay as they are.
pub(crate) fn iso_duration(text: &str) -> String {
    let span = text.trim().parse::<Span>().ok().filter(|_| text.contains(|c: char| c.is_ascii_lowercase()));
    span.map_or_else(|| text.to_owned(), |span| span.to_string())
}

const DAY: i64 = 86_400;

fn parse_at(text: &str, now: &Zoned) -> Option<Timestamp> {
    let text = text.trim();
    let moment = match text.to_lowercase().as_str() {
        "now" => now.timestamp(),
        "today" => now.start_of_day().ok()?.timestamp(),
        "yesterday" => now.checked_sub(1.day()).ok()?.start_of_day().ok()?.timestamp(),
        _ => written(text, now)?,
    };
    Some(Timestamp(moment.as_second()))
}

fn written(text: &str, now: &Zoned) -> Option<jiff::Timestamp> {
    if let Ok(moment) = text.parse::<jiff::Timestamp>() {
        return Some(moment);
    }
    if let Ok(time) = text.parse::<DateTime>() {
        return time.to_zoned(now.time_zone().clone()).ok().map(|zoned| zoned.timestamp());
    }
    // A number alone could mean anything.
    let span = text.parse::<Span>().ok().filter(|_| text.contains(|c: char| c.is_alphabetic()))?;
    now.checked_sub(span.abs()).ok().map(|then| then.timestamp())
}

#[cfg(test)]
mod tests;
