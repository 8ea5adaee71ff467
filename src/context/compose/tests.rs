//! Tests of this module: order, gaps, and what happens where there is no room.

use super::*;

fn told(parts: &[&str]) -> Option<String> {
    compose(parts.iter().map(|part| (*part).to_owned()))
}

#[test]
fn parts_stand_in_their_order_with_a_line_between() {
    assert_eq!(told(&["rules", "", "plan\nof two lines"]).as_deref(), Some("rules\n\nplan\nof two lines"));
    assert_eq!(told(&["", ""]), None);
    assert_eq!(told(&[]), None);
}

#[test]
fn the_least_important_is_cut_at_a_line_and_dropped_where_nothing_is_left_of_it() {
    let first = "é".repeat(9_000);
    let lines = format!("{}\n{}", "a".repeat(250), "b".repeat(400));
    assert_eq!(told(&[&first, &lines]), Some(format!("{first}\n\n{}", "a".repeat(250))));
    assert_eq!(told(&[&first, &"c".repeat(600), "short"]), Some(format!("{first}\n\nshort")));
}

#[test]
fn what_comes_first_goes_out_whole() {
    let first = "x".repeat(20_000);
    assert_eq!(told(&[&first, "more"]), Some(first));
}
