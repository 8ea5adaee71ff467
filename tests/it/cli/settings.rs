//! `nudge settings set` and `unset`: a value is checked before it is written, and the rest of the file stays.

use std::fs;

use expect_test::expect;
use serde_json::json;

use crate::sandbox::Sandbox;

fn own(sandbox: &Sandbox) -> String {
    fs::read_to_string(sandbox.beside("home/config/nudge/config.toml")).unwrap_or_default()
}

#[test]
fn a_setting_is_changed_for_the_user_and_comments_stay() {
    let sandbox = Sandbox::new();
    sandbox.run(["settings", "set", "context.rows", "10"]).code(0).stdout(expect![[r#"
        set  context.rows = 10  ~/config/nudge/config.toml
    "#]]);
    assert_eq!(own(&sandbox), "[context]\nrows = 10\n");
    sandbox.put_user_settings("# mine\n[context]\nrows = 3 # few\n\n[redact]\nbadge = 'b\\d+'\n");
    sandbox.run(["config", "set", "context.rows", "7"]).code(0);
    sandbox.run(["settings", "set", "redact.ticket", r"T-\d{4}"]).code(0);
    sandbox.run(["settings", "set", "retention.file_read", "30"]).code(0);
    expect![[r#"
        # mine
        [context]
        rows = 7 # few

        [redact]
        badge = 'b\d+'
        ticket = 'T-\d{4}'

        [retention]
        file_read = 30
    "#]]
    .assert_eq(&own(&sandbox));
    let shown = sandbox.run(["settings"]);
    assert!(shown.stdout.contains("context.rows = 7  # yours\n"), "{}", shown.stdout);
    assert!(shown.stdout.contains("retention.file_read = 30  # yours\n"), "{}", shown.stdout);
    sandbox.run(["settings", "unset", "context.rows"]).code(0).stdout(expect![[r#"
        unset  context.rows  ~/config/nudge/config.toml
    "#]]);
    sandbox.run(["settings", "unset", "context.rows"]).code(0).stdout(expect![[r#"
        context.rows is not set in ~/config/nudge/config.toml
    "#]]);
    assert!(own(&sandbox).starts_with("# mine\n[context]\n\n[redact]\n"), "{}", own(&sandbox));
}

#[test]
fn a_project_has_settings_of_its_own_which_only_restrict() {
    let sandbox = Sandbox::new().from("src");
    sandbox
        .run(["settings", "set", "context.rows", "50", "--project"])
        .code(0)
        .stdout(expect![[r#"
        set  context.rows = 50  $BASE/project/.nudge/config.toml
    "#]])
        .stderr(expect![[r#"
        here 20 applies: between you and a project the stricter value is used
    "#]]);
    let done = sandbox.run(["settings", "set", "context.rows", "5", "--project", "--json"]).code(0).json();
    assert_eq!(
        done,
        json!({
            "key": "context.rows", "value": "5", "changed": true, "applies": "5",
            "file": "$BASE/project/.nudge/config.toml", "problems": [],
        })
    );
    assert_eq!(
        fs::read_to_string(sandbox.path(".nudge/config.toml")).unwrap_or_default(),
        "[context]\nrows = 5\n"
    );
    let shown = sandbox.run(["settings"]);
    assert!(shown.stdout.contains("context.rows = 5  # of this project\n"), "{}", shown.stdout);
    for key in ["rules.trust", "retention.command", "ui.enabled"] {
        let refused = sandbox.run(["settings", "set", key, "required", "--project"]);
        let expected = format!(
            "error: `{key}` cannot be set by a project\n\
             hint: leave out `--project` to set it for you, in all projects\n"
        );
        assert_eq!((refused.code, refused.stderr), (Some(1), expected));
    }
}

#[test]
fn a_wrong_value_changes_nothing_and_says_what_is_right() {
    let sandbox = Sandbox::new();
    let refused = |[key, value]: [&str; 2]| {
        let stderr = sandbox.run(["settings", "set", key, value]).code(1).stderr.clone();
        assert_eq!(own(&sandbox), "", "{key}");
        stderr
    };
    expect![[r#"
        error: `context.rows` must be a whole number, 0 or more, not `many`
    "#]]
    .assert_eq(&refused(["context.rows", "many"]));
    expect![[r#"
        error: `context.rows` must be a whole number, 0 or more, not `-1`
    "#]]
    .assert_eq(&refused(["context.rows", "-1"]));
    expect![[r#"
        error: `observations.enabled` must be true or false, not `off`
    "#]]
    .assert_eq(&refused(["observations.enabled", "off"]));
    expect![[r#"
        error: unknown setting `context.row`
        hint: did you mean `context.rows`?
    "#]]
    .assert_eq(&refused(["context.row", "3"]));
    expect![[r#"
        error: unknown setting `retention.file_raed`
        hint: did you mean `retention.file_read`?
    "#]]
    .assert_eq(&refused(["retention.file_raed", "3"]));
    let pattern = refused(["redact.ticket", "("]);
    assert!(pattern.contains("`ticket`"), "{pattern}");
    let lines = refused(["context.rows", "3\n[ui]\nenabled = false"]);
    assert!(lines.starts_with("error: "), "{lines}");
}

#[test]
fn a_broken_file_is_not_touched() {
    let sandbox = Sandbox::new();
    sandbox.put_user_settings("[context\n");
    sandbox.run(["settings", "set", "context.rows", "3"]).code(1).stderr(expect![[r#"
        error: `$BASE/home/config/nudge/config.toml:1` is not valid TOML: unclosed table, expected `]`
        hint: fix the file first
    "#]]);
    assert_eq!(own(&sandbox), "[context\n");
    sandbox.put_user_settings("context = { rows = 3 }\n");
    sandbox.run(["settings", "set", "context.budget", "3"]).code(1).stderr(expect![[r#"
        error: `context.budget` in `$BASE/home/config/nudge/config.toml` is written in a form that nudge does not change
        hint: edit the file by hand
    "#]]);
    assert_eq!(own(&sandbox), "context = { rows = 3 }\n");
    // A key that is not known can be taken out.
    sandbox.put_user_settings("[context]\nrow = 3\n");
    sandbox.run(["settings", "unset", "context.row"]).code(0);
    assert_eq!(own(&sandbox), "[context]\n");
}
