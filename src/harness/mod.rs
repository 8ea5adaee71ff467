//! Harnesses: each agent's own format on one side, our events and verdicts on the other.
//!
//! One folder for each agent. A harness knows how its agent speaks and nothing else of the program.

mod claude_code;
pub(crate) mod install;
mod json;

use crate::model::{Event, Verdict};

/// An agent whose hooks call us.
pub(crate) trait Harness {
    /// The name by which `--harness` means it.
    fn id(&self) -> &'static str;

    /// The environment variable in which the agent names the project's folder.
    fn project_variable(&self) -> Option<&'static str>;

    /// Reads what the agent wrote to the hook; `None` for an event that we do not know, which is no mistake.
    fn parse(&self, input: &[u8], event_name: Option<&str>) -> Result<Option<Event>, Unreadable>;

    /// Says the verdict in the agent's own words; what it cannot express is said in the nearest way it can.
    fn render(&self, event: &Event, verdict: &Verdict) -> String;

    /// Finds the agent's last message in the end of a transcript, for versions that do not send it.
    fn last_message(&self, transcript_end: &str) -> Option<String>;
}

/// Reads JSON as leniently as events are read.
pub(crate) fn read_json(input: &[u8]) -> Result<serde_json::Value, Unreadable> {
    json::read(input)
}

/// Why an input is no event.
#[derive(Debug, PartialEq)]
pub(crate) struct Unreadable(pub(crate) String);

pub(crate) const DEFAULT: &str = "claude-code";

/// Returns every harness there is.
pub(crate) fn all() -> [&'static dyn Harness; 1] {
    [&claude_code::ClaudeCode]
}

pub(crate) fn by_id(id: &str) -> Option<&'static dyn Harness> {
    all().into_iter().find(|harness| harness.id() == id)
}
