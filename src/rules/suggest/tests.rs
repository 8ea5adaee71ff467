//! Tests of this module.

use super::*;

const KNOWN: [&str; 4] = ["name", "case_sensitive", "message", "on"];

#[test]
fn the_nearest_word_is_the_one_that_was_meant() {
    let check = |word: &str, expect: Option<&str>| assert_eq!(nearest(word, KNOWN), expect, "{word}");
    check("name", Some("name"));
    check("nmae", Some("name"));
    check("Name", Some("name"));
    check("case-sensitive", Some("case_sensitive"));
    check("caseSensitive", Some("case_sensitive"));
    check("case_sensitve", Some("case_sensitive"));
    check("messages", Some("message"));
    check("on_", Some("on"));
    check("severity", None);
    check("", None);
    check("日本語", None);
    check(&"name".repeat(1_000_000), None);
}

#[test]
fn without_a_near_word_all_are_listed() {
    let check = |word: &str, expect: &str| assert_eq!(did_you_mean(word, KNOWN), expect);
    check("mesage", "did you mean `message`?");
    check("severity", "known are `name`, `case_sensitive`, `message`, `on`");
}
