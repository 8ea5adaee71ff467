//! What an agent reads about each tool: title, description, and the schemas of arguments and answers.
//!
//! Written by hand, because a model reads every byte of it. Each argument has one plain type: not every agent can read
//! a union.

mod hints;
mod nexus;
mod notes;

use rmcp::model::{JsonObject, Tool as ToolWire, ToolAnnotations};
use serde_json::{Value, json};

use crate::api::{HintMethod, Tool};
use crate::model::ObservationType;

/// Describes all tools that are offered: those for memory, for the project, and for hints.
pub(super) fn all(is_offered: impl Fn(Tool) -> bool) -> Vec<ToolWire> {
    let tools = Tool::ALL.into_iter().filter(|tool| is_offered(*tool)).map(describe);
    tools.chain(HintMethod::OFFERED.into_iter().map(hints::describe)).collect()
}

/// Describes a memory tool.
fn describe(tool: Tool) -> ToolWire {
    let (title, description, input, output) = match tool {
        Tool::Nexus(tool) => return nexus::describe(tool),
        Tool::Notes(tool) => return notes::describe(tool),
        Tool::Search => (
            "Search memory",
            "Find what earlier sessions did: commands, failures, edits, prompts. Gives ids with 120-character previews, \
             best first; get_observations has the whole text. Plain words are ranked, and any of them may match. FTS5 \
             syntax is taken as written: AND, OR, NOT, \"a phrase\", prefix*.",
            search_input(),
            list_of(&found()),
        ),
        Tool::GetObservations => (
            "Get observations",
            "Fetch whole observations by id, in the order of the ids. Deleted ones are left out.",
            object(
                &json!({ "ids": {
                    "type": "array", "items": { "type": "integer" }, "minItems": 1, "maxItems": 50,
                    "description": "Ids from search, timeline or recent_context",
                } }),
                &["ids"],
            ),
            list_of(&observation()),
        ),
        Tool::Timeline => (
            "Timeline",
            "Show what happened right before and after an observation in its session: what led to a failure, and what \
             fixed it.",
            object(
                &json!({
                    "anchor": { "type": "integer", "description": "Id of the observation in the middle" },
                    "before": { "type": "integer", "minimum": 0, "default": 5, "description": "How many before it" },
                    "after": { "type": "integer", "minimum": 0, "default": 5, "description": "How many after it" },
                }),
                &["anchor"],
            ),
            timeline_output(),
        ),
        Tool::RecentContext => (
            "Recent context",
            "List the latest observations of the project, newest first and each file once, then those of other projects \
             up to the limit. Use it to resume earlier work.",
            object(
                &json!({
                    "project": project(),
                    "limit": { "type": "integer", "minimum": 1, "default": 30, "description": "Capped at 100" },
                }),
                &[],
            ),
            list_of(&observation()),
        ),
    };
    let annotations =
        ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false);
    ToolWire::new(tool.name(), description, map(input))
        .with_title(title)
        .with_raw_output_schema(map(output).into())
        .with_annotations(annotations)
}

fn search_input() -> Value {
    object(
        &json!({
            "query": { "type": "string", "description": "Words, identifiers, paths, or an FTS5 expression" },
            "project": project(),
            "obs_type": {
                "type": "string",
                "enum": ObservationType::ALL.map(ObservationType::name),
                "description": "Only this type; default: all",
            },
            "limit": { "type": "integer", "minimum": 1, "default": 20, "description": "Capped at 100" },
            "offset": { "type": "integer", "minimum": 0, "default": 0, "description": "Hits to skip" },
            "order": {
                "type": "string",
                "enum": ["relevance", "blended"],
                "default": "relevance",
                "description": "blended favours recent hits",
            },
        }),
        &["query"],
    )
}

/// `null` is accepted too, although the type does not say so.
fn project() -> Value {
    json!({
        "type": "string",
        "description": "Name of a project; default: the current one; null or \"*\": all",
    })
}

fn found() -> Value {
    object(
        &json!({
            "id": { "type": "integer" },
            "timestamp": { "type": "integer" },
            "obs_type": { "type": "string" },
            "content_preview": { "type": "string" },
            "file_path": nullable("string"),
            "session_id": { "type": "string" },
        }),
        &["id", "timestamp", "obs_type", "content_preview", "file_path", "session_id"],
    )
}

fn observation() -> Value {
    object(
        &json!({
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
        }),
        &[
            "id",
            "timestamp",
            "session_id",
            "project",
            "obs_type",
            "source_event",
            "tool_name",
            "content",
            "file_path",
            "metadata",
        ],
    )
}

fn timeline_output() -> Value {
    let many = json!({ "type": "array", "items": { "$ref": "#/$defs/observation" } });
    let mut output = object(
        &json!({ "anchor": { "$ref": "#/$defs/observation" }, "before": many, "after": many }),
        &["anchor", "before", "after"],
    );
    output["$defs"] = json!({ "observation": observation() });
    output
}

fn list_of(item: &Value) -> Value {
    object(&json!({ "observations": { "type": "array", "items": item } }), &["observations"])
}

/// Clients that support one type per value can read this spelling, but not `"type": [...]`.
fn nullable(kind: &str) -> Value {
    json!({ "anyOf": [{ "type": kind }, { "type": "null" }] })
}

fn object(properties: &Value, required: &[&str]) -> Value {
    let mut object = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    object
}

fn map(value: Value) -> JsonObject {
    match value {
        Value::Object(map) => map,
        _ => JsonObject::new(),
    }
}
