//! Hints that nobody would write by hand: each is refused in a sentence or kept whole, on every way in.

#![expect(clippy::unwrap_used, reason = "what cannot be read is a failed test")]

use expect_test::expect;
use serde_json::{Value, json};

use crate::hints::scene::Scene;
use crate::mcp_client::Client;
use crate::sandbox::Sandbox;
use crate::servers::{http, port, rpc};

const KEY: &str = "0f9a3c71e8b2d465790f9a3c71e8b2d4";

/// What is wrong with each hint, or nothing where it is to be kept.
fn hostile() -> Value {
    let text = |length: usize| "x".repeat(length);
    json!({ "components": { "a": { "hints": {
        "1 future": { "value": "x", "updated_at": "9998-01-01T00:00:00Z", "meta": { "ttl": "PT1H" } },
        "2 beyond": { "value": "x", "updated_at": "99999-01-01T00:00:00Z" },
        "3 version": { "value": "x", "version": u64::MAX },
        "4 highest": { "value": "x", "version": 9_007_199_254_740_991_u64, "use_count": 9_007_199_254_740_991_u64 },
        "5 uses": { "value": "x", "use_count": -1 },
        "6 ttl": { "value": "x", "meta": { "ttl": "-PT1H" } },
        "7 ttl": { "value": "x", "meta": { "ttl": "P999999999999999Y" } },
        "8 ttl": { "value": "x", "meta": { "ttl": "P99999Y" } },
        "65534": { "value": text(65_534) },
        "65535": { "value": text(65_535) },
        "65536": { "value": { "type": "command", "cmd": text(65_536) } },
        "65537": { "value": text(65_537) },
        "meta": { "value": "x", "meta": { "scope": { "env_match": { "A": vec![text(1_000); 20] } } } },
        "branch": { "value": "x", "meta": { "scope": { "branch": [KEY] } } },
        KEY: { "value": "x" },
        "twice": { "value": "first" },
        " twice ": { "value": "second" },
    } } } })
}

fn errors(result: &Value) -> String {
    let errors = result["errors"].as_array().unwrap().iter();
    errors
        .map(|error| format!("{}: {}\n", error["key"].as_str().unwrap(), error["detail"].as_str().unwrap()))
        .collect()
}

fn check(result: &Value) {
    assert_eq!((&result["imported"], &result["skipped"]), (&json!(7), &json!(10)), "{result}");
    expect![[r#"
        2 beyond: `hint.updated_at` must be a timestamp like 2026-01-02T03:04:05Z
        3 version: `hint.version` must be a whole number from 1 to 9007199254740991
        5 uses: `hint.use_count` must be a whole number from 0 to 9007199254740991
        6 ttl: `ttl` must be `session` or an ISO-8601 duration longer than zero, like `PT2H` or `P1D`
        7 ttl: `ttl` must be `session` or an ISO-8601 duration longer than zero, like `PT2H` or `P1D`
        65537: `value` is larger than 64 KiB
        meta: `meta` is larger than 16 KiB
        branch: the hint seems to contain a secret in `meta.scope.branch` (hex-key): leave it out, or store it on purpose with `meta.sensitivity: "secret"`
        [REDACTED:hex-key]: the hint seems to contain a secret in `key` (hex-key): leave it out, or store it on purpose with `meta.sensitivity: "secret"`
        twice: the same component, key and scope appear twice in this import: the first one is used
    "#]]
    .assert_eq(&errors(result));
}

#[test]
fn each_way_in_says_what_cannot_be_kept_and_keeps_the_rest() {
    let file = hostile().to_string().replace(",", ",\r\n");
    let scene = Scene::with(Sandbox::new().file("hostile.json", format!("\u{feff}{file}")), &[]);
    let by_command = scene.run(&["import", "hostile.json", "--json"]);
    check(&by_command.code(1).json());

    // The highest version and count stay, and nothing breaks.
    let set =
        rpc(&scene.sandbox, "nudge.set_hint", &json!({ "component": "a", "key": "4 highest", "value": "y" }));
    assert_eq!(set["result"]["hint"]["version"], 9_007_199_254_740_991_u64, "{set}");
    let bumped = rpc(
        &scene.sandbox,
        "nudge.bump",
        &json!({ "component": "a", "key": "4 highest", "delta": 1_000_000 }),
    );
    assert_eq!(bumped["result"]["hint"]["use_count"], 9_007_199_254_740_991_u64, "{bumped}");
    // A time in the future is set to now, and the hint expires from then.
    let future = rpc(&scene.sandbox, "nudge.get_hint", &json!({ "component": "a", "key": "1 future" }));
    assert!(future["result"]["hint"]["updated_at"].as_str().unwrap() < "9998", "{future}");

    let other = Scene::new();
    let answer = rpc(&other.sandbox, "nudge.import", &json!({ "payload": hostile() }));
    check(&answer["result"]);
    let replaced = rpc(&other.sandbox, "nudge.import", &json!({ "payload": hostile(), "mode": "replace" }));
    assert_eq!(replaced["error"]["code"], 40001, "{replaced}");
    let listed = rpc(&other.sandbox, "nudge.list_components", &json!({}));
    assert_eq!(listed["result"]["components"][0]["hint_count"], 7, "nothing is lost: {listed}");

    let sandbox = Sandbox::new();
    let mut client = Client::new(&sandbox);
    check(&client.call_json("nudge_import", json!({ "payload": hostile() })));
}

#[test]
fn a_duplicate_name_in_a_file_is_reported_with_its_line() {
    let twice = "{\n \"components\": {\n  \"a\": { \"hints\": {\n   \"k\": { \"value\": \"1\" },\n   \"k\": { \"value\": \"2\" }\n} } } }";
    let scene = Scene::with(Sandbox::new().file("twice.json", twice), &[]);
    scene.run(&["import", "twice.json"]).code(1).stdout(expect![""]).stderr(expect![[r#"
        error: `twice.json` is not JSON that can be trusted: duplicate name `k` in one object at line 5 column 6
        hint: `nudge export` shows what such a file looks like
    "#]]);
    let body =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"nudge.import","params":{{"payload":{twice}}}}}"#);
    let (_, said) = http(port(&scene.sandbox), "POST", "/rpc", "", body.as_bytes());
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["error"]["code"], -32700, "{said}");
    assert!(said["error"]["message"].as_str().unwrap().contains("duplicate name `k`"), "{said}");
}

#[test]
fn a_secret_in_a_scope_is_refused_by_the_name_of_its_field() {
    let scene = Scene::new();
    let secret = format!("feature/{KEY}");
    scene.run(&["set", "a", "k", "v", "--scope-branch", &secret]).code(1).stderr(expect![[r#"
        error: the hint seems to contain a secret in `meta.scope.branch` (hex-key): leave it out, or store it on purpose with `meta.sensitivity: "secret"`
        hint: if it is meant to be kept, add `--allow-secret`: it is shown as `[secret]`
    "#]]);
    scene.done(&["set", "a", "k", "v", "--scope-branch", &secret, "--allow-secret"]);
    let sandbox = Sandbox::new();
    let mut client = Client::new(&sandbox);
    let meta = json!({ "scope": { "env_match": { "DB_PASSWORD": "correct7horse" } } });
    let refused =
        client.call("nudge_set_hint", json!({ "component": "a", "key": "k", "value": "v", "meta": meta }));
    let error = &refused["structuredContent"]["error"];
    assert_eq!(
        (&error["code"], &error["data"]["field"]),
        (&json!(40002), &json!("meta.scope.env_match")),
        "{refused}"
    );
    assert!(!refused.to_string().contains("correct7horse"), "{refused}");
}

#[test]
fn alternatives_of_a_glob_hold_in_the_folder_itself() {
    let scene = Scene::new();
    scene.done(&["set", "x", "a", "1", "--scope-cwd-glob", "**/project/{api,{web,cli}}/**"]);
    for folder in ["api", "web", "cli/src"] {
        assert_eq!(scene.run_in(folder, &["get", "x", "a", "--value"]).code(0).stdout, "1\n", "{folder}");
    }
    scene.run_in("lib", &["get", "x", "a"]).code(1);
}
