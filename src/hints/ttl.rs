//! How long a hint lives: `session`, or an ISO-8601 duration.

use jiff::{SignedDuration, Timestamp};

use crate::model::HintFlaw;

/// The lifetime of a hint, counted from its last update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ttl {
    /// As long as the session's servers run.
    Session,
    Lasts(SignedDuration),
}

impl Ttl {
    pub(crate) fn read(text: &str) -> Result<Ttl, HintFlaw> {
        if text == "session" {
            return Ok(Ttl::Session);
        }
        parse_duration(text).map(Ttl::Lasts).ok_or_else(|| {
            HintFlaw::invalid(
                "`ttl` must be `session` or an ISO-8601 duration longer than zero, like `PT2H` or `P1D`",
            )
        })
    }

    /// Returns the time at which the hint expires.
    pub(crate) fn end(self, updated_at: Timestamp) -> Option<Timestamp> {
        match self {
            Ttl::Session => None,
            // A time past the end of the calendar means that it never expires.
            Ttl::Lasts(duration) => updated_at.checked_add(duration).ok(),
        }
    }
}

const DAY: f64 = 86_400.0;
const DATE_UNITS: [(char, f64); 4] = [('Y', 365.0 * DAY), ('M', 30.0 * DAY), ('W', 7.0 * DAY), ('D', DAY)];
const TIME_UNITS: [(char, f64); 3] = [('H', 3600.0), ('M', 60.0), ('S', 1.0)];

fn parse_duration(text: &str) -> Option<SignedDuration> {
    let rest = text.strip_prefix('P')?;
    let (date, time) = match rest.split_once('T') {
        Some((_, "")) => return None,
        Some((date, time)) => (date, time),
        None => (rest, ""),
    };
    let (date_seconds, date_fraction) = parse_units(date, &DATE_UNITS)?;
    let (time_seconds, _) = parse_units(time, &TIME_UNITS)?;
    if date_fraction && !time.is_empty() {
        return None;
    }
    let length = SignedDuration::try_from_secs_f64(date_seconds + time_seconds).ok()?;
    (length >= SignedDuration::from_millis(1)).then_some(length)
}

/// Parses `1Y2M…` into seconds: each unit once and in order; only the last number may have a fraction.
fn parse_units(text: &str, units: &[(char, f64)]) -> Option<(f64, bool)> {
    let mut seconds = 0.0;
    let mut units = units.iter();
    let mut rest = text;
    let mut fraction = false;
    while !rest.is_empty() {
        if fraction {
            return None;
        }
        let end = rest.find(|c: char| c.is_ascii_uppercase())?;
        let (_, unit) = units.find(|(letter, _)| rest[end..].starts_with(*letter))?;
        seconds += parse_number(&rest[..end])? * unit;
        fraction = rest[..end].contains(['.', ',']);
        rest = &rest[end + 1..];
    }
    Some((seconds, fraction))
}

fn parse_number(text: &str) -> Option<f64> {
    let (whole, part) = text.split_once(['.', ',']).unwrap_or((text, "0"));
    let digits =
        |text: &str| !text.is_empty() && text.len() <= 15 && text.bytes().all(|b| b.is_ascii_digit());
    (digits(whole) && digits(part)).then(|| format!("{whole}.{part}").parse().ok())?
}

#[cfg(test)]
mod tests;
