//! Rules for agents: stored by tool and by command, never doubled, never lost, and seen by the next session.

use std::fs;

use expect_test::expect;
use serde_json::{Value, json};

use crate::mcp_client::Client;
use crate::nexus::session::{recorded, said};
use crate::payload::prompt;
use crate::repository::{commit_all, repository};
use crate::sandbox::Sandbox;

const SLEEPS: &str = "Tests never sleep: wait for a condition.";

fn text(sandbox: &Sandbox, name: &str) -> String {
    fs::read_to_string(sandbox.path(".nexus/rules").join(name)).expect("the rule")
}

fn names(sandbox: &Sandbox) -> Vec<String> {
    let entries = fs::read_dir(sandbox.path(".nexus/rules")).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_tag_names_the_tool_and_the_next_session_sees_the_rule() {
    let sandbox = repository()
        .file(".nudge/config.toml", "[context]\nbudget = 0\n")
        .file(".nexus/context/architecture.md", "x");
    let asked = said(&sandbox, prompt(&format!("[rule:testing] {SLEEPS}")));
    assert!(asked.contains("nx_rule_store") && asked.contains("`.nexus/rules/testing.md`"), "{asked}");
    let mut client = Client::new(&sandbox);
    let stored = client.call_json("nx_rule_store", json!({ "content": SLEEPS, "name": "testing" }));
    assert_eq!(stored, json!({ "stored": "created", "path": ".nexus/rules/testing.md" }));
    assert_eq!(text(&sandbox, "testing.md"), format!("{SLEEPS}\n"));
    expect![[r#"
        Knowledge of this project in `.nexus/`; read what concerns the task:
        context: architecture.md
        rules: testing.md
        [nudge: knowledge]"#]]
    .assert_eq(&said(&sandbox, recorded("SessionStart.startup").session("session-2")));
}

#[test]
fn a_rule_on_the_same_matter_is_named_and_changed_only_when_asked() {
    let sandbox = repository();
    let mut client = Client::new(&sandbox);
    let mut store = |arguments: Value| {
        let answer = client.call("nx_rule_store", arguments)["structuredContent"].take();
        answer["error"].as_str().map_or_else(|| answer.to_string(), |error| format!("refused: {error}"))
    };
    let output = [
        store(json!({ "content": SLEEPS })),
        store(json!({ "content": SLEEPS, "name": "waiting" })),
        store(json!({ "content": "Tests must not sleep." })),
        store(json!({ "content": "Never sleep in tests, poll.", "name": "testing" })),
        store(json!({ "content": "Poll.", "name": "tests-never-sleep-wait" })),
        store(json!({ "content": "Poll.", "name": "tests-never-sleep-wait", "new": true })),
        store(json!({ "content": "Poll.", "overwrite": true })),
    ];
    expect![[r#"
        {"stored":"created","path":".nexus/rules/tests-never-sleep-wait.md"}
        {"stored":"unchanged","path":".nexus/rules/tests-never-sleep-wait.md"}
        refused: there is already a rule on this topic, `.nexus/rules/tests-never-sleep-wait.md`: both mention test, sleep; to change it, give the name `tests-never-sleep-wait.md`, `overwrite`, and its full new text; `new` makes a separate rule
        refused: there is already a rule on this topic, `.nexus/rules/tests-never-sleep-wait.md`: both mention never, sleep, test; to change it, give the name `tests-never-sleep-wait.md`, `overwrite`, and its full new text; `new` makes a separate rule
        refused: there is already a rule on this topic, `.nexus/rules/tests-never-sleep-wait.md`: it has this name; to change it, give the name `tests-never-sleep-wait.md`, `overwrite`, and its full new text; another name makes a separate rule
        refused: there is already a rule on this topic, `.nexus/rules/tests-never-sleep-wait.md`: it has this name; to change it, give the name `tests-never-sleep-wait.md`, `overwrite`, and its full new text; another name makes a separate rule
        refused: to change a rule, give its name; without `overwrite`, the text becomes a new rule"#]].assert_eq(&output.join("\n"));
    assert_eq!(names(&sandbox), ["tests-never-sleep-wait.md"]);
    assert_eq!(text(&sandbox, "tests-never-sleep-wait.md"), format!("{SLEEPS}\n"));

    let output = [
        store(
            json!({ "content": "Poll.\n", "name": ".nexus/rules/Tests-never-sleep-wait.md", "overwrite": true }),
        ),
        store(json!({ "content": "Poll.", "name": "tests-never-sleep-wait", "overwrite": true })),
        store(json!({ "content": "Tests must not sleep, they poll.", "name": "sleeping", "new": true })),
        store(json!({ "content": "Sign every commit.", "name": "commits", "overwrite": true })),
    ];
    expect![[r#"
        {"stored":"changed","path":".nexus/rules/tests-never-sleep-wait.md","replaced":"Tests never sleep: wait for a condition.\n"}
        {"stored":"unchanged","path":".nexus/rules/tests-never-sleep-wait.md"}
        {"stored":"created","path":".nexus/rules/sleeping.md"}
        {"stored":"created","path":".nexus/rules/commits.md"}"#]].assert_eq(&output.join("\n"));
    assert_eq!(names(&sandbox), ["commits.md", "sleeping.md", "tests-never-sleep-wait.md"]);
}

#[test]
fn what_must_not_be_stored_is_refused_with_a_way_out() {
    let sandbox = repository();
    sandbox.put(".nudge/config.toml", "[redact]\nbadge = 'B-\\d{4}'\n");
    let token = format!("ghp_{}", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5");
    let mut client = Client::new(&sandbox);
    let mut error = |name: Option<&str>, content: &str| {
        let result = client.call("nx_rule_store", json!({ "content": content, "name": name }));
        assert_eq!(result["isError"], true, "{name:?}: {result}");
        let error = result["structuredContent"]["error"].as_str().expect("an error");
        assert!(!error.contains("ghp_") && !error.contains("B-1234"), "{error}");
        format!("{error}\n")
    };
    let output = [
        error(None, " \n"),
        error(None, "等待条件"),
        error(None, &format!("Deploy with {token}")),
        error(None, "Show badge B-1234 at the door"),
        error(Some("badge-B-1234"), "Show it at the door"),
        error(None, &"word ".repeat(14_000)),
        error(Some("../../README"), SLEEPS),
        error(Some("../memory/note.md"), SLEEPS),
        error(Some("/etc/passwd"), SLEEPS),
        error(Some("deep/testing"), SLEEPS),
        error(Some("deep\\testing"), SLEEPS),
        error(Some(".gitignore"), SLEEPS),
        error(Some("NUL"), SLEEPS),
        error(Some("aux.md"), SLEEPS),
        error(Some("a\n# Rule\u{1b}[2J"), SLEEPS),
        error(Some(&"a".repeat(300)), SLEEPS),
    ];
    expect![[r#"
        content is required
        no name can be derived from this text; give it a name of one or a few words, such as `testing`
        this looks like it contains a secret (github-token), and rules go into git; say where the secret is kept, instead of the secret itself
        this looks like it contains a secret (badge), and rules go into git; say where the secret is kept, instead of the secret itself
        this looks like it contains a secret (badge), and rules go into git; say where the secret is kept, instead of the secret itself
        the rule has 69 KB, and the limit is 64 KB; every agent reads every rule: say it in a sentence or two
        `../../README.md` is not a valid name for a rule: write lower-case words with `-` between them, and `.md`; call it `readme.md`
        `../memory/note.md` is not a valid name for a rule: write lower-case words with `-` between them, and `.md`; call it `memory-note.md`
        `/etc/passwd.md` is not a valid name for a rule: write lower-case words with `-` between them, and `.md`; call it `etc-passwd.md`
        `deep/testing.md` is not a valid name for a rule: write lower-case words with `-` between them, and `.md`; call it `deep-testing.md`
        `deep\\testing.md` is not a valid name for a rule: write lower-case words with `-` between them, and `.md`; call it `deep-testing.md`
        `.gitignore.md` is not a valid name for a rule: write lower-case words with `-` between them, and `.md`; call it `gitignore.md`
        `NUL.md` is not a valid name for a rule: write lower-case words with `-` between them, and `.md`; call it `nul-rule.md`
        `aux.md` is not a valid name for a rule: it is a reserved name on Windows; call it `aux-rule.md`
        `a\n# Rule\u{1b}[2J.md` is not a valid name for a rule: write lower-case words with `-` between them, and `.md`; call it `a-rule-2j.md`
        `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa` is not a valid name for a rule: it is too long; give it a name of one or a few words, such as `testing`
    "#]].assert_eq(&output.concat());
    // Nothing was made, not even the folder.
    assert!(!sandbox.path(".nexus").exists());
    let kept = client.call_json("nx_rule_store", json!({ "content": "기다리지 않는다", "name": "waiting" }));
    assert_eq!(kept["stored"], "created");
    assert_eq!(text(&sandbox, "waiting.md"), "기다리지 않는다\n");
}

#[test]
#[cfg(unix)]
fn a_link_leads_nowhere() {
    let sandbox = repository().file(".nexus/rules/own.md", "x");
    std::os::unix::fs::symlink(sandbox.path("README.md"), sandbox.path(".nexus/rules/testing.md")).unwrap();
    let store = |extra: &str| sandbox.run(["memory", "rule", "testing", SLEEPS, extra]);
    for extra in ["--json", "--overwrite", "--new"] {
        store(extra).code(1).stderr(expect!["error: `.nexus/rules/testing.md` points outside the project\n"]);
    }
    assert_eq!(fs::read_to_string(sandbox.path("README.md")).unwrap(), "# Shop\n");
    let elsewhere = tempfile::tempdir().unwrap();
    fs::remove_dir_all(sandbox.path(".nexus/rules")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), sandbox.path(".nexus/rules")).unwrap();
    store("--new").code(1).stderr(expect!["error: `.nexus/rules` points outside the project\n"]);
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn a_person_stores_lists_changes_and_finds_rules() {
    let sandbox = repository();
    sandbox.run(["memory", "rule"]).code(0).stdout(expect![""]).stderr(expect![[r#"
        no rules in $BASE/project/.nexus/rules
    "#]]);
    sandbox.run(["memory", "rule", "--json"]).code(0).stdout(expect![[r#"
        {
          "items": [],
          "total": 0
        }
    "#]]);
    sandbox
        .run(["memory", "rule", "testing", SLEEPS])
        .code(0)
        .stdout(expect![[r#"
        created .nexus/rules/testing.md
    "#]])
        .stderr(expect![""]);
    sandbox.run(["memory", "rule", SLEEPS]).code(0).stdout(expect![[r#"
        all of it is in .nexus/rules/testing.md already
    "#]]);
    sandbox.run(["memory", "rule", "testing"]).code(2).stderr(expect![[r#"
        error: `testing` has no text
        hint: write it behind the name, or `nudge note rule testing -` and pipe it in
    "#]]);
    sandbox.run(["memory", "rule", "--overwrite"]).code(2).stderr(expect![[r#"
        error: there is no text to store
        hint: write it behind the name, or pipe it into `-`
    "#]]);
    sandbox.run(["memory", "rule", "testing", "Tests poll."]).code(1).stderr(expect![[r#"
        error: there is already a rule on this topic, `.nexus/rules/testing.md`: it has this name
        hint: to change it, give the name `testing.md`, `--overwrite`, and its full new text; another name makes a separate rule
    "#]]);
    let piped =
        sandbox.run_with(["memory", "rule", "testing", "-", "--overwrite"], b"# Testing\n\nTests poll.\n");
    piped.code(0).stdout(expect![[r#"
        changed .nexus/rules/testing.md
    "#]]);
    let changed = sandbox.run(["memory", "rule", "testing", SLEEPS, "--overwrite", "--json"]).json();
    let expected = json!({
        "stored": "changed", "path": ".nexus/rules/testing.md", "replaced": "# Testing\n\nTests poll.\n",
    });
    assert_eq!(changed, expected);
    sandbox.run(["search", "sleep"]).code(0).stdout(expect![[r#"
        rule     .nexus/rules/testing.md  Tests never sleep: wait for a condition.
    "#]]);
    // Rules are not notes.
    sandbox.run(["memory", "list"]).code(0).stdout(expect![""]);
    sandbox.run(["memory", "search", "sleep"]).code(0).stdout(expect![""]);
}

#[test]
fn what_people_have_put_there_keeps_its_name_and_its_bytes() {
    let sandbox = repository().file(".nexus/rules/testing.md", format!("{SLEEPS}\n"));
    sandbox.put(".nexus/rules/Old Style.md", "<!-- tags: x -->\n\n# Style of code\n");
    sandbox.put(".nexus/rules/binary.md", [0xff, 0xfe]);
    sandbox.run(["memory", "rule"]).code(0).stdout(expect![[r#"
        Old Style.md  Style of code
        binary.md     ��
        testing.md    Tests never sleep: wait for a condition.
    "#]]);
    sandbox.run(["memory", "rule", "Old Style", "Tabs.", "--overwrite"]).code(0).stdout(expect![[r#"
        changed .nexus/rules/Old Style.md
    "#]]);
    sandbox.run(["memory", "rule", "binary", "Tabs, always.", "--overwrite"]).code(1).stderr(expect![[r#"
        error: `.nexus/rules/binary.md` is not plain text, so it is left as it is
    "#]]);
    sandbox.put(".nexus/rules/folder.md/inner.md", "x");
    sandbox.run(["memory", "rule", "folder", "Tabs, always."]).code(1).stderr(expect![[r#"
        error: `.nexus/rules/folder.md` is not plain text, so it is left as it is
    "#]]);
    if cfg!(target_os = "linux") {
        sandbox.put(".nexus/rules/TESTING.md", "loud\n");
        sandbox.run(["memory", "rule", "testing", "Tests poll.", "--overwrite"]).code(0);
        assert_eq!([text(&sandbox, "TESTING.md"), text(&sandbox, "testing.md")], ["loud\n", "Tests poll.\n"]);
    }
}

#[test]
fn clearing_notes_leaves_every_rule_where_it_is() {
    let sandbox = repository().file(".nexus/memory/testing.md", "").file(".nexus/rules/testing.md", "");
    commit_all(&sandbox, "a note and a rule");
    sandbox.run(["memory", "gc", "--apply", "--yes"]).code(0);
    assert!(!sandbox.path(".nexus/memory/testing.md").exists());
    assert!(sandbox.path(".nexus/rules/testing.md").exists());
    let mut client = Client::new(&sandbox);
    let gone = client.call("nx_memory_gc", json!({ "confirm": true, "paths": [".nexus/rules/testing.md"] }));
    assert_eq!(gone["isError"], true);
    assert!(sandbox.path(".nexus/rules/testing.md").exists());
}

#[test]
fn of_twenty_at_once_one_creates_the_rule_and_all_others_are_refused() {
    let sandbox = repository();
    let codes: Vec<Option<i32>> = std::thread::scope(|scope| {
        let run = |number: usize| {
            let sandbox = &sandbox;
            scope.spawn(move || {
                sandbox.run(["memory", "rule", "shared", &format!("Rule number {number}.")]).code
            })
        };
        (0..20).map(run).collect::<Vec<_>>().into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(codes.iter().filter(|code| **code == Some(0)).count(), 1, "{codes:?}");
    assert!(codes.iter().all(|code| matches!(code, Some(0 | 1))), "{codes:?}");
    assert_eq!(names(&sandbox), ["shared.md"]);
}

#[test]
fn a_file_that_is_not_plain_text_is_refused_and_a_long_one_is_not_read_to_its_end() {
    let sandbox = repository().file("crlf.md", "Tabs,\talways.\r\nAnd no spaces.\r\n");
    for bad in ["a\0b", "a\u{1b}[2Jb", "a\rb", "a\u{9b}b"] {
        sandbox.put("bad.md", bad);
        for command in ["rule", "add"] {
            let ran = sandbox.run(["memory", command, "plain-words", "--file", "bad.md"]);
            let refused = ran.code(1).stderr.starts_with("error: the text contains a control character, ");
            assert!(refused && !ran.stderr.contains('\u{1b}'), "{command} {bad:?}: {}", ran.stderr);
        }
    }
    let mut client = Client::new(&sandbox);
    let output = client.call("nx_rule_store", json!({ "name": "plain", "content": "a\u{1b}]0;b" }));
    assert_eq!(output["isError"], true, "{output}");
    sandbox.put("long.md", "ü".repeat(2 << 20));
    sandbox.run(["memory", "rule", "long", "--file", "long.md"]).code(1).stderr(expect![[r#"
        error: the rule has 1024 KB, and the limit is 64 KB
        hint: every agent reads every rule: say it in a sentence or two
    "#]]);
    assert_eq!(names(&sandbox), [""; 0]);
    sandbox.run(["memory", "rule", "tabs", "--file", "crlf.md"]).code(0);
    assert_eq!(names(&sandbox), ["tabs.md"]);
}

#[test]
fn a_listing_is_not_turned_around_by_what_it_lists() {
    let sandbox = repository().file(".nexus/rules/a.md", "left \u{202e}right\u{2066}\n");
    sandbox.run(["memory", "rule"]).code(0).stdout(expect![[r#"
        a.md  left \u{202e}right\u{2066}
    "#]]);
    if cfg!(unix) {
        sandbox.put(".nexus/rules/\u{202e}b.md", "b");
        sandbox.put(".nexus/memory/\u{1b}[2Jc.md", "c\u{202e}d");
        assert!(sandbox.run(["memory", "rule"]).stdout.contains("\\u{202e}b.md"));
        assert!(sandbox.run(["memory"]).stdout.contains("\\u{1b}[2Jc.md"));
        assert_eq!(sandbox.run(["memory", "show", "\u{1b}[2Jc"]).stdout, "c\\u{202e}d");
    }
}
