//! An event: one moment in an agent's session, the same whatever agent reported it.

use std::path::PathBuf;

/// What an agent's hook reported.
#[derive(Debug, Clone, PartialEq)]
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
}

impl Event {
    /// Returns what is needed to answer: everything but the texts, which may be large.
    pub(crate) fn answerable(&self) -> Event {
        Event {
            hook: self.hook,
            session: self.session.clone(),
            cwd: self.cwd.clone(),
            project: self.project.clone(),
            stop_hook_active: self.stop_hook_active,
            tool: None,
            prompt: None,
            closing_message: None,
            transcript: None,
        }
    }
}

/// The moment of an event, named as in the rules RFC and in Claude Code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub(crate) enum Hook {
    PreToolUse,
    PostToolUse,
    UserPromptSubmit,
    Stop,
    SessionStart,
    SessionEnd,
    /// A moment that is known and that nothing here acts on yet.
    Other,
}

impl Hook {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Hook::PreToolUse => "PreToolUse",
            Hook::PostToolUse => "PostToolUse",
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
    Command {
        command: String,
    },
    /// Any other tool: the file it names, and the texts it was given.
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
            | ToolAction::EditNotebook { path, .. } => Some(path),
            ToolAction::Other { path, .. } => path.as_deref(),
            ToolAction::Command { .. } => None,
        }
    }
}

/// One replacement inside an edit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Replacement {
    pub(crate) old: String,
    pub(crate) new: String,
    pub(crate) all: bool,
}
