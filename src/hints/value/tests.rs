//! Tests of this module.

use serde_json::json;

use super::*;

#[test]
fn every_type_is_parsed_and_written_back() {
    let values = [
        json!("docker compose build router"),
        json!({"type": "command", "cmd": "make"}),
        json!({"type": "command", "shell": "bash", "cmd": "make"}),
        json!({"type": "command", "shell": "sh", "cmd": "make"}),
        json!({"type": "command", "shell": "powershell", "cmd": "make"}),
        json!({"type": "command", "shell": "cmd", "cmd": "make"}),
        json!({"type": "path", "abs": "/srv/web"}),
        json!({"type": "path", "os": ["linux", "darwin"], "abs": "/srv/web"}),
        json!({"type": "template", "format": "mustache", "body": "{{a}}"}),
        json!({"type": "template", "format": "handlebars", "body": "{{a}}"}),
        json!({"type": "template", "format": "jinja", "body": "{{ a }}"}),
        json!({"type": "template", "format": "interpolate", "body": "${a}", "defaults": {"a": "1"}}),
        json!({"type": "json", "data": {"a": [1, null, true, "x"]}}),
        json!({"type": "json", "data": null}),
    ];
    for value in values {
        assert_eq!(serde_json::to_value(parse_value(&value).unwrap()).unwrap(), value);
    }
}

#[test]
fn an_error_names_its_field() {
    let check = |value: Value, detail: &str| {
        assert_eq!(parse_value(&value), Err(HintFlaw::invalid(detail)), "{value}");
    };
    check(json!(5), "`value` must be a text or an object with a `type`, not a number");
    check(json!(["a"]), "`value` must be a text or an object with a `type`, not a list");
    check(json!({}), "`value.type` must be one of command, path, template, json");
    check(json!({"type": "comand", "cmd": "x"}), "`value.type` must be one of command, path, template, json");
    check(json!({"type": 1}), "`value.type` must be one of command, path, template, json");
    check(json!({"type": "command"}), "`value.cmd` is missing");
    check(json!({"type": "command", "cmd": ""}), "`value.cmd` must be a text that is not empty");
    check(json!({"type": "command", "cmd": ["make"]}), "`value.cmd` must be a text, not a list");
    check(
        json!({"type": "command", "cmd": "x", "shel": "sh"}),
        "`value` has no field `shel`: did you mean `shell`?",
    );
    check(
        json!({"type": "command", "cmd": "x", "shell": "zsh"}),
        "`value.shell` must be one of bash, sh, powershell, cmd",
    );
    check(json!({"type": "path"}), "`value.abs` is missing");
    check(
        json!({"type": "path", "abs": "/a", "os": "plan9"}),
        "`value.os` must be one of linux, darwin, windows",
    );
    check(json!({"type": "template", "body": "x"}), "`value.format` is missing");
    check(
        json!({"type": "template", "body": "x", "format": "erb"}),
        "`value.format` must be one of mustache, handlebars, jinja, interpolate",
    );
    check(json!({"type": "template", "format": "jinja"}), "`value.body` is missing");
    check(
        json!({"type": "template", "format": "jinja", "body": "x", "defaults": {"a": 1}}),
        "`value.defaults` must be an object of texts",
    );
    check(json!({"type": "json"}), "`value.data` must be given");
}

#[test]
fn a_value_has_limits() {
    let large = Err(HintFlaw::invalid("`value` is larger than 64 KiB"));
    assert!(parse_value(&json!("x".repeat(64 * 1024))).is_ok());
    assert_eq!(parse_value(&json!("x".repeat(64 * 1024 + 1))), large);
    let template = |body: usize, default: usize| json!({"type": "template", "format": "jinja", "body": "x".repeat(body), "defaults": {"a": "x".repeat(default)}});
    assert!(parse_value(&template(64 * 1024 - 2, 1)).is_ok());
    assert_eq!(parse_value(&template(64 * 1024 - 2, 2)), large);
    assert_eq!(parse_value(&json!({"type": "json", "data": vec![0; 64 * 1024]})), large);
    let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
    assert_eq!(
        parse_value(&json!({"type": "json", "data": deep})),
        Err(HintFlaw::invalid("`value` is nested deeper than 64"))
    );
}

#[test]
fn values_are_shown_as_a_person_writes_them() {
    let check = |value: Value, shown: &str| assert_eq!(parse_value(&value).unwrap().shown(), shown);
    check(json!("a b"), "a b");
    check(json!({"type": "command", "cmd": "make"}), "make");
    check(json!({"type": "path", "abs": "/srv/"}), "/srv");
    check(json!({"type": "template", "format": "jinja", "body": "{{ a }}"}), "{{ a }}");
    check(json!({"type": "json", "data": {"a": 1}}), "{\"a\":1}");
}
