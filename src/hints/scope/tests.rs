//! Tests of this module.

use proptest::prelude::*;
use serde_json::json;

use super::*;

#[track_caller]
fn canonical_json(value: &Value) -> String {
    serde_json::to_string(&scope(value).unwrap()).unwrap()
}

#[test]
fn a_scope_has_one_canonical_form() {
    let check = |value: Value, expect: &str| assert_eq!(canonical_json(&value), expect);
    check(json!({}), "{}");
    check(json!({"os": [], "branch": null, "env_match": {}, "repo": []}), "{}");
    check(json!({"os": ["windows", "linux", "windows"]}), r#"{"os":["linux","windows"]}"#);
    check(json!({"branch": "dev"}), r#"{"branch":["dev"]}"#);
    check(json!({"repo": "git:a/b"}), r#"{"repo":["git:a/b"]}"#);
    check(json!({"repo": ["https://u:p@h/a/b"]}), r#"{"repo":["https://h/a/b"]}"#);
    check(json!({"cwd_glob": ["/b/", "./a", "/b"]}), r#"{"cwd_glob":["/b","a"]}"#);
    check(
        json!({"env_match": {"Z": "1", "A": ["2", "1", "2"]}, "env_required": ["B", "A"]}),
        r#"{"env_match":{"A":["1","2"],"Z":["1"]},"env_required":["A","B"]}"#,
    );
}

#[test]
fn an_error_names_its_field() {
    let check = |value: Value, detail: &str| assert_eq!(scope(&value), Err(HintFlaw::invalid(detail)));
    check(json!([]), "`scope` must be an object, not a list");
    check(json!({"cwdglob": []}), "`scope` has no field `cwdglob`: did you mean `cwd_glob`?");
    check(
        json!({"planet": 1}),
        "`scope` has no field `planet`; it has cwd_glob, repo, branch, os, env_required, env_match",
    );
    check(json!({"os": ["macos"]}), "`scope.os` must be one of linux, darwin, windows");
    check(json!({"os": [1]}), "`scope.os` must be a text, not a number");
    check(json!({"branch": {}}), "`scope.branch` must be a text, not an object");
    check(json!({"repo": [""]}), "an entry of `scope.repo` is empty or has control characters");
    check(
        json!({"env_required": ["A", " "]}),
        "an entry of `scope.env_required` is empty or has control characters",
    );
    check(json!({"env_match": ["A"]}), "`scope.env_match` must be an object of names and values");
    check(
        json!({"env_match": {"A": []}}),
        "`scope.env_match` must be an object with a text or a list of texts for each name",
    );
    check(
        json!({"env_match": {"A": 1}}),
        "`scope.env_match` must be an object with a text or a list of texts for each name",
    );
    check(json!({"env_match": {"A=B": "1"}}), "a name in `scope.env_match` is not a valid variable name");
    check(json!({"branch": vec!["a"; 65]}), "`scope.branch` has more than 64 entries");
    check(json!({"branch": "a".repeat(257)}), "`scope.branch` must be at most 256 bytes long");
    assert_eq!(scope(&json!({"branch": ["[a"]})).unwrap_err().code, crate::model::HintCode::ScopeInvalid);
}

proptest! {
    #[test]
    fn parsing_a_canonical_scope_changes_nothing(
        globs in proptest::collection::vec("[/a-c*.\\\\]{1,8}", 0..3),
        branches in proptest::collection::vec("[a-c*/]{1,6}", 0..3),
        os in proptest::collection::vec(prop_oneof!["linux", "darwin", "windows"], 0..4),
        names in proptest::collection::vec("[A-C]{1,2}", 0..4),
    ) {
        let value = json!({"cwd_glob": globs, "branch": branches, "os": os, "env_required": names});
        if let Ok(parsed) = scope(&value) {
            let again = scope(&serde_json::to_value(&parsed).unwrap());
            prop_assert_eq!(again, Ok(parsed));
        }
    }
}
