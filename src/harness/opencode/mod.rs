//! OpenCode, which has no hooks: nudge's small plugin (`assets/opencode/nudge.js`) calls `nudge hook`.
//!
//! Both sides of this format are nudge's own. The plugin was tested with 1.18.33; for 2.x it follows the documentation.

mod install;
mod render;
mod team;
mod transcript;
mod wire;

use super::abilities::{BLOCK_TELL, GUIDE_TELL, NOTHING, TELL};
use super::agent::{Agent, ChildMarks, parse, parse_value};
use crate::model::{Abilities, Asking, Hook};

/// The plugin, which calls the program by the name in its first constant.
const PLUGIN: &str = include_str!("../../../assets/opencode/nudge.js");

pub(super) static AGENT: Agent = Agent {
    id: "opencode",
    name: "opencode",
    title: "OpenCode",
    program: "opencode",
    project_variable: None,
    plugin_variable: None,
    folders: &[".config/opencode", ".opencode"],
    // All of it through nudge's plugin; only version 1 shows a message to the user.
    abilities: Abilities(&[
        (Hook::PreToolUse, BLOCK_TELL),
        (Hook::PostToolUse, GUIDE_TELL),
        (Hook::PostToolUseFailure, GUIDE_TELL),
        (Hook::UserPromptSubmit, GUIDE_TELL),
        (Hook::Stop, TELL),
        (Hook::SessionStart, GUIDE_TELL),
        (Hook::SessionEnd, NOTHING),
        (Hook::Other, NOTHING),
    ]),
    // A plugin can only refuse.
    asking: Asking::Never,
    unattended: None,
    children: ChildMarks { variables: &["OPENCODE", "OPENCODE_CLIENT"], programs: &["opencode"] },
    hides_refusals: &[],
    sees_reads: true,
    says_duration: true,
    names_subagents: true,
    claims: |_| false,
    dialect: None,
    parse: parse::<wire::OpenCodeEventWire>,
    parse_value: parse_value::<wire::OpenCodeEventWire>,
    transcripts: Some(&transcript::TRANSCRIPTS),
    render: render::reply,
    needs_transcript: |_| false,
    complete: |_, _| {},
    spoken: |_| None,
    refusals: |_| Vec::new(),
    settings_folder: install::settings_folder,
    connection: install::connection,
    manner: &team::MANNER,
    team: Some(&team::TEAM),
    trust: None,
};

#[cfg(test)]
mod tests;
