//! The guidance for agents, `.nexus/rules/*.md`: prose that they read, and that people review in git.
//!
//! Nothing enforces it, and nothing here deletes it; enforced rules are in `.nudge.yaml`.

use std::fs;

use super::state_file::{Flush, Locked};
use super::{Nexus, Result};
use crate::model::Note;

/// The guidance folder, relative to the project's root.
pub(crate) const RULES: &str = ".nexus/rules";

/// Returns the path of a rule's file, relative to the project's root.
pub(crate) fn file(name: &str) -> String {
    format!("{RULES}/{name}")
}

impl Nexus {
    /// Returns all rules, sorted by name; they have the same format as notes.
    pub(crate) fn rules(&self) -> Result<Vec<Note>> {
        self.pages(RULES)
    }

    /// Returns whether a rule of this name exists, even one that cannot be read. A link does not count: the writer
    /// refuses it.
    pub(crate) fn has_rule(&self, name: &str) -> bool {
        fs::symlink_metadata(self.path(&file(name))).is_ok_and(|meta| !meta.is_symlink())
    }
}

impl Locked<'_> {
    /// Writes a rule, replacing one of the same name.
    pub(crate) fn write_rule(&self, name: &str, text: &str) -> Result<()> {
        self.replace(&file(name), text.as_bytes(), Flush::Now)
    }
}
