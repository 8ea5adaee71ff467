//! Wiring: inserts and removes our entries in the configuration of agents. Text in, text out; `config` handles files.
//!
//! New entries are only inserted, so that existing comments, order, indentation and line endings stay unchanged.
//! Removing deletes everything that calls nudge, wherever it is.

mod command;
mod doubles;
mod json;
mod registered;
mod registration;
mod table;
#[cfg(test)]
mod tests;

use crate::model::{Content, is_pristine_document};

pub(crate) use command::{plain_arguments, program};
pub(crate) use doubles::{connects, connects_beside, has_plugin, other_servers};
pub(crate) use registered::registrations;
pub(crate) use registration::{EntryCall, Registration};

/// Whether a text has our entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Absent,
    /// Some of our entries are missing or outdated.
    Partial,
    Complete,
}

/// Why a text cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WiringError {
    #[error("this is not valid {format}: {why}")]
    Malformed { format: &'static str, why: String },
    #[error("`{key}` is not {wanted} here")]
    Shape { key: String, wanted: &'static str },
    #[error("`{0}` is taken by something else")]
    Taken(String),
    #[error("this file was not written by nudge")]
    Foreign,
    #[error("the entries of nudge cannot be separated from those around them")]
    Entangled,
}

/// Returns whether the text has all, some or none of our entries.
pub(crate) fn presence(text: &str, content: &Content) -> Result<Presence, WiringError> {
    match content {
        Content::Json(entries) => json::presence(text, entries),
        Content::Toml { table, values } => table::presence(text, *table, values),
        Content::Own(wanted) if text == wanted => Ok(Presence::Complete),
        Content::Own(_) => Ok(if is_own(text) { Presence::Partial } else { Presence::Absent }),
        Content::Document(wanted) if text == wanted => Ok(Presence::Complete),
        Content::Document(_) => Ok(match is_pristine_document(text) {
            true => Presence::Partial,
            false => Presence::Absent,
        }),
    }
}

/// Returns the text with our entries.
pub(crate) fn with(text: &str, content: &Content) -> Result<String, WiringError> {
    match content {
        Content::Json(entries) => json::with(text, entries),
        Content::Toml { table, values } => table::with(text, *table, values),
        Content::Own(wanted) if text.trim().is_empty() || is_own(text) => Ok(wanted.clone()),
        Content::Document(wanted) if text.is_empty() || is_pristine_document(text) => Ok(wanted.clone()),
        Content::Own(_) | Content::Document(_) => Err(WiringError::Foreign),
    }
}

/// Returns the text without our entries; everything else stays.
pub(crate) fn without(text: &str, content: &Content) -> Result<String, WiringError> {
    back_to("", text, content)
}

/// Returns the text without our entries; objects and lists that the origin has stay, even if they are empty.
pub(crate) fn back_to(origin: &str, text: &str, content: &Content) -> Result<String, WiringError> {
    match content {
        Content::Json(entries) => json::without(text, entries, origin),
        Content::Toml { table, .. } => table::without(text, *table),
        Content::Own(_) if is_own(text) => Ok(String::new()),
        Content::Document(_) if is_pristine_document(text) => Ok(String::new()),
        Content::Own(_) | Content::Document(_) => Err(WiringError::Foreign),
    }
}

/// Returns whether a text is strict JSON, without comments and trailing commas.
pub(crate) fn is_plain_json(text: &str) -> bool {
    let text = text.trim_start_matches(BYTE_ORDER_MARK);
    text.trim().is_empty() || serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Returns whether nothing worth keeping is left in a text.
pub(crate) fn is_bare(text: &str, content: &Content) -> bool {
    match content {
        Content::Json(entries) => json::is_bare(text, entries),
        Content::Toml { .. } | Content::Own(_) | Content::Document(_) => {
            text.trim_start_matches(BYTE_ORDER_MARK).trim().is_empty()
        }
    }
}

/// Returns whether nudge wrote the whole file; such a file says so in its first line.
fn is_own(text: &str) -> bool {
    text.lines().next().is_some_and(|line| line.starts_with("// Nudge for ") && line.contains("`nudge hook`"))
}

/// Some editors begin a text with it.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns the line ending of the text.
fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}
