//! Claude Code, as observed at version 2.1.325.

mod render;
mod result;
mod tool;
mod wire;

pub(super) use result::of_success;
pub(super) use tool::tool_call;

use super::{Harness, Unreadable, abilities, json};
use crate::model::{Abilities, Event, Verdict};

pub(super) struct ClaudeCode;

impl Harness for ClaudeCode {
    fn id(&self) -> &'static str {
        "claude-code"
    }

    fn project_variable(&self) -> Option<&'static str> {
        Some("CLAUDE_PROJECT_DIR")
    }

    fn folders(&self) -> &'static [&'static str] {
        &[".claude"]
    }

    fn abilities(&self) -> &'static Abilities {
        &abilities::CLAUDE_CODE
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
}

#[cfg(test)]
mod tests;
