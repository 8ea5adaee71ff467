//! How hints are shown, and what is said of refusals.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::{os, pair, scope_shown, shown, shown_in_line, value_shown};
use crate::cli::output::Failure;
use crate::model::{Hint, Os};
use crate::ops::hints::CallError;

#[test]
fn nothing_that_is_shown_steers_the_terminal() {
    assert_eq!(shown("a\u{1b}[31m\nb\tc\r\u{7}\u{9b}é"), "a\\u{1b}[31m\nb\tc\\u{d}\\u{7}\\u{9b}é");
    assert_eq!(shown("a\u{202e}b"), "a\\u{202e}b");
    assert_eq!(shown_in_line("a\nb\tc"), "a\\nb\\tc");
}

#[test]
fn a_value_is_shown_by_its_telling_part() {
    let hint = |value: Value, meta: Value| -> Hint {
        let at = "2026-01-02T03:04:05.678Z";
        let times = json!({ "value": value, "meta": meta, "version": 1, "created_at": at, "updated_at": at, "use_count": 0 });
        serde_json::from_value(times).unwrap()
    };
    let check = |value: Value, expected: &str| assert_eq!(value_shown(&hint(value, json!({}))), expected);
    check(json!("make"), "make");
    check(json!({ "type": "command", "shell": "bash", "cmd": "make" }), "make");
    check(json!({ "type": "path", "abs": "/a" }), "/a");
    check(json!({ "type": "template", "format": "jinja", "body": "{{ a }}" }), "{{ a }}");
    check(json!({ "type": "json", "data": { "a": 1 } }), r#"{"a":1}"#);
    check(json!({ "type": "json", "data": "text" }), "text");
    assert_eq!(value_shown(&hint(json!("x"), json!({ "sensitivity": "secret" }))), "[secret]");
}

#[test]
fn a_scope_is_shown_in_a_line() {
    let scope_shown = |scope: Value| scope_shown(&serde_json::from_value(scope).unwrap());
    assert_eq!(scope_shown(json!({})), "everywhere");
    let scope =
        json!({ "branch": ["a", "b"], "env_match": { "A": ["1", "2"], "B": ["3"] }, "repo": ["x\u{1b}"] });
    assert_eq!(scope_shown(scope), "branch=a,b env_match=A=1|2,B=3 repo=x\\u{1b}");
}

#[test]
fn systems_and_pairs_are_read_as_people_write_them() {
    for (name, expected) in [
        ("linux", Os::Linux),
        ("Darwin", Os::Darwin),
        ("macOS", Os::Darwin),
        ("MINGW64_NT-10.0", Os::Windows),
    ] {
        assert_eq!(os(name), Ok(expected));
    }
    assert_eq!(os("beos"), Err("write linux, darwin or windows".to_owned()));
    assert_eq!(pair("A=b=c"), Ok(("A".to_owned(), "b=c".to_owned())));
    assert_eq!(pair("A="), Ok(("A".to_owned(), String::new())));
    assert_eq!(pair("=b"), Err("write NAME=value".to_owned()));
    assert_eq!(pair("A"), Err("write NAME=value".to_owned()));
}

#[test]
fn a_refusal_says_what_to_do() {
    let check = |error: Value, expected: Expect| {
        expected.assert_debug_eq(&Failure::from(CallError::Refused(error)));
    };
    check(
        json!({ "code": 40401, "message": "`a/b` is known, but holds elsewhere: os differs", "data": { "candidates": [
            { "scope": { "os": ["darwin"] }, "failed": ["os differs"] },
            { "scope": { "branch": ["dev"], "os": ["linux"] }, "failed": ["branch not given", "os differs"] },
        ] } }),
        expect![[r#"
            Failure {
                message: "`a/b` is known, but holds elsewhere\n  os=darwin: os differs\n  branch=dev os=linux: branch not given, os differs",
                hint: Some(
                    "say where you stand with `--cwd`, `--repo`, `--branch`, `--os` or `--env`",
                ),
                is_usage: false,
                is_temporary: false,
                silent: false,
                rpc: Some(
                    Object {
                        "code": Number(40401),
                        "message": String("`a/b` is known, but holds elsewhere: os differs"),
                        "data": Object {
                            "candidates": Array [
                                Object {
                                    "scope": Object {
                                        "os": Array [
                                            String("darwin"),
                                        ],
                                    },
                                    "failed": Array [
                                        String("os differs"),
                                    ],
                                },
                                Object {
                                    "scope": Object {
                                        "branch": Array [
                                            String("dev"),
                                        ],
                                        "os": Array [
                                            String("linux"),
                                        ],
                                    },
                                    "failed": Array [
                                        String("branch not given"),
                                        String("os differs"),
                                    ],
                                },
                            ],
                        },
                    },
                ),
            }
        "#]],
    );
    check(
        json!({ "code": 40401, "message": "there is no component `a\u{1b}`" }),
        expect![[r#"
            Failure {
                message: "there is no component `a\\u{1b}`",
                hint: Some(
                    "`nudge ls` lists what there is",
                ),
                is_usage: false,
                is_temporary: false,
                silent: false,
                rpc: Some(
                    Object {
                        "code": Number(40401),
                        "message": String("there is no component `a\u{1b}`"),
                    },
                ),
            }
        "#]],
    );
    check(
        json!({ "code": 40002, "message": "it looks like a secret" }),
        expect![[r#"
            Failure {
                message: "it looks like a secret",
                hint: Some(
                    "if it is meant to be kept, add `--allow-secret`: it is shown as `[secret]`",
                ),
                is_usage: false,
                is_temporary: false,
                silent: false,
                rpc: Some(
                    Object {
                        "code": Number(40002),
                        "message": String("it looks like a secret"),
                    },
                ),
            }
        "#]],
    );
    check(
        json!({ "code": 40001, "message": "`ttl` is not valid" }),
        expect![[r#"
            Failure {
                message: "`ttl` is not valid",
                hint: None,
                is_usage: false,
                is_temporary: false,
                silent: false,
                rpc: Some(
                    Object {
                        "code": Number(40001),
                        "message": String("`ttl` is not valid"),
                    },
                ),
            }
        "#]],
    );
}
