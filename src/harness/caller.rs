//! Who really calls: Cursor and Copilot load the hooks in Claude Code's settings too, and Gemini CLI copies them.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::json::{self, Text};
use super::{AGENTS, Agent, DEFAULT};

/// What gives an agent away, whatever the event.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct MarksWire {
    hook_event_name: Text,
    pub(super) cursor_version: Option<IgnoredAny>,
    pub(super) turn_id: Option<IgnoredAny>,
    pub(super) model: Option<IgnoredAny>,
    pub(super) timestamp: Option<IgnoredAny>,
    pub(super) transcript_path: Option<IgnoredAny>,
    #[serde(rename = "toolName")]
    tool_name: Option<IgnoredAny>,
    #[serde(rename = "sessionId")]
    session_id: Option<IgnoredAny>,
    #[serde(rename = "hookEventName")]
    event_name: Option<IgnoredAny>,
}

impl MarksWire {
    /// Returns the name in `hook_event_name`; empty if it is missing.
    pub(super) fn name(&self) -> &str {
        self.hook_event_name.0.as_deref().unwrap_or_default()
    }

    /// Says whether the payload names its event.
    pub(super) fn names_event(&self) -> bool {
        self.event_name.is_some() || !self.name().is_empty()
    }

    /// Says whether the fields that every event has are in camel case.
    pub(super) fn is_camel_case(&self) -> bool {
        self.tool_name.is_some() || self.session_id.is_some()
    }
}

/// Returns the agent that wrote a payload, which may be another than the one the command line names.
pub(crate) fn caller(named: &'static Agent, input: &[u8]) -> &'static Agent {
    let may_be_another = named.id == DEFAULT;
    if !may_be_another && named.dialect.is_none() {
        return named;
    }
    // What cannot be read is for the named one to complain of.
    let Ok(marks) = json::read::<MarksWire>(input) else { return named };
    let claims = |agent: &&'static Agent| (agent.claims)(&marks);
    let other = AGENTS.iter().copied().find(claims).filter(|_| may_be_another);
    let writer = other.unwrap_or(named);
    writer.dialect.map_or(writer, |dialect| dialect(&marks))
}

#[cfg(test)]
mod tests;
