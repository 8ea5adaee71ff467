//! Codex CLI, as observed at version 0.166.0.

mod install;
mod render;
mod team;
mod transcript;
mod trust;
mod wire;

use super::abilities::{ALL, BLOCK_TELL, GUIDE_TELL, NOTHING, TELL};
use super::agent::{Agent, ChildMarks, parse, parse_value};
use super::caller::MarksWire;
use crate::model::{Abilities, Asking, Event, Hook, ToolAction};

pub(super) static AGENT: Agent = Agent {
    id: "codex",
    name: "codex",
    title: "Codex",
    program: "codex",
    project_variable: None,
    plugin_variable: None,
    folders: &[".codex"],
    // A failure is reported as an ordinary end of a tool. Output at the end of a session is ignored.
    abilities: Abilities(&[
        (Hook::PreToolUse, ALL),
        // The reason replaces the tool's output.
        (Hook::PostToolUse, ALL),
        (Hook::PostToolUseFailure, GUIDE_TELL),
        (Hook::UserPromptSubmit, ALL),
        (Hook::Stop, BLOCK_TELL),
        (Hook::SessionStart, GUIDE_TELL),
        // According to its schemas, not observed.
        (Hook::SubagentStart, GUIDE_TELL),
        (Hook::SubagentStop, TELL),
        (Hook::PostCompact, NOTHING),
        (Hook::SessionEnd, NOTHING),
        (Hook::Other, NOTHING),
    ]),
    // It takes the reply for an error, and the tool runs.
    asking: Asking::Never,
    unattended: None,
    children: ChildMarks {
        variables: &["CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_CI", "CODEX_THREAD_ID"],
        programs: &["codex"],
    },
    // It reads files with shell commands, which do not show what they read.
    hides_refusals: &[],
    sees_reads: false,
    says_duration: true,
    names_subagents: true,
    claims,
    dialect: None,
    parse: parse::<wire::CodexEventWire>,
    parse_value: parse_value::<wire::CodexEventWire>,
    transcripts: Some(&transcript::TRANSCRIPTS),
    render: render::reply,
    needs_transcript,
    complete: wire::complete,
    spoken: wire::assistant_text,
    refusals: |_| Vec::new(),
    settings_folder: install::settings_folder,
    connection: install::connection,
    manner: &team::MANNER,
    team: Some(&team::TEAM),
    trust: Some(&trust::TRUST),
};

/// Cursor always sends its version, whatever else it sends.
fn claims(marks: &MarksWire) -> bool {
    let is_own = marks.turn_id.is_some() && marks.model.is_some() && marks.cursor_version.is_none();
    is_own && wire::parse_hook(marks.name()).is_some()
}

/// Codex sends only the output of a command; by then its exit code is in the transcript.
fn needs_transcript(event: &Event) -> bool {
    let is_command = |action: &ToolAction| matches!(action, ToolAction::Command { .. });
    event.tool.as_ref().is_some_and(|tool| is_command(&tool.action))
        && event.result.as_ref().is_some_and(|result| result.exit_code.is_none())
}

#[cfg(test)]
mod tests;
