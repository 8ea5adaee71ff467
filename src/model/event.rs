//! An event in an agent's session, in the same form for all agents.

use std::path::PathBuf;

use super::TodoChange;

/// What an agent's hook reported.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Event {
    pub(crate) hook: Hook,
    /// The id of the harness that reported it.
    pub(crate) harness: &'static str,
    pub(crate) session: Option<SessionId>,
    /// The folder the agent is in; it follows the agent's `cd`.
    pub(crate) cwd: PathBuf,
    /// The project's folder as the agent names it.
    pub(crate) project: Option<PathBuf>,
    pub(crate) tool: Option<ToolCall>,
    /// The text of the user; `None` if a machine started the turn.
    pub(crate) prompt: Option<String>,
    /// The last message of the agent, when it stops; its summary, when it has compacted the conversation.
    pub(crate) closing_message: Option<String>,
    /// The agent continues only because a hook asked it to.
    pub(crate) stop_hook_active: bool,
    /// The file in which the agent stores the conversation.
    pub(crate) transcript: Option<PathBuf>,
    /// What a call says about the work itself, once it is finished.
    pub(crate) news: Option<CallNews>,
    /// The result of the tool call, once it is finished.
    pub(crate) result: Option<ToolResult>,
    /// Why a session started or ended.
    pub(crate) cause: Option<String>,
    pub(crate) tool_use_id: Option<String>,
    pub(crate) prompt_id: Option<String>,
    /// The subagent that the event happened in.
    pub(crate) agent_id: Option<String>,
    /// The kind of agent as the harness names it, for example `nexus:architect`; `None` in the main conversation.
    pub(crate) agent_type: Option<String>,
    /// How much the agent may do without asking a person, in its own word, such as `acceptEdits`.
    pub(crate) permission_mode: Option<String>,
    /// A hash of everything that the agent sent, for events without an id.
    pub(crate) fingerprint: u64,
}

/// What a finished call says about the work itself.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CallNews {
    /// The user's answers to the agent's questions, as `question → answer` lines.
    Answers(String),
    /// The agent's list of what is to do.
    Todo(TodoChange),
}

/// A call that the user refused with words, which only the transcript has.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RefusedCall {
    pub(crate) tool_use_id: String,
    pub(crate) words: String,
    /// Milliseconds since 1970.
    pub(crate) at_ms: i64,
    /// What was refused, if the transcript's end has it.
    pub(crate) call: Option<ToolCall>,
}

/// Identifies what the user said when refusing a call, whether a hook or a transcript brings it.
pub(crate) fn refusal_id(tool_use_id: &str) -> String {
    format!("{tool_use_id}:refusal")
}

/// The kind of an event, named as in the rules RFC and in Claude Code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
pub(crate) enum Hook {
    PreToolUse,
    PostToolUse,
    /// After a tool that failed, including a command with an exit code other than 0.
    PostToolUseFailure,
    UserPromptSubmit,
    Stop,
    SessionStart,
    SessionEnd,
    /// A subagent begins, or continues earlier work.
    SubagentStart,
    SubagentStop,
    /// The agent has replaced the conversation with a summary.
    PostCompact,
    /// A known event that nothing reacts to yet.
    #[default]
    Other,
}

impl Hook {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Hook::PreToolUse => "PreToolUse",
            Hook::PostToolUse => "PostToolUse",
            Hook::PostToolUseFailure => "PostToolUseFailure",
            Hook::UserPromptSubmit => "UserPromptSubmit",
            Hook::Stop => "Stop",
            Hook::SessionStart => "SessionStart",
            Hook::SessionEnd => "SessionEnd",
            Hook::SubagentStart => "SubagentStart",
            Hook::SubagentStop => "SubagentStop",
            Hook::PostCompact => "PostCompact",
            Hook::Other => "Other",
        }
    }

    pub(crate) fn is_tool_use(self) -> bool {
        matches!(self, Hook::PreToolUse | Hook::PostToolUse)
    }
}

/// The agent's name for one conversation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub(crate) struct SessionId(pub(crate) String);

/// One use of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolCall {
    /// The tool's name, as the agent gives it.
    pub(crate) name: String,
    pub(crate) action: ToolAction,
}

/// What a tool call does, as far as it matters for rules.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ToolAction {
    Write {
        path: String,
        content: String,
    },
    Edit {
        path: String,
        replacements: Vec<Replacement>,
        /// The file before the edit, if the agent sends it (some do, after the edit).
        before: Option<String>,
    },
    /// `source` is `None` if a cell is deleted.
    EditNotebook {
        path: String,
        source: Option<String>,
    },
    Delete {
        path: String,
    },
    /// Several files are changed at once, each by a write, an edit or a deletion.
    Patch {
        changes: Vec<ToolAction>,
    },
    Command {
        command: String,
    },
    // The tools below do not write anything; `text` is their whole input.
    Read {
        path: String,
        text: String,
    },
    /// A search for files, lines or pages; `kind` distinguishes a web search from one in files.
    Search {
        query: String,
        place: Option<String>,
        kind: Option<&'static str>,
        text: String,
    },
    Mcp {
        server: String,
        tool: String,
        path: Option<String>,
        /// The arguments with their names, which help to recognise secrets.
        arguments: String,
        text: String,
    },
    /// Another agent is given a task.
    Agent {
        task: String,
        agent_type: Option<String>,
        text: String,
    },
    Other {
        path: Option<String>,
        text: String,
    },
}

impl ToolAction {
    /// Returns the file that the call names, as the agent wrote it.
    pub(crate) fn path(&self) -> Option<&str> {
        match self {
            ToolAction::Write { path, .. }
            | ToolAction::Edit { path, .. }
            | ToolAction::EditNotebook { path, .. }
            | ToolAction::Delete { path }
            | ToolAction::Read { path, .. } => Some(path),
            ToolAction::Mcp { path, .. } | ToolAction::Other { path, .. } => path.as_deref(),
            ToolAction::Patch { changes } => match changes.as_slice() {
                [change] => change.path(),
                _ => None,
            },
            ToolAction::Command { .. } | ToolAction::Search { .. } | ToolAction::Agent { .. } => None,
        }
    }

    /// Returns the whole input of a tool that does not write anything.
    pub(crate) fn given_text(&self) -> Option<&str> {
        match self {
            ToolAction::Read { text, .. }
            | ToolAction::Search { text, .. }
            | ToolAction::Mcp { text, .. }
            | ToolAction::Agent { text, .. }
            | ToolAction::Other { text, .. } => Some(text),
            _ => None,
        }
    }
}

/// The result of a tool call.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ToolResult {
    /// What the tool printed, or the error.
    pub(crate) output: String,
    pub(crate) failed: bool,
    pub(crate) interrupted: bool,
    /// It continues in the background.
    pub(crate) unfinished: bool,
    pub(crate) exit_code: Option<i64>,
    /// The number of results of a search.
    pub(crate) hits: Option<u64>,
    /// The subagent that did the work.
    pub(crate) agent_id: Option<String>,
    pub(crate) duration_ms: Option<u64>,
}

/// One replacement inside an edit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Replacement {
    pub(crate) old: String,
    pub(crate) new: String,
    pub(crate) all: bool,
}
