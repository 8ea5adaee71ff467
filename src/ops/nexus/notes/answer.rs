//! The answers about notes for agents and scripts: paths relative to the project's root, reasons as text.

use std::error::Error;
use std::path::Path;

use super::{
    Cleared, FoundNote, NewNote, NewRule, NoteError, RuleStored, Stored, categories, chosen, clear, join,
    plan, proposed, search, store, store_rule,
};
use crate::api::Refusal;
use crate::api::notes::{
    NoteFoundWire, NotePlanWire, NoteRefusedWire, NoteRemovedWire, NotesFoundWire, NotesPlanWire,
    NotesRemovedWire, NotesRequest, NotesResponse, RuleRequest, RuleStoredWire, StoredWire,
};
use crate::model::Category;
use crate::nexus::notes::file;
use crate::nexus::rules;
use crate::notes::{NotesPlan, Overlap, PlannedNote, name_advice};
use crate::ops::nexus;

/// Answers a request from a caller in this folder.
pub(crate) fn answer(request: NotesRequest, cwd: &Path) -> Result<NotesResponse, Refusal> {
    let nexus = nexus::of_folder(cwd);
    let answer = match request {
        NotesRequest::Store(request) => {
            let new = NewNote {
                name: request.name,
                text: request.content,
                category: request.category,
                tags: request.tags,
                insist: request.new,
            };
            store(&nexus, &new).map(|stored| NotesResponse::Stored(stored_wire(&stored)))
        }
        NotesRequest::Search { query, limit } => {
            search(&nexus, &query).map(|found| NotesResponse::Found(found_wire(&found, limit)))
        }
        NotesRequest::Gc { remove: None, .. } => {
            plan(&nexus).map(|plan| NotesResponse::Plan(plan_wire(&plan)))
        }
        NotesRequest::Gc { remove: Some(paths), into: None } => names_of(&paths)
            .and_then(|names| chosen(&plan(&nexus)?, &names))
            .and_then(|entries| clear(&nexus, &entries))
            .map(|cleared| NotesResponse::Removed(removed_wire(&cleared))),
        NotesRequest::Gc { remove: Some(paths), into: Some(into) } => names_of(&paths)
            .and_then(|names| join(&nexus, &names, &names_of(&[into])?[0]))
            .map(|cleared| NotesResponse::Removed(removed_wire(&cleared))),
        NotesRequest::StoreRule(request) => {
            let RuleRequest { content: text, name, overwrite, new: insist } = request;
            let stored = store_rule(&nexus, &NewRule { name, text, overwrite, insist });
            let stored = stored.map_err(|refused| refusal(&refused, refused.hint()))?;
            return Ok(NotesResponse::RuleStored(rule_stored_wire(stored)));
        }
    };
    answer.map_err(|refused| refusal(&refused, refused.hint()))
}

fn refusal(refused: &dyn Error, hint: Option<String>) -> Refusal {
    Refusal::new(match hint {
        Some(hint) => format!("{refused}; {hint}"),
        None => refused.to_string(),
    })
}

/// Returns the names of paths, which must be exactly as they were shown: only what the user saw may be deleted.
fn names_of(paths: &[String]) -> Result<Vec<String>, NoteError> {
    let name = |path: &String| {
        let name = path.strip_prefix(&file("")).filter(|name| !name.contains('/'));
        name.map(str::to_owned).ok_or_else(|| NoteError::NotFound(path.clone()))
    };
    paths.iter().map(name).collect()
}

pub(crate) fn stored_wire(stored: &Stored) -> StoredWire {
    let (word, name, why) = match stored {
        Stored::Created { name, .. } => ("created", name, None),
        Stored::Merged { name, why } => ("merged", name, Some(why.to_string())),
        Stored::Unchanged { name, why } => ("unchanged", name, Some(why.to_string())),
    };
    StoredWire { stored: word, path: file(name), why, hint: hint(stored) }
}

/// Returns what the author of a new note may want to change.
fn hint(stored: &Stored) -> Option<String> {
    let Stored::Created { name, similar } = stored else { return None };
    let joined = |Overlap { name: other, why }: &Overlap| {
        let (from, into) = (stem(name), stem(other));
        format!(
            "`{other}` is similar ({why}); if both are one topic, `nudge note merge {from} --into {into}` joins them"
        )
    };
    let hints =
        [similar.as_ref().map(joined), name_advice(name), Category::of(name).is_none().then(categories)];
    let hints: Vec<String> = hints.into_iter().flatten().collect();
    (!hints.is_empty()).then(|| hints.join("; "))
}

fn stem(name: &str) -> &str {
    name.strip_suffix(".md").unwrap_or(name)
}

pub(crate) fn rule_stored_wire(stored: RuleStored) -> RuleStoredWire {
    let (word, name, replaced) = match stored {
        RuleStored::Created { name } => ("created", name, None),
        RuleStored::Changed { name, before } => ("changed", name, Some(before)),
        RuleStored::Unchanged { name } => ("unchanged", name, None),
    };
    RuleStoredWire { stored: word, path: rules::file(&name), replaced }
}

pub(crate) fn found_wire(found: &[FoundNote], limit: usize) -> NotesFoundWire {
    let notes = found.iter().take(limit).map(|found| NoteFoundWire {
        path: file(&found.note.name),
        line: found.line.clone(),
        tags: found.note.tags(),
        reads: found.reads.map_or(0, |reads| reads.count),
    });
    NotesFoundWire { total: found.len(), notes: notes.collect() }
}

pub(crate) fn plan_wire(plan: &NotesPlan) -> NotesPlanWire {
    let notes = plan.entries.iter().map(|PlannedNote { name, facts, advice, reasons, .. }| NotePlanWire {
        path: file(name),
        advice: advice.name(),
        reasons: reasons.iter().map(ToString::to_string).collect(),
        reads: facts.reads,
        days_since_read: facts.days_since_read,
        cycles_since_read: facts.cycles_since_read,
        bytes: facts.bytes,
        lines: facts.lines,
    });
    let proposed = proposed(plan).iter().map(|entry| file(&entry.name)).collect();
    NotesPlanWire { dry_run: true, notes: notes.collect(), proposed }
}

pub(crate) fn removed_wire(cleared: &Cleared) -> NotesRemovedWire {
    let removed = cleared.removed.iter().map(|(name, removal)| NoteRemovedWire {
        path: file(name),
        commit: removal.commit.clone(),
        recovery: removal.recovery.clone(),
    });
    let refused = cleared
        .refused
        .iter()
        .map(|(name, error)| NoteRefusedWire { path: file(name), reason: error.to_string() });
    NotesRemovedWire {
        dry_run: false,
        merged_into: cleared.merged_into.as_deref().map(file),
        removed: removed.collect(),
        refused: refused.collect(),
        detached: cleared.detached,
        pruned_records: cleared.pruned,
    }
}
