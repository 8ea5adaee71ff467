//! Tests of this module.

use serde_json::json;

use super::*;

#[test]
fn every_field_is_parsed_and_written_back() {
    let all = json!({
        "reason": "custom router image",
        "tags": ["build", "docker"],
        "priority": 7,
        "confidence": 0.8,
        "ttl": "PT2H",
        "sensitivity": "normal",
        "scope": {"branch": ["dev"]},
        "source": "tool-output",
        "added_by": "agent:codex",
    });
    assert_eq!(serde_json::to_value(parse_meta(&all).unwrap()).unwrap(), all);
    assert_eq!(serde_json::to_value(parse_meta(&json!({})).unwrap()).unwrap(), json!({}));
    assert_eq!(parse_meta(&Value::Null).unwrap(), HintMeta::default());
    assert_eq!(
        parse_meta(&json!({"priority": null, "scope": null, "tags": null})).unwrap(),
        HintMeta::default()
    );
    let tags = parse_meta(&json!({"tags": ["b", " a ", "b"]})).unwrap().tags;
    assert_eq!(tags, ["b", "a"]);
    assert_eq!(parse_meta(&json!({"priority": 7})).unwrap().priority, Some(7.0));
    // The seed calls it a number.
    assert_eq!(parse_meta(&json!({"priority": 5.5})).unwrap().priority, Some(5.5));
    assert_eq!(parse_meta(&json!({"confidence": 0})).unwrap().confidence, Some(0.0));
    for source in ["user", "agent", "tool-output", "file-import"] {
        let meta = parse_meta(&json!({"source": source})).unwrap();
        assert_eq!(serde_json::to_value(meta).unwrap(), json!({"source": source}));
    }
}

#[test]
fn an_error_names_its_field() {
    let check = |value: Value, detail: &str| {
        assert_eq!(parse_meta(&value), Err(HintFlaw::invalid(detail)), "{value}");
    };
    check(json!("x"), "`meta` must be an object, not a text");
    check(json!({"scop": {}}), "`meta` has no field `scop`: did you mean `scope`?");
    check(json!({"Tags": []}), "`meta` has no field `Tags`: did you mean `tags`?");
    for priority in [json!(0), json!(11), json!(-1), json!(0.5), json!("7"), json!([])] {
        check(json!({"priority": priority}), "`meta.priority` must be a number from 1 to 10");
    }
    for confidence in [json!(-0.1), json!(1.1), json!("high")] {
        check(json!({"confidence": confidence}), "`meta.confidence` must be a number from 0 to 1");
    }
    check(
        json!({"ttl": "2h"}),
        "`ttl` must be `session` or an ISO-8601 duration longer than zero, like `PT2H` or `P1D`",
    );
    check(json!({"ttl": 7200}), "`meta.ttl` must be a text, not a number");
    check(json!({"sensitivity": "top"}), "`meta.sensitivity` must be one of secret, normal");
    check(json!({"source": "x"}), "`meta.source` must be one of user, agent, tool-output, file-import");
    check(json!({"tags": ["a", ""]}), "`meta.tags` must be a list of words");
    check(json!({"tags": ["a\nb"]}), "`meta.tags` must be a list of words");
    check(json!({"tags": [1]}), "`meta.tags` must be a text, not a number");
    check(json!({"tags": vec!["a"; 65]}), "`meta.tags` has more than 64 entries");
    check(json!({"reason": "x".repeat(2049)}), "`meta.reason` must be at most 2048 bytes long");
    check(json!({"scope": []}), "`scope` must be an object, not a list");
}
