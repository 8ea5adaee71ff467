//! What a command looks like that keeps failing.

use serde::{Deserialize, Serialize};

/// The look of a command that keeps failing; `recall` finds and recognises it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Trap {
    /// A program that is not installed, whatever it is to do.
    Program(String),
    /// The shape of a command; with a word, if the shape alone works.
    Shape { shape: String, word: Option<String> },
    /// The shape of a command with most of these words, which worked only with one word more.
    Lacking { shape: String, like: Vec<String>, word: String },
}
