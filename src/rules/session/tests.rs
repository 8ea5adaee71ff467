//! What a session must have seen for a rule to fire.

use std::path::Path;

use super::*;
use crate::rules::{MissingVersion, read};

const ROOT: &str = "/p";

fn rule(keys: &str) -> Rule {
    let text = format!(
        "version: 1\nrules:\n  - {{ name: r, on: {{ hook: PreToolUse }}, {keys}, action: interrupt, message: m }}\n"
    );
    let mut loaded = read("r.yaml", &text, MissingVersion::Refuse);
    assert_eq!(loaded.problems, [], "{keys}");
    loaded.rules.remove(0)
}

/// Asks a rule, ten minutes after the start. A fact is `a` for `after`, `w` for `without`, `o` for the rule's own match;
/// a number is the minute in which the next ones happen.
fn answer(keys: &str, facts: &str) -> String {
    let rule = rule(keys);
    let condition = rule.session.as_ref().unwrap();
    let (mut minute, mut all) = (0, Vec::new());
    for word in facts.split_whitespace() {
        if let Ok(number) = word.parse::<i64>() {
            minute = number;
            continue;
        }
        let key = match word {
            "a" => condition.after.as_ref().unwrap().key(Path::new(ROOT)),
            "w" => condition.without.as_ref().unwrap().key(Path::new(ROOT)),
            "o" => own_key(&rule, Path::new(ROOT)),
            _ => 0,
        };
        all.push(SessionFact { key, at_ms: minute * 60_000, what: format!("{word}{}", all.len()) });
    }
    match condition.ask(&rule, Path::new(ROOT), &all, 600_000) {
        SessionAnswer::True(what) => format!("true {what}").trim_end().to_owned(),
        SessionAnswer::Waits(why) => why.to_string(),
    }
}

#[track_caller]
fn check(keys: &str, cases: &[(&str, &str)]) {
    for (facts, expect) in cases {
        assert_eq!(answer(keys, facts), *expect, "{keys} after {facts:?}");
    }
}

const NEVER: &str = "its `after` has not happened in this session";

#[test]
fn after_means_that_it_happened() {
    check("after: { tool: Write }", &[("", NEVER), ("x", NEVER), ("a x", "true a0"), ("a x a", "true a2")]);
}

#[test]
fn without_means_not_since() {
    check(
        "after: { tool: Write }, without: { tool: Bash }",
        &[
            ("", NEVER),
            ("w", NEVER),
            ("a", "true a0"),
            ("w a", "true a1"),
            ("a w", "its `without` has happened since: `w1`"),
            ("a w a", "true a2"),
            ("a a w x", "its `without` has happened since: `w2`"),
        ],
    );
    check(
        "without: { tool: Bash }",
        &[("", "true"), ("x", "true"), ("w", "its `without` has happened since: `w0`")],
    );
}

#[test]
fn times_count_since_the_last_success() {
    check(
        "after: { tool: Bash, outcome: failed }, without: { tool: Bash }, times: 3",
        &[
            ("", NEVER),
            ("a", "it has happened only once (`times`)"),
            ("a a", "it has happened only 2 times (`times`)"),
            ("a a a", "true a2"),
            ("a a w a", "it has happened only once (`times`)"),
            ("a a w a a a", "true a5"),
        ],
    );
}

#[test]
fn a_rule_counts_its_own_matches_if_it_names_nothing_else() {
    check(
        "times: 3, within: 5m",
        &[
            ("", "it has happened only once (`times`)"),
            ("6 o", "it has happened only 2 times (`times`)"),
            ("6 o o", "true o1"),
            ("1 o o 6 o", "it has happened only 2 times (`times`)"),
        ],
    );
}

#[test]
fn within_leaves_out_what_is_older() {
    check(
        "after: { tool: Write }, within: 5m",
        &[
            ("4 a", "its `after` happened, but not `within` the time: `a0`"),
            ("5 a", "true a0"),
            ("1 a 9 a", "true a1"),
            // A clock that went back does not hide what happened.
            ("99 a", "true a0"),
        ],
    );
    check(
        "without: { tool: Bash }, within: 5m",
        &[("1 w", "true"), ("6 w", "its `without` has happened since: `w0`")],
    );
    check(
        "after: { tool: Write }, without: { tool: Bash }, within: 5m",
        &[("1 w 6 a", "true a1"), ("6 a w", "its `without` has happened since: `w1`")],
    );
}

#[test]
fn the_same_happening_has_the_same_key_wherever_it_is_written() {
    let of = |keys: &str| rule(keys).session.unwrap().after.unwrap();
    let one = of("after: { tool: Bash, content: x }");
    let two = of("description: a longer line before it, after: { tool: Bash, content: x }");
    assert_ne!(one, two);
    assert_eq!(one.key(Path::new("/a")), two.key(Path::new("/a")));
    assert_ne!(one.key(Path::new("/a")), one.key(Path::new("/b")));
    assert_ne!(one.key(Path::new("/a")), of("after: { tool: Bash, content: y }").key(Path::new("/a")));
    let failed = of("after: { tool: Bash, content: x, outcome: failed }");
    assert_ne!(one.key(Path::new("/a")), failed.key(Path::new("/a")));
}

#[test]
fn only_calls_that_ended_as_wanted_count() {
    use CallEnding::{Failed, Succeeded};
    let check = |wanted, ending, changes_file, expect| {
        assert_eq!(Happening::counts(wanted, ending, changes_file), expect, "{wanted:?} {ending:?}");
    };
    check(None, Some(Succeeded), true, true);
    check(None, Some(Failed), true, false);
    check(None, Some(Failed), false, true);
    check(None, None, false, true);
    check(Some(Succeeded), None, false, false);
    check(Some(Succeeded), Some(Failed), false, false);
    check(Some(Failed), Some(Failed), true, true);
}
