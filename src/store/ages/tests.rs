//! Clocks that jump, and which rows become old.

use super::*;

const NOW: i64 = 20_000;
const MAX_GAP: i64 = 14 * DAY;

/// Returns how many rows that were stored on these days since 1970 are older than 90 days.
fn old(days: &[i64], now: i64) -> usize {
    let rows = days.iter().enumerate().map(|(id, day)| (id as i64, Timestamp(day * DAY)));
    let line = Ages::new(rows, Timestamp(now * DAY), MAX_GAP);
    line.older_than(90).map_or(0, |last| last as usize + 1)
}

#[test]
fn a_row_ages_with_the_rows_behind_it() {
    let every_ten: Vec<i64> = (0..=20).map(|n| NOW - 200 + n * 10).collect();
    assert_eq!(old(&every_ten, NOW), 11);
    // The clock alone makes nothing older.
    assert_eq!(old(&every_ten, NOW + 1_000), 11);
    assert_eq!(old(&every_ten[..5], NOW), 0);
    assert_eq!(old(&[], NOW), 0);
}

#[test]
fn a_wrong_clock_makes_nothing_old() {
    let week: Vec<i64> = (0..7).map(|n| NOW - 7 + n).collect();
    for jump in [3 * 365, 27_000, 27 * 365, -365, -20 * 365, -NOW] {
        let wrong = [NOW + jump, NOW + jump + 1];
        let during = [&week[..], &wrong].concat();
        let after = [&during[..], &[NOW, NOW + 1, NOW + 2]].concat();
        assert_eq!(old(&during, NOW + jump + 1), 0, "while it is wrong: {jump}");
        assert_eq!(old(&during, NOW), 0, "when it is right again: {jump}");
        assert_eq!(old(&after, NOW + 2), 0, "and later: {jump}");
    }
}

#[test]
fn a_row_from_the_future_neither_stops_time_nor_moves_it() {
    let mut every_ten: Vec<i64> = (0..=20).map(|n| NOW - 200 + n * 10).collect();
    every_ten[3] = 47_000;
    assert_eq!(old(&every_ten, NOW), 11);
    every_ten.push(47_001);
    assert_eq!(old(&every_ten, NOW), 11);
}

#[test]
fn imported_rows_are_as_old_as_their_neighbours() {
    let mut rows: Vec<i64> = (0..=10).map(|n| NOW - 100 + n * 10).collect();
    assert_eq!(old(&rows, NOW), 1);
    rows.extend([NOW - 900, NOW - 800, NOW]);
    assert_eq!(old(&rows, NOW), 1);
}

#[test]
fn a_clock_is_doubted_in_both_directions() {
    let line = |days: &[i64], now: i64| {
        let rows = days.iter().enumerate().map(|(id, day)| (id as i64, Timestamp(day * DAY)));
        doubt(&Ages::new(rows, Timestamp(now * DAY), MAX_GAP), Timestamp(now * DAY), 30 * DAY)
    };
    assert_eq!(line(&[], NOW), None);
    assert_eq!(line(&[NOW - 30, NOW], NOW), None);
    assert_eq!(line(&[NOW - 30], NOW), None);
    assert_eq!(line(&[NOW - 31], NOW), Some(ClockDoubt::Ahead { newest: Timestamp((NOW - 31) * DAY) }));
    assert_eq!(line(&[NOW + 1], NOW), None);
    assert_eq!(line(&[NOW, NOW + 2], NOW), Some(ClockDoubt::Behind { last: Timestamp((NOW + 2) * DAY) }));
    // One row from the future says nothing about a clock that has been right since.
    assert_eq!(line(&[47_000, NOW], NOW), None);
}
