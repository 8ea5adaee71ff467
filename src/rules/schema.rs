//! The schema of rule files: every key, its kind and its meaning, in one table.
//!
//! The reader, "did you mean", the JSON Schema for editors and the reference all come from here.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::glob::FileFilter;
use super::pattern::Pattern;
use super::tool::ToolFilter;
use crate::model::{Hook, Place};

/// A rule that can be evaluated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rule {
    pub(crate) name: String,
    #[serde(skip)]
    pub(crate) description: Option<String>,
    pub(crate) place: Place,
    pub(crate) hook: Hook,
    // A packed book keeps the filters in front of the rules.
    #[serde(skip)]
    pub(crate) tool: Option<ToolFilter>,
    #[serde(skip)]
    pub(crate) file: Option<FileFilter>,
    /// All of these must match.
    pub(crate) matchers: Vec<Matcher>,
    /// If there are any and all of them match, the rule is quiet.
    pub(crate) exceptions: Vec<Matcher>,
    pub(crate) action: Action,
    pub(crate) message: String,
    pub(crate) enabled: bool,
    pub(crate) once_per_session: bool,
    /// Blocks when it cannot be evaluated.
    pub(crate) fails_closed: bool,
    #[serde(skip)]
    pub(crate) examples: Vec<Example>,
}

/// One field of `match` or `unless`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Matcher {
    pub(crate) field: Field,
    pub(crate) pattern: Pattern,
    /// Where the pattern stands in its file.
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// What a pattern is searched in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum Field {
    Content,
    NewString,
    OldString,
    Prompt,
    Message,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Action {
    Interrupt,
    Continue,
}

/// A case that its rule must fire on, or stay quiet on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Example {
    pub(crate) fires: bool,
    pub(crate) sample: Sample,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// An event as a person describes it: for `examples:` and for `nudge test`.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Sample {
    pub(crate) tool: Option<String>,
    pub(crate) file: Option<String>,
    pub(crate) content: Option<String>,
    pub(crate) new_string: Option<String>,
    pub(crate) old_string: Option<String>,
    pub(crate) prompt: Option<String>,
    pub(crate) message: Option<String>,
}

impl Rule {
    /// Says whether the rule wants to see what a file becomes.
    pub(crate) fn looks_at_content(&self) -> bool {
        self.matchers.iter().chain(&self.exceptions).any(|matcher| matcher.field == Field::Content)
    }
}

impl Sample {
    /// Says whether the sample describes an event of this hook.
    pub(crate) fn fits(&self, hook: Hook) -> bool {
        match hook {
            Hook::UserPromptSubmit => self.prompt.is_some(),
            Hook::Stop => self.message.is_some(),
            _ => self.prompt.is_none() && self.message.is_none(),
        }
    }
}

impl Action {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Action::Interrupt => "interrupt",
            Action::Continue => "continue",
        }
    }
}

impl Field {
    pub(crate) const ALL: [Field; 5] =
        [Field::Content, Field::NewString, Field::OldString, Field::Prompt, Field::Message];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Field::Content => "content",
            Field::NewString => "new_string",
            Field::OldString => "old_string",
            Field::Prompt => "prompt",
            Field::Message => "message",
        }
    }

    /// Returns the only tools whose calls have the field; nothing if any may.
    pub(crate) fn tools(self) -> Option<&'static [&'static str]> {
        match self {
            Field::NewString => Some(&["Edit", "MultiEdit", "NotebookEdit"]),
            Field::OldString => Some(&["Edit", "MultiEdit"]),
            Field::Content | Field::Prompt | Field::Message => None,
        }
    }

    /// Says whether events of this hook can have the field at all.
    pub(crate) fn exists_on(self, hook: Hook) -> bool {
        match self {
            Field::Content | Field::NewString | Field::OldString => hook.is_tool_use(),
            Field::Prompt => hook == Hook::UserPromptSubmit,
            Field::Message => hook == Hook::Stop,
        }
    }
}

/// The hooks that rules may name.
pub(crate) const HOOKS: [Hook; 4] = [Hook::PreToolUse, Hook::PostToolUse, Hook::UserPromptSubmit, Hook::Stop];

/// One key of a map in a rule file.
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) required: bool,
    pub(crate) about: &'static str,
}

pub(crate) enum Kind {
    /// The number 1 and nothing else.
    One,
    Text,
    /// A glob, or a list of them.
    Globs,
    Bool,
    Choice(&'static [&'static str]),
    Map(&'static [Key]),
    /// A list of these maps.
    Maps(&'static [Key]),
    /// A list of texts or of these maps.
    TextsOrMaps(&'static [Key]),
}

pub(crate) const FILE: &[Key] = &[
    required("version", Kind::One, "Version of the schema; always 1"),
    required("rules", Kind::Maps(RULE), "The rules of this file; all of them are tried, in this order"),
];

pub(crate) const RULE: &[Key] = &[
    required("name", Kind::Text, "Name of the rule, shown wherever it speaks"),
    optional("description", Kind::Text, "What the rule is for, for people"),
    required("on", Kind::Map(ON), "When the rule is considered"),
    optional(
        "match",
        Kind::Map(MATCH),
        "What must be found for the rule to fire; without it the rule fires on activation alone",
    ),
    optional("unless", Kind::Map(MATCH), "What must not be found: if all of this matches, the rule is quiet"),
    required(
        "action",
        Kind::Choice(&["interrupt", "continue"]),
        "Block the action, or let it happen and tell the agent",
    ),
    required(
        "message",
        Kind::Text,
        "What the agent is told; may use {{ lines }}, {{ file_path }}, {{ matched }}, {{ tool_name }} and {{ prompt }}",
    ),
    optional("enabled", Kind::Bool, "Set to false to switch the rule off; true by default"),
    optional("once", Kind::Choice(&["session"]), "Fire at most once in a session"),
    optional(
        "on_failure",
        Kind::Choice(&["open", "closed"]),
        "If the rule cannot be evaluated: open (default) lets the action happen, closed blocks it",
    ),
    optional("examples", Kind::Map(EXAMPLES), "Cases that `nudge validate` tries"),
];

pub(crate) const ON: &[Key] = &[
    required("hook", Kind::Choice(&["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"]), "The event"),
    optional(
        "tool",
        Kind::Text,
        "Regex for the whole name of the tool, as in `Write|Edit`; ignored on other hooks than PreToolUse and PostToolUse",
    ),
    optional(
        "file",
        Kind::Globs,
        "Glob for the file, relative to the project's root; `!` excludes; in a list the last match wins",
    ),
];

pub(crate) const MATCH: &[Key] = &[
    optional(
        "content",
        Kind::Text,
        "Regex for what the tool call brings in: file content, resulting text of an edit, command",
    ),
    optional("new_string", Kind::Text, "Regex for the new text of an edit"),
    optional("old_string", Kind::Text, "Regex for the text that an edit replaces"),
    optional("prompt", Kind::Text, "Regex for the user's message, on UserPromptSubmit"),
    optional("message", Kind::Text, "Regex for the agent's last message, on Stop"),
    optional("case_sensitive", Kind::Bool, "true by default"),
    optional("multiline", Kind::Bool, "^ and $ match at line ends; true by default"),
];

pub(crate) const EXAMPLES: &[Key] = &[
    optional("fires", Kind::TextsOrMaps(EXAMPLE), "Cases on which the rule must fire"),
    optional("quiet", Kind::TextsOrMaps(EXAMPLE), "Cases on which it must not"),
];

pub(crate) const EXAMPLE: &[Key] = &[
    optional("tool", Kind::Text, "Name of the tool"),
    optional("file", Kind::Text, "Path of the file, relative to the project's root"),
    optional("content", Kind::Text, "Content that is written, or the command"),
    optional("new_string", Kind::Text, "New text of an edit"),
    optional("old_string", Kind::Text, "Old text of an edit"),
    optional("prompt", Kind::Text, "The user's message"),
    optional("message", Kind::Text, "The agent's last message"),
];

const fn required(name: &'static str, kind: Kind, about: &'static str) -> Key {
    Key { name, kind, required: true, about }
}

const fn optional(name: &'static str, kind: Kind, about: &'static str) -> Key {
    Key { name, kind, required: false, about }
}

/// Returns the JSON Schema of rule files, for editors.
pub(crate) fn json_schema() -> Value {
    let mut schema = map_schema(FILE);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("Nudge rules");
    schema
}

fn map_schema(keys: &[Key]) -> Value {
    let properties: serde_json::Map<String, Value> = keys
        .iter()
        .map(|key| {
            let mut schema = kind_schema(&key.kind);
            schema["description"] = json!(key.about);
            (key.name.to_owned(), schema)
        })
        .collect();
    let required: Vec<&str> = keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    let mut schema = json!({
        "type": "object",
        "properties": properties,
        "patternProperties": { "^x-": {} },
        "additionalProperties": false,
    });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn kind_schema(kind: &Kind) -> Value {
    let text = || json!({ "type": "string", "minLength": 1 });
    match kind {
        Kind::One => json!({ "const": 1 }),
        Kind::Text => text(),
        Kind::Globs => json!({ "oneOf": [text(), { "type": "array", "items": text(), "minItems": 1 }] }),
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::Choice(words) => json!({ "enum": words }),
        Kind::Map(keys) => map_schema(keys),
        Kind::Maps(keys) => json!({ "type": "array", "items": map_schema(keys) }),
        Kind::TextsOrMaps(keys) => {
            json!({ "type": "array", "items": { "oneOf": [text(), map_schema(keys)] } })
        }
    }
}

#[cfg(test)]
mod tests;
