//! An event: one moment in an agent's session, the same whatever agent reported it.

use std::path::PathBuf;

/// What an agent's hook reported.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Event {
    pub(crate) hook: Hook,
    pub(crate) session: Option<SessionId>,
    /// The folder the agent is in; it follows the agent's `cd`.
    pub(crate) cwd: PathBuf,
    /// The project's folder as the agent names it.
    pub(crate) project: Option<PathBuf>,
    pub(crate) tool: Option<ToolCall>,
    /// The user's own words; a turn that a machine injected has none.
    pub(crate) prompt: Option<String>,
    /// What the agent said last, when it stops.
    pub(crate) closing_message: Option<String>,
    /// The agent goes on only because a hook told it to.
    pub(crate) stop_hook_active: bool,
    /// Where the agent keeps the conversation.
    pub(crate) transcript: Option<PathBuf>,
    /// What came of the tool's use, once it is over.
    pub(crate) result: Option<ToolResult>,
    /// Why a session started or ended.
    pub(crate) cause: Option<String>,
    pub(crate) tool_use_id: Option<String>,
    pub(crate) prompt_id: Option<String>,
    /// The subagent that the event happened in.
    pub(crate) agent_id: Option<String>,
    /// A hash of all that the agent sent, for events that have no id of their own.
    pub(crate) fingerprint: u64,
}

/// The moment of an event, named as in the rules RFC and in Claude Code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
pub(crate) enum Hook {
    PreToolUse,
    PostToolUse,
    /// After a tool that failed; a command that ends with another code than 0 arrives here.
    PostToolUseFailure,
    UserPromptSubmit,
    Stop,
    SessionStart,
    SessionEnd,
    /// A moment that is known and that nothing here acts on yet.
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
    /// The tool's name, as the agent says it.
    pub(crate) name: String,
    pub(crate) action: ToolAction,
}

/// What a tool call does, as far as rules care.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ToolAction {
    Write {
        path: String,
        content: String,
    },
    Edit {
        path: String,
        replacements: Vec<Replacement>,
        /// The file before the edit, where the agent says it (it does so afterwards).
        before: Option<String>,
    },
    /// `source` is absent where a cell is deleted.
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
    // The tools below bring nothing in; `text` is everything that they were given.
    Read {
        path: String,
        text: String,
    },
    /// Files, lines or pages are looked for; `kind` tells a look into the web from one into files.
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
        /// The arguments with their names, which tell a secret from other texts.
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

    /// Returns everything that the tool was given, of a tool that brings nothing in.
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

/// What came of a tool's use.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ToolResult {
    /// What the tool printed, or the error.
    pub(crate) output: String,
    pub(crate) failed: bool,
    pub(crate) interrupted: bool,
    /// It goes on in the background.
    pub(crate) unfinished: bool,
    pub(crate) exit_code: Option<i64>,
    /// How much a search found.
    pub(crate) hits: Option<u64>,
    pub(crate) duration_ms: Option<u64>,
}

/// One replacement inside an edit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Replacement {
    pub(crate) old: String,
    pub(crate) new: String,
    pub(crate) all: bool,
}
