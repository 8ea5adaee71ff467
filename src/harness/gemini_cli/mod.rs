//! Gemini CLI, as observed at version 0.61.0.

mod install;
mod render;
mod team;
mod transcript;
mod wire;

use super::abilities::{ALL, BLOCK_TELL, GUIDE_TELL, NOTHING};
use super::agent::{Agent, ChildMarks, parse, parse_value};
use super::caller::MarksWire;
use crate::model::{Abilities, Asking, Hook};

pub(super) static AGENT: Agent = Agent {
    id: "gemini-cli",
    name: "gemini",
    title: "Gemini CLI",
    program: "gemini",
    project_variable: Some("GEMINI_PROJECT_DIR"),
    plugin_variable: None,
    folders: &[".gemini"],
    // Context before a tool is dropped. Gemini does not wait for the hook at the end of a session.
    abilities: Abilities(&[
        (Hook::PreToolUse, BLOCK_TELL),
        (Hook::PostToolUse, ALL),
        (Hook::PostToolUseFailure, GUIDE_TELL),
        (Hook::UserPromptSubmit, ALL),
        (Hook::Stop, BLOCK_TELL),
        (Hook::SessionStart, GUIDE_TELL),
        (Hook::SessionEnd, NOTHING),
        (Hook::Other, NOTHING),
    ]),
    asking: Asking::Never,
    unattended: None,
    children: ChildMarks { variables: &["GEMINI_CLI"], programs: &["gemini"] },
    hides_refusals: &[Hook::PreToolUse],
    sees_reads: true,
    says_duration: false,
    names_subagents: false,
    claims,
    dialect: None,
    parse: parse::<wire::GeminiEventWire>,
    parse_value: parse_value::<wire::GeminiEventWire>,
    transcripts: Some(&transcript::TRANSCRIPTS),
    render: render::reply,
    needs_transcript: |_| false,
    complete: |_, _| {},
    // The event at the end of a turn contains the message.
    spoken: |_| None,
    refusals: |_| Vec::new(),
    settings_folder: install::settings_folder,
    connection: install::connection,
    manner: &team::MANNER,
    team: Some(&team::TEAM),
    trust: None,
};

/// Most of its events have their own names; those that it shares with others come with a time and a transcript.
fn claims(marks: &MarksWire) -> bool {
    let has_own_name = ["Before", "After", "PreCompress"].iter().any(|start| marks.name().starts_with(start));
    let has_shared_name = matches!(marks.name(), "SessionStart" | "SessionEnd" | "Notification");
    let is_timed = marks.timestamp.is_some() && marks.transcript_path.is_some() && !marks.is_camel_case();
    marks.cursor_version.is_none() && (has_own_name || (has_shared_name && is_timed))
}

#[cfg(test)]
mod tests;
