//! What an agent reads about the eight hint tools.
//!
//! The output schemas require nothing: clients validate refusals against them too.

use rmcp::model::{Tool as ToolWire, ToolAnnotations};
use serde_json::{Value, json};

use super::{map, object};
use crate::api::HintMethod;

/// Describes a tool.
pub(super) fn describe(method: HintMethod) -> ToolWire {
    let (title, description, input, output) = match method {
        HintMethod::SetHint => (
            "Set a hint",
            "Keep a small fact for this session and for other agents on this machine: how a component is built, tested \
             or run, where it is, a setting it needs. Same component, key and scope: updated (version + 1); another \
             scope: a variant beside it. To correct a hint, send back the meta.scope you received, or replace: true. \
             meta is replaced as a whole: send all of it. Values that look like secrets are refused unless \
             meta.sensitivity is secret.",
            object(
                &json!({
                    "component": component(),
                    "key": key(),
                    "value": { "description": "Text, or {type: command, shell, cmd}, {type: path, abs}, {type: template, format, body, defaults}, {type: json, data}; never executed" },
                    "meta": meta(),
                    "if_match_version": { "type": "integer", "minimum": 0, "description": "Only if this is its version; 0: only if it does not exist" },
                    "replace": { "type": "boolean", "default": false, "description": "Drop the other variants of the key" },
                }),
                &["component", "key", "value"],
            ),
            json!({ "hint": hint(), "variants": { "type": "integer" } }),
        ),
        HintMethod::GetHint => (
            "Get a hint",
            "Before you build, test, run or look for a component: get the known way. Returns the variant that fits best \
             here and why. After it worked, call nudge_bump.",
            object(
                &json!({
                    "component": component(),
                    "key": key(),
                    "context": context(),
                }),
                &["component", "key"],
            ),
            json!({ "hint": hint(), "match_explain": explanation() }),
        ),
        HintMethod::Query => (
            "Query hints",
            "Find hints that apply here, best first; good after an error. All filters must match.",
            object(
                &json!({
                    "component": component(),
                    "keys": { "type": "array", "items": { "type": "string" }, "description": "Any of these keys" },
                    "tags": { "type": "array", "items": { "type": "string" }, "description": "Any of these tags" },
                    "regex": { "type": "string", "description": "Searched in keys and values" },
                    "context": context(),
                    "limit": { "type": "integer", "minimum": 1, "default": 10, "description": "Maximum number of hints" },
                }),
                &[],
            ),
            json!({ "hints": { "type": "array", "items": object(&json!({
                "component": { "type": "string" },
                "key": { "type": "string" },
                "hint": hint(),
                "score": { "type": "number" },
                "match_explain": explanation(),
            }), &[]) } }),
        ),
        HintMethod::DeleteHint => (
            "Delete a hint",
            "Delete a hint that is wrong or no longer needed: all its variants, or the one with the given scope.",
            object(
                &json!({ "component": component(), "key": key(), "scope": scope() }),
                &["component", "key"],
            ),
            json!({ "deleted": { "type": "boolean" }, "previous": hint(), "deleted_count": { "type": "integer" } }),
        ),
        HintMethod::ListComponents => (
            "List components",
            "List the components that have hints, with the number of hints.",
            object(&json!({}), &[]),
            json!({ "components": { "type": "array", "items": object(
                &json!({ "name": { "type": "string" }, "hint_count": { "type": "integer" } }),
                &[],
            ) } }),
        ),
        HintMethod::Bump => (
            "Bump a hint",
            "Mark a hint as useful, so that it ranks higher.",
            object(
                &json!({
                    "component": component(),
                    "key": key(),
                    "delta": { "type": "integer", "default": 1, "description": "How many uses to count" },
                    "context": context(),
                }),
                &["component", "key"],
            ),
            json!({ "hint": hint() }),
        ),
        HintMethod::Export => (
            "Export hints",
            "Export all hints as JSON, for a warm start elsewhere. Secrets are left out unless asked for.",
            object(
                &json!({
                    "format": { "type": "string", "enum": ["json"], "default": "json", "description": "Only json" },
                    "component": { "type": "string", "description": "Only this one; default: all" },
                    "include_secrets": { "type": "boolean", "default": false, "description": "Include secret values" },
                }),
                &[],
            ),
            json!({ "payload": { "type": "object" }, "skipped_secrets": { "type": "integer" } }),
        ),
        _ => (
            "Import hints",
            "Import an export. merge keeps existing hints; replace deletes them first, once the whole import is valid.",
            object(
                &json!({
                    "payload": { "type": "object", "description": "The payload from nudge_export" },
                    "mode": { "type": "string", "enum": ["merge", "replace"], "default": "merge", "description": "What to do with existing hints" },
                }),
                &["payload"],
            ),
            json!({ "imported": { "type": "integer" }, "skipped": { "type": "integer" }, "errors": { "type": "array", "items": { "type": "object" } } }),
        ),
    };
    ToolWire::new(method.name(), description, map(input))
        .with_title(title)
        .with_raw_output_schema(map(object(&output, &[])).into())
        .with_annotations(annotations(method))
}

fn annotations(method: HintMethod) -> ToolAnnotations {
    use HintMethod::{Bump, DeleteHint, Import, SetHint};
    let changes = matches!(method, SetHint | DeleteHint | Bump | Import);
    // Setting or importing a hint may replace one; a bump only counts.
    let destroys = matches!(method, SetHint | DeleteHint | Import);
    let is_idempotent = method != Bump;
    ToolAnnotations::new()
        .read_only(!changes)
        .destructive(destroys)
        .idempotent(is_idempotent)
        .open_world(false)
}

fn component() -> Value {
    json!({ "type": "string", "description": "Service, module or folder, such as http-proxy" })
}

fn key() -> Value {
    json!({ "type": "string", "description": "What it is about, such as build, test, run, directory, env.NAME" })
}

fn hint() -> Value {
    json!({ "type": "object", "description": "value, meta, version, created_at, updated_at, last_used_at, use_count" })
}

fn explanation() -> Value {
    let reasons = json!({ "type": "array", "items": { "type": "string" } });
    object(
        &json!({ "matched": { "type": "boolean" }, "score": { "type": "number" }, "reasons": reasons }),
        &[],
    )
}

fn meta() -> Value {
    let mut meta = object(
        &json!({
            "reason": { "type": "string" },
            "tags": { "type": "array", "items": { "type": "string" } },
            "priority": { "type": "integer", "minimum": 1, "maximum": 10 },
            "confidence": { "type": "number", "minimum": 0, "maximum": 1 },
            "ttl": { "type": "string", "description": "session, or a duration such as PT2H" },
            "sensitivity": { "type": "string", "enum": ["normal", "secret"] },
            "scope": scope(),
            "source": { "type": "string", "enum": ["user", "agent", "tool-output", "file-import"] },
            "added_by": { "type": "string" },
        }),
        &[],
    );
    meta["description"] = json!("Send all of it; omitted fields are unset");
    meta
}

fn scope() -> Value {
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    let mut scope = object(
        &json!({
            "cwd_glob": texts,
            "repo": texts,
            "branch": texts,
            "os": { "type": "array", "items": os() },
            "env_required": texts,
            "env_match": { "type": "object" },
        }),
        &[],
    );
    scope["description"] =
        json!("Where it applies: all given fields must match; **/api/** for a folder and below");
    scope
}

fn context() -> Value {
    let mut context = object(
        &json!({
            "cwd": { "type": "string" },
            "repo": { "type": "string" },
            "branch": { "type": "string" },
            "os": os(),
            "env": { "type": "object" },
        }),
        &[],
    );
    context["description"] = json!("Where you are, if not where this server was started");
    context
}

fn os() -> Value {
    json!({ "type": "string", "enum": ["linux", "darwin", "windows"] })
}
