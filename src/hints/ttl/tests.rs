//! Tests of this module.

use super::*;

#[test]
fn durations_are_parsed() {
    let check = |text: &str, seconds: f64| {
        let length = SignedDuration::try_from_secs_f64(seconds).unwrap();
        assert_eq!(Ttl::read(text), Ok(Ttl::Lasts(length)), "{text}");
    };
    check("PT2H", 7_200.0);
    check("PT30M", 1_800.0);
    check("PT45S", 45.0);
    check("P1D", 86_400.0);
    check("P1W", 7.0 * 86_400.0);
    check("P1M", 30.0 * 86_400.0);
    check("P1Y", 365.0 * 86_400.0);
    check("P1Y2M3W4DT5H6M7S", ((365 + 60 + 21 + 4) * 86_400 + 5 * 3_600 + 6 * 60 + 7) as f64);
    check("PT1.5H", 5_400.0);
    check("PT0.5S", 0.5);
    check("PT0,25S", 0.25);
    check("P0.5D", 43_200.0);
    check("P1DT0.5H", 86_400.0 + 1_800.0);
    check("PT36H", 36.0 * 3_600.0);
    check("P0DT1S", 1.0);
    assert_eq!(Ttl::read("session"), Ok(Ttl::Session));
}

#[test]
fn invalid_and_empty_durations_are_refused() {
    let refused = [
        "",
        "P",
        "PT",
        "P1DT",
        "PT0S",
        "P0D",
        "-PT1H",
        "PT-1H",
        "+PT1H",
        "P-1D",
        "2H",
        "PT2",
        "T2H",
        "pt2h",
        "PT2h",
        "1 hour",
        "Session",
        "session ",
        " PT1H",
        "PT1H ",
        "PT1S1H",
        "PT1H1H",
        "P1D1Y",
        "P1H",
        "PT1D",
        "PT1.5H30M",
        "P1.5DT1H",
        "PT.5S",
        "PT1.S",
        "PT1..5S",
        "PT1e3S",
        "PT0.0001S",
        "PTinfS",
        "PTNaNS",
        "P1W2",
        "PT1H;",
        "PT9999999999999999999S",
        "P٣D",
    ];
    for text in refused {
        assert!(Ttl::read(text).is_err(), "{text}");
    }
}

#[test]
fn a_lifetime_is_counted_from_the_last_update() {
    let at: Timestamp = "2026-01-02T03:04:05.678Z".parse().unwrap();
    let end = |text: &str| Ttl::read(text).unwrap().end(at).map(|end| end.to_string());
    assert_eq!(end("session"), None);
    assert_eq!(end("PT1H").as_deref(), Some("2026-01-02T04:04:05.678Z"));
    assert_eq!(end("P99999Y"), None);
}
