//! What was redacted and cut in the texts of an observation.

use std::borrow::Cow;

use serde_json::Value;

use crate::redact::{self, LOOK_AHEAD, OwnPatterns};

/// A window extends this many bytes past the part that is used, so that a secret across its border is recognised.
pub(super) const OVERLAP: usize = LOOK_AHEAD;

/// Maximum length of any value but the content and a path, in bytes.
pub(super) const MAX_VALUE: usize = 1_000;

/// What was redacted and cut in the texts of one observation.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Notes {
    redacted: Vec<String>,
    truncated: bool,
}

impl Notes {
    /// Redacts a whole text.
    pub(super) fn redact<'t>(&mut self, text: &'t str, own: &OwnPatterns) -> Cow<'t, str> {
        let redacted = redact::redact(text, own);
        self.redacted.extend(redacted.kinds.iter().map(ToString::to_string));
        redacted.text
    }

    /// Redacts, then cuts between characters.
    pub(super) fn clean<'t>(&mut self, text: &'t str, max: usize, own: &OwnPatterns) -> Cow<'t, str> {
        let window = &text[..text.floor_char_boundary(max + OVERLAP)];
        let clean = self.redact(window, own);
        if clean.len() <= max && window.len() == text.len() {
            return clean;
        }
        self.truncated = true;
        let cut = clean.floor_char_boundary(max);
        Cow::Owned(format!("{}…", &clean[..cut]))
    }

    pub(super) fn into_facts(mut self, facts: &mut serde_json::Map<String, Value>) {
        if !self.redacted.is_empty() {
            // Imported metadata may already list what was redacted elsewhere.
            let before = facts.get("redacted").and_then(Value::as_array).into_iter().flatten();
            self.redacted.extend(before.filter_map(Value::as_str).map(str::to_owned));
            self.redacted.sort_unstable();
            self.redacted.dedup();
            facts.insert("redacted".to_owned(), self.redacted.into());
        }
        if self.truncated {
            facts.insert("truncated".to_owned(), true.into());
        }
    }
}
