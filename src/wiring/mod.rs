//! Wiring: entries of ours in configuration texts of others. Text in, text out; files are left to `config`.
//!
//! What is put in is only ever inserted, so that comments, order, indentation and line ends of others stay as they are;
//! what is taken out is what calls us, wherever it stands.

mod command;
mod doubles;
mod json;
mod registered;
mod table;
#[cfg(test)]
mod tests;

use crate::model::Content;

pub(crate) use command::{plain_arguments, program};
pub(crate) use doubles::{connects, connects_beside, has_plugin, other_servers};
pub(crate) use registered::{Call, Registration, registrations};

/// How far a text has what we want in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Absent,
    /// Something of ours is there, but not all of it, or not as we want it now.
    Partial,
    Complete,
}

/// Why a text cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unfit {
    #[error("this is no valid {format}: {why}")]
    Malformed { format: &'static str, why: String },
    #[error("`{key}` is not {wanted} here")]
    Shape { key: String, wanted: &'static str },
    #[error("`{0}` is taken by something else")]
    Taken(String),
    #[error("this file is not ours")]
    Foreign,
    #[error("the entries of nudge cannot be told from those around them")]
    Entangled,
}

/// Says how far the text has what we want.
pub(crate) fn presence(text: &str, content: &Content) -> Result<Presence, Unfit> {
    match content {
        Content::Json(entries) => json::presence(text, entries),
        Content::Toml { table, values } => table::presence(text, *table, values),
        Content::Own(wanted) if text == wanted => Ok(Presence::Complete),
        Content::Own(_) => Ok(if is_own(text) { Presence::Partial } else { Presence::Absent }),
    }
}

/// Returns the text with what we want in it.
pub(crate) fn with(text: &str, content: &Content) -> Result<String, Unfit> {
    match content {
        Content::Json(entries) => json::with(text, entries),
        Content::Toml { table, values } => table::with(text, *table, values),
        Content::Own(wanted) if text.trim().is_empty() || is_own(text) => Ok(wanted.clone()),
        Content::Own(_) => Err(Unfit::Foreign),
    }
}

/// Returns the text without anything of ours; what others put beside it stays.
pub(crate) fn without(text: &str, content: &Content) -> Result<String, Unfit> {
    back_to("", text, content)
}

/// Returns the text without anything of ours; what the origin had before us stays, even if nothing is left in it.
pub(crate) fn back_to(origin: &str, text: &str, content: &Content) -> Result<String, Unfit> {
    match content {
        Content::Json(entries) => json::without(text, entries, origin),
        Content::Toml { table, .. } => table::without(text, *table),
        Content::Own(_) if is_own(text) => Ok(String::new()),
        Content::Own(_) => Err(Unfit::Foreign),
    }
}

/// Says whether a text is JSON for every reader, without comments and trailing commas.
pub(crate) fn is_plain_json(text: &str) -> bool {
    let text = text.trim_start_matches(BYTE_ORDER_MARK);
    text.trim().is_empty() || serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Says whether nothing is left in a text that anybody would miss.
pub(crate) fn is_bare(text: &str, content: &Content) -> bool {
    match content {
        Content::Json(entries) => json::is_bare(text, entries),
        Content::Toml { .. } | Content::Own(_) => text.trim_start_matches(BYTE_ORDER_MARK).trim().is_empty(),
    }
}

/// A file of ours says so in its first line.
fn is_own(text: &str) -> bool {
    text.lines().next().is_some_and(|line| line.starts_with("// Nudge for ") && line.contains("`nudge hook`"))
}

/// The mark with which some editors begin a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns how the lines of the text end.
fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}
