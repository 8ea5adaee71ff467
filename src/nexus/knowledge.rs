//! The documents about the project: the names of the files in `memory/`, `context/` and `rules/`.

use std::fs;

use super::{Nexus, contained};
use crate::model::Knowledge;

/// Maximum number of files that are listed.
const MAX_FILES: usize = 2_000;

impl Nexus {
    /// Returns the names as they are on disk now; empty for a folder that cannot be read.
    pub(crate) fn knowledge(&self) -> Knowledge {
        Knowledge {
            memory: self.documents(".nexus/memory"),
            context: self.documents(".nexus/context"),
            rules: self.documents(".nexus/rules"),
        }
    }

    fn documents(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path(folder)) else { return Vec::new() };
        if contained::require_within(&self.path(folder), self.project(), folder).is_err() {
            return Vec::new();
        }
        let files = entries
            .take(MAX_FILES)
            .flatten()
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
        let mut names: Vec<String> = files.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.retain(|name| name.ends_with(".md") && !name.starts_with('.'));
        names.sort();
        names
    }
}
