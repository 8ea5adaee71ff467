//! Harnesses: they translate between each agent's own format and our events and verdicts.
//!
//! There is one folder and one row of `AGENTS` for each agent; `Agent` says how to add one. Everything here is pure:
//! `ops` reads files, environment and transcripts, and passes them in.

mod abilities;
mod agent;
mod caller;
mod claude_code;
mod codex;
mod copilot;
mod cursor;
mod gemini_cli;
mod json;
mod news;
mod opencode;
mod place;
mod reply;
mod result;
mod team;
mod tool;
mod transcript;

pub(crate) use agent::{Agent, TrustedHooks};
pub(crate) use caller::caller;
#[cfg(test)]
pub(crate) use claude_code::plugin_documents;
pub(crate) use place::InstallPlace;
pub(crate) use transcript::{
    PastEvent, RecordOutcome, TranscriptForm, TranscriptReader, Transcripts, UnrunCause, parse_time_text,
};

/// All supported agents, in the order in which they are shown.
pub(crate) static AGENTS: &[&Agent] = &[
    &claude_code::AGENT,
    &codex::AGENT,
    &gemini_cli::AGENT,
    &cursor::AGENT,
    &opencode::AGENT,
    &copilot::AGENT,
];

/// The id of Claude Code, the default if the command line names no agent.
pub(crate) const DEFAULT: &str = "claude-code";

/// Finds an agent by the name after `--harness`.
pub(crate) fn by_id(id: &str) -> Option<&'static Agent> {
    AGENTS.iter().copied().find(|agent| agent.id == id)
}

/// Finds an agent by the name after `nudge setup`.
pub(crate) fn by_name(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().copied().find(|agent| agent.name == name || agent.id == name)
}

/// Returns the id of every agent.
pub(crate) fn ids() -> impl Iterator<Item = &'static str> {
    AGENTS.iter().map(|agent| agent.id)
}

/// Parses JSON as leniently as events are parsed.
pub(crate) fn read_json(input: &[u8]) -> Result<serde_json::Value, Unreadable> {
    json::parse_object(input)
}

/// Why an input is not a valid event.
#[derive(Debug, PartialEq)]
pub(crate) struct Unreadable(pub(crate) String);

#[cfg(test)]
mod tests;
