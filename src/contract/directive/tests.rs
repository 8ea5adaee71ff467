//! The text for each tag.

use expect_test::{Expect, expect};

use super::*;
use crate::contract::recognise;

#[expect(clippy::needless_pass_by_value, reason = "a table reads better")]
fn check(prompt: &str, has_plan: bool, expect: Expect) {
    expect.assert_eq(&directives(&recognise(prompt), has_plan).unwrap_or_else(|| "nothing".to_owned()));
}

#[test]
fn a_tag_gets_its_instructions() {
    check("no tag", true, expect!["nothing"]);
    check(
        "[sync]",
        false,
        expect![
            "`[sync]` in the user's prompt means in this project: Bring `.nexus/context/` up to date with the code. Let `git diff` and `git log` say what has changed since each document did; correct what is stale, add what is missing, delete no document, and list what you changed."
        ],
    );
    check(
        "[d] the second",
        true,
        expect![
            "`[d]` in the user's prompt means in this project: A decision was made. Call nx_plan_decide for the issue that was being discussed (nx_plan_status lists them), with the text behind the tag as the decision; then go on with the next open issue."
        ],
    );
    check(
        "[m:gc]",
        false,
        expect![
            "`[m:gc]` in the user's prompt means in this project: Tidy the notes. Ask nx_memory_gc (or `nudge note gc`) what could be merged or removed and why, show it to the user, and do only what the user confirms. Every removal is a git commit that says how to bring the note back."
        ],
    );
    check(
        "[rule:testing] no sleeps",
        false,
        expect![
            "`[rule:testing]` in the user's prompt means in this project: Keep the text behind the tag as a rule for all agents of this project, with nx_rule_store where it is offered, in a sentence or two that can be followed. Look at `.nexus/rules/` first: a rule on the same matter is changed, not doubled. It belongs in `.nexus/rules/testing.md`."
        ],
    );
}

#[test]
fn missing_parts_are_mentioned() {
    check(
        "[d] the second",
        false,
        expect![
            "`[d]` in the user's prompt means in this project: No plan is open, so there is nothing to decide on. Tell the user; `[plan]` starts one."
        ],
    );
    check(
        "[d]",
        true,
        expect![
            "`[d]` in the user's prompt means in this project: A decision was made. Call nx_plan_decide for the issue that was being discussed (nx_plan_status lists them), with the text behind the tag as the decision; then go on with the next open issue. There is no text after the tag: ask the user for it."
        ],
    );
    check(
        "[rule]",
        false,
        expect![
            "`[rule]` in the user's prompt means in this project: Keep the text behind the tag as a rule for all agents of this project, with nx_rule_store where it is offered, in a sentence or two that can be followed. Look at `.nexus/rules/` first: a rule on the same matter is changed, not doubled. It belongs in `.nexus/rules/`, in a file named after its topic. There is no text after the tag: ask the user for it."
        ],
    );
}

#[test]
fn auto_adds_to_the_plan_and_several_tags_are_several_paragraphs() {
    let plan = directives(&recognise("[plan] x"), false).unwrap();
    let auto = directives(&recognise("[plan:auto] x"), false).unwrap();
    assert_eq!(auto, format!("{}\n{AUTO}", plan.replace("`[plan]` in", "`[plan:auto]` in")));
    let both = directives(&recognise("[plan] x\n[m] y"), false).unwrap();
    assert!(both.starts_with(&format!("{plan}\n\n`[m]` in the user's prompt")), "{both}");
}

#[test]
fn a_directive_is_short() {
    for (form, max) in [("[plan:auto] x", 2_000), ("[run]", 1_000), ("[m] x", 700), ("[rule] x", 500)] {
        let text = directives(&recognise(form), true).unwrap();
        assert!(text.chars().count() <= max, "{form}: {}", text.chars().count());
    }
}
