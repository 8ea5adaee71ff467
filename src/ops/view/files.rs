//! Where the work and the trouble gather: files by their edits, and the sessions of one file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::overview::sessions_query;
use super::request::{QuestionError, ViewError, ViewRequest};
use super::shown::Shown;
use super::walls::bars;
use super::{QueryStop, ViewAnswer, whole};
use crate::api::view::{FileRowView, FileSessionView, FileView, FilesView};
use crate::model::FileEvent;
use crate::ops::nexus::{self, notes};
use crate::ops::rules::load;
use crate::system::target;

/// Edits, prompts and failures of the range that are read, the newest first.
const MAX_EVENTS: usize = 30_000;
const USUAL_ROWS: usize = 100;
const BARS: usize = 14;
const MAX_TOUCHES: usize = 2_000;

#[derive(Default)]
struct EditedFile {
    edits: usize,
    failed: usize,
    sessions: BTreeSet<String>,
    agents: BTreeSet<String>,
    times: Vec<i64>,
}

/// `files`.
pub(super) fn list(request: &ViewRequest, stop: &QueryStop) -> Result<ViewAnswer, ViewError> {
    let (range, limit) = (request.range()?, request.limit(USUAL_ROWS)?);
    let Some(reader) = stop.memory()? else { return whole(&FilesView::default()) };
    let shown = Shown::new();
    let events = reader.ask(|reader| -> Result<_, QuestionError> {
        let query = sessions_query(request, reader)?;
        Ok(reader.file_events(&query, MAX_EVENTS)?)
    })?;
    let is_part = events.len() == MAX_EVENTS;
    let mut sessions: BTreeMap<&str, Vec<&FileEvent>> = BTreeMap::new();
    // The newest came first.
    for event in events.iter().rev() {
        sessions.entry(&event.session.0).or_default().push(event);
    }
    let mut files: BTreeMap<&str, EditedFile> = BTreeMap::new();
    for (session, events) in &sessions {
        for turn in events.split(|event| event.mark == 3) {
            let failed = turn.iter().filter(|event| event.mark == 4).count();
            let mut touched = BTreeSet::new();
            for event in turn.iter().filter(|event| event.mark == 1) {
                let Some(path) = event.path.as_deref() else { continue };
                let file = files.entry(path).or_default();
                file.edits += 1;
                file.sessions.insert((*session).to_owned());
                file.agents.extend(event.harness.clone());
                file.times.push(event.at * 1_000);
                if touched.insert(path) {
                    file.failed += failed;
                }
            }
        }
    }
    let mut rows: Vec<(&str, EditedFile)> = files.into_iter().collect();
    rows.sort_by(|(one, a), (two, b)| b.edits.cmp(&a.edits).then_with(|| one.cmp(two)));
    let rows = rows.into_iter().take(limit).map(|(path, file)| FileRowView {
        path: shown.name(path),
        edits: file.edits,
        sessions: file.sessions.len(),
        agents: file.agents.iter().map(|agent| shown.name(agent)).collect(),
        failed: file.failed,
        last_ms: file.times.iter().copied().max().unwrap_or(0),
        bars: bars(file.times.into_iter(), range, BARS),
    });
    whole(&FilesView { rows: rows.collect(), is_part })
}

/// `file?path=`.
pub(super) fn one(request: &ViewRequest, stop: &QueryStop) -> Result<ViewAnswer, ViewError> {
    let path = request.text("path").ok_or_else(|| ViewError::wrong("`path` is missing".to_owned()))?;
    let shown = Shown::new();
    let mut view = FileView::default();
    if let Some(reader) = stop.memory()? {
        view.sessions = reader.ask(|reader| -> Result<_, QuestionError> {
            let folders = request.project(reader)?;
            let touches = reader.file_touches(path, folders.as_deref(), MAX_TOUCHES)?;
            let mut sessions: Vec<FileSessionView> = Vec::new();
            // The newest comes first.
            for touch in touches {
                if let Some(known) = sessions.iter_mut().find(|one| one.id == touch.session.0) {
                    known.edits += 1;
                    continue;
                }
                let title = reader.counted_session(&touch.session)?.and_then(|session| session.first_prompt);
                sessions.push(FileSessionView {
                    id: touch.session.0.clone(),
                    agent: touch.harness.as_deref().map(|agent| shown.name(agent)),
                    title: shown.row(title.as_deref().unwrap_or_default()),
                    at_ms: touch.at * 1_000,
                    edits: 1,
                    obs: touch.id,
                });
            }
            sessions.iter_mut().for_each(|one| one.id = shown.name(&one.id));
            Ok(sessions)
        })?;
    }
    if let Some(root) = request.text("project").map(Path::new) {
        let (rules, _) = load::all(root);
        let names = |rule: &crate::rules::Rule| {
            rule.file.as_ref().is_some_and(|filter| filter.accepts(&target::target(root, &root.join(path))))
        };
        view.rules = rules.iter().filter(|rule| names(rule)).map(|rule| shown.name(&rule.name)).collect();
        let notes = notes::list(&nexus::of_folder(root)).unwrap_or_default();
        let mention = notes.iter().filter(|listed| listed.note.text.contains(path));
        view.notes = mention.map(|listed| shown.name(listed.note.name.trim_end_matches(".md"))).collect();
    }
    whole(&view)
}
