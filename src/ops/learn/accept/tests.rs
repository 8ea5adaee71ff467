//! Adding a rule to a file leaves the rest of the file as it is.

use super::{AcceptError, RuleState, check_rule, extended, in_state};

const RULE: &str = "  - name: \"new\"\n    on: { hook: PreToolUse, tool: Bash }\n    match: { content: x }\n    action: continue\n    message: m\n";

fn check(known: &str, expected: Result<&str, &str>) {
    let found = extended(known, RULE, "f.yaml").map_err(|error| error.to_string());
    let expected = expected.map(|before| format!("{before}{RULE}")).map_err(str::to_owned);
    assert_eq!(found, expected, "{known}");
}

#[test]
fn a_rule_is_added_at_the_end_and_nothing_else_changes() {
    let old = "# mine\nversion: 1\nrules:\n  - { name: a, on: { hook: Stop }, match: { message: x }, action: continue, message: m }";
    check(&format!("{old}\n"), Ok(&format!("{old}\n")));
    check(old, Ok(&format!("{old}\n")));
    check("version: 1\nrules: []\n", Ok("version: 1\nrules:\n"));
    check("version: 1\npacks: [self]\n", Ok("version: 1\npacks: [self]\nrules:\n"));
    check("version: 1\nrules:\n", Ok("version: 1\nrules:\n"));
}

#[test]
fn a_file_that_would_break_stays_as_it_is() {
    check(
        "version: 1\nrules:\n- { name: a, on: { hook: Stop }, match: { message: x }, action: continue, message: m }\ndisable: [x]\n",
        Err("the rule cannot be added to `f.yaml`: `rules:` is not the last thing in it"),
    );
    check(&format!("version: 1\nrules:\n{RULE}"), Err("a rule named `new` is in the file already"));
    let broken = extended("version: 1\nrules: [", RULE, "f.yaml");
    assert!(matches!(broken, Err(AcceptError::BrokenFile { .. })), "{broken:?}");
}

#[test]
fn an_edited_rule_is_checked() {
    assert!(check_rule(RULE).is_ok());
    assert!(check_rule("").is_err());
    assert!(check_rule("  - name: x\n").is_err());
    assert!(in_state(RULE, RuleState::Shadow).ends_with("    shadow: true\n"));
    assert_eq!(in_state(RULE.trim_end(), RuleState::On), RULE);
}
