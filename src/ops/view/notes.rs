//! The project's notes: what is written down, and whether it is read.

use std::path::Path;

use super::request::{ViewError, ViewRequest};
use super::shown::Shown;
use super::{ViewAnswer, whole};
use crate::api::view::{NoteRowView, NoteView, NotesView};
use crate::model::{Category, Note};
use crate::ops::nexus::{self, Nexus, notes};

fn nexus(request: &ViewRequest) -> Option<Nexus> {
    let nexus = nexus::of_folder(Path::new(request.text("project")?));
    nexus.exists().then_some(nexus)
}

/// `notes`.
pub(super) fn list(request: &ViewRequest) -> Result<ViewAnswer, ViewError> {
    let Some(nexus) = nexus(request) else { return whole(&NotesView::default()) };
    let shown = Shown::new();
    let listed = notes::list(&nexus).map_err(|error| unreadable(&error.to_string()))?;
    let plan = notes::plan(&nexus).map(|plan| notes::plan_wire(&plan).notes).unwrap_or_default();
    let rows = listed.iter().map(|one| {
        let file = notes::file_name(&one.note.name);
        let advice = plan.iter().find(|entry| entry.path.ends_with(&file));
        NoteRowView {
            name: shown.name(one.note.name.trim_end_matches(".md")),
            category: Category::of(&one.note.name).map_or("note", Category::name).to_owned(),
            first: shown.row(first_line(&one.note)),
            bytes: one.note.bytes,
            reads: one.reads.map_or(0, |reads| reads.count),
            last_ms: one.reads.and_then(|reads| reads.last_at).map_or(0, |at| at.0 * 1_000),
            advice: advice.map_or("keep", |entry| entry.advice),
            reason: advice.map(|entry| shown.row(&entry.reasons.join(", "))).unwrap_or_default(),
        }
    });
    whole(&NotesView { rows: rows.collect() })
}

/// Counts the notes.
pub(super) fn count(request: &ViewRequest) -> usize {
    nexus(request).and_then(|nexus| notes::list(&nexus).ok()).map_or(0, |notes| notes.len())
}

/// `note/NAME`.
pub(super) fn one(request: &ViewRequest) -> Result<ViewAnswer, ViewError> {
    let shown = Shown::new();
    let unknown = || ViewError::unknown("this project has no such note".to_owned());
    let nexus = nexus(request).ok_or_else(unknown)?;
    let note = notes::show(&nexus, request.rest()).map_err(|_| unknown())?;
    let (text, cut) = shown.text(&note.text);
    whole(&NoteView { name: shown.name(note.name.trim_end_matches(".md")), text, cut })
}

/// Returns the first line that says something; the head of a note only repeats its name.
fn first_line(note: &Note) -> &str {
    let is_telling = |line: &&str| !line.trim().is_empty() && !line.starts_with(['#', '-', '<', '`']);
    note.text.lines().find(is_telling).or_else(|| note.text.lines().next()).unwrap_or_default()
}

fn unreadable(why: &str) -> ViewError {
    ViewError::unknown(format!("the notes cannot be read: {why}"))
}
