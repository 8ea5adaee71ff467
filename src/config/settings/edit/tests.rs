//! Settings that are written into texts of every form, and removed from them.

use expect_test::{Expect, expect};

use super::*;

#[track_caller]
fn set(text: &str, section: &str, key: &str, literal: &str, expected: &Expect) {
    let shown = match with_value(text, section, key, literal) {
        Ok(text) => text,
        Err(error) => format!("{error:?}"),
    };
    expected.assert_eq(&shown);
}

#[track_caller]
fn unset(text: &str, section: &str, key: &str, expected: &Expect) {
    let shown = match without_value(text, section, key) {
        Ok(Some(text)) => text,
        Ok(None) => "not there".to_owned(),
        Err(error) => format!("{error:?}"),
    };
    expected.assert_eq(&shown);
}

const COMMENTED: &str = "\
# mine
[context] # what a session sees
  rows = 3   # few
  # a thought

[redact]
badge = 'b\\d+'
";

#[test]
fn a_value_is_set_and_everything_else_stays() {
    set(
        COMMENTED,
        "context",
        "rows",
        "10",
        &expect![[r"
            # mine
            [context] # what a session sees
              rows = 10   # few
              # a thought

            [redact]
            badge = 'b\d+'
        "]],
    );
    set(
        COMMENTED,
        "context",
        "budget",
        "0",
        &expect![[r"
            # mine
            [context] # what a session sees
              rows = 3   # few
              budget = 0
              # a thought

            [redact]
            badge = 'b\d+'
        "]],
    );
    set(
        COMMENTED,
        "ui",
        "enabled",
        "false",
        &expect![[r"
            # mine
            [context] # what a session sees
              rows = 3   # few
              # a thought

            [redact]
            badge = 'b\d+'

            [ui]
            enabled = false
        "]],
    );
}

#[test]
fn a_value_finds_its_place_in_every_form_of_a_section() {
    set("", "ui", "enabled", "true", &expect!["[ui]\nenabled = true\n"]);
    set("[ui]", "ui", "enabled", "true", &expect!["[ui]\nenabled = true\n"]);
    set("context.rows = 1", "context", "rows", "2", &expect!["context.rows = 2"]);
    set("context.rows = 1", "context", "budget", "2", &expect!["context.rows = 1\ncontext.budget = 2\n"]);
    set("context = { rows = 1 }", "context", "rows", "2", &expect!["context = { rows = 2 }"]);
    set("context = { rows = 1 }", "context", "budget", "2", &expect!["Form"]);
    set("[a]\r\nb = 1\r\n", "a", "c", "2", &expect!["[a]\r\nb = 1\r\nc = 2\r\n"]);
    set("a = 1", "a", "c", "2", &expect!["Form"]);
    set(
        "[a]\nb = [\n  1,\n]\n[c]\n",
        "a",
        "d",
        "2",
        &expect![[r#"
            [a]
            b = [
              1,
            ]
            d = 2
            [c]
        "#]],
    );
    set(
        "[ui",
        "ui",
        "enabled",
        "true",
        &expect![[r#"Malformed { line: 1, why: "unclosed table, expected `]`" }"#]],
    );
}

#[test]
fn a_value_is_removed_with_its_line() {
    unset(
        COMMENTED,
        "context",
        "rows",
        &expect![[r"
            # mine
            [context] # what a session sees
              # a thought

            [redact]
            badge = 'b\d+'
        "]],
    );
    unset(COMMENTED, "context", "budget", &expect!["not there"]);
    unset("context.rows = 1\n", "context", "rows", &expect![""]);
    unset("context = { rows = 1 }", "context", "rows", &expect![""]);
    unset("context = { rows = 1, budget = 2 }", "context", "rows", &expect!["Form"]);
}
