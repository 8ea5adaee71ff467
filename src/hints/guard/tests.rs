//! The examples come from the contract. The secrets are made up, and assembled here so that no scanner takes this file
//! for a leak.

#![expect(clippy::needless_pass_by_value, reason = "tables read better without borrows")]

use serde_json::json;

use super::*;
use crate::hints::meta::parse_meta;
use crate::hints::value::parse_value;

fn try_hint(key: &str, value: &Value, meta: &Value) -> Result<(), HintFlaw> {
    reject_secrets(["component", key], &parse_value(value).unwrap(), &parse_meta(meta).unwrap())
}

#[track_caller]
fn allowed(value: Value) {
    assert_eq!(try_hint("key", &value, &json!({})), Ok(()), "{value}");
}

#[track_caller]
fn refused(value: Value, field: &str, kind: &str) {
    let flaw = try_hint("key", &value, &json!({})).expect_err(&value.to_string());
    assert_eq!(flaw.code, HintCode::SecretRejected, "{value}");
    let detail = format!(
        "the hint seems to contain a secret in `{field}` ({kind}): leave it out, or store it on purpose with `meta.sensitivity: \"secret\"`"
    );
    assert_eq!(flaw.detail, detail, "{value}");
    assert_eq!(try_hint("key", &value, &json!({"sensitivity": "secret"})), Ok(()));
    assert!(try_hint("key", &value, &json!({"sensitivity": "normal"})).is_err());
}

fn hex(length: usize) -> String {
    "0f9a3c71e8b2d46579".chars().cycle().take(length).collect()
}

#[test]
fn credentials_are_refused_and_not_repeated() {
    refused(json!(format!("AKIA{}", "IOSFODNN7EXAMPLA")), "value", "aws-key");
    refused(json!(format!("key {}", hex(32))), "value", "hex-key");
    refused(json!(format!("key {}", hex(64))), "value", "hex-key");
    refused(json!(format!("gh{}_{}", "p", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5")), "value", "github-token");
    refused(json!("export PASSWORD=correct7horse"), "value", "password");
    refused(json!("curl -u bob:hunter2xyz https://bob:hunter2xyz@example.com/"), "value", "password");
    let header = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9";
    refused(
        json!(format!("{header}.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dBjftJeZ4CVPmB92K27uhbUJU1p1r")),
        "value",
        "jwt",
    );
}

#[test]
fn every_text_of_a_value_is_checked() {
    let key = hex(32);
    refused(json!({"type": "command", "cmd": format!("deploy {key}")}), "value.cmd", "hex-key");
    refused(json!({"type": "path", "abs": format!("/keys/{key}")}), "value.abs", "hex-key");
    refused(
        json!({"type": "template", "format": "jinja", "body": format!("x {key}")}),
        "value.body",
        "hex-key",
    );
    refused(
        json!({"type": "template", "format": "jinja", "body": "x", "defaults": {"a": key.clone()}}),
        "value.defaults",
        "hex-key",
    );
    refused(json!({"type": "json", "data": {"a": [1, {"b": key.clone()}]}}), "value.data", "hex-key");
    refused(json!({"type": "json", "data": {key.clone(): 1}}), "value.data", "hex-key");
    refused(json!({"type": "json", "data": {"db": {"password": "correct7horse"}}}), "value.data", "password");
}

#[test]
fn names_and_metadata_are_checked_too() {
    let key = hex(32);
    let field = |key: &str, meta: Value| {
        let flaw = try_hint(key, &json!("x"), &meta).expect_err(&meta.to_string());
        assert!(!flaw.detail.contains(&hex(32)), "{}", flaw.detail);
        flaw.data["field"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(field(&key, json!({})), "key");
    assert_eq!(field("key", json!({"reason": format!("it is {key}")})), "meta.reason");
    assert_eq!(field("key", json!({"added_by": format!("agent {key}")})), "meta.added_by");
    assert_eq!(field("key", json!({"tags": ["a", key]})), "meta.tags");
    let scoped = |name: &str, entry: Value| field("key", json!({"scope": {name: entry}}));
    assert_eq!(scoped("cwd_glob", json!([format!("/work/{key}/**")])), "meta.scope.cwd_glob");
    assert_eq!(scoped("repo", json!([format!("git:org/{key}")])), "meta.scope.repo");
    assert_eq!(scoped("branch", json!(["main", key])), "meta.scope.branch");
    assert_eq!(scoped("env_required", json!([key])), "meta.scope.env_required");
    assert_eq!(scoped("env_match", json!({"A": [key]})), "meta.scope.env_match");
    assert_eq!(scoped("env_match", json!({"DB_PASSWORD": "correct7horse"})), "meta.scope.env_match");
    assert_eq!(scoped("env_match", json!({key.clone(): "1"})), "meta.scope.env_match");
    assert!(try_hint("env.DB_PASSWORD", &json!("correct7horse"), &json!({})).is_err());
    assert_eq!(try_hint("env.FEATURE_X", &json!("1"), &json!({})), Ok(()));
    assert_eq!(try_hint("token", &json!("see the wiki for how to get one"), &json!({})), Ok(()));
}

#[test]
fn text_that_only_looks_like_a_secret_is_allowed() {
    allowed(json!(format!("git checkout {}", hex(40))));
    allowed(json!(format!("git revert --no-edit {}", hex(40))));
    allowed(json!(format!("docker pull redis@sha256:{}", hex(64))));
    allowed(json!("curl localhost/3f2504e04f8941d39a0c0305e82c3301"));
    allowed(json!("curl localhost/018f3b2e7c1d7a3b9c4d5e6f7a8b9c0d"));
    allowed(json!("com.example.service"));
    allowed(json!("docker compose -f docker-compose.dev.yml build router"));
    for placeholder in ["your-api-key", "<api-key>", "xxx", "$KEY", "${KEY}", "$(pass show key)", "…"] {
        allowed(json!(format!("API_KEY={placeholder} make test")));
    }
}

#[test]
fn well_known_default_passwords_are_allowed() {
    let commit = hex(40);
    for value in [
        json!("POSTGRES_PASSWORD=postgres"),
        json!("postgres://postgres:postgres@localhost:5432/app"),
        json!("amqp://guest:guest@localhost"),
        json!("JWT_SECRET=changeme"),
        json!({"type": "command", "cmd": "mysql -uroot -proot"}),
        json!({"type": "command", "cmd": format!("cargo add x --git https://x.test/y --rev {commit}")}),
        json!({"type": "command", "cmd": format!("docker logs {}", hex(64))}),
        json!(format!("https://github.com/a/b/tree/{commit}")),
        json!({"type": "path", "abs": format!("/nix/store/{}-foo-1.2", hex(32))}),
    ] {
        allowed(value);
    }
    refused(json!("postgres://postgres:postgres@db.prod.test/app"), "value", "url-password");
    refused(json!(["AKIA", "IOSFODNN7", "EXAMPLE"].concat()), "value", "aws-key");
}
