//! The JSON Schemas of answers. Clients validate answers against them.
//!
//! Those about hints require nothing: clients validate refusals against them too.

use serde_json::{Value, json};

/// Returns the schema of a search's hits.
pub(super) fn found() -> Value {
    let mut hit = all_required(&json!({
        "id": { "type": "integer" },
        "timestamp": { "type": "integer" },
        "obs_type": { "type": "string" },
        "content_preview": { "type": "string" },
        "file_path": nullable("string"),
        "session_id": { "type": "string" },
    }));
    hit["properties"]["times"] = json!({ "type": "integer" });
    let mut list = list_of(&hit);
    list["properties"]["note"] = json!({ "type": "string" });
    list
}

pub(super) fn observations() -> Value {
    list_of(&observation())
}

pub(super) fn timeline() -> Value {
    let many = json!({ "type": "array", "items": { "$ref": "#/$defs/observation" } });
    let mut output =
        all_required(&json!({ "anchor": { "$ref": "#/$defs/observation" }, "before": many, "after": many }));
    output["$defs"] = json!({ "observation": observation() });
    output
}

pub(super) fn set_hint() -> Value {
    object(&json!({ "hint": hint(), "variants": { "type": "integer" } }))
}

pub(super) fn get_hint() -> Value {
    object(&json!({ "hint": hint(), "match_explain": explanation() }))
}

pub(super) fn query() -> Value {
    let item = object(&json!({
        "component": { "type": "string" },
        "key": { "type": "string" },
        "hint": hint(),
        "score": { "type": "number" },
        "match_explain": explanation(),
    }));
    object(&json!({ "hints": { "type": "array", "items": item } }))
}

pub(super) fn delete_hint() -> Value {
    object(
        &json!({ "deleted": { "type": "boolean" }, "previous": hint(), "deleted_count": { "type": "integer" } }),
    )
}

pub(super) fn components() -> Value {
    let item = object(&json!({ "name": { "type": "string" }, "hint_count": { "type": "integer" } }));
    object(&json!({ "components": { "type": "array", "items": item } }))
}

pub(super) fn bump() -> Value {
    object(&json!({ "hint": hint() }))
}

pub(super) fn export() -> Value {
    object(&json!({ "payload": { "type": "object" }, "skipped_secrets": { "type": "integer" } }))
}

pub(super) fn import() -> Value {
    object(&json!({
        "imported": { "type": "integer" },
        "skipped": { "type": "integer" },
        "errors": { "type": "array", "items": { "type": "object" } },
    }))
}

fn hint() -> Value {
    json!({ "type": "object", "description": "value, meta, version, created_at, updated_at, last_used_at, use_count" })
}

fn explanation() -> Value {
    let reasons = json!({ "type": "array", "items": { "type": "string" } });
    object(&json!({ "matched": { "type": "boolean" }, "score": { "type": "number" }, "reasons": reasons }))
}

fn observation() -> Value {
    all_required(&json!({
        "id": { "type": "integer" },
        "timestamp": { "type": "integer" },
        "session_id": { "type": "string" },
        "project": nullable("string"),
        "obs_type": { "type": "string" },
        "source_event": { "type": "string" },
        "tool_name": nullable("string"),
        "content": { "type": "string" },
        "file_path": nullable("string"),
        "metadata": nullable("object"),
    }))
}

fn list_of(item: &Value) -> Value {
    all_required(&json!({ "observations": { "type": "array", "items": item } }))
}

/// Clients that support one type per value can read this spelling, but not `"type": [...]`.
fn nullable(kind: &str) -> Value {
    json!({ "anyOf": [{ "type": kind }, { "type": "null" }] })
}

fn object(properties: &Value) -> Value {
    json!({ "type": "object", "properties": properties })
}

fn all_required(properties: &Value) -> Value {
    let names: Vec<String> = properties.as_object().into_iter().flat_map(|map| map.keys().cloned()).collect();
    let mut object = object(properties);
    object["required"] = json!(names);
    object
}
