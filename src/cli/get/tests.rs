//! Arguments → parameters, and what is said of a kind of value.

use clap::Parser;
use serde_json::{Value, json};

use super::{GetArgs, kind};

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: GetArgs,
}

#[track_caller]
fn check(line: &[&str], expected: &Value) {
    let line = Line::try_parse_from([&["get", "api", "build"], line].concat()).expect("a line");
    assert_eq!(Value::Object(line.args.params()), *expected);
}

#[test]
fn variables_of_a_template_are_sent_if_asked_for() {
    check(&[], &json!({ "component": "api", "key": "build" }));
    check(&["--render"], &json!({ "component": "api", "key": "build", "render": {} }));
    check(
        &["--render", "a=1", "--json", "--render", "b=x=y"],
        &json!({ "component": "api", "key": "build", "render": { "a": "1", "b": "x=y" } }),
    );
}

#[test]
fn a_kind_is_named_where_the_text_does_not_say_it_all() {
    let check = |value: Value, expected: Option<&str>| assert_eq!(kind(&value).as_deref(), expected);
    check(json!("make"), None);
    check(json!({ "type": "command", "cmd": "make" }), None);
    check(json!({ "type": "command", "cmd": "make", "shell": "bash" }), Some("command for bash"));
    check(json!({ "type": "path", "abs": "/a" }), None);
    check(json!({ "type": "path", "abs": "/a", "os": ["linux", "darwin"] }), Some("path on linux, darwin"));
    check(
        json!({ "type": "template", "format": "jinja", "body": "" }),
        Some("template in jinja; fill it in with `--render NAME=value`"),
    );
    check(
        json!({ "type": "template", "format": "jinja", "body": "", "defaults": { "a": "1" } }),
        Some("template in jinja with a=1; fill it in with `--render`"),
    );
}
