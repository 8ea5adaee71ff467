//! What becomes of a text in a row.

use super::{ago, highlighted, one_line, plain, told, told_excerpt};
use crate::model::{Excerpt, Timestamp};

/// Shows marks as `[…]`, before and after.
fn check_highlight(marked: &str, path: Option<&str>, expected: &str) {
    let mut excerpt = Excerpt { text: String::new(), marks: Vec::new() };
    let mut start = 0;
    for c in marked.chars() {
        match c {
            '[' => start = excerpt.text.len(),
            ']' => excerpt.marks.push(start..excerpt.text.len()),
            c => excerpt.text.push(c),
        }
    }
    let shown = highlighted(&told_excerpt(&excerpt, path));
    let shown = shown.replace("\u{1b}[1m\u{1b}[33m", "[").replace("\u{1b}[0m", "]");
    assert_eq!(shown, expected, "{marked}");
}

#[test]
fn matches_are_marked() {
    check_highlight("a [b] c", None, "a [b] c");
    check_highlight("[ä][日] c", None, "[ä][日] c");
    check_highlight("a\n[b]\u{1b}\n", None, "a ⏎ [b]  ⏎ ");
    check_highlight("/home/u/p/src/[a].rs: x", Some("src/a.rs"), "src/[a].rs: x");
    check_highlight("/home/[u]/p/src/a.rs: x", Some("src/a.rs"), "src/a.rs: x");
}

#[test]
fn a_long_text_is_shown_around_its_first_match() {
    let words = "word ".repeat(40);
    let from_the_start = format!("a [b] {}…", &words[..106]);
    check_highlight(&format!("a [b] {words}"), None, &from_the_start);
    let lead = &words[words.len() - 30..];
    check_highlight(&format!("{words}[b] c"), None, &format!("…{lead}[b] c"));
}

#[test]
fn a_path_is_told_as_the_project_knows_it() {
    let check = |content, path, expected| assert_eq!(told(content, path), expected);
    check("/p/src/a.rs: x", Some("src/a.rs"), "src/a.rs: x");
    check("/p/src/a.rs: x", None, "/p/src/a.rs: x");
    check("", Some("src/a.rs"), "src/a.rs");
    check("make /p/src/a.rs", Some("src/a.rs"), "make /p/src/a.rs");
    check("/bin/ls /p/src/a.rs", Some("src/a.rs"), "/bin/ls /p/src/a.rs");
    check("/p/xsrc/a.rs", Some("src/a.rs"), "/p/xsrc/a.rs");
}

#[test]
fn a_text_becomes_one_line_that_cannot_move_the_cursor() {
    assert_eq!(one_line("a\n\n  b\u{1b}[2J\n", 99), "a ⏎ b[2J");
    assert_eq!(one_line("äöü b", 3), "äöü…");
    assert_eq!(one_line("äöü", 3), "äöü");
    assert_eq!(plain("a\tb\nc\r\u{7}\u{9b}"), "a\tb\nc");
}

#[test]
fn ages_are_said_in_one_unit() {
    let check = |seconds, expected: &str| assert_eq!(ago(Timestamp(0), Timestamp(seconds)), expected);
    check(-5, "just now");
    check(59, "just now");
    check(60, "1m ago");
    check(3_600, "1h ago");
    check(47 * 3_600, "47h ago");
    check(48 * 3_600, "2d ago");
    check(60 * 86_400, "2mo ago");
    check(730 * 86_400, "2y ago");
}
