//! What `nudge report --json` prints.

use serde::Serialize;

#[derive(Debug, Serialize)]
pub(crate) struct ReportJson {
    pub(crate) file: String,
    pub(crate) sessions: usize,
    pub(crate) bytes: usize,
    /// How many secrets were masked.
    pub(crate) masked: usize,
    /// What did not fit, in words.
    pub(crate) left_out: Vec<String>,
}
