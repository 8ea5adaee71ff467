//! What a person may write, at noon of 31 January 2026 in a zone of its own.

use jiff::tz::{Offset, TimeZone};

use super::{iso_duration, parse_at};

fn check(text: &str, expected: Option<&str>) {
    let zone = TimeZone::fixed(Offset::constant(2));
    let now = "2026-01-31T10:00:00Z".parse::<jiff::Timestamp>().unwrap().to_zoned(zone);
    let moment =
        parse_at(text, &now).map(|moment| jiff::Timestamp::from_second(moment.0).unwrap().to_string());
    assert_eq!(moment.as_deref(), expected, "{text}");
}

#[test]
fn dates_and_times_are_of_the_users_zone() {
    check("2026-01-30", Some("2026-01-29T22:00:00Z"));
    check("2026-01-30T14:30", Some("2026-01-30T12:30:00Z"));
    check("2026-01-30 14:30:05", Some("2026-01-30T12:30:05Z"));
    check("2026-01-30T14:30Z", Some("2026-01-30T14:30:00Z"));
    check("2026-01-30T14:30:00+01:00", Some("2026-01-30T13:30:00Z"));
}

#[test]
fn days_have_names() {
    check("now", Some("2026-01-31T10:00:00Z"));
    check("today", Some("2026-01-30T22:00:00Z"));
    check(" Yesterday ", Some("2026-01-29T22:00:00Z"));
}

#[test]
fn how_long_ago() {
    check("3d", Some("2026-01-28T10:00:00Z"));
    check("2h", Some("2026-01-31T08:00:00Z"));
    check("2h30m", Some("2026-01-31T07:30:00Z"));
    check("1w", Some("2026-01-24T10:00:00Z"));
    check("3 days ago", Some("2026-01-28T10:00:00Z"));
}

#[test]
fn how_long_ago_in_iso_8601() {
    check("PT2H", Some("2026-01-31T08:00:00Z"));
    check("P3D", Some("2026-01-28T10:00:00Z"));
}

#[test]
fn durations_become_iso_8601() {
    let check = |text: &str, expected: &str| assert_eq!(iso_duration(text), expected, "{text}");
    check("2h", "PT2H");
    check("30m", "PT30M");
    check("7d", "P7D");
    check("1h30m", "PT1H30M");
    check("PT2H", "PT2H");
    check("session", "session");
    check("2", "2");
    check("soon", "soon");
}

#[test]
fn anything_else_is_refused() {
    for text in ["", "3", "soon", "2026-13-01", "2026-02-30", "d3", "999999999y"] {
        check(text, None);
    }
}
