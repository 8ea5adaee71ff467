//! An observation: something that happened in an agent's session, as it is remembered.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{RepositoryId, SessionId, Timestamp, TodoChange, TodoItem, changed_list};

/// What kind of thing happened. The list is fixed; finer kinds are in the metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ObservationType {
    FileRead,
    FileWrite,
    FileEdit,
    Command,
    CommandError,
    Search,
    UserPrompt,
    SessionStart,
    SessionEnd,
    McpCall,
    /// What the agent said at the end of a turn.
    Outcome,
    /// The agent's own summary of a conversation that became too long.
    Summary,
}

impl ObservationType {
    pub(crate) const ALL: [ObservationType; 12] = [
        ObservationType::FileRead,
        ObservationType::FileWrite,
        ObservationType::FileEdit,
        ObservationType::Command,
        ObservationType::CommandError,
        ObservationType::Search,
        ObservationType::UserPrompt,
        ObservationType::SessionStart,
        ObservationType::SessionEnd,
        ObservationType::McpCall,
        ObservationType::Outcome,
        ObservationType::Summary,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            ObservationType::FileRead => "file_read",
            ObservationType::FileWrite => "file_write",
            ObservationType::FileEdit => "file_edit",
            ObservationType::Command => "command",
            ObservationType::CommandError => "command_error",
            ObservationType::Search => "search",
            ObservationType::UserPrompt => "user_prompt",
            ObservationType::SessionStart => "session_start",
            ObservationType::SessionEnd => "session_end",
            ObservationType::McpCall => "mcp_call",
            ObservationType::Outcome => "outcome",
            ObservationType::Summary => "summary",
        }
    }

    /// Returns whether repeating it soon adds nothing new.
    pub(crate) fn only_looks(self) -> bool {
        matches!(self, ObservationType::FileRead | ObservationType::Search)
    }
}

impl FromStr for ObservationType {
    type Err = ();

    fn from_str(name: &str) -> Result<ObservationType, ()> {
        ObservationType::ALL.into_iter().find(|kind| kind.name() == name).ok_or(())
    }
}

/// The unique number of a stored observation; it is never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct ObservationId(pub(crate) i64);

/// A project: its name, and its root to distinguish projects with the same name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub(crate) struct Project {
    pub(crate) name: String,
    pub(crate) root: Option<String>,
    /// By which other folders of it are recognised; `None` if nobody looked.
    pub(crate) repository: Option<RepositoryId>,
}

/// Identifies an event, so that an event that arrives twice is stored once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct EventKey(pub(crate) [u8; 16]);

impl EventKey {
    /// Makes the key from what identifies an event: session, event, tool use, row number and so on.
    // 128-bit FNV-1a: the same in every version of the program, and a sixth of the size of the parts.
    pub(crate) fn of<'p>(parts: impl IntoIterator<Item = &'p str>) -> EventKey {
        let mut hash = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
        for part in parts {
            // The separator byte never occurs in UTF-8.
            for byte in part.bytes().chain([0xff]) {
                hash = (hash ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
            }
        }
        EventKey(hash.to_be_bytes())
    }
}

impl fmt::Display for EventKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl FromStr for EventKey {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<EventKey, Self::Err> {
        u128::from_str_radix(text, 16).map(|bits| EventKey(bits.to_be_bytes()))
    }
}

impl Serialize for EventKey {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for EventKey {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<EventKey, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// The kind of an observation that a rule or a gate of the project blocked. Its type is that of a failure, as agents
/// search for it, but it is none: nothing ran.
pub(crate) const BLOCKED: &str = "rule";

/// The kind of a failure of a tool that only looks: a file that is too large, a folder, a missing file.
pub(crate) const FAILED_TOOL: &str = "tool";

/// The kind of the row that has the last state of a session's list of what is to do.
pub(crate) const TODO: &str = "todo";

/// Kinds of what the user said other than in a prompt: when refusing a call, and to a question of the agent.
pub(crate) const REFUSAL: &str = "refusal";
pub(crate) const ANSWER: &str = "answer";
/// The kind of the row that says that a person allowed a call once, with `nudge allow`.
pub(crate) const ALLOWED: &str = "allowed";
/// How its content begins.
pub(crate) const ALLOWED_START: &str = "allowed once";

/// Further facts about an observation, by name: whatever the extractor found worth keeping.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Metadata(pub(crate) serde_json::Map<String, serde_json::Value>);

impl Metadata {
    pub(crate) fn command(&self) -> Option<&str> {
        self.0.get("command")?.as_str()
    }

    /// Returns the finer kind: `git_commit`, `rule`, `agent` and so on.
    pub(crate) fn kind(&self) -> Option<&str> {
        self.0.get("kind")?.as_str()
    }
}

/// Returns what a command printed, from the content of its row, which begins with the command.
///
/// Of a long command the facts have only the beginning; where it ends in the content is then unknown, unless the content
/// has the same beginning.
pub(crate) fn printed_output<'c>(content: &'c str, command: Option<&str>) -> &'c str {
    let Some(command) = command else {
        return content.split_once('\n').map_or("", |(_, output)| output);
    };
    match content.strip_prefix(command) {
        Some(output) => output.strip_prefix('\n').unwrap_or(output),
        None if command.contains('\n') || command.ends_with('…') => "",
        None => content.split_once('\n').map_or("", |(_, output)| output),
    }
}

/// An observation to be stored; its texts are already redacted and cut.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct NewObservation {
    pub(crate) timestamp: Timestamp,
    pub(crate) session_id: SessionId,
    pub(crate) project: Option<String>,
    pub(crate) project_root: Option<String>,
    /// What identifies the project's repository; only the events that begin something carry it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) repository: Option<RepositoryId>,
    pub(crate) obs_type: ObservationType,
    pub(crate) source_event: String,
    pub(crate) tool_name: Option<String>,
    pub(crate) content: String,
    /// Relative to the project's root if it is inside, else absolute.
    pub(crate) file_path: Option<String>,
    pub(crate) metadata: Option<Metadata>,
    pub(crate) event_key: Option<EventKey>,
    /// The program that a command ran, which connects a failure with the success that followed.
    pub(crate) program: Option<String>,
    /// A text that is the same whenever the same failure happens.
    pub(crate) signature: Option<String>,
    #[serde(default)]
    pub(crate) pinned: bool,
}

impl NewObservation {
    /// Returns whether it is the list of what is to do, of which a session has one.
    pub(crate) fn is_list(&self) -> bool {
        self.metadata.as_ref().and_then(Metadata::kind) == Some(TODO)
    }
}

/// A stored observation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Observation {
    pub(crate) id: ObservationId,
    #[serde(flatten)]
    pub(crate) seen: NewObservation,
}

impl Observation {
    /// Returns the programs of a command that runs several.
    pub(crate) fn programs(&self) -> impl Iterator<Item = &str> {
        let programs = self.fact("programs").and_then(serde_json::Value::as_array);
        programs.into_iter().flatten().filter_map(serde_json::Value::as_str)
    }

    /// Returns the finer kind.
    pub(crate) fn kind(&self) -> Option<&str> {
        self.metadata.as_ref().and_then(Metadata::kind)
    }

    /// Returns what a command or a tool printed, as far as it was kept.
    pub(crate) fn output(&self) -> &str {
        printed_output(&self.content, self.metadata.as_ref().and_then(Metadata::command))
    }

    /// Returns whether a command or an MCP tool failed; what a rule blocked never ran, and a look changes nothing.
    pub(crate) fn is_failure(&self) -> bool {
        self.obs_type == ObservationType::CommandError && !self.is_blocked() && !self.is_failed_look()
    }

    /// Returns whether a rule or a gate of the project blocked it.
    pub(crate) fn is_blocked(&self) -> bool {
        self.kind() == Some(BLOCKED)
    }

    /// Returns whether a tool failed that only looks.
    pub(crate) fn is_failed_look(&self) -> bool {
        self.kind() == Some(FAILED_TOOL)
    }

    /// Returns whether the user said this to begin a turn, and not in the middle of one.
    pub(crate) fn is_prompt(&self) -> bool {
        self.obs_type == ObservationType::UserPrompt
            && !matches!(self.kind(), Some(REFUSAL | ANSWER | ALLOWED))
    }

    /// Returns the agent's list of what is to do, if this row has it.
    pub(crate) fn todo(&self) -> Option<Vec<TodoItem>> {
        if self.kind() != Some(TODO) {
            return None;
        }
        let change: TodoChange = serde_json::from_value(self.fact(TODO)?.clone()).ok()?;
        // The first call may name only one item.
        Some(changed_list(Vec::new(), change))
    }

    /// Returns the subagent that did it.
    pub(crate) fn agent_id(&self) -> Option<&str> {
        self.fact("agent_id")?.as_str()
    }

    /// Returns the agent's id of the call.
    pub(crate) fn tool_use_id(&self) -> Option<&str> {
        self.fact("tool_use_id")?.as_str()
    }

    /// Returns how long it took, in milliseconds.
    pub(crate) fn duration_ms(&self) -> Option<u64> {
        self.fact("duration_ms")?.as_u64()
    }

    /// Returns the exit code of a command.
    pub(crate) fn exit_code(&self) -> Option<i64> {
        self.fact("exit_code")?.as_i64()
    }

    /// Returns the name of the rule that blocked it or added guidance to it.
    pub(crate) fn rule(&self) -> Option<&str> {
        self.fact("rule")?.as_str()
    }

    /// Returns the id of the agent that did it.
    pub(crate) fn harness(&self) -> Option<&str> {
        self.fact("harness")?.as_str()
    }

    /// Returns the name of the linked git worktree that it happened in.
    pub(crate) fn worktree(&self) -> Option<&str> {
        self.fact("worktree")?.as_str()
    }

    /// Returns the branch that was checked out.
    pub(crate) fn branch(&self) -> Option<&str> {
        self.fact("branch")?.as_str()
    }

    /// Returns whether a command was still running when it was recorded, so that nobody knows how it ended.
    pub(crate) fn is_unfinished(&self) -> bool {
        self.obs_type == ObservationType::Command
            && self.fact("command").is_some()
            && self.fact("exit_code").is_none()
    }

    /// Returns whether the user interrupted it.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.fact("interrupted").is_some()
    }

    fn fact(&self, name: &str) -> Option<&serde_json::Value> {
        self.metadata.as_ref()?.0.get(name)
    }

    /// Returns whether it belongs to a project; a project without a root stands for all projects with its name.
    pub(crate) fn is_of(&self, project: &Project) -> bool {
        let is_here = self.project.as_deref() == Some(&project.name)
            && (project.root.is_none() || self.project_root == project.root);
        let origin = |repository: &Option<RepositoryId>| repository.as_ref()?.origin.clone();
        let theirs = origin(&project.repository);
        is_here || theirs.is_some() && origin(&self.repository) == theirs
    }
}

impl std::ops::Deref for Observation {
    type Target = NewObservation;

    fn deref(&self) -> &NewObservation {
        &self.seen
    }
}
