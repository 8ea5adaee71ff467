//! Packs: rules inside the program that a rule file uses by name, changes and disables.

use expect_test::expect;

use crate::payload::{bash, write};
use crate::sandbox::{Sandbox, rules};

const USED: &str = "version: 1\npacks: [self]\n";

fn with(text: &str) -> Sandbox {
    Sandbox::new().file(".nudge.yaml", text)
}

fn to_rules() -> crate::payload::Payload {
    write(".nudge/x.yaml", "version: 1")
}

fn blocks(sandbox: &Sandbox) -> bool {
    sandbox.hook("claude-code", to_rules()).stdout.contains("deny")
}

#[test]
fn every_example_of_every_pack_holds() {
    for file in std::fs::read_dir("assets/packs").expect("the folder of packs") {
        let file = std::path::absolute(file.expect("a file").path()).expect("a path");
        let ran = Sandbox::new().run(["validate", file.to_str().expect("UTF-8")]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn a_pack_blocks_and_says_which_one_it_is() {
    let sandbox = with(USED);
    let said = sandbox.hook("claude-code", to_rules()).stdout;
    assert!(said.contains("[nudge: keep-rules · pack self]"), "{said}");
    // The second run reads the cached book.
    assert!(blocks(&sandbox));
    sandbox.hook("claude-code", write("src/x.ts", "1")).reply(expect!["nothing"]);
    sandbox.run(["validate"]).code(0).stdout(expect![[r#"
        .nudge.yaml: 6 rules loaded
          - pack self (6 rules)
    "#]]);
}

#[test]
fn a_pack_that_the_user_uses_too_speaks_once() {
    let sandbox = with(USED).user_rules(USED);
    let said = sandbox.hook("claude-code", to_rules()).stdout;
    assert_eq!(said.matches("pack self").count(), 1, "{said}");
    sandbox.run(["validate"]).code(0);
}

#[test]
fn a_rule_of_a_pack_is_disabled_changed_or_only_counted() {
    assert!(!blocks(&with("version: 1\npacks: [self]\ndisable: [keep-rules]\n")));
    let changed = with(
        "version: 1\npacks: [self]\nrules: [{ name: keep-rules, action: continue, message: careful }]\n",
    );
    changed.hook("claude-code", to_rules()).reply(expect!["context: careful"]);
    let shadowed = with("version: 1\npacks: [self]\nshadow: [keep-rules]\n");
    shadowed.hook("claude-code", to_rules()).reply(expect!["nothing"]);
    let why = shadowed.run(["why"]).stdout;
    assert!(why.contains("matched, and was silent: it is only counted (`shadow`)"), "{why}");
    let shadowed = with(&rules(&[
        "{ name: a, on: { hook: PreToolUse }, action: interrupt, message: no, shadow: true }",
    ]));
    shadowed.hook("claude-code", to_rules()).reply(expect!["nothing"]);
}

#[test]
fn a_project_disables_nothing_of_the_users_own_and_the_user_may_disable_its_packs() {
    let off = "version: 1\npacks: [self]\ndisable: [keep-rules]\n";
    assert!(blocks(&with(off).user_rules(USED)));
    assert!(!blocks(&with(USED).user_rules(off)));
    assert!(!blocks(&with(USED).user_rules("version: 1\ndisable: [keep-rules]\n")));
}

#[test]
fn an_unknown_pack_is_reported_and_the_rest_of_the_file_works() {
    let sandbox = with(
        "version: 1\npacks: [selff]\nrules: [{ name: a, on: { hook: PreToolUse }, action: continue, message: m }]\n",
    );
    let ran = sandbox.hook("claude-code", to_rules());
    assert!(ran.stdout.contains("no pack is named `selff`"), "{}", ran.stdout);
    ran.reply(expect!["context: m"]);
    sandbox.run(["validate"]).code(1);
}

#[test]
fn the_statistics_say_what_a_rule_did() {
    let rule = "{ name: no-todo, on: { hook: PreToolUse, tool: Write }, match: { content: TODO }, action: interrupt, message: no }";
    let quiet = "{ name: quiet, on: { hook: PreToolUse, tool: Write }, match: { content: NEVER }, action: continue, message: no }";
    let sandbox = Sandbox::new().rule("a.yaml", &rules(&[rule, quiet]));
    let calls = [("a.rs", "TODO"), ("a.rs", "TODO"), ("b.rs", "TODO"), ("b.rs", "done")];
    for (number, (path, text)) in calls.into_iter().enumerate() {
        sandbox.hook("claude-code", write(path, text).with("tool_use_id", format!("t{number}")));
    }
    sandbox.hook("claude-code", crate::payload::silent_stop());
    let rows = sandbox.run(["rules", "--stats", "--json"]).code(0).json();
    let counts = |row: &serde_json::Value| {
        ["fired", "refused", "obeyed", "repeated", "guided"].map(|name| row[name].as_u64().unwrap_or(99))
    };
    let rows = rows["items"].as_array().expect("rows").clone();
    assert_eq!(rows[0]["name"], "no-todo");
    assert_eq!(counts(&rows[0]), [3, 3, 2, 1, 0]);
    assert_eq!((counts(&rows[1]), rows[1]["last_at"].is_null()), ([0; 5], true));
    let shown = sandbox.run(["rules", "--stats", "1w"]).code(0).stdout.clone();
    assert!(shown.contains("just now") && shown.contains("never"), "{shown}");
    sandbox.run(["rules", "--stats", "soon"]).code(2);
}

#[test]
fn what_a_rule_asked_or_guided_is_counted_too() {
    let asks = "{ name: asks, on: { hook: PreToolUse, tool: Write }, match: { content: ASK }, action: ask, message: sure }";
    let guides = "{ name: guides, on: { hook: PreToolUse, tool: Write }, match: { content: GUIDE }, action: continue, message: so }";
    let runs = "{ name: runs, on: { hook: PreToolUse, tool: Bash }, match: { content: sure }, action: ask, message: sure }";
    let sandbox = Sandbox::new().rule("a.yaml", &rules(&[asks, guides, runs]));
    for (number, text) in ["ASK", "GUIDE", "GUIDE", "none"].into_iter().enumerate() {
        let call = write("a.rs", text).with("tool_use_id", format!("t{number}"));
        sandbox.hook("claude-code", call.with("permission_mode", "default"));
    }
    sandbox.hook("claude-code", write("a.rs", "none").after().with("tool_use_id", "t3"));
    let sure = bash("sure").with("permission_mode", "default");
    sandbox.hook("claude-code", sure.clone());
    sandbox.hook("claude-code", bash("sure too").with("permission_mode", "default"));
    // Only the first was allowed, for only it has run.
    sandbox.hook("claude-code", sure.after());
    sandbox.hook("claude-code", crate::payload::silent_stop());
    let rows = sandbox.run(["rules", "--stats", "--json"]).code(0).json();
    let counts = |row: &serde_json::Value| {
        let count = |name: &str| row[name].as_u64().unwrap_or(99);
        ["fired", "refused", "asked", "allowed", "guided"].map(count)
    };
    assert_eq!(counts(&rows["items"][0]), [1, 0, 1, 0, 0], "{rows}");
    assert_eq!(counts(&rows["items"][1]), [2, 0, 0, 0, 2], "{rows}");
    assert_eq!(counts(&rows["items"][2]), [2, 0, 2, 1, 0], "{rows}");
    assert!(rows["items"].as_array().is_some_and(|rows| rows.iter().all(|row| !row["last_at"].is_null())));
}
