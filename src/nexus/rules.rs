//! The rules for agents, `.nexus/rules/*.md`: prose that they read, and that people review in git.
//!
//! Nothing enforces them, and nothing here deletes one; what is enforced stands in `.nudge.yaml`.

use std::fs;

use super::state_file::{Flush, Locked};
use super::{Nexus, Result};
use crate::model::Note;

/// The folder of rules, from the project's root.
pub(crate) const RULES: &str = ".nexus/rules";

/// Returns the name of a rule's file from the project's root.
pub(crate) fn file(name: &str) -> String {
    format!("{RULES}/{name}")
}

impl Nexus {
    /// Returns all rules, by name; they are pages as notes are.
    pub(crate) fn rules(&self) -> Result<Vec<Note>> {
        self.pages(RULES)
    }

    /// Says whether something of this name is there, be it one that cannot be read; a link is for who writes to refuse.
    pub(crate) fn has_rule(&self, name: &str) -> bool {
        fs::symlink_metadata(self.path(&file(name))).is_ok_and(|meta| !meta.is_symlink())
    }
}

impl Locked<'_> {
    /// Writes a rule, in place of one of the same name.
    pub(crate) fn write_rule(&self, name: &str, text: &str) -> Result<()> {
        self.replace(&file(name), text.as_bytes(), Flush::Now)
    }
}
