//! Harnesses: each agent's own format on one side, our events and verdicts on the other.
//!
//! One folder for each agent. A harness knows how its agent speaks and nothing else of the program.

mod abilities;
mod caller;
mod claude_code;
mod codex;
mod copilot;
mod cursor;
mod gemini_cli;
pub(crate) mod install;
mod json;
mod opencode;
mod reply;
mod result;
mod tool;

pub(crate) use caller::caller;

use crate::model::{Abilities, Event, Verdict};

/// An agent whose hooks call us.
pub(crate) trait Harness {
    /// The name by which `--harness` means it.
    fn id(&self) -> &'static str;

    /// The environment variable in which the agent names the project's folder.
    fn project_variable(&self) -> Option<&'static str>;

    /// Where the agent keeps its own files, from the user's home or from a project: it is in use where one is there.
    fn folders(&self) -> &'static [&'static str];

    /// Says what the agent lets a hook do at each moment.
    fn abilities(&self) -> &'static Abilities;

    /// Reads what the agent wrote to the hook; `None` for an event that we do not know, which is no mistake.
    fn parse(&self, input: &[u8], event_name: Option<&str>) -> Result<Option<Event>, Unreadable>;

    /// Says the verdict in the agent's own words; what it cannot express is said in the nearest way it can.
    fn render(&self, event: &Event, verdict: &Verdict) -> String;

    /// Finds the agent's last message in the end of a transcript, for versions that do not send it.
    fn last_message(&self, transcript_end: &str) -> Option<String>;

    /// Says whether the agent keeps something in its transcript that it has not sent with this event.
    fn needs_transcript(&self, _: &Event) -> bool {
        false
    }

    /// Fills that in from the end of the transcript.
    fn complete(&self, _: &mut Event, _transcript_end: &str) {}
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
pub(crate) fn all() -> [&'static dyn Harness; 6] {
    [
        &claude_code::ClaudeCode,
        &codex::Codex,
        &gemini_cli::GeminiCli,
        &cursor::Cursor,
        &opencode::OpenCode,
        &copilot::Copilot { dialect: copilot::Dialect::Own },
    ]
}

pub(crate) fn by_id(id: &str) -> Option<&'static dyn Harness> {
    all().into_iter().find(|harness| harness.id() == id)
}

#[cfg(test)]
mod tests;
