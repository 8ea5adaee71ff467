//! GitHub Copilot CLI, as version 1.0.102 was seen to speak.
//!
//! It speaks two dialects: its own, and the one of Claude Code's settings and of VS Code.

mod render;
mod wire;

use super::{Harness, Unreadable, abilities, json};
use crate::model::{Abilities, Event, Verdict};

pub(super) struct Copilot {
    pub(super) dialect: Dialect,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Dialect {
    /// `preToolUse`, with fields in camel case.
    Own,
    /// `PreToolUse`, with fields in snake case.
    Compatible,
}

impl Harness for Copilot {
    fn id(&self) -> &'static str {
        "copilot"
    }

    fn project_variable(&self) -> Option<&'static str> {
        None
    }

    fn folders(&self) -> &'static [&'static str] {
        &[".copilot", ".github/hooks"]
    }

    fn abilities(&self) -> &'static Abilities {
        &abilities::COPILOT
    }

    fn parse(&self, input: &[u8], event_name: Option<&str>) -> Result<Option<Event>, Unreadable> {
        let wire: wire::EventWire = json::read(input)?;
        Ok(wire.into_event(event_name))
    }

    fn render(&self, event: &Event, verdict: &Verdict) -> String {
        render::reply(event, verdict, self.dialect)
    }

    fn last_message(&self, _: &str) -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests;
