//! Order, gaps, and what happens if there is no room.

use super::*;

fn composed(parts: &[&str]) -> Option<String> {
    compose(parts.iter().map(|part| (*part).to_owned()))
}

#[test]
fn parts_are_joined_in_order_with_an_empty_line_between() {
    assert_eq!(
        composed(&["rules", "", "plan\nof two lines"]).as_deref(),
        Some("rules\n\nplan\nof two lines")
    );
    assert_eq!(composed(&["", ""]), None);
    assert_eq!(composed(&[]), None);
}

#[test]
fn the_least_important_part_is_cut_at_a_line_or_dropped() {
    let first = "é".repeat(9_000);
    let lines = format!("{}\n{}", "a".repeat(250), "b".repeat(400));
    assert_eq!(composed(&[&first, &lines]), Some(format!("{first}\n\n{}", "a".repeat(250))));
    assert_eq!(composed(&[&first, &"c".repeat(600), "short"]), Some(format!("{first}\n\nshort")));
}

#[test]
fn the_first_part_is_never_cut() {
    let first = "x".repeat(20_000);
    assert_eq!(composed(&[&first, "more"]), Some(first));
}
