//! The mode, `.nexus/state/{harness}/mode.json`: the tag that a session follows.

use super::state_file::{Flush, Locked};
use super::{Nexus, Result};
use crate::model::Mode;

impl Nexus {
    pub(crate) fn mode(&self, harness: &str) -> Result<Option<Mode>> {
        self.read(&file(harness))
    }
}

impl Locked<'_> {
    /// Sets the mode, replacing the previous one.
    pub(crate) fn set_mode(&self, harness: &str, mode: &Mode) -> Result<()> {
        let mut bytes = serde_json::to_vec_pretty(mode).unwrap_or_default();
        bytes.push(b'\n');
        self.replace(&file(harness), &bytes, Flush::Later)
    }

    pub(crate) fn clear_mode(&self, harness: &str) -> Result<()> {
        self.remove(&file(harness)).map(drop)
    }
}

fn file(harness: &str) -> String {
    format!(".nexus/state/{harness}/mode.json")
}
