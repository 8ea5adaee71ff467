//! Gemini CLI, as observed at version 0.61.0.

mod render;
mod wire;

use super::{Harness, Unreadable, abilities, json};
use crate::model::{Abilities, Event, Verdict};

pub(super) struct GeminiCli;

impl Harness for GeminiCli {
    fn id(&self) -> &'static str {
        "gemini-cli"
    }

    fn project_variable(&self) -> Option<&'static str> {
        Some("GEMINI_PROJECT_DIR")
    }

    fn folders(&self) -> &'static [&'static str] {
        &[".gemini"]
    }

    fn abilities(&self) -> &'static Abilities {
        &abilities::GEMINI_CLI
    }

    fn parse(&self, input: &[u8], event_name: Option<&str>) -> Result<Option<Event>, Unreadable> {
        let wire: wire::EventWire = json::read(input)?;
        Ok(wire.into_event(event_name))
    }

    fn render(&self, event: &Event, verdict: &Verdict) -> String {
        render::reply(event, verdict)
    }

    /// The end of a turn carries what was said.
    fn last_message(&self, _: &str) -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests;
