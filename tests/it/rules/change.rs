//! `nudge rules add`, `enable`, `disable`, `shadow` and `show`: rule files changed for a person.

use expect_test::expect;
use serde_json::Value;

use crate::payload::write;
use crate::sandbox::Sandbox;

const OWN: &str = "# ours\nversion: 1\npacks: [self] # the guard itself\n\nrules:\n  - name: a\n    enabled: false\n    on: { hook: PreToolUse }\n    action: continue\n    message: m\n";

fn read(sandbox: &Sandbox) -> String {
    std::fs::read_to_string(sandbox.path(".nudge.yaml")).expect("a rule file")
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn a_pack_is_added_and_works_at_once() {
    let sandbox = Sandbox::new();
    let touch = || write(".nudge/x.yaml", "version: 1");
    sandbox.hook("claude-code", touch()).reply(expect!["nothing"]);
    let ran = sandbox.run(["rules", "add", "self"]);
    ran.code(0);
    assert!(
        ran.stdout.contains("used  self  .nudge.yaml") && ran.stdout.contains("keep-rules"),
        "{}",
        ran.stdout
    );
    assert_eq!(read(&sandbox), "version: 1\npacks: [self]\n");
    assert!(sandbox.hook("claude-code", touch()).stdout.contains("deny"));
    let again = sandbox.run(["rules", "add", "self"]);
    assert!(again.stdout.contains("self is used already"), "{}", again.stdout);
}

#[test]
fn a_rule_is_disabled_counted_and_enabled_without_touching_the_rest_of_the_file() {
    let sandbox = Sandbox::new().file(".nudge.yaml", OWN);
    sandbox.run(["rules", "disable", "keep-rules"]).code(0);
    let disabled = OWN.replace("itself\n", "itself\ndisable: [keep-rules]\n");
    assert_eq!(read(&sandbox), disabled);
    assert!(sandbox.run(["rules", "disable", "keep-rules"]).stdout.contains("disabled already"));
    sandbox.run(["rules", "enable", "keep-rules"]).code(0);
    assert_eq!(read(&sandbox), OWN);
    sandbox.run(["rules", "shadow", "keep-rules"]).code(0);
    assert_eq!(read(&sandbox), OWN.replace("itself\n", "itself\nshadow: [keep-rules]\n"));
    sandbox.run(["rules", "shadow", "keep-rules", "--off"]).code(0);
    assert_eq!(read(&sandbox), OWN);
    sandbox.run(["rules", "enable", "a"]).code(0);
    assert_eq!(read(&sandbox), OWN.replace("enabled: false", "enabled: true"));
    let done = json(&sandbox.run(["rules", "enable", "a", "--json"]).stdout);
    assert_eq!((&done["changed"], &done["state"]), (&Value::Bool(false), &Value::from("enabled")));
}

#[test]
fn the_users_own_file_is_changed_only_with_user() {
    let sandbox = Sandbox::new().user_rules("version: 1\npacks: [self]\n");
    let refused = sandbox.run(["rules", "disable", "keep-rules"]);
    refused.code(1);
    assert!(refused.stderr.contains("is in your own rule file"), "{}", refused.stderr);
    assert!(refused.stderr.contains("--user"), "{}", refused.stderr);
    sandbox.run(["rules", "disable", "keep-rules", "--user"]).code(0);
    let refused = sandbox.run(["rules", "enable", "keep-rules"]);
    refused.code(1);
    assert!(refused.stderr.contains("add `--user`"), "{}", refused.stderr);
    sandbox.run(["rules", "enable", "keep-rules", "--user"]).code(0);
    // The user's own `disable` reaches the packs of a project.
    let project = Sandbox::new().file(".nudge.yaml", "version: 1\npacks: [self]\n");
    project.run(["rules", "disable", "keep-rules", "--user"]).code(0);
    assert!(project.run(["rules"]).stdout.contains("disabled"), "{}", project.run(["rules"]).stdout);
    assert_eq!(read(&project), "version: 1\npacks: [self]\n");
}

#[test]
fn what_cannot_be_changed_says_why_and_what_to_do() {
    let sandbox = Sandbox::new().file(".nudge.yaml", OWN);
    let said = |arguments: [&str; 3]| sandbox.run(arguments).stderr;
    assert!(said(["rules", "add", "selff"]).contains("did you mean `self`"));
    assert!(said(["rules", "disable", "keep-rule"]).contains("did you mean `keep-rules`"));
    assert!(said(["rules", "show", "keep-rule"]).contains("did you mean `keep-rules`"));
    let bare = Sandbox::new().file(".nudge.yaml", "version: 1\nrules: []\n");
    let unused = bare.run(["rules", "disable", "keep-rules"]).stderr;
    assert!(unused.contains("a rule of the pack `self`, which is not used here"), "{unused}");
    assert!(unused.contains("nudge rules add self"), "{unused}");
    let broken = Sandbox::new().file(".nudge.yaml", "version: [\n");
    let refused = broken.run(["rules", "add", "self"]).stderr;
    assert!(refused.contains("is broken") && refused.contains("nudge validate"), "{refused}");
    assert_eq!(read(&broken), "version: [\n");
    let flow = Sandbox::new().file(".nudge.yaml", "{ version: 1, rules: [] }\n");
    let refused = flow.run(["rules", "add", "self"]).stderr;
    assert!(refused.contains("a form that nudge does not change"), "{refused}");
}

#[test]
fn a_rule_is_shown_as_it_is_written() {
    let sandbox = Sandbox::new().file(".nudge.yaml", OWN);
    sandbox.run(["rules", "show", "a"]).code(0).stdout(expect![[r#"
        a  disabled  .nudge.yaml:6:5

        - name: a
          enabled: false
          on: { hook: PreToolUse }
          action: continue
          message: m
    "#]]);
    let shown = sandbox.run(["rules", "show", "keep-rules"]).stdout;
    assert!(
        shown.starts_with("keep-rules  interrupt  pack self (.nudge.yaml:3:9)\n\n- name: keep-rules\n"),
        "{shown}"
    );
    assert!(shown.contains("fires:") && shown.contains("message: |"), "{shown}");
    let unused = json(&Sandbox::new().run(["rules", "show", "keep-rules", "--json"]).stdout);
    let row = &unused["items"][0];
    assert_eq!((&row["used"], &row["pack"]), (&Value::Bool(false), &Value::from("self")));
    assert!(
        row["fires"].as_u64() >= Some(5)
            && row["source"].as_str().is_some_and(|text| text.contains("quiet:"))
    );
}
