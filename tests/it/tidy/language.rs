//! The turns of phrase that we caught ourselves using, and do not want back: `CONVENTIONS.md` says what to write instead.

use super::source::Source;
use super::{assert_complains, assert_content, assert_tidy};

/// A text that must not appear in the source, and what to write instead.
const INSTEAD: [(&str, &str); 13] = [
    ("MOST_", "`MAX_…`"),
    ("const MOST:", "`MAX_…`"),
    ("PATIENCE", "`…_TIMEOUT`"),
    ("So many ", "`At most N …`, or `Maximum number of …`"),
    (" so many ", "the number, or `this many`"),
    (" anew", "`again`"),
    (" for who ", "a noun: the caller, a waiting process"),
    (" to who ", "a noun: the caller, a waiting process"),
    (" of who ", "a noun: the caller, a waiting process"),
    (" from who ", "a noun: the caller, a waiting process"),
    (" for ever", "`forever`"),
    (" be of use", "`help`"),
    (" is told by", "`is recognised by`"),
];

/// Names that users have in their environments and files.
const KEPT: [&str; 1] = ["NUDGE_PUSH_PATIENCE_MS"];

#[test]
fn the_source_speaks_plain_english() {
    assert_tidy(turns);
}

#[test]
fn a_forbidden_turn_is_reported() {
    let check = |text: &str, complaint: &str| assert_complains(turns, "src/rules/a.rs", text, complaint);
    check("const MOST_BYTES: u64 = 1;", "src/rules/a.rs:1: `MOST_`: write `MAX_…`");
    check("const MOST: u64 = 1;", "src/rules/a.rs:1: `const MOST:`: write `MAX_…`");
    check("//! Opens.\n// Reads it anew.", "src/rules/a.rs:2: `anew`: write `again`");
    check(
        "/// So many rows are shown.",
        "src/rules/a.rs:1: `So many`: write `At most N …`, or `Maximum number of …`",
    );
    check(
        "/// Leaves room for who waits.",
        "src/rules/a.rs:1: `for who`: write a noun: the caller, a waiting process",
    );
    assert_content(
        turns,
        "src/rules/a.rs",
        "const P: &str = \"NUDGE_PUSH_PATIENCE_MS\"; // For every person who waits.",
    );
    assert_content(turns, "tests/it/tidy/language.rs", "MOST_");
}

/// Returns whether a line has a turn as whole words; `for every` is not `for ever`.
fn has_turn(line: &str, turn: &str) -> bool {
    line.match_indices(turn).any(|(at, _)| {
        let next = line[at + turn.len()..].chars().next();
        turn.ends_with(['_', ' ']) || !next.is_some_and(char::is_alphabetic)
    })
}

fn turns(files: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.path.starts_with("src/")) {
        for (index, line) in file.text.lines().enumerate() {
            let line = KEPT.iter().fold(line.to_owned(), |line, kept| line.replace(kept, ""));
            for (turn, instead) in INSTEAD.iter().filter(|(turn, _)| has_turn(&line, turn)) {
                complaints.push(format!("{}:{}: `{}`: write {instead}", file.path, index + 1, turn.trim()));
            }
        }
    }
    complaints
}
