//! GitHub Copilot CLI, as observed at version 1.0.102.
//!
//! It has two dialects: its own (`preToolUse`, with fields in camel case), and that of Claude Code's settings and VS
//! Code (`PreToolUse`, in snake case). Both are parsed in the same way and answered differently.

mod install;
mod render;
mod transcript;
mod wire;

use super::abilities::{BLOCK, BLOCK_GUIDE, GUIDE, NOTHING};
use super::agent::{Agent, ChildMarks, parse, parse_value};
use super::caller::MarksWire;
use crate::model::{Abilities, AgentManner, Asking, Event, Hook, Verdict};

/// The agent's row, which answers in its own dialect.
pub(super) static AGENT: Agent = agent(render::reply);

/// The same agent in Claude Code's dialect.
pub(super) static COMPATIBLE: Agent = agent(render::compatible_reply);

const fn agent(render: fn(&Event, &Verdict) -> String) -> Agent {
    Agent {
        id: "copilot",
        name: "copilot",
        title: "GitHub Copilot CLI",
        program: "copilot",
        project_variable: None,
        plugin_variable: None,
        folders: &[".copilot", ".github/hooks"],
        // As observed: the model gets guidance at each of these events; the user never gets a message.
        abilities: Abilities(&[
            (Hook::PreToolUse, BLOCK_GUIDE),
            (Hook::PostToolUse, GUIDE),
            (Hook::PostToolUseFailure, GUIDE),
            (Hook::UserPromptSubmit, GUIDE),
            (Hook::Stop, BLOCK),
            (Hook::SessionStart, GUIDE),
            (Hook::SubagentStart, GUIDE),
            (Hook::SubagentStop, NOTHING),
            (Hook::SessionEnd, NOTHING),
            (Hook::Other, NOTHING),
        ]),
        // According to its documentation, not observed.
        asking: Asking::Always,
        unattended: None,
        children: ChildMarks {
            variables: &["COPILOT_CLI", "COPILOT_AGENT_SESSION_ID"],
            programs: &["copilot"],
        },
        hides_refusals: &[],
        sees_reads: true,
        says_duration: false,
        names_subagents: true,
        claims: |marks| marks.is_camel_case() || marks.timestamp.is_some(),
        dialect: Some(dialect),
        parse: parse::<wire::CopilotEventWire>,
        parse_value: parse_value::<wire::CopilotEventWire>,
        transcripts: Some(&transcript::TRANSCRIPTS),
        render,
        needs_transcript: |_| false,
        complete: |_, _| {},
        spoken: |_| None,
        refusals: |_| Vec::new(),
        settings_folder: install::settings_folder,
        connection: install::connection,
        manner: &MANNER,
        team: None,
        trust: None,
    }
}

/// Its own dialect does not name the event in the payload.
fn dialect(marks: &MarksWire) -> &'static Agent {
    if marks.names_event() { &COMPATIBLE } else { &AGENT }
}

static MANNER: AgentManner = AgentManner {
    tool_prefix: "",
    tool_search: "",
    spawn: "the task tool, `agent_type`",
    general: "general-purpose",
};

#[cfg(test)]
mod tests;
