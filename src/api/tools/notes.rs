//! The tools about the project's notes and guidance.

use super::{ArgumentReader, Tool, ToolEffect};
use crate::api::argument::ArgumentKind::{Count, Flag, Text, Texts, Word};
use crate::api::argument::{optional, required};
use crate::api::notes::{parse_gc, parse_search, parse_store, parse_store_rule};

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "nx_memory_store",
        title: "Store a note",
        about: "Keep what cannot be found again in the code or on the web as a note in .nexus/memory. Appends to \
                an existing note on the same topic, and says which and why. No secrets.",
        arguments: &[
            required("content", Text, "Markdown; the facts, without the story of how they were found"),
            optional(
                "name",
                Text,
                "Two to four lower-case words with -, without dates and versions; default: from the text",
            ),
            optional(
                "category",
                Word(&["empirical", "external", "pattern"]),
                "empirical (found out here), external (imposed from outside) or pattern (a recipe)",
            ),
            optional("tags", Texts, "A few words to find it by"),
            optional("new", Flag, "Create a new note, even if one exists on the same topic"),
        ],
        output: None,
        effect: ToolEffect::Changes { destructive: false, idempotent: true },
        reader: ArgumentReader::Notes(parse_store),
    },
    Tool {
        name: "nx_memory_search",
        title: "Search notes",
        about: "Find the project's notes by words. Gives paths with the line that matches; read the file for the rest.",
        arguments: &[
            required("query", Text, "Words, or their beginnings"),
            optional("limit", Count { default: Some(10), min: 1, max: 50 }, "Capped at 50"),
        ],
        output: None,
        effect: ToolEffect::Reads,
        reader: ArgumentReader::Notes(parse_search),
    },
    Tool {
        name: "nx_memory_gc",
        title: "Clear notes",
        about: "Show for every note whether to keep, merge, shorten or remove it, and why. This is a dry run. To remove, show \
                it to the user, and call again with confirm and exactly the paths that the user agreed to; each becomes a git \
                commit with the command that restores it. With into, their texts are added to that note first.",
        arguments: &[
            optional("confirm", Flag, "The user agreed"),
            optional("paths", Texts, "Paths from the dry run, as they are written there"),
            optional("into", Text, "Path of the note that the others are merged into"),
        ],
        output: None,
        effect: ToolEffect::Changes { destructive: true, idempotent: false },
        reader: ArgumentReader::Notes(parse_gc),
    },
    Tool {
        name: "nx_rule_store",
        title: "Store a rule",
        about: "Keep what the user wants every agent of this project to follow, as prose in .nexus/rules. Only when the \
                user asks for it. If a rule on the same topic exists, it is named and kept: read it, and change it with its \
                name, overwrite and its whole new text. No secrets.",
        arguments: &[
            required("content", Text, "Markdown; a sentence or two that can be followed"),
            optional("name", Text, "Lower-case words with -, as in testing; default: from the text"),
            optional("overwrite", Flag, "Replace the rule of this name"),
            optional("new", Flag, "Create a new rule, even if one exists on the same topic"),
        ],
        output: None,
        effect: ToolEffect::Changes { destructive: true, idempotent: true },
        reader: ArgumentReader::Notes(parse_store_rule),
    },
];
