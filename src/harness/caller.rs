//! Which agent really calls: Cursor and Copilot also load the hooks in Claude Code's settings, and Gemini CLI copies
//! them.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::json::{self, TextField};
use super::{AGENTS, Agent, DEFAULT};

/// The fields that identify an agent in any event.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct MarksWire {
    hook_event_name: TextField,
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

    /// Returns whether the payload names its event.
    pub(super) fn names_event(&self) -> bool {
        self.event_name.is_some() || !self.name().is_empty()
    }

    /// Returns whether the fields that every event has are in camel case.
    pub(super) fn is_camel_case(&self) -> bool {
        self.tool_name.is_some() || self.session_id.is_some()
    }
}

/// Returns the agent that wrote a payload, which may not be the one that the command line names.
pub(crate) fn caller(named: &'static Agent, input: &[u8]) -> &'static Agent {
    let may_be_another = named.id == DEFAULT;
    if !may_be_another && named.dialect.is_none() {
        return named;
    }
    // The named agent reports input that cannot be parsed.
    let Ok(marks) = json::parse_object::<MarksWire>(input) else { return named };
    let claims = |agent: &&'static Agent| (agent.claims)(&marks);
    let other = AGENTS.iter().copied().find(claims).filter(|_| may_be_another);
    let writer = other.unwrap_or(named);
    writer.dialect.map_or(writer, |dialect| dialect(&marks))
}

#[cfg(test)]
mod tests;
