//! Hints on their way in: each is read as if it was set, and one that cannot be kept costs only itself; unless all are to
//! be replaced, then everything is read before anything is cleared.

mod entry;
mod stage;

use std::collections::HashSet;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use self::entry::Entry;
pub(crate) use self::stage::{Stage, Stages};
use super::guard::repeatable;
use super::shelf::{Limits, Place, Shelf};
use crate::model::{HintFlaw, HintScope};

/// What happens to the hints that are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// They stay, and win.
    Merge,
    /// They go, once everything that comes was read and found well.
    Replace,
}

/// What came of an import.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(crate) struct Imported {
    imported: usize,
    skipped: usize,
    errors: Vec<SkippedWire>,
}

/// A hint that was not brought in.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct SkippedWire {
    component: String,
    key: String,
    reason: &'static str,
    detail: String,
}

/// Brings the hints of these payloads in.
pub(crate) fn import(
    shelf: &mut Shelf,
    payloads: &[&Value],
    mode: Mode,
    limits: &Limits,
    now: Timestamp,
) -> Result<Imported, HintFlaw> {
    let mut entries = Vec::new();
    for payload in payloads {
        entry::entries(payload, &mut entries)?;
    }
    let mut done = Imported::default();
    let mut brought = Brought::new();
    match mode {
        Mode::Merge => {
            for entry in &entries {
                done.bring(shelf, entry, &mut brought, limits, now);
            }
        }
        Mode::Replace => {
            let mut fresh = Shelf::default();
            let mut fatal = None;
            for entry in &entries {
                let flaw = done.bring(&mut fresh, entry, &mut brought, limits, now);
                fatal = fatal.or(flaw);
            }
            if let Some(flaw) = fatal {
                let detail = format!("nothing was replaced: {}", flaw.detail);
                return Err(HintFlaw::new(flaw.code, detail).with("errors", json!(done.errors)));
            }
            *shelf = fresh;
        }
    }
    Ok(done)
}

/// What came so far in this import: component and key, with the scope.
type Brought<'a> = HashSet<(Place<'a>, HintScope)>;

fn twice() -> HintFlaw {
    HintFlaw::invalid("the same component, key and scope came before in this import: the first one counts")
}

/// So many hints that were not brought in are listed.
const MOST_ERRORS: usize = 20;

impl Imported {
    /// Brings one hint in, or notes why not; returns a flaw that a replacement must not pass over.
    fn bring<'a>(
        &mut self,
        shelf: &mut Shelf,
        entry: &'a Entry<'_>,
        brought: &mut Brought<'a>,
        limits: &Limits,
        now: Timestamp,
    ) -> Option<HintFlaw> {
        let place = entry.place();
        let flaw = match entry.kept(limits, now) {
            // A hint that is over by itself is no mistake of who replaces.
            Ok(kept) if !kept.is_live(now) => {
                self.skip(entry, &HintFlaw::invalid("it has expired"));
                return None;
            }
            Ok(kept) => {
                let scope = kept.hint.meta.scope.clone();
                let exists = shelf.variants(place, now).any(|(_, other)| other.hint.meta.scope == scope);
                // Two in one file are a slip: which of them is meant nobody can tell.
                let is_twice = !brought.insert((place, scope));
                if exists && !is_twice {
                    self.skipped += 1;
                    return None;
                }
                let room = if is_twice { Err(twice()) } else { shelf.make_room(place, limits, now) };
                match room {
                    Ok(()) => {
                        shelf.insert(place, kept);
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

    fn skip(&mut self, entry: &Entry<'_>, flaw: &HintFlaw) {
        self.skipped += 1;
        if self.errors.len() < MOST_ERRORS {
            let shown = |name: &str| {
                let name: String = name.chars().filter(|c| !c.is_control()).take(256).collect();
                repeatable(&name)
            };
            self.errors.push(SkippedWire {
                component: shown(entry.place().component),
                key: shown(entry.place().key),
                reason: flaw.code.name(),
                detail: flaw.detail.clone(),
            });
        }
    }
}
