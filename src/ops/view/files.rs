//! Where the work and the trouble gather: files by their edits, and the sessions of one file.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use super::kept;
use super::overview::sessions_query;
use super::request::{QuestionError, ViewError, ViewRequest};
use super::shown::Shown;
use super::walls::bars;
use super::{QueryStop, ViewAnswer, whole};
use crate::api::view::{FileRowView, FileSessionView, FileView, FilesView};
use crate::model::TurnFile;
use crate::ops::nexus::{self, notes};
use crate::ops::rules::load;
use crate::system::target;

/// Sessions of the range that are looked at, the newest first.
const MAX_SESSIONS: usize = 1_000;
const USUAL_ROWS: usize = 100;
const BARS: usize = 14;
/// Edits of one file that are looked at, and its sessions that are listed, the newest first.
const MAX_TOUCHES: usize = 400;
const MAX_FILE_SESSIONS: usize = 40;

#[derive(Default)]
struct EditedFile<'f> {
    failed: usize,
    sessions: usize,
    /// The number of the session that was counted last.
    last_session: Option<usize>,
    agents: BTreeSet<&'f str>,
    times: Vec<i64>,
}

/// A session with the files that it edited.
struct EditingSession {
    agent: Option<String>,
    files: Arc<Vec<TurnFile>>,
}

/// `files`.
pub(super) fn list(request: &ViewRequest, stop: &QueryStop) -> Result<ViewAnswer, ViewError> {
    let (range, limit) = (request.range()?, request.limit(USUAL_ROWS)?);
    let Some(reader) = stop.memory()? else { return whole(&FilesView::default()) };
    let shown = Shown::new();
    let (sessions, times) = reader.ask(|reader| -> Result<_, QuestionError> {
        let query = sessions_query(request, reader)?;
        let mut sessions = Vec::new();
        for (session, agent, counts) in reader.editing_sessions(&query, MAX_SESSIONS)? {
            stop.check()?;
            let files = kept::of_session("files", (&session.0, counts), || {
                reader.turn_files(&session).map_err(QuestionError::from)
            })?;
            sessions.push(EditingSession { agent, files });
        }
        Ok((sessions, query.from..=query.to))
    })?;
    let mut files: HashMap<&str, EditedFile<'_>> = HashMap::new();
    for (number, session) in sessions.iter().enumerate() {
        for turn in session.files.iter() {
            let mut wanted =
                turn.times.iter().filter(|at| times.contains(*at)).map(|at| at * 1_000).peekable();
            if wanted.peek().is_none() {
                continue;
            }
            let file = files.entry(turn.path.as_str()).or_default();
            file.times.extend(wanted);
            file.failed += turn.failed;
            if file.last_session.replace(number) != Some(number) {
                file.sessions += 1;
                file.agents.extend(session.agent.as_deref());
            }
        }
    }
    let mut rows: Vec<(&str, EditedFile<'_>)> = files.into_iter().collect();
    rows.sort_by(|(one, a), (two, b)| b.times.len().cmp(&a.times.len()).then_with(|| one.cmp(two)));
    let rows = rows.into_iter().take(limit).map(|(path, file)| FileRowView {
        path: shown.name(path),
        edits: file.times.len(),
        sessions: file.sessions,
        agents: file.agents.iter().map(|agent| shown.name(agent)).collect(),
        failed: file.failed,
        last_ms: file.times.iter().copied().max().unwrap_or(0),
        bars: bars(file.times.into_iter(), range, BARS),
    });
    whole(&FilesView { rows: rows.collect(), is_part: sessions.len() == MAX_SESSIONS })
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
                if sessions.len() == MAX_FILE_SESSIONS {
                    break;
                }
                let title = reader.first_prompt(&touch.session)?;
                sessions.push(FileSessionView {
                    id: touch.session.0.clone(),
                    agent: touch.harness.as_deref().map(|agent| shown.name(agent)),
                    title: shown.title(title.as_deref().unwrap_or_default()),
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
