//! Imports hints. Each one is read as if it were set. When merging, a hint that cannot be stored costs only itself;
//! when replacing, every hint must be valid before anything is deleted.

mod entry;
mod stage;

use std::collections::HashSet;

use jiff::Timestamp;
use serde_json::{Value, json};

use self::entry::ImportEntry;
pub(crate) use self::stage::Stages;
use super::guard::repeatable;
use super::table::{HintLimits, HintName, HintTable};
use crate::model::{HintFlaw, HintScope, ImportMode, ImportReport, SkippedHint};

/// Imports the hints of these payloads.
pub(crate) fn import(
    table: &mut HintTable,
    payloads: &[&Value],
    mode: ImportMode,
    limits: &HintLimits,
    now: Timestamp,
) -> Result<ImportReport, HintFlaw> {
    let mut entries = Vec::new();
    for payload in payloads {
        entry::collect_entries(payload, &mut entries)?;
    }
    let mut done = ImportReport::default();
    let mut seen = SeenHints::new();
    match mode {
        ImportMode::Merge => {
            for entry in &entries {
                done.import_one(table, entry, &mut seen, limits, now);
            }
        }
        ImportMode::Replace => {
            let mut fresh = HintTable::default();
            let mut fatal = None;
            for entry in &entries {
                let flaw = done.import_one(&mut fresh, entry, &mut seen, limits, now);
                fatal = fatal.or(flaw);
            }
            if let Some(flaw) = fatal {
                let detail = format!("nothing was replaced: {}", flaw.detail);
                return Err(HintFlaw::new(flaw.code, detail).with("errors", json!(done.errors)));
            }
            *table = fresh;
        }
    }
    Ok(done)
}

/// The hints of this import so far: component and key, with the scope.
type SeenHints<'a> = HashSet<(HintName<'a>, HintScope)>;

fn duplicate() -> HintFlaw {
    HintFlaw::invalid("the same component, key and scope appear twice in this import: the first one is used")
}

/// Maximum number of skipped hints that are listed.
const MAX_ERRORS: usize = 20;

impl ImportReport {
    /// Imports one hint, or records why not; returns a flaw that must stop a replacement.
    fn import_one<'a>(
        &mut self,
        table: &mut HintTable,
        entry: &'a ImportEntry<'_>,
        seen: &mut SeenHints<'a>,
        limits: &HintLimits,
        now: Timestamp,
    ) -> Option<HintFlaw> {
        let place = entry.place();
        let flaw = match entry.parse(limits, now) {
            // An expired hint is not a mistake in the import.
            Ok(kept) if !kept.is_live(now) => {
                self.skip(entry, &HintFlaw::invalid("it has expired"));
                return None;
            }
            Ok(kept) => {
                let scope = kept.hint.meta.scope.clone();
                let exists = table.variants(place, now).any(|(_, other)| other.hint.meta.scope == scope);
                // Two in one file are a mistake: it is unclear which one is meant.
                let is_duplicate = !seen.insert((place, scope));
                if exists && !is_duplicate {
                    self.skipped += 1;
                    return None;
                }
                let room = if is_duplicate { Err(duplicate()) } else { table.make_room(place, limits, now) };
                match room {
                    Ok(()) => {
                        table.insert(place, kept);
                        self.imported += 1;
                        return None;
                    }
                    Err(flaw) => flaw,
                }
            }
            Err(flaw) => flaw,
        };
        self.skip(entry, &flaw);
        Some(flaw)
    }

    fn skip(&mut self, entry: &ImportEntry<'_>, flaw: &HintFlaw) {
        self.skipped += 1;
        if self.errors.len() < MAX_ERRORS {
            let shown = |name: &str| {
                let name: String = name.chars().filter(|c| !c.is_control()).take(256).collect();
                repeatable(&name)
            };
            self.errors.push(SkippedHint {
                component: shown(entry.place().component),
                key: Some(shown(entry.place().key)),
                reason: flaw.code.name().to_owned(),
                detail: flaw.detail.clone(),
            });
        }
    }
}
