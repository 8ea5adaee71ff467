//! GitHub Copilot CLI, as version 1.0.102 was seen to speak.
//!
//! It speaks two dialects: its own (`preToolUse`, with fields in camel case), and the one of Claude Code's settings and
//! of VS Code (`PreToolUse`, in snake case). Both are read alike and answered differently.

mod install;
mod render;
mod wire;

use super::abilities::{BLOCK, BLOCK_GUIDE, GUIDE, NOTHING};
use super::agent::{Agent, parse};
use super::caller::MarksWire;
use crate::model::{Abilities, Event, Hook, Verdict};

/// The row of the agent, which answers in its own dialect.
pub(super) static AGENT: Agent = agent(render::reply);

/// The same agent where it speaks as Claude Code does.
pub(super) static COMPATIBLE: Agent = agent(render::compatible_reply);

const fn agent(render: fn(&Event, &Verdict) -> String) -> Agent {
    Agent {
        id: "copilot",
        name: "copilot",
        title: "GitHub Copilot CLI",
        program: "copilot",
        project_variable: None,
        folders: &[".copilot", ".github/hooks"],
        // As observed: the model hears guidance at each of these moments, the user nothing at any.
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
        sees_reads: true,
        claims: |marks| marks.is_camel_case() || marks.timestamp.is_some(),
        dialect: Some(dialect),
        parse: parse::<wire::EventWire>,
        render,
        needs_transcript: |_| false,
        complete: |_, _| {},
        spoken: |_| None,
        settings_folder: install::settings_folder,
        connection: install::connection,
    }
}

/// Its own dialect does not name the event in the payload.
fn dialect(marks: &MarksWire) -> &'static Agent {
    if marks.names_event() { &COMPATIBLE } else { &AGENT }
}

#[cfg(test)]
mod tests;
