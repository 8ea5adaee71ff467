//! Which texts of a transcript are a person's words, and which ones Claude Code wrote in a person's name.

use serde_json::Value;

use crate::harness::claude_code::wire::is_machine_text;

/// What a text in a `user` record is.
#[derive(Debug, PartialEq)]
pub(super) enum UserText {
    /// What the user wrote.
    Prompt(String),
    /// A command of Claude Code, such as `/compact`, or one that the user has defined.
    Slash { name: String, arguments: String },
    /// A shell command that the user ran.
    Bang(String),
    /// The output of that command.
    BangOutput { stdout: String, stderr: String },
    /// The output of a command of Claude Code.
    LocalOutput,
    /// The user interrupted the agent.
    Interrupted,
    /// A machine started this turn.
    MachineTurn,
    /// Nothing that anybody said.
    Nothing,
}

/// Decides what a text is.
pub(super) fn classify(text: &str) -> UserText {
    let trimmed = text.trim();
    if let Some(command) = inside(trimmed, "bash-input") {
        return UserText::Bang(command.trim().to_owned());
    }
    if trimmed.starts_with("<bash-stdout>") || trimmed.starts_with("<bash-stderr>") {
        let part = |tag| inside(trimmed, tag).unwrap_or_default().to_owned();
        return UserText::BangOutput { stdout: part("bash-stdout"), stderr: part("bash-stderr") };
    }
    if trimmed.starts_with("<command-name>") || trimmed.starts_with("<command-message>") {
        let Some(name) = inside(trimmed, "command-name") else { return UserText::Nothing };
        let arguments = inside(trimmed, "command-args").unwrap_or_default().trim();
        let name = name.trim().trim_start_matches('/');
        return UserText::Slash { name: name.to_owned(), arguments: arguments.to_owned() };
    }
    if trimmed.starts_with("<local-command-stdout>") || trimmed.starts_with("<local-command-stderr>") {
        return UserText::LocalOutput;
    }
    if trimmed.starts_with("[Request interrupted by user") {
        return UserText::Interrupted;
    }
    if trimmed.starts_with("<task-notification>") {
        return UserText::MachineTurn;
    }
    if trimmed.is_empty() || is_machine_text(trimmed) {
        return UserText::Nothing;
    }
    UserText::Prompt(without_reminders(trimmed))
}

/// Returns the text of a message: its text parts, without pictures.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter(|part| part["type"] == "text");
            texts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// Cuts out what Claude Code adds to a prompt.
fn without_reminders(text: &str) -> String {
    const OPEN: &str = "<system-reminder>";
    const CLOSE: &str = "</system-reminder>";
    let mut rest = text;
    let mut kept = String::new();
    while let Some(start) = rest.find(OPEN) {
        let Some(length) = rest[start..].find(CLOSE) else { break };
        kept.push_str(&rest[..start]);
        rest = &rest[start + length + CLOSE.len()..];
    }
    kept.push_str(rest);
    kept.trim().to_owned()
}

/// Returns what is between the first opening and the last closing tag of this name.
fn inside<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let start = text.find(&format!("<{tag}>"))? + tag.len() + 2;
    let end = text.rfind(&format!("</{tag}>"))?;
    text.get(start..end)
}

/// The lines around a summary that address the model, not the reader.
const SUMMARY_OPENINGS: [&str; 2] = [
    "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.",
    "This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:",
];
const SUMMARY_ENDINGS: [&str; 3] = [
    "If you need specific details from before compaction",
    "Please continue the conversation from where we left off",
    "Continue the conversation from where it left off",
];

/// Returns a summary without what Claude Code writes around it.
///
/// The model thinks aloud first; what it concludes comes last.
pub(super) fn summary_of(text: &str) -> String {
    let text = without_reminders(text);
    let opened = SUMMARY_OPENINGS.iter().find_map(|opening| text.strip_prefix(opening));
    let text = opened.unwrap_or(&text).trim();
    let end = SUMMARY_ENDINGS.iter().filter_map(|ending| text.find(ending)).min().unwrap_or(text.len());
    let text = text[..end].trim();
    let concluded = text.rfind("\nSummary:").map(|at| &text[at + "\nSummary:".len()..]);
    concluded.unwrap_or(text.strip_prefix("Summary:").unwrap_or(text)).trim().to_owned()
}
