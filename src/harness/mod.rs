//! Harnesses: each agent's own format on one side, our events and verdicts on the other.
//!
//! One folder and one row of `AGENTS` for each agent; `Agent` says how to add one. Everything here is pure: files,
//! environment and transcripts are read by `ops` and handed in.

mod abilities;
mod agent;
mod caller;
mod claude_code;
mod codex;
mod copilot;
mod cursor;
mod gemini_cli;
mod json;
mod opencode;
mod place;
mod reply;
mod result;
mod tool;

pub(crate) use agent::Agent;
pub(crate) use caller::caller;
pub(crate) use place::Place;

/// Every agent that we know, in the order in which they are shown.
pub(crate) static AGENTS: &[&Agent] = &[
    &claude_code::AGENT,
    &codex::AGENT,
    &gemini_cli::AGENT,
    &cursor::AGENT,
    &opencode::AGENT,
    &copilot::AGENT,
];

/// The id of Claude Code, which is meant where the command line names no agent.
pub(crate) const DEFAULT: &str = "claude-code";

/// Finds an agent by the name after `--harness`.
pub(crate) fn by_id(id: &str) -> Option<&'static Agent> {
    AGENTS.iter().copied().find(|agent| agent.id == id)
}

/// Finds an agent by the name after `nudge setup`.
pub(crate) fn by_name(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().copied().find(|agent| agent.name == name)
}

/// Returns the id of every agent.
pub(crate) fn ids() -> impl Iterator<Item = &'static str> {
    AGENTS.iter().map(|agent| agent.id)
}

/// Reads JSON as leniently as events are read.
pub(crate) fn read_json(input: &[u8]) -> Result<serde_json::Value, Unreadable> {
    json::read(input)
}

/// Why an input is no event.
#[derive(Debug, PartialEq)]
pub(crate) struct Unreadable(pub(crate) String);

#[cfg(test)]
mod tests;
