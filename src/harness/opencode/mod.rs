//! OpenCode, which has no hooks of its own: a small plugin of ours (`assets/opencode/nudge.js`) calls `nudge hook`.
//!
//! Both sides of the wire are ours. The plugin was run with 1.18.33; for 2.x it is written as documented.

mod render;
mod wire;

use super::{Harness, Unreadable, abilities, json};
use crate::model::{Abilities, Event, Verdict};

/// The plugin, which calls the program by the name in its first constant.
pub(crate) const PLUGIN: &str = include_str!("../../../assets/opencode/nudge.js");

pub(super) struct OpenCode;

impl Harness for OpenCode {
    fn id(&self) -> &'static str {
        "opencode"
    }

    fn project_variable(&self) -> Option<&'static str> {
        None
    }

    fn folders(&self) -> &'static [&'static str] {
        &[".config/opencode", ".opencode"]
    }

    fn abilities(&self) -> &'static Abilities {
        &abilities::OPENCODE
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
