//! Makes what goes to a model visible: stored text, notes and hints may contain characters that a person does not see
//! and a model still reads.
//!
//! Every text of an answer is treated alike, keys too, since some come from files of a repository. Ids, numbers, times and
//! the names of fields contain nothing hidden, and so they stay as they are.

use std::borrow::Cow;

use serde_json::Value;

use crate::context;

/// Shows hidden characters in all texts of an answer.
pub(super) fn shown(answer: Value) -> Value {
    match answer {
        Value::String(text) => Value::String(shown_text(text)),
        Value::Array(items) => items.into_iter().map(shown).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (shown_text(key), shown(value))).collect(),
        other => other,
    }
}

/// Shows hidden characters in one text.
pub(super) fn shown_text(text: String) -> String {
    match context::visible(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(shown) => shown,
    }
}
