//! Cursor, according to version 1.0.32 of its SDK; the payloads here are written from that, not recorded.

mod install;
mod render;
mod transcript;
mod wire;

use super::abilities::{ALL, BLOCK, BLOCK_GUIDE, GUIDE, GUIDE_TELL, NOTHING};
use super::agent::{Agent, ChildMarks, parse, parse_value};
use super::transcript::CommonNames;
use crate::model::{Abilities, AgentManner, Asking, Hook};

pub(super) static AGENT: Agent = Agent {
    id: "cursor",
    name: "cursor",
    title: "Cursor",
    program: "cursor",
    project_variable: Some("CURSOR_PROJECT_DIR"),
    plugin_variable: None,
    folders: &[".cursor"],
    // A message to the user is shown only with a refusal.
    abilities: Abilities(&[
        (Hook::PreToolUse, BLOCK_GUIDE),
        (Hook::PostToolUse, GUIDE),
        (Hook::PostToolUseFailure, GUIDE),
        (Hook::UserPromptSubmit, ALL),
        (Hook::Stop, BLOCK),
        (Hook::SessionStart, GUIDE_TELL),
        (Hook::SessionEnd, NOTHING),
        (Hook::Other, NOTHING),
    ]),
    // Before a tool the question is ignored, and in its mode of automatic review also before a command.
    asking: Asking::Never,
    unattended: None,
    children: ChildMarks { variables: &["CURSOR_AGENT"], programs: &["cursor-agent"] },
    hides_refusals: &[],
    sees_reads: true,
    says_duration: true,
    names_subagents: true,
    claims: |marks| marks.cursor_version.is_some(),
    dialect: None,
    parse: parse::<wire::CursorEventWire>,
    parse_value: parse_value::<wire::CursorEventWire>,
    transcripts: Some(&transcript::TRANSCRIPTS),
    render: render::reply,
    needs_transcript: |_| false,
    complete: |_, _| {},
    spoken: |_| None,
    refusals: |_| Vec::new(),
    settings_folder: install::settings_folder,
    connection: install::connection,
    manner: &MANNER,
    team: None,
    trust: None,
};

static MANNER: AgentManner = AgentManner {
    tool_prefix: "",
    tool_search: "",
    spawn: "the Task tool, `subagent_type`",
    general: "generalPurpose",
};

/// The names in Cursor's payloads.
const NAMES: CommonNames =
    CommonNames { event: "hook_event_name", session: "conversation_id", agent: "agent_id" };

#[cfg(test)]
mod tests;
