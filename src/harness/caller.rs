//! Who really calls: Cursor and Copilot load the hooks in Claude Code's settings too, and Gemini CLI copies them.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::copilot::{Copilot, Dialect};
use super::json::{self, Text};
use super::{DEFAULT, Harness, codex, cursor, gemini_cli};

/// What gives an agent away, whatever the event.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct MarksWire {
    hook_event_name: Text,
    cursor_version: Option<IgnoredAny>,
    turn_id: Option<IgnoredAny>,
    model: Option<IgnoredAny>,
    timestamp: Option<IgnoredAny>,
    transcript_path: Option<IgnoredAny>,
    #[serde(rename = "toolName")]
    tool_name: Option<IgnoredAny>,
    #[serde(rename = "sessionId")]
    session_id: Option<IgnoredAny>,
    #[serde(rename = "hookEventName")]
    event_name: Option<IgnoredAny>,
}

/// Returns the agent that wrote a payload, which may be another than the one the command line names.
pub(crate) fn caller(named: &'static dyn Harness, input: &[u8]) -> &'static dyn Harness {
    let is_copilot = named.id() == "copilot";
    if named.id() != DEFAULT && !is_copilot {
        return named;
    }
    // What cannot be read is for the named one to complain of.
    let Ok(marks) = json::read::<MarksWire>(input) else { return named };
    let name = marks.hook_event_name.filled().unwrap_or_default();
    let own_dialect = marks.event_name.is_none() && name.is_empty();
    if is_copilot {
        return copilot(own_dialect);
    }
    if marks.cursor_version.is_some() {
        return &cursor::Cursor;
    }
    if ["Before", "After", "PreCompress"].iter().any(|start| name.starts_with(start)) {
        return &gemini_cli::GeminiCli;
    }
    if marks.turn_id.is_some() && marks.model.is_some() {
        return &codex::Codex;
    }
    if marks.tool_name.is_some() || marks.session_id.is_some() {
        return copilot(own_dialect);
    }
    match (marks.timestamp.is_some(), marks.transcript_path.is_some()) {
        // What both of them send with a transcript goes by other names in Gemini CLI, but for these.
        (true, true) if matches!(name.as_str(), "SessionStart" | "SessionEnd" | "Notification") => {
            &gemini_cli::GeminiCli
        }
        (true, _) => copilot(false),
        (false, _) => named,
    }
}

fn copilot(own_dialect: bool) -> &'static dyn Harness {
    if own_dialect { &Copilot { dialect: Dialect::Own } } else { &Copilot { dialect: Dialect::Compatible } }
}

#[cfg(test)]
mod tests;
