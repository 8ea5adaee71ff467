//! What an agent reads about the tools for the project's notes and guidance.

use rmcp::model::{Tool as ToolWire, ToolAnnotations};
use serde_json::json;

use super::{map, object};
use crate::api::notes::NotesTool;

/// Describes a tool.
pub(super) fn describe(tool: NotesTool) -> ToolWire {
    let text = |description: &str| json!({ "type": "string", "description": description });
    let (title, description, input) = match tool {
        NotesTool::Store => (
            "Store a note",
            "Keep what cannot be found again in the code or on the web as a note in .nexus/memory. Appends to \
             an existing note on the same topic, and says which and why. No secrets.",
            object(
                &json!({
                    "content": text("Markdown; the facts, without the story of how they were found"),
                    "name": text("Two to four lower-case words with -, without dates and versions; default: from the text"),
                    "category": text("empirical (found out here), external (imposed from outside) or pattern (a recipe)"),
                    "tags": { "type": "array", "items": { "type": "string" }, "description": "A few words to find it by" },
                    "new": { "type": "boolean", "default": false, "description": "Create a new note, even if one exists on the same topic" },
                }),
                &["content"],
            ),
        ),
        NotesTool::Search => (
            "Search notes",
            "Find the project's notes by words. Gives paths with the line that matches; read the file for the rest.",
            object(
                &json!({
                    "query": text("Words, or their beginnings"),
                    "limit": { "type": "integer", "minimum": 1, "default": 10, "description": "Capped at 50" },
                }),
                &["query"],
            ),
        ),
        NotesTool::Gc => (
            "Clear notes",
            "Show for every note whether to keep, merge, shorten or remove it, and why. This is a dry run. To remove, show \
             it to the user, and call again with confirm and exactly the paths that the user agreed to; each becomes a git \
             commit with the command that restores it.",
            object(
                &json!({
                    "confirm": { "type": "boolean", "default": false, "description": "The user agreed" },
                    "paths": { "type": "array", "items": { "type": "string" }, "description": "Paths from the dry run, as they are written there" },
                }),
                &[],
            ),
        ),
        NotesTool::StoreRule => (
            "Store a rule",
            "Keep what the user wants every agent of this project to follow, as prose in .nexus/rules. Only when the \
             user asks for it. If a rule on the same topic exists, it is named and kept: read it, and change it with its \
             name, overwrite and its whole new text. No secrets.",
            object(
                &json!({
                    "content": text("Markdown; a sentence or two that can be followed"),
                    "name": text("Lower-case words with -, as in testing; default: from the text"),
                    "overwrite": { "type": "boolean", "default": false, "description": "Replace the rule of this name" },
                    "new": { "type": "boolean", "default": false, "description": "Create a new rule, even if one exists on the same topic" },
                }),
                &["content"],
            ),
        ),
    };
    let is_read_only = tool == NotesTool::Search;
    let annotations = ToolAnnotations::new()
        .read_only(is_read_only)
        .destructive(matches!(tool, NotesTool::Gc | NotesTool::StoreRule));
    let annotations = annotations.idempotent(tool != NotesTool::Gc).open_world(false);
    ToolWire::new(tool.name(), description, map(input)).with_title(title).with_annotations(annotations)
}
