//! One line of a briefing, and how a text of others becomes a part of it.

use super::plain;
use crate::model::ObservationId;

/// Maximum length of a line that is made of one text, in characters.
const MAX_LINE: usize = 150;

/// A line of the briefing; when there is too little room, the lines with the highest rank go first.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BriefingLine {
    pub(super) rank: u8,
    pub(super) text: String,
    /// The failure that it tells of.
    pub(super) about: Option<ObservationId>,
    /// Whether it only says where the session is, which is nothing by itself.
    pub(super) is_place: bool,
}

impl BriefingLine {
    pub(super) fn new(rank: u8, text: String) -> BriefingLine {
        BriefingLine { rank, text, about: None, is_place: false }
    }
}

/// Makes one short line of a text of others.
pub(crate) fn plain_line(text: &str) -> String {
    short(text, MAX_LINE)
}

/// Shortens a text of others so that it fits into one line.
pub(super) fn short(text: &str, max: usize) -> String {
    let joined: Vec<&str> = text.split_whitespace().collect();
    let clean = plain(&joined.join(" "));
    match clean.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &clean[..end]),
        None => clean,
    }
}
