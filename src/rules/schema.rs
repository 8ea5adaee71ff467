//! The schema of rule files: every key, its kind and its meaning, in one table.
//!
//! The reader, "did you mean", the JSON Schema for editors and the reference all come from here.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::glob::FileFilter;
use super::lexer::CodePart;
use super::pattern::Pattern;
use super::tool::ToolFilter;
use crate::model::{FilePosition, Hook};
use crate::shell::CommandPatterns;

/// A rule that can be evaluated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rule {
    pub(crate) name: String,
    #[serde(skip)]
    pub(crate) description: Option<String>,
    pub(crate) place: FilePosition,
    pub(crate) hook: Hook,
    // A packed book stores the filters separately.
    #[serde(skip)]
    pub(crate) tool: Option<ToolFilter>,
    #[serde(skip)]
    pub(crate) file: Option<FileFilter>,
    /// What must be done to the file, by any tool or command.
    pub(crate) does: Option<FileDeed>,
    /// All of these must match.
    pub(crate) matchers: Vec<Matcher>,
    /// If there are any and all of them match, the rule does not fire.
    pub(crate) exceptions: Vec<Matcher>,
    /// One of these commands must be run.
    pub(crate) commands: Option<CommandPatterns>,
    /// Not by one of these commands; it looks at the same command.
    pub(crate) excepted_commands: Option<CommandPatterns>,
    pub(crate) action: Action,
    pub(crate) message: String,
    pub(crate) enabled: bool,
    pub(crate) once_per_session: bool,
    /// Blocks when it cannot be evaluated.
    pub(crate) fails_closed: bool,
    pub(crate) when: Conditions,
    /// What must be true of the session so far.
    pub(crate) session: Option<SessionCondition>,
    /// Evaluated and counted, but silent.
    pub(crate) shadow: bool,
    /// The pack that it comes from; its place is where that pack is used.
    pub(crate) pack: Option<String>,
    #[serde(skip)]
    pub(crate) examples: Vec<Example>,
}

/// What a call does to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum FileDeed {
    /// Writes, moves or deletes it.
    Change,
    Read,
    Delete,
}

/// What must be true beside the call itself. All of it; what is not named may be anything.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Conditions {
    /// The branch that is checked out where the agent is.
    pub(crate) branch: Option<ToolFilter>,
    /// The id of the agent, such as `codex`.
    pub(crate) agent: Option<ToolFilter>,
    /// The permission mode that the agent reports.
    pub(crate) mode: Option<ToolFilter>,
    /// The kind of subagent; never true in the main conversation.
    pub(crate) subagent: Option<ToolFilter>,
    /// Whether the file does not exist yet.
    pub(crate) new_file: Option<bool>,
}

/// What must be true of the session; all of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SessionCondition {
    /// This has happened.
    pub(crate) after: Option<Happening>,
    /// This has not happened since.
    pub(crate) without: Option<Happening>,
    /// How often `after` must have happened; without `after`, how often the rule must have matched.
    pub(crate) times: Option<u32>,
    /// Only what happened in these last seconds counts.
    pub(crate) within: Option<i64>,
}

/// Something that may happen in a session: a call that has run, or a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Happening {
    pub(crate) tool: Option<ToolFilter>,
    pub(crate) file: Option<FileFilter>,
    pub(crate) matchers: Vec<Matcher>,
    /// One of these commands was run.
    pub(crate) commands: Option<CommandPatterns>,
    /// How a call must have ended; `None` if that does not matter.
    pub(crate) ending: Option<CallEnding>,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum CallEnding {
    Succeeded,
    Failed,
}

/// One field of `match` or `unless`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Matcher {
    pub(crate) field: Field,
    pub(crate) pattern: Pattern,
    /// The part of a source text that counts; `None` for all of it.
    pub(crate) part: Option<CodePart>,
    /// The position of the pattern in its file.
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// The part of an event that a pattern is searched in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum Field {
    Content,
    NewString,
    OldString,
    Prompt,
    Message,
    Output,
    /// The commands of a shell; its patterns are no regexes, and are stored separately.
    Command,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Action {
    Interrupt,
    /// A person is asked; where that is not possible, the action is refused.
    Ask,
    Continue,
}

/// A case on which its rule must fire, or must not fire.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Example {
    pub(crate) fires: bool,
    pub(crate) sample: Sample,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// An event as described by a person, for `examples:` and for `nudge test`.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Sample {
    pub(crate) tool: Option<String>,
    pub(crate) file: Option<String>,
    pub(crate) content: Option<String>,
    pub(crate) new_string: Option<String>,
    pub(crate) old_string: Option<String>,
    pub(crate) prompt: Option<String>,
    pub(crate) message: Option<String>,
    pub(crate) output: Option<String>,
    /// What happened before it in the session, in this order; `None` if the sample says nothing about that.
    pub(crate) after: Option<Vec<EarlierCall>>,
}

/// Something that happened before a sample.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct EarlierCall {
    pub(crate) sample: Sample,
    pub(crate) failed: bool,
    /// How many seconds before the sample.
    pub(crate) ago: i64,
}

impl CallEnding {
    pub(crate) const NAMES: [&'static str; 3] = ["succeeded", "failed", "any"];
}

impl Conditions {
    /// Returns whether the conditions are about the agent, and so never about a file alone.
    pub(crate) fn are_about_agents(&self) -> bool {
        self.agent.is_some() || self.mode.is_some() || self.subagent.is_some()
    }
}

impl Rule {
    /// Returns whether the rule checks the resulting content of a file.
    pub(crate) fn looks_at_content(&self) -> bool {
        self.matchers.iter().chain(&self.exceptions).any(|matcher| matcher.field == Field::Content)
    }
}

impl Sample {
    /// Returns whether the sample describes an event of this hook.
    pub(crate) fn fits(&self, hook: Hook) -> bool {
        match hook {
            Hook::UserPromptSubmit => self.prompt.is_some(),
            Hook::Stop => self.message.is_some(),
            _ => self.prompt.is_none() && self.message.is_none(),
        }
    }
}

impl Action {
    pub(crate) const ALL: [Action; 3] = [Action::Interrupt, Action::Ask, Action::Continue];
    /// The names of all actions.
    pub(crate) const NAMES: [&'static str; 3] = ["interrupt", "ask", "continue"];

    /// Returns whether the action waits or fails, unlike one that only adds context.
    pub(crate) fn holds_up(self) -> bool {
        self != Action::Continue
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Action::Interrupt => "interrupt",
            Action::Ask => "ask",
            Action::Continue => "continue",
        }
    }
}

impl FileDeed {
    pub(crate) const NAMES: [&'static str; 3] = ["change", "read", "delete"];

    pub(crate) fn named(name: &str) -> Option<FileDeed> {
        let all = [FileDeed::Change, FileDeed::Read, FileDeed::Delete];
        all.into_iter().zip(FileDeed::NAMES).find(|(_, its)| *its == name).map(|(deed, _)| deed)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            FileDeed::Change => FileDeed::NAMES[0],
            FileDeed::Read => FileDeed::NAMES[1],
            FileDeed::Delete => FileDeed::NAMES[2],
        }
    }
}

impl Field {
    pub(crate) const ALL: [Field; 7] = [
        Field::Content,
        Field::Command,
        Field::NewString,
        Field::OldString,
        Field::Prompt,
        Field::Message,
        Field::Output,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Field::Content => "content",
            Field::NewString => "new_string",
            Field::OldString => "old_string",
            Field::Prompt => "prompt",
            Field::Message => "message",
            Field::Output => "output",
            Field::Command => "command",
        }
    }

    /// Returns the only tools whose calls have the field; `None` if any tool may have it.
    pub(crate) fn tools(self) -> Option<&'static [&'static str]> {
        match self {
            Field::NewString => Some(&["Edit", "MultiEdit", "NotebookEdit"]),
            Field::OldString => Some(&["Edit", "MultiEdit"]),
            Field::Command => Some(&["Bash"]),
            Field::Content | Field::Prompt | Field::Message | Field::Output => None,
        }
    }

    /// Returns whether events of this hook can have the field at all.
    pub(crate) fn exists_on(self, hook: Hook) -> bool {
        match self {
            Field::Content | Field::NewString | Field::OldString | Field::Command => hook.is_tool_use(),
            Field::Prompt => hook == Hook::UserPromptSubmit,
            Field::Message => hook == Hook::Stop,
            Field::Output => hook == Hook::PostToolUse,
        }
    }
}

/// The hooks that rules may name.
pub(crate) const HOOKS: [Hook; 4] = [Hook::PreToolUse, Hook::PostToolUse, Hook::UserPromptSubmit, Hook::Stop];

/// One key of a map in a rule file.
#[derive(Clone, Copy)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) kind: KeyKind,
    pub(crate) required: bool,
    pub(crate) about: &'static str,
}

#[derive(Clone, Copy)]
pub(crate) enum KeyKind {
    /// The number 1 and nothing else.
    One,
    Text,
    /// A glob, or a list of them.
    Globs,
    /// A pattern for commands, or a list of them.
    Commands,
    Bool,
    Choice(&'static [&'static str]),
    Map(&'static [Key]),
    /// A list of names.
    Names,
    /// A list of these maps.
    Maps(&'static [Key]),
    /// A list of texts or of these maps.
    TextsOrMaps(&'static [Key]),
    /// A number of 1 or more, up to this one.
    Count(u32),
    /// A time such as `10m`.
    TimeSpan,
}

pub(crate) const FILE: &[Key] = &[
    required("version", KeyKind::One, "Version of the schema; always 1"),
    optional("packs", KeyKind::Names, "Packs of rules that come with nudge; `nudge rules packs` lists them"),
    optional("disable", KeyKind::Names, "Names of rules that are switched off, of packs or of these files"),
    optional(
        "shadow",
        KeyKind::Names,
        "Names of rules that are tried and counted, but say and block nothing",
    ),
    optional(
        "rules",
        KeyKind::Maps(RULE),
        "The rules of this file; all of them are tried, in this order. An entry without `on` changes the rule of a pack that has its name",
    ),
];

pub(crate) const RULE: &[Key] = &[
    required("name", KeyKind::Text, "Name of the rule, shown when it fires"),
    optional("description", KeyKind::Text, "What the rule is for, as a note for people"),
    required("on", KeyKind::Map(ON), "When the rule is considered"),
    optional(
        "match",
        KeyKind::Map(MATCH),
        "What must be found for the rule to fire; without it the rule fires whenever `on` applies",
    ),
    optional(
        "unless",
        KeyKind::Map(MATCH),
        "What must not be found: if all of this matches, the rule does not fire",
    ),
    optional("when", KeyKind::Map(WHEN), "What must be true beside the call itself; all of it"),
    optional(
        "after",
        KeyKind::Map(AFTER),
        "What must have happened earlier in the session: a call that has run, or a prompt",
    ),
    optional(
        "without",
        KeyKind::Map(WITHOUT),
        "What must not have succeeded since `after`; without `after`, in the whole session",
    ),
    optional(
        "times",
        KeyKind::Count(MAX_TIMES),
        "How often `after` must have happened since `without`; without `after`, how often the rule itself must match",
    ),
    optional("within", KeyKind::TimeSpan, "Count only what happened in this last time, as in `10m` or `2h`"),
    required(
        "action",
        KeyKind::Choice(&Action::NAMES),
        "Block the action; ask a person first (only on PreToolUse); or allow it and send the message to the agent",
    ),
    required(
        "message",
        KeyKind::Text,
        "The text that the agent reads; may use {{ lines }}, {{ file_path }}, {{ matched }}, {{ tool_name }}, {{ prompt }} and {{ after }}",
    ),
    optional("enabled", KeyKind::Bool, "Set to false to disable the rule; true by default"),
    optional("once", KeyKind::Choice(&["session"]), "Fire at most once in a session"),
    optional(
        "on_failure",
        KeyKind::Choice(&["open", "closed"]),
        "If the rule cannot be evaluated: open (default) allows the action, closed blocks it",
    ),
    optional(
        "shadow",
        KeyKind::Bool,
        "Set to true to try and count the rule without saying or blocking anything",
    ),
    optional("examples", KeyKind::Map(EXAMPLES), "Test cases for `nudge validate`"),
];

pub(crate) const ON: &[Key] = &[
    required(
        "hook",
        KeyKind::Choice(&["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"]),
        "The event",
    ),
    optional(
        "tool",
        KeyKind::Text,
        "Regex for the whole name of the tool, as in `Write|Edit`; ignored on other hooks than PreToolUse and PostToolUse",
    ),
    optional(
        "file",
        KeyKind::Globs,
        "Glob for the file, relative to the project's root; `!` excludes; in a list the last match wins",
    ),
    optional(
        "does",
        KeyKind::Choice(&FileDeed::NAMES),
        "With `file`: any tool or command that changes, reads or deletes such a file, or names a folder around it",
    ),
];

pub(crate) const WHEN: &[Key] = &[
    optional("branch", KeyKind::Text, "Regex for the whole name of the branch that is checked out"),
    optional("agent", KeyKind::Text, "Regex for the whole id of the agent, as in `claude-code|codex`"),
    optional(
        "mode",
        KeyKind::Text,
        "Regex for the whole permission mode that the agent reports, as in `bypassPermissions|auto`",
    ),
    optional(
        "subagent",
        KeyKind::Text,
        "Regex for the whole kind of subagent that makes the call; never matches in the main conversation",
    ),
    optional("new_file", KeyKind::Bool, "Whether the file does not exist yet, on PreToolUse"),
];

pub(crate) const MATCH: &[Key] = &[
    optional(
        "content",
        KeyKind::Text,
        "Regex for what the tool call adds: file content, resulting text of an edit, command",
    ),
    optional(
        "command",
        KeyKind::Commands,
        "Words of a command that a shell tool runs, as in `git push --force` or `curl | sh`; in a list one is enough",
    ),
    optional("new_string", KeyKind::Text, "Regex for the new text of an edit"),
    optional("old_string", KeyKind::Text, "Regex for the text that an edit replaces"),
    optional("prompt", KeyKind::Text, "Regex for the user's message, on UserPromptSubmit"),
    optional("message", KeyKind::Text, "Regex for the agent's last message, on Stop"),
    optional("output", KeyKind::Text, "Regex for what the tool returned, on PostToolUse"),
    optional(
        "in",
        KeyKind::Choice(&CodePart::NAMES),
        "Search `content` only in this part of the source; a file of a language that is not known is searched whole",
    ),
    optional("case_sensitive", KeyKind::Bool, "true by default"),
    optional("multiline", KeyKind::Bool, "^ and $ match at line ends; true by default"),
];

/// The largest number that `times` may be. A session keeps at least this many facts of a kind.
pub(crate) const MAX_TIMES: u32 = 100;

const HAPPENING_TOOL: Key =
    optional("tool", KeyKind::Text, "Regex for the whole name of the tool, as in `Write|Edit`");
const HAPPENING_FILE: Key =
    optional("file", KeyKind::Globs, "Glob for the file, relative to the project's root");

pub(crate) const AFTER: &[Key] = &[
    HAPPENING_TOOL,
    HAPPENING_FILE,
    optional(
        "outcome",
        KeyKind::Choice(&CallEnding::NAMES),
        "How the call must have ended; both by default, but a change of a file that failed does not count",
    ),
    match_key("command"),
    match_key("content"),
    match_key("new_string"),
    match_key("old_string"),
    match_key("prompt"),
    match_key("output"),
    match_key("in"),
    match_key("case_sensitive"),
    match_key("multiline"),
];

pub(crate) const WITHOUT: &[Key] = &[
    HAPPENING_TOOL,
    HAPPENING_FILE,
    optional(
        "outcome",
        KeyKind::Choice(&CallEnding::NAMES),
        "How the call must have ended; succeeded by default",
    ),
    match_key("command"),
    match_key("content"),
    match_key("new_string"),
    match_key("old_string"),
    match_key("prompt"),
    match_key("output"),
    match_key("in"),
    match_key("case_sensitive"),
    match_key("multiline"),
];

pub(crate) const EXAMPLES: &[Key] = &[
    optional("fires", KeyKind::TextsOrMaps(EXAMPLE), "Cases on which the rule must fire"),
    optional("quiet", KeyKind::TextsOrMaps(EXAMPLE), "Cases on which it must not"),
];

pub(crate) const EXAMPLE: &[Key] = &[
    optional("tool", KeyKind::Text, "Name of the tool"),
    optional("file", KeyKind::Text, "Path of the file, relative to the project's root"),
    optional("content", KeyKind::Text, "Content that is written, or the command"),
    optional("command", KeyKind::Text, "The command of a shell tool"),
    optional("new_string", KeyKind::Text, "New text of an edit"),
    optional("old_string", KeyKind::Text, "Old text of an edit"),
    optional("prompt", KeyKind::Text, "The user's message"),
    optional("message", KeyKind::Text, "The agent's last message"),
    optional("output", KeyKind::Text, "What the tool returned"),
    optional(
        "after",
        KeyKind::TextsOrMaps(EARLIER),
        "What happened before, as in `Write src/a.rs`, `failed cargo test` or `20m ago cargo test`; without it, the rule's `after` and `without` are taken as true",
    ),
];

/// Something that happened before an example.
pub(crate) const EARLIER: &[Key] = &[
    optional("tool", KeyKind::Text, "Name of the tool"),
    optional("file", KeyKind::Text, "Path of the file, relative to the project's root"),
    optional("content", KeyKind::Text, "Content that was written, or the command"),
    optional("new_string", KeyKind::Text, "New text of an edit"),
    optional("old_string", KeyKind::Text, "Old text of an edit"),
    optional("prompt", KeyKind::Text, "The user's message"),
    optional("output", KeyKind::Text, "What the tool returned"),
    optional("failed", KeyKind::Bool, "Whether the call failed; false by default"),
    optional("ago", KeyKind::TimeSpan, "How long before, as in `20m`"),
];

/// Returns the key of `match` with this name, for maps that have some of these keys.
const fn match_key(name: &str) -> Key {
    let mut index = 0;
    while index < MATCH.len() {
        let (known, wanted) = (MATCH[index].name.as_bytes(), name.as_bytes());
        let mut same = 0;
        while same < known.len() && same < wanted.len() && known[same] == wanted[same] {
            same += 1;
        }
        if same == known.len() && same == wanted.len() {
            return MATCH[index];
        }
        index += 1;
    }
    panic!("`match` has no such key")
}

const fn required(name: &'static str, kind: KeyKind, about: &'static str) -> Key {
    Key { name, kind, required: true, about }
}

const fn optional(name: &'static str, kind: KeyKind, about: &'static str) -> Key {
    Key { name, kind, required: false, about }
}

/// Returns the JSON Schema of rule files, for editors.
pub(crate) fn json_schema() -> Value {
    let mut schema = map_schema(FILE);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("Nudge rules");
    // An entry without `on` changes a rule of a pack, and then only its name is required.
    let rule = &mut schema["properties"]["rules"]["items"];
    let whole = std::mem::replace(&mut rule["required"], json!(["name"]));
    rule["if"] = json!({ "required": ["on"] });
    rule["then"] = json!({ "required": whole });
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

fn kind_schema(kind: &KeyKind) -> Value {
    let text = || json!({ "type": "string", "minLength": 1 });
    match kind {
        KeyKind::One => json!({ "const": 1 }),
        KeyKind::Text => text(),
        KeyKind::Globs | KeyKind::Commands => {
            json!({ "oneOf": [text(), { "type": "array", "items": text(), "minItems": 1 }] })
        }
        KeyKind::Bool => json!({ "type": "boolean" }),
        KeyKind::Choice(words) => json!({ "enum": words }),
        KeyKind::Map(keys) => map_schema(keys),
        KeyKind::Names => json!({ "type": "array", "items": text() }),
        KeyKind::Maps(keys) => json!({ "type": "array", "items": map_schema(keys) }),
        KeyKind::Count(max) => json!({ "type": "integer", "minimum": 1, "maximum": max }),
        KeyKind::TimeSpan => text(),
        KeyKind::TextsOrMaps(keys) => {
            json!({ "type": "array", "items": { "oneOf": [text(), map_schema(keys)] } })
        }
    }
}

#[cfg(test)]
mod tests;
