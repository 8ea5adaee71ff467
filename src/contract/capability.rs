//! What an agent must not do: its capabilities block classes of actions, and each tool call belongs to some classes.
//!
//! A call that only reads belongs to no class and is never refused.

use serde::Serialize;

use crate::model::{APPLY_PATCH, ToolAction, ToolCall, usual_tool_names};
use ActionClass::{
    FileCreation, FileDeletion, FileModification, InteractiveShellSession, NexusTaskCreation,
    NexusTaskMetadataModification, NexusTaskStateTransition, PartialFileEdit, ShellCommandExec,
    StructuredDocumentEdit, SubprocessSpawn,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::enum_variant_names, reason = "they are named as in the contract")]
pub(crate) enum Capability {
    NoFileEdit,
    NoTaskCreate,
    NoTaskUpdate,
    #[cfg_attr(not(test), expect(dead_code, reason = "no agent of the contract has it"))]
    NoShellExec,
}

/// A class of actions; the contract has eleven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ActionClass {
    FileCreation,
    FileModification,
    FileDeletion,
    PartialFileEdit,
    StructuredDocumentEdit,
    NexusTaskCreation,
    NexusTaskStateTransition,
    NexusTaskMetadataModification,
    ShellCommandExec,
    SubprocessSpawn,
    InteractiveShellSession,
}

impl Capability {
    pub(super) fn id(self) -> &'static str {
        match self {
            Capability::NoFileEdit => "no_file_edit",
            Capability::NoTaskCreate => "no_task_create",
            Capability::NoTaskUpdate => "no_task_update",
            Capability::NoShellExec => "no_shell_exec",
        }
    }

    pub(super) fn blocks(self) -> &'static [ActionClass] {
        match self {
            Capability::NoFileEdit => {
                &[FileCreation, FileModification, FileDeletion, PartialFileEdit, StructuredDocumentEdit]
            }
            Capability::NoTaskCreate => &[NexusTaskCreation],
            Capability::NoTaskUpdate => &[NexusTaskStateTransition, NexusTaskMetadataModification],
            Capability::NoShellExec => &[ShellCommandExec, SubprocessSpawn, InteractiveShellSession],
        }
    }

    /// Says what an agent that has the capability must not do.
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Capability::NoFileEdit => "edit files",
            Capability::NoTaskCreate => "add tasks",
            Capability::NoTaskUpdate => "change tasks",
            Capability::NoShellExec => "run commands",
        }
    }
}

/// Returns what these capabilities forbid, as in `must not edit files or add tasks`; `None` if they forbid nothing.
pub(crate) fn limits(capabilities: &[Capability]) -> Option<String> {
    let words: Vec<&str> = capabilities.iter().map(|one| one.in_words()).collect();
    let (last, others) = words.split_last()?;
    let or = if others.is_empty() { String::new() } else { format!("{} or ", others.join(", ")) };
    Some(format!("must not {or}{last}"))
}

/// A patch may make any of these changes to files.
const PATCHED: &[ActionClass] = &[FileCreation, FileModification, FileDeletion, PartialFileEdit];

/// Returns what a call does by itself, in the classes of the contract; what a command does is in its deeds.
pub(super) fn classes(call: &ToolCall) -> &'static [ActionClass] {
    match &call.action {
        ToolAction::Write { .. } => &[FileCreation, FileModification],
        ToolAction::Edit { .. } => &[PartialFileEdit, FileModification],
        ToolAction::EditNotebook { .. } => &[StructuredDocumentEdit, FileModification],
        ToolAction::Delete { .. } => &[FileDeletion],
        ToolAction::Patch { .. } => PATCHED,
        ToolAction::Command { .. } => &[ShellCommandExec, SubprocessSpawn, InteractiveShellSession],
        ToolAction::Mcp { .. } => &[],
        ToolAction::Other { .. } => classes_by_name(&call.name),
        ToolAction::Read { .. } | ToolAction::Search { .. } | ToolAction::Agent { .. } => &[],
    }
}

/// Returns the classes of a tool by its name, if its arguments could not be parsed.
fn classes_by_name(name: &str) -> &'static [ActionClass] {
    let is_edit = |name: &str| matches!(name, "Write" | "Edit" | "MultiEdit" | "NotebookEdit" | APPLY_PATCH);
    let is_known = is_edit(name) || usual_tool_names(name).iter().any(|usual| is_edit(usual));
    if is_known { PATCHED } else { &[] }
}
