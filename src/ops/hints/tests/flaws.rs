//! Every method with every code that it can refuse with.

use super::*;

/// Asks a service that has `c/k` (scope os=linux), and expects a refusal.
#[track_caller]
fn check(method: &str, params: Value, code: i64, reason: &str, detail: &str) {
    let mut bench = Bench::new();
    bench.scoped("v", json!({"os": ["linux"]}));
    let generation = bench.service.generation();
    let error = bench.error(method, params);
    assert_eq!(error["code"], code, "{error}");
    assert_eq!(error["data"]["reason"], reason);
    assert_eq!(error["data"]["detail"], detail);
    assert_eq!(error["message"], detail);
    assert_eq!(bench.service.generation(), generation);
}

#[track_caller]
fn invalid(method: &str, params: Value, detail: &str) {
    check(method, params, 40001, "E_INVALID", detail);
}

#[track_caller]
fn not_found(method: &str, params: Value, detail: &str) {
    check(method, params, 40401, "E_NOT_FOUND", detail);
}

fn set(more: Value) -> Value {
    let mut params = json!({"component": "c", "key": "k", "value": "v"});
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    params
}

#[test]
fn set_hint_refuses() {
    invalid("set_hint", json!({}), "`component` is required");
    invalid("set_hint", json!({"component": "c", "value": "v"}), "`key` is required");
    invalid("set_hint", json!({"component": "c", "key": "k"}), "`value` is required");
    invalid("set_hint", set(json!({"component": 1})), "`component` must be a text, not 1");
    invalid("set_hint", set(json!({"component": " "})), "`component` must not be empty");
    invalid("set_hint", set(json!({"key": "a\u{0}b"})), "`key` must not contain control characters");
    invalid("set_hint", set(json!({"key": "k".repeat(257)})), "`key` must be at most 256 bytes long");
    invalid(
        "set_hint",
        set(json!({"value": 1})),
        "`value` must be a text or an object with a `type`, not a number",
    );
    invalid("set_hint", set(json!({"meta": "x"})), "`meta` must be an object, not a text");
    invalid(
        "set_hint",
        set(json!({"meta": {"scop": {}}})),
        "`meta` has no field `scop`: did you mean `scope`?",
    );
    invalid(
        "set_hint",
        set(json!({"if_match_version": -1})),
        "`if_match_version` must be at least 0, not -1",
    );
    invalid(
        "set_hint",
        set(json!({"if_match_version": "one"})),
        "`if_match_version` must be a whole number, not \"one\"",
    );
    invalid("set_hint", set(json!({"replace": "yes"})), "`replace` must be true or false");
    invalid("set_hint", set(json!({"request_id": 5})), "`request_id` must be a short text");
    check(
        "set_hint",
        set(json!({"if_match_version": 3})),
        40901,
        "E_CONFLICT",
        "expected version 3, but it is 1: read it again",
    );
    check(
        "set_hint",
        set(json!({"value": "export PASSWORD=correct7horse"})),
        40002,
        "E_SECRET_REJECTED",
        "the hint seems to contain a secret in `value` (password): leave it out, or store it on purpose with `meta.sensitivity: \"secret\"`",
    );
    check(
        "set_hint",
        set(json!({"meta": {"scope": {"cwd_glob": ["/a/../b"]}}})),
        40003,
        "E_SCOPE_INVALID",
        "a glob of `scope.cwd_glob` must not contain `..`",
    );
    check(
        "set_hint",
        set(json!({"value": {"type": "path", "abs": "/a/../b"}})),
        40003,
        "E_SCOPE_INVALID",
        "`value.abs` must not contain `..`",
    );
}

#[test]
fn set_hint_refuses_hints_over_the_limit() {
    let mut bench = Bench::with(HintLimits { max_hints: 1, ..limits() });
    bench.ok("set_hint", set(json!({})));
    let error = bench.error("set_hint", set(json!({"key": "other"})));
    assert_eq!(error["code"], 42901);
    assert_eq!(error["data"]["reason"], "E_QUOTA");
    assert_eq!(
        error["message"],
        "the limit for hints (1) is reached: delete hints that are no longer needed"
    );
}

#[test]
fn get_hint_refuses() {
    invalid("get_hint", json!({"key": "k"}), "`component` is required");
    invalid("get_hint", json!({"component": "c"}), "`key` is required");
    invalid(
        "get_hint",
        json!({"component": "c".repeat(257), "key": "k"}),
        "`component` must be at most 256 bytes long",
    );
    let get = |context: Value| json!({"component": "c", "key": "k", "context": context});
    invalid("get_hint", get(json!("x")), "`context` must be an object");
    invalid(
        "get_hint",
        get(json!({"os": "macos"})),
        "`os` must be one of linux, darwin, windows, not \"macos\"",
    );
    invalid("get_hint", get(json!({"cwd": 1})), "`cwd` must be a text, not 1");
    invalid("get_hint", get(json!({"env": {"A": 1}})), "`env` must be an object with text values");
    not_found("get_hint", json!({"component": "x", "key": "k"}), "there is no component `x`");
    not_found("get_hint", json!({"component": "c", "key": "x"}), "`c` has no hint `x`");
    not_found("get_hint", get(json!({})), "`c/k` is known, but applies elsewhere: os not given");
    not_found("get_hint", get(json!({"os": "darwin"})), "`c/k` is known, but applies elsewhere: os differs");
}

#[test]
fn query_refuses() {
    invalid("query", json!({"limit": 0}), "`limit` must be at least 1, not 0");
    invalid("query", json!({"limit": "a"}), "`limit` must be a whole number, not \"a\"");
    invalid("query", json!({"regex": "("}), "`regex` is not valid: unclosed group, at character 1");
    invalid("query", json!({"regex": "(a{1000}){1000}"}), "`regex` is too large");
    invalid("query", json!({"tags": [1]}), "`tags` must be a list of texts");
    invalid("query", json!({"keys": {}}), "`keys` must be a list of texts");
    invalid("query", json!({"context": []}), "`context` must be an object");
}

#[test]
fn delete_hint_refuses() {
    invalid("delete_hint", json!({"key": "k"}), "`component` is required");
    let delete = |scope: Value| json!({"component": "c", "key": "k", "scope": scope});
    invalid("delete_hint", delete(json!("x")), "`scope` must be an object, not a text");
    check(
        "delete_hint",
        delete(json!({"cwd_glob": "[a"})),
        40003,
        "E_SCOPE_INVALID",
        "an entry of `scope.cwd_glob` is not a valid glob: unclosed character class; missing ']'",
    );
    not_found("delete_hint", json!({"component": "x", "key": "k"}), "there is no component `x`");
    not_found("delete_hint", json!({"component": "c", "key": "x"}), "`c` has no hint `x`");
    not_found("delete_hint", delete(json!({})), "`c/k` has no variant with this scope");
}

#[test]
fn list_components_refuses() {
    not_found("list_components", json!({"component": "x"}), "there is no component `x`");
    invalid("list_components", json!({"component": 1}), "`component` must be a text, not 1");
}

#[test]
fn bump_refuses() {
    let bump = |more: Value| set(more);
    invalid("bump", json!({"component": "c"}), "`key` is required");
    invalid("bump", bump(json!({"delta": 0})), "`delta` must be at least 1, not 0");
    invalid("bump", bump(json!({"delta": 1.5})), "`delta` must be a whole number, not 1.5");
    not_found("bump", json!({"component": "x", "key": "k"}), "there is no component `x`");
    not_found("bump", bump(json!({"context": {}})), "`c/k` is known, but applies elsewhere: os not given");
}

#[test]
fn export_refuses() {
    invalid("export", json!({"format": "yaml"}), "`format` must be one of json, not \"yaml\"");
    invalid("export", json!({"include_secrets": 1}), "`include_secrets` must be true or false");
}

#[test]
fn import_refuses() {
    let import = |payload: Value| json!({"payload": payload});
    invalid("import", json!({}), "`payload` is required");
    invalid("import", import(json!([])), "`payload` must be an object, not a list");
    invalid("import", import(json!({})), "`payload.components` must be an object of components");
    invalid(
        "import",
        import(json!({"components": []})),
        "`payload.components` must be an object of components",
    );
    for version in [json!("2.0"), json!("1.1"), json!(1), json!("")] {
        let payload = json!({"schema_version": version, "components": {}});
        invalid("import", import(payload), "`payload.schema_version` must be \"1.0\"");
    }
    let mode = json!({"payload": {"components": {}}, "mode": "overwrite"});
    invalid("import", mode, "`mode` must be one of merge, replace, not \"overwrite\"");
    let stage = json!({"payload": {"components": {}}, "stage": {"id": "a"}});
    invalid("import", stage, "`stage` is for `mode` replace; a merge can come in several calls");
}

#[test]
fn suggest_refuses() {
    invalid("suggest", json!({"session": "s"}), "`trigger` is required");
    invalid("suggest", json!({"trigger": "prompt"}), "`session` is required");
    invalid(
        "suggest",
        json!({"trigger": "x", "session": "s"}),
        "`trigger` must be one of session_start, prompt, failure, not \"x\"",
    );
}

#[test]
fn a_refusal_never_contains_the_value() {
    let mut bench = Bench::new();
    bench.scoped("the value itself", json!({"os": ["linux"]}));
    let secret = "correct7horse";
    let errors = [
        bench.error("get_hint", json!({"component": "c", "key": "k"})),
        bench.error("set_hint", set(json!({"value": format!("PASSWORD={secret}"), "if_match_version": 9}))),
        bench.error("set_hint", set(json!({"value": {"type": "command", "cmd": [secret]}}))),
        bench.error("set_hint", set(json!({"value": {"type": secret}}))),
        bench.error("set_hint", set(json!({"value": {"type": "path", "abs": format!("{secret}/..")}}))),
    ];
    for error in errors {
        let text = error.to_string();
        assert!(!text.contains(secret) && !text.contains("the value itself"), "{text}");
    }
}
