//! Tables of hints from files, beside the hints of a session.

use std::borrow::Cow;
use std::sync::Arc;

use jiff::Timestamp;

use super::{HintTable, StoredHint};
use crate::model::Hint;

/// The file that a kept hint is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HintFile {
    /// `.nudge/hints.json` of a project, which applies there only.
    Project,
    /// The user's own.
    User,
}

impl HintFile {
    /// Returns the name of the file in explanations.
    pub(crate) fn name(self) -> &'static str {
        match self {
            HintFile::Project => "`.nudge/hints.json` of this project",
            HintFile::User => "your own `hints.json`",
        }
    }

    /// Returns where a hint without a scope applies.
    pub(crate) fn reach(self) -> &'static str {
        match self {
            HintFile::Project => "everywhere in this project",
            HintFile::User => "everywhere",
        }
    }
}

impl HintTable {
    /// Returns these hints as hints from this file: they outlive the session.
    pub(crate) fn kept_in(&self, file: HintFile, now: Timestamp) -> HintTable {
        let mut kept = HintTable::default();
        for (place, stored) in self.all(now) {
            let mut stored = stored.clone();
            stored.hint = outliving(stored.hint);
            stored.kept_in = Some(file);
            kept.insert(place, stored);
        }
        kept
    }

    /// Returns these hints with those from files; a hint of the session replaces one with the same name and scope.
    pub(crate) fn with_kept<'a>(&'a self, kept: &[&HintTable], now: Timestamp) -> Cow<'a, HintTable> {
        if kept.iter().all(|table| table.total == 0) {
            return Cow::Borrowed(self);
        }
        let mut all = self.clone();
        for table in kept {
            for (place, stored) in table.all(now) {
                let scope = &stored.hint.meta.scope;
                if !all.variants(place, now).any(|(_, other)| other.hint.meta.scope == *scope) {
                    all.insert(place, stored.clone());
                }
            }
        }
        Cow::Owned(all)
    }

    /// Returns the hints as a file has them: not limited to a session.
    pub(crate) fn for_file(&self, now: Timestamp) -> HintTable {
        let mut table = self.clone();
        for keys in table.components.values_mut() {
            for entry in keys.values_mut() {
                for stored in entry.variants.iter_mut().filter(|stored| stored.is_live(now)) {
                    let stored: &mut StoredHint = Arc::make_mut(stored);
                    stored.hint = outliving(stored.hint.clone());
                }
            }
        }
        table.sweep(now);
        table
    }
}

/// A kept hint has a duration or no end; `session` means neither.
fn outliving(mut hint: Hint) -> Hint {
    hint.meta.ttl = hint.meta.ttl.filter(|ttl| ttl != "session");
    hint
}
