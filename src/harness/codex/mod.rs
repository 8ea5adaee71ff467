//! Codex CLI, as observed at version 0.166.0.

mod render;
mod wire;

use super::{Harness, Unreadable, abilities, json};
use crate::model::{Abilities, Event, ToolAction, Verdict};

pub(super) struct Codex;

impl Harness for Codex {
    fn id(&self) -> &'static str {
        "codex"
    }

    fn project_variable(&self) -> Option<&'static str> {
        None
    }

    fn folders(&self) -> &'static [&'static str] {
        &[".codex"]
    }

    fn abilities(&self) -> &'static Abilities {
        &abilities::CODEX
    }

    fn parse(&self, input: &[u8], event_name: Option<&str>) -> Result<Option<Event>, Unreadable> {
        let wire: wire::EventWire = json::read(input)?;
        Ok(wire.into_event(event_name))
    }

    fn render(&self, event: &Event, verdict: &Verdict) -> String {
        render::reply(event, verdict)
    }

    fn last_message(&self, transcript_end: &str) -> Option<String> {
        transcript_end.lines().rev().find_map(wire::assistant_text)
    }

    /// Of a command, Codex sends only what it printed; how it ended stands in the transcript by then.
    fn needs_transcript(&self, event: &Event) -> bool {
        let is_command = |action: &ToolAction| matches!(action, ToolAction::Command { .. });
        event.tool.as_ref().is_some_and(|tool| is_command(&tool.action))
            && event.result.as_ref().is_some_and(|result| result.exit_code.is_none())
    }

    fn complete(&self, event: &mut Event, transcript_end: &str) {
        wire::complete(event, transcript_end);
    }
}

#[cfg(test)]
mod tests;
