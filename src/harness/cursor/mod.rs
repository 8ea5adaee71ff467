//! Cursor, as read in version 1.0.32 of its SDK; its payloads here are written from that, not recorded.

mod render;
mod wire;

use super::{Harness, Unreadable, abilities, json};
use crate::model::{Abilities, Event, Verdict};

pub(super) struct Cursor;

impl Harness for Cursor {
    fn id(&self) -> &'static str {
        "cursor"
    }

    fn project_variable(&self) -> Option<&'static str> {
        Some("CURSOR_PROJECT_DIR")
    }

    fn folders(&self) -> &'static [&'static str] {
        &[".cursor"]
    }

    fn abilities(&self) -> &'static Abilities {
        &abilities::CURSOR
    }

    fn parse(&self, input: &[u8], event_name: Option<&str>) -> Result<Option<Event>, Unreadable> {
        let wire: wire::EventWire = json::read(input)?;
        Ok(wire.into_event(event_name))
    }

    fn render(&self, event: &Event, verdict: &Verdict) -> String {
        render::reply(event, verdict)
    }

    fn last_message(&self, _: &str) -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests;
