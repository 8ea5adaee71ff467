//! What is parsed from arguments: defaults, limits, and refusals.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::*;
use crate::api::Tool;

fn parse(tool: &str, arguments: &Value) -> Result<Request, Refusal> {
    Tool::by_name(tool).unwrap().parse(arguments.as_object().unwrap())
}

fn check(tool: &str, arguments: &Value, expected: &Expect) {
    let read = match parse(tool, arguments) {
        Ok(request) => format!("{request:?}"),
        Err(refusal) => format!("refused: {refusal}"),
    };
    expected.assert_eq(&read);
}

#[test]
fn a_search_has_the_defaults_of_the_seed() {
    check(
        "search",
        &json!({ "query": "auth" }),
        &expect![[
            r#"Search(SearchRequest { query: "auth", scope: Current, obs_type: None, only: Only { since: None, until: None, session: None, harness: None }, order: Relevance, limit: 20, offset: 0 })"#
        ]],
    );
    check(
        "search",
        &json!({ "query": "auth", "project": null, "obs_type": "command_error", "order": "blended", "limit": 5.0, "offset": 40 }),
        &expect![[
            r#"Search(SearchRequest { query: "auth", scope: All, obs_type: Some(CommandError), only: Only { since: None, until: None, session: None, harness: None }, order: Blended, limit: 5, offset: 40 })"#
        ]],
    );
}

#[test]
fn absent_null_star_and_a_name_are_different_projects() {
    let scope = |arguments: Value| match parse("recent_context", &arguments) {
        Ok(Request::RecentContext(request)) => request.scope,
        other => panic!("{other:?}"),
    };
    assert_eq!(scope(json!({})), Scope::Current);
    assert_eq!(scope(json!({ "project": null })), Scope::All);
    assert_eq!(scope(json!({ "project": "*" })), Scope::All);
    assert_eq!(scope(json!({ "project": "web" })), Scope::Named("web".to_owned()));
}

#[test]
fn numbers_are_reduced_to_their_maximum_and_null_means_not_given() {
    check(
        "recent_context",
        &json!({ "limit": 5000 }),
        &expect![
            "RecentContext(RecentContextRequest { scope: Current, only: Only { since: None, until: None, session: None, harness: None }, limit: 100 })"
        ],
    );
    check(
        "recent_context",
        &json!({ "limit": null }),
        &expect![
            "RecentContext(RecentContextRequest { scope: Current, only: Only { since: None, until: None, session: None, harness: None }, limit: 30 })"
        ],
    );
    check(
        "timeline",
        &json!({ "anchor": 7, "before": 0, "after": 9_000_000_000_i64 }),
        &expect!["Timeline(TimelineRequest { anchor: ObservationId(7), before: 0, after: 100 })"],
    );
    check(
        "search",
        &json!({ "query": "a", "offset": i64::MAX }),
        &expect![[
            r#"Search(SearchRequest { query: "a", scope: Current, obs_type: None, only: Only { since: None, until: None, session: None, harness: None }, order: Relevance, limit: 20, offset: 100000 })"#
        ]],
    );
}

#[test]
fn what_narrows_a_list_is_read() {
    check(
        "recent_context",
        &json!({ "since": "2h", "until": " 2026-01-31T10:00:00Z ", "session": "0198c3", "harness": "codex" }),
        &expect![[
            r#"RecentContext(RecentContextRequest { scope: Current, only: Only { since: Some("2h"), until: Some("2026-01-31T10:00:00Z"), session: Some("0198c3"), harness: Some("codex") }, limit: 30 })"#
        ]],
    );
}

/// The context shows `#12`, and models copy it; others write all numbers as texts.
#[test]
fn numbers_are_read_as_models_write_them() {
    check(
        "timeline",
        &json!({ "anchor": "#12", "before": "3" }),
        &expect!["Timeline(TimelineRequest { anchor: ObservationId(12), before: 3, after: 5 })"],
    );
    for ids in [json!(["12", "#13"]), json!("#12, 13"), json!("[12,13]"), json!([12.0, 13])] {
        check(
            "get_observations",
            &json!({ "ids": ids }),
            &expect![
                "GetObservations(GetObservationsRequest { ids: [ObservationId(12), ObservationId(13)] })"
            ],
        );
    }
    check(
        "search",
        &json!({ "query": "a", "limit": "5", "orderBy": "blended" }),
        &expect![[
            r#"Search(SearchRequest { query: "a", scope: Current, obs_type: None, only: Only { since: None, until: None, session: None, harness: None }, order: Blended, limit: 5, offset: 0 })"#
        ]],
    );
}

#[test]
fn invalid_arguments_are_refused_with_a_sentence() {
    let refused = |tool, arguments: Value, expected: Expect| check(tool, &arguments, &expected);
    refused("search", json!({}), expect!["refused: `query` is required: what to look for"]);
    refused("search", json!({ "query": " " }), expect!["refused: `query` must not be empty"]);
    refused("search", json!({ "query": 5 }), expect!["refused: `query` must be a text, not 5"]);
    refused(
        "search",
        json!({ "query": "a", "limit": 0 }),
        expect!["refused: `limit` must be at least 1, not 0"],
    );
    refused(
        "search",
        json!({ "query": "a", "limit": "many" }),
        expect![[r#"refused: `limit` must be a whole number, not "many""#]],
    );
    refused(
        "search",
        json!({ "query": "a", "offset": -1 }),
        expect!["refused: `offset` must be at least 0, not -1"],
    );
    refused(
        "search",
        json!({ "query": "a", "order": "newest" }),
        expect![[r#"refused: `order` must be one of relevance, blended, not "newest""#]],
    );
    refused(
        "search",
        json!({ "query": "a", "project": "" }),
        expect![[
            r#"refused: `project` must be the name of a project, null for all projects, or absent for the current one, not """#
        ]],
    );
    refused("get_observations", json!({ "ids": [] }), expect!["refused: ids array must not be empty"]);
    refused(
        "get_observations",
        json!({ "ids": null }),
        expect!["refused: `ids` is required: a list of observation ids"],
    );
    refused(
        "get_observations",
        json!({ "ids": [1, 2.5] }),
        expect!["refused: `ids` must be a list of whole numbers, not [1,2.5]"],
    );
    refused(
        "get_observations",
        json!({ "ids": (0..51).collect::<Vec<_>>() }),
        expect![
            "refused: `ids` has 51 entries, and at most 50 are fetched at once: ask for the rest in another call"
        ],
    );
    refused("timeline", json!({}), expect!["refused: `anchor` is required: the id of an observation"]);
    refused(
        "timeline",
        json!({ "anchor": 1, "before": -1 }),
        expect!["refused: `before` must be at least 0, not -1"],
    );
}
