//! The tools about hints, in the seed's order, and nudge's own methods.

use super::{ArgumentReader, Tool, ToolEffect, output};
use crate::api::argument::ArgumentKind::{
    Any, AnyObject, Choice, Choices, Count, Flag, Fraction, Name, Object, Outlined, Scale, Text, Texts,
};
use crate::api::argument::{Argument, hidden, optional, required};
use crate::api::hints::request::{
    parse_bump, parse_delete, parse_env_names, parse_export, parse_get, parse_import, parse_list_components,
    parse_query, parse_set, parse_suggest,
};
use crate::api::hints::{BumpRequest, HintMethod, QueryRequest};

pub(super) const TOOLS: &[Tool] = &[SET, GET, QUERY, DELETE, LIST_COMPONENTS, BUMP, EXPORT, IMPORT];

/// Additions of nudge for its own commands and hooks; agents are not offered them.
pub(super) const OWN: &[Tool] = &[ENV_NAMES, SUGGEST];

/// Returns the row of a method; every method has one.
pub(super) fn tool(method: HintMethod) -> &'static Tool {
    match method {
        HintMethod::SetHint => &SET,
        HintMethod::GetHint => &GET,
        HintMethod::Query => &QUERY,
        HintMethod::DeleteHint => &DELETE,
        HintMethod::ListComponents => &LIST_COMPONENTS,
        HintMethod::Bump => &BUMP,
        HintMethod::Export => &EXPORT,
        HintMethod::Import => &IMPORT,
        HintMethod::EnvNames => &ENV_NAMES,
        HintMethod::Suggest => &SUGGEST,
    }
}

const SET: Tool = Tool {
    name: "nudge_set_hint",
    title: "Set a hint",
    about: "Keep a small fact for all agents on this machine: how a component is built, tested or run, where it is, a \
            setting it needs. Same component, key and scope: updated; another scope: a variant beside it. To \
            correct a hint, send back the meta.scope you received, or replace: true. Values that look like secrets \
            are refused unless meta.sensitivity is secret.",
    arguments: &[
        required("component", Name, COMPONENT),
        required("key", Name, KEY),
        required(
            "value",
            Any,
            "Text, or {type: command, shell, cmd}, {type: path, abs}, {type: template, format, body, defaults}, {type: json, data}",
        ),
        optional("meta", Object(META), "Replaced as a whole: send all of it"),
        optional(
            "if_match_version",
            Count { default: None, min: 0, max: usize::MAX },
            "Only if this is its version; 0: if it does not exist",
        ),
        optional("replace", Flag, "Drop the other variants of the key"),
        hidden("origin", Object(ORIGIN)),
    ],
    output: Some(output::set_hint),
    effect: ToolEffect::Changes { destructive: true, idempotent: true },
    reader: ArgumentReader::Hint(HintMethod::SetHint, parse_set),
};

const GET: Tool = Tool {
    name: "nudge_get_hint",
    title: "Get a hint",
    about: "Before you build, test, run or look for a component: get the known way. Returns the variant that fits best \
            here and why. After it worked, call nudge_bump.",
    arguments: &[required("component", Name, COMPONENT), required("key", Name, KEY), CONTEXT, INFERRED],
    output: Some(output::get_hint),
    effect: ToolEffect::Reads,
    reader: ArgumentReader::Hint(HintMethod::GetHint, parse_get),
};

const QUERY: Tool = Tool {
    name: "nudge_query",
    title: "Query hints",
    about: "Find hints that apply here, best first; good after an error. All filters must match.",
    arguments: &[
        optional("component", Text, COMPONENT),
        optional("keys", Texts, "Any of these keys"),
        optional("tags", Texts, "Any of these tags"),
        optional("regex", Text, "Searched in keys and values"),
        CONTEXT,
        optional(
            "limit",
            Count { default: Some(QueryRequest::LIMIT), min: 1, max: 5_000 },
            "Maximum number of hints",
        ),
        INFERRED,
    ],
    output: Some(output::query),
    effect: ToolEffect::Reads,
    reader: ArgumentReader::Hint(HintMethod::Query, parse_query),
};

const DELETE: Tool = Tool {
    name: "nudge_delete_hint",
    title: "Delete a hint",
    about: "Delete a wrong hint: all its variants, or the one with the given scope.",
    arguments: &[
        required("component", Name, COMPONENT),
        required("key", Name, KEY),
        optional("scope", Outlined(SCOPE), "Only the variant with this meta.scope"),
        hidden("context", Object(FACTS)),
        INFERRED,
    ],
    output: Some(output::delete_hint),
    effect: ToolEffect::Changes { destructive: true, idempotent: true },
    reader: ArgumentReader::Hint(HintMethod::DeleteHint, parse_delete),
};

const LIST_COMPONENTS: Tool = Tool {
    name: "nudge_list_components",
    title: "List components",
    about: "List the components that have hints, with the number of hints.",
    // With a component, `nudge ls` lists its keys.
    arguments: &[hidden("component", Text), hidden("context", Object(FACTS)), INFERRED],
    output: Some(output::components),
    effect: ToolEffect::Reads,
    reader: ArgumentReader::Hint(HintMethod::ListComponents, parse_list_components),
};

const BUMP: Tool = Tool {
    name: "nudge_bump",
    title: "Bump a hint",
    about: "Mark a hint as useful, so that it ranks higher.",
    arguments: &[
        required("component", Name, COMPONENT),
        required("key", Name, KEY),
        optional(
            "delta",
            Count {
                default: Some(BumpRequest::DELTA as usize),
                min: 1,
                max: BumpRequest::MAX_DELTA as usize,
            },
            "Uses to count",
        ),
        CONTEXT,
        INFERRED,
    ],
    output: Some(output::bump),
    // It only counts.
    effect: ToolEffect::Changes { destructive: false, idempotent: false },
    reader: ArgumentReader::Hint(HintMethod::Bump, parse_bump),
};

const EXPORT: Tool = Tool {
    name: "nudge_export",
    title: "Export hints",
    about: "Export all hints as JSON, for a warm start elsewhere. Secrets are left out unless asked for.",
    arguments: &[
        optional("format", Choice { words: &["json"], default: Some("json") }, "Only json"),
        optional("component", Text, "Only this one; default: all"),
        optional("include_secrets", Flag, "Include secret values"),
        // The answer must be one message.
        hidden("whole", Flag),
        hidden("context", Object(FACTS)),
    ],
    output: Some(output::export),
    effect: ToolEffect::Reads,
    reader: ArgumentReader::Hint(HintMethod::Export, parse_export),
};

const IMPORT: Tool = Tool {
    name: "nudge_import",
    title: "Import hints",
    about: "Import an export. merge keeps existing hints; replace deletes them first, once the whole import is valid.",
    arguments: &[
        required("payload", AnyObject, "The payload from nudge_export"),
        optional(
            "mode",
            Choice { words: &["merge", "replace"], default: Some("merge") },
            "What to do with existing hints",
        ),
        hidden("stage", Object(STAGE)),
        hidden("origin", Object(ORIGIN)),
    ],
    output: Some(output::import),
    effect: ToolEffect::Changes { destructive: true, idempotent: true },
    reader: ArgumentReader::Hint(HintMethod::Import, parse_import),
};

const ENV_NAMES: Tool = Tool {
    name: "nudge_env_names",
    title: "Names of environment variables",
    about: "List the environment variables that stored scopes need.",
    arguments: &[optional("component", Text, COMPONENT), optional("key", Text, KEY), CONTEXT, INFERRED],
    output: None,
    effect: ToolEffect::Reads,
    reader: ArgumentReader::Hint(HintMethod::EnvNames, parse_env_names),
};

const SUGGEST: Tool = Tool {
    name: "nudge_suggest",
    title: "Suggest hints",
    about: "Choose the hints that a hook shows an agent automatically.",
    arguments: &[
        required(
            "trigger",
            Choice { words: &["session_start", "prompt", "failure"], default: None },
            "The event",
        ),
        required("session", Text, "Id of the agent's session"),
        optional("text", Text, "The prompt or the failed command"),
        CONTEXT,
        optional("limit", Count { default: Some(3), min: 1, max: 20 }, "Maximum number of hints"),
        INFERRED,
        hidden("has_env", Flag),
    ],
    output: None,
    effect: ToolEffect::Reads,
    reader: ArgumentReader::Hint(HintMethod::Suggest, parse_suggest),
};

const COMPONENT: &str = "Service, module or folder";
const KEY: &str = "Such as build, test, run, directory, env.NAME";
const SYSTEMS: &[&str] = &["linux", "darwin", "windows"];
const ABOUT_SCOPE: &str = "Where it applies: all of these must match; **/api/** is a folder and below";

const CONTEXT: Argument =
    optional("context", Outlined(FACTS), "cwd, repo, branch, os, env, if not those of this server");

/// What the server of the caller has found out itself.
const INFERRED: Argument = hidden("inferred", Object(FACTS));

const FACTS: &[Argument] = &[
    optional("cwd", Text, ""),
    optional("repo", Text, ""),
    optional("branch", Text, ""),
    optional("os", Choice { words: SYSTEMS, default: None }, ""),
    optional("env", AnyObject, ""),
    optional("files_open", Texts, ""),
];

pub(super) const META: &[Argument] = &[
    optional("reason", Text, ""),
    optional("tags", Texts, ""),
    optional("priority", Scale { min: 1, max: 10 }, ""),
    optional("confidence", Fraction, ""),
    optional("ttl", Text, "session, or such as PT2H"),
    optional("sensitivity", Choice { words: &["normal", "secret"], default: None }, ""),
    optional("scope", Object(SCOPE), ABOUT_SCOPE),
    // The server knows which agent sets a hint, so a model need not say it.
    hidden("source", Choice { words: &["user", "agent", "tool-output", "file-import"], default: None }),
    hidden("added_by", Text),
];

const SCOPE: &[Argument] = &[
    optional("cwd_glob", Texts, ""),
    optional("repo", Texts, ""),
    optional("branch", Texts, ""),
    optional("os", Choices(SYSTEMS), ""),
    optional("env_required", Texts, ""),
    optional("env_match", AnyObject, ""),
];

/// The agent that sets a hint, as reported by the server that it is connected to.
const ORIGIN: &[Argument] =
    &[optional("agent", Text, ""), optional("cwd", Text, ""), optional("repo", Text, "")];

/// Which part of a large replacement this is.
const STAGE: &[Argument] = &[
    required("id", Text, ""),
    optional("part", Count { default: None, min: 0, max: usize::MAX }, ""),
    optional("last", Flag, ""),
];
