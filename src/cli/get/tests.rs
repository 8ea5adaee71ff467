//! What `get` says about the type of a value.

use serde_json::{Value, json};

use super::kind;

#[test]
fn a_kind_is_named_where_the_text_does_not_say_it_all() {
    let check = |value: Value, expected: Option<&str>| {
        assert_eq!(kind(&serde_json::from_value(value).unwrap()).as_deref(), expected);
    };
    check(json!("make"), None);
    check(json!({ "type": "command", "cmd": "make" }), None);
    check(json!({ "type": "command", "cmd": "make", "shell": "bash" }), Some("command for bash"));
    check(json!({ "type": "path", "abs": "/a" }), None);
    check(json!({ "type": "path", "abs": "/a", "os": ["linux", "darwin"] }), Some("path on linux, darwin"));
    check(json!({ "type": "template", "format": "jinja", "body": "" }), Some("template in jinja"));
    check(
        json!({ "type": "template", "format": "jinja", "body": "", "defaults": { "a": "1" } }),
        Some("template in jinja, defaults a=1"),
    );
}
