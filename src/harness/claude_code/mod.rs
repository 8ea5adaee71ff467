//! Claude Code, as observed at version 2.1.325.

mod install;
mod render;
mod result;
mod team;
mod tool;
mod transcript;
mod wire;

pub(super) use result::parse_success;
#[cfg(test)]
pub(crate) use team::plugin_documents;
pub(super) use tool::tool_call;

use super::abilities::{ALL, BLOCK_TELL, GUIDE_TELL, TELL};
use super::agent::{Agent, ChildMarks, parse, parse_value};
use crate::model::{Abilities, Asking, Hook};

pub(super) static AGENT: Agent = Agent {
    id: "claude-code",
    name: "claude",
    title: "Claude Code",
    program: "claude",
    project_variable: Some("CLAUDE_PROJECT_DIR"),
    plugin_variable: Some("CLAUDE_PLUGIN_ROOT"),
    folders: &[".claude"],
    abilities: Abilities(&[
        (Hook::PreToolUse, ALL),
        (Hook::PostToolUse, ALL),
        (Hook::PostToolUseFailure, GUIDE_TELL),
        (Hook::UserPromptSubmit, ALL),
        // Context would keep the turn going, which is more than guidance.
        (Hook::Stop, BLOCK_TELL),
        (Hook::SessionStart, GUIDE_TELL),
        (Hook::SessionEnd, TELL),
        (Hook::PostCompact, TELL),
        (Hook::Other, TELL),
    ]),
    // In other modes it approves or refuses by itself (reported for `bypassPermissions`, not observed).
    asking: Asking::InModes(&["default", "acceptEdits", "plan"]),
    unattended: Some(("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")),
    children: ChildMarks {
        variables: &["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT"],
        programs: &["claude"],
    },
    hides_refusals: &[],
    sees_reads: true,
    says_duration: true,
    names_subagents: true,
    // It is the caller unless another agent claims the payload.
    claims: |_| false,
    dialect: None,
    parse: parse::<wire::ClaudeEventWire>,
    parse_value: parse_value::<wire::ClaudeEventWire>,
    transcripts: Some(&transcript::TRANSCRIPTS),
    render: render::reply,
    needs_transcript: |_| false,
    complete: |_, _| {},
    spoken: wire::assistant_text,
    refusals: transcript::refusals,
    settings_folder: install::settings_folder,
    connection: install::connection,
    manner: &team::MANNER,
    team: Some(&team::TEAM),
    trust: None,
};

#[cfg(test)]
mod tests;
