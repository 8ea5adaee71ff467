//! The tools about observations: what earlier sessions did.

use super::{ArgumentReader, Tool, ToolEffect, output};
use crate::api::argument::{Argument, ArgumentKind, hidden, optional, required};
use crate::api::request::{
    MAX_IDS, parse_get_observations, parse_recent_context, parse_search, parse_timeline,
};

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "search",
        title: "Search memory",
        about: "Find what earlier sessions did: commands, failures, edits, prompts. Gives ids with short previews, best \
                first; get_observations has the whole text. Any of the words may match; FTS5 syntax is taken as \
                written: AND, OR, NOT, \"a phrase\", prefix*.",
        arguments: SEARCH,
        output: Some(output::found),
        effect: ToolEffect::Reads,
        reader: ArgumentReader::Memory(parse_search),
    },
    Tool {
        name: "get_observations",
        title: "Get observations",
        about: "Fetch whole observations by id, in the order of the ids. Deleted ones are left out.",
        arguments: &[required(
            "ids",
            ArgumentKind::Ids { max: MAX_IDS },
            "Ids from search, timeline or recent_context",
        )],
        output: Some(output::observations),
        effect: ToolEffect::Reads,
        reader: ArgumentReader::Memory(parse_get_observations),
    },
    Tool {
        name: "timeline",
        title: "Timeline",
        about: "Show what happened right before and after an observation in its session: what led to a failure, and what \
                fixed it.",
        arguments: &[
            required("anchor", ArgumentKind::Id, "Id of the observation in the middle"),
            optional("before", NEIGHBOURS, "How many before it"),
            optional("after", NEIGHBOURS, "How many after it"),
        ],
        output: Some(output::timeline),
        effect: ToolEffect::Reads,
        reader: ArgumentReader::Memory(parse_timeline),
    },
    Tool {
        name: "recent_context",
        title: "Recent context",
        about: "List the latest observations of the project, newest first and each file once, then those of other projects. \
                Use it to resume earlier work.",
        arguments: &[
            PROJECT,
            optional("limit", ArgumentKind::Count { default: Some(30), min: 1, max: 100 }, "Capped at 100"),
            SINCE,
            UNTIL,
            SESSION,
            HARNESS,
        ],
        output: Some(output::observations),
        effect: ToolEffect::Reads,
        reader: ArgumentReader::Memory(parse_recent_context),
    },
];

const SEARCH: &[Argument] = &[
    required("query", ArgumentKind::Text, "Words, identifiers or paths"),
    PROJECT,
    optional("obs_type", ArgumentKind::Choice { words: OBSERVATION_TYPES, default: None }, "Only this type"),
    optional("limit", ArgumentKind::Count { default: Some(20), min: 1, max: 100 }, "Capped at 100"),
    // No search ranks its hits further down than this.
    optional("offset", ArgumentKind::Count { default: Some(0), min: 0, max: 100_000 }, "Hits to skip"),
    optional(
        "order",
        ArgumentKind::Choice { words: &["relevance", "blended"], default: Some("relevance") },
        "blended favours recent hits",
    ),
    // The seed's name for it.
    hidden("orderBy", ArgumentKind::Choice { words: &["relevance", "blended"], default: None }),
    SINCE,
    UNTIL,
    SESSION,
    HARNESS,
];

const SINCE: Argument =
    optional("since", ArgumentKind::Text, "Only after this: 2h, 3d, yesterday, an ISO date");
const UNTIL: Argument = optional("until", ArgumentKind::Text, "Only before this");
const SESSION: Argument = optional("session", ArgumentKind::Text, "Only this session");
const HARNESS: Argument = optional("harness", ArgumentKind::Text, "Only this agent, such as claude-code");

/// A test compares these words with `ObservationType::ALL`.
pub(super) const OBSERVATION_TYPES: &[&str] = &[
    "file_read",
    "file_write",
    "file_edit",
    "command",
    "command_error",
    "search",
    "user_prompt",
    "session_start",
    "session_end",
    "mcp_call",
    "outcome",
    "summary",
];

const PROJECT: Argument =
    optional("project", ArgumentKind::Project, "Default: the current one; null or \"*\": all");

/// The seed sets no limit here; this one keeps a typing mistake from filling the agent's window with a whole session.
const NEIGHBOURS: ArgumentKind = ArgumentKind::Capped { default: 5, max: 100 };
