//! The tools as MCP describes them to an agent, from the table of tools.

use rmcp::model::{JsonObject, Tool as ToolWire, ToolAnnotations};
use serde_json::Value;

use crate::api::{Tool, ToolEffect};

/// Describes a tool.
pub(super) fn describe(tool: &Tool) -> ToolWire {
    let wire = ToolWire::new(tool.name, tool.about, to_map(tool.input_schema()))
        .with_title(tool.title)
        .with_annotations(annotations(tool.effect));
    match tool.output {
        Some(schema) => wire.with_raw_output_schema(to_map(schema()).into()),
        None => wire,
    }
}

fn annotations(effect: ToolEffect) -> ToolAnnotations {
    let (destructive, idempotent) = match effect {
        ToolEffect::Reads => (false, true),
        ToolEffect::Changes { destructive, idempotent } => (destructive, idempotent),
    };
    ToolAnnotations::new()
        .read_only(effect == ToolEffect::Reads)
        .destructive(destructive)
        .idempotent(idempotent)
        .open_world(false)
}

fn to_map(schema: Value) -> JsonObject {
    match schema {
        Value::Object(map) => map,
        _ => JsonObject::new(),
    }
}
