//! Arguments → parameters.

use clap::Parser;
use expect_test::expect;
use serde_json::{Value, json};

use super::{SetArgs, score_base};

#[derive(Parser)]
struct SetLine {
    #[command(flatten)]
    args: SetArgs,
}

fn params(line: &[&str]) -> Result<Value, String> {
    let line = SetLine::try_parse_from([&["set", "api", "build"], line].concat());
    let line = line.map_err(|error| error.to_string().lines().next().unwrap_or_default().to_owned())?;
    line.args.request().map(|request| json!(request)).map_err(|failure| format!("{failure:?}"))
}

#[track_caller]
fn check_value(line: &[&str], expected: &Value) {
    assert_eq!(params(line), Ok(json!({ "component": "api", "key": "build", "value": expected })));
}

#[test]
fn each_kind_of_value_has_its_shape() {
    check_value(&["make"], &json!("make"));
    check_value(&["make", "--type", "command"], &json!({ "type": "command", "cmd": "make" }));
    check_value(&["make", "--shell", "bash"], &json!({ "type": "command", "shell": "bash", "cmd": "make" }));
    check_value(&["/a", "--type", "path"], &json!({ "type": "path", "abs": "/a" }));
    check_value(
        &["C:\\a", "--path-os", "windows"],
        &json!({ "type": "path", "os": ["windows"], "abs": "C:\\a" }),
    );
    check_value(
        &["{{a}}", "--type", "template"],
        &json!({ "type": "template", "format": "mustache", "body": "{{a}}" }),
    );
    check_value(
        &["${a}", "--format", "interpolate", "--default", "a=1", "--default", "b=x=y"],
        &json!({ "type": "template", "format": "interpolate", "body": "${a}", "defaults": { "a": "1", "b": "x=y" } }),
    );
    check_value(&["[1]", "--type", "json"], &json!({ "type": "json", "data": [1] }));
    check_value(&["--", "-O2"], &json!("-O2"));
}

#[test]
fn a_value_of_another_kind_than_its_flags_is_refused() {
    expect![[r#"
        Err(
            "Failure { message: \"`--shell` is for `--type command`\", hint: None, is_usage: true, is_temporary: false, silent: false, rpc: None }",
        )
    "#]].assert_debug_eq(&params(&["make", "--type", "path", "--shell", "bash"]));
    expect![[r#"
        Err(
            "Failure { message: \"the value is not JSON: EOF while parsing an object at line 1 column 1\", hint: None, is_usage: true, is_temporary: false, silent: false, rpc: None }",
        )
    "#]].assert_debug_eq(&params(&["{", "--type", "json"]));
    expect![[r#"
        Err(
            "error: invalid value 'perl' for '--format <LANGUAGE>'",
        )
    "#]]
    .assert_debug_eq(&params(&["make", "--format", "perl"]));
    expect![[r#"
        Err(
            "error: the argument '--allow-secret' cannot be used with '--sensitivity <WORD>'",
        )
    "#]]
    .assert_debug_eq(&params(&["make", "--allow-secret", "--sensitivity", "normal"]));
}

#[test]
fn everything_that_is_known_goes_along() {
    let line = "make --reason why --tags build,docker --priority 7 --confidence 0.8 --ttl PT2H --allow-secret \
                --source tool-output --added-by me --scope-os linux --if-match-version 0 --replace";
    let expected = json!({
        "component": "api", "key": "build", "value": "make",
        "meta": {
            "reason": "why", "tags": ["build", "docker"], "priority": 7, "confidence": 0.8, "ttl": "PT2H",
            "sensitivity": "secret", "scope": { "os": ["linux"] }, "source": "tool-output", "added_by": "me",
        },
        "if_match_version": 0,
        "replace": true,
    });
    assert_eq!(params(&line.split_whitespace().collect::<Vec<_>>()), Ok(expected));
}

#[test]
fn the_base_of_the_score_is_what_was_said() {
    let meta = json!({
        "tags": ["build", "docker"], "priority": 7, "ttl": "session", "scope": { "cwd_glob": ["**"], "os": ["linux"] },
    });
    let score_base = |meta: &Value| score_base(&serde_json::from_value(meta.clone()).unwrap());
    assert_eq!(score_base(&meta), "priority=7 tags=build,docker ttl=session scope=cwd_glob,os");
    assert_eq!(score_base(&json!({})), "");
}
