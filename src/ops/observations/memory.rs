//! Queries the memory, for people and for agents: search, fetch by id, timeline, recent observations, sessions, statistics.

use super::database;
use super::remember::{self, Waiting};
use super::salvage::Repair;
use crate::api::{Only, Scope};
use crate::config::env;
use crate::harness;
use crate::model::{
    Filter, KnownProject, Observation, ObservationId, Problem, Project, Search, SearchPage, SessionId,
    SessionSummary, Stats, Timeline,
};
use crate::ops::observations::careful_reader::{CarefulReader, MayBeStoreError};
use crate::ops::project;
use crate::rules::did_you_mean;
use crate::store::{Reader, StoreError, widened};
use crate::system::{clock, moment};

/// The memory, with all events that could be stored.
pub(crate) struct Memory {
    reader: CarefulReader,
    waiting: Option<Waiting>,
}

/// The characters of a session's id that are usually enough.
const SHORT_ID: usize = 8;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MemoryError {
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An empty answer would be wrong: the result may be among the events that are not stored yet.
    #[error(transparent)]
    Waiting(#[from] Waiting),
    #[error("no project in the memory is named `{name}`")]
    UnknownProject { name: String, hint: String },
    #[error("no session in the memory matches `{0}`")]
    UnknownSession(String),
    #[error("several sessions begin with `{0}`")]
    AmbiguousSession(String),
    #[error("no agent is named `{0}`")]
    UnknownAgent(String),
    #[error("`{name}` is not a time: {why}")]
    WrongTime { name: &'static str, why: String },
    #[error("`{word}` means {} projects: {}", roots.len(), roots.join(", "))]
    AmbiguousProject { word: String, roots: Vec<String> },
    #[error("this folder is not in a project")]
    NoProject,
}

impl MayBeStoreError for MemoryError {
    fn store_error(&self) -> Option<&StoreError> {
        if let MemoryError::Store(error) = self { Some(error) } else { None }
    }
}

impl MemoryError {
    /// Returns what the user can do about it.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            MemoryError::Store(error) => error.hint().map(str::to_owned),
            MemoryError::Waiting(waiting) => waiting.why.hint().map(str::to_owned),
            MemoryError::UnknownProject { hint, .. } => Some(hint.clone()),
            MemoryError::NoProject => Some("add `--all` if you mean all projects".to_owned()),
            MemoryError::UnknownSession(_) => Some("`nudge sessions --all` lists them".to_owned()),
            MemoryError::AmbiguousSession(_) => Some("type more of the id".to_owned()),
            MemoryError::UnknownAgent(name) => Some(did_you_mean(name, harness::ids().collect::<Vec<_>>())),
            MemoryError::WrongTime { .. } => None,
            MemoryError::AmbiguousProject { .. } => Some("name the folder of the one you mean".to_owned()),
        }
    }
}

/// A session with all its observations.
pub(crate) struct FullSession {
    pub(crate) summary: SessionSummary,
    pub(crate) observations: Vec<Observation>,
}

/// Opens the memory; `None` if nothing was ever remembered.
pub(crate) fn open() -> Result<Option<Memory>, StoreError> {
    let reader = |reader| CarefulReader::new(reader, Repair::Whole, database::DATABASE_TIMEOUT);
    let opened = remember::reader_and_waiting()?;
    Ok(opened.map(|(opened, waiting)| Memory { reader: reader(opened), waiting }))
}

/// Returns why another database is used than the one that the user names.
pub(crate) fn database_problem() -> Option<Problem> {
    env::database_problem()
}

/// Queries the memory for an agent, which sees only the answer: before the first event, the list is empty, and while there
/// are events that cannot be stored, an empty list is an error.
pub(crate) fn list<T>(
    query: impl FnOnce(&Memory) -> Result<Vec<T>, MemoryError>,
) -> Result<Vec<T>, MemoryError> {
    let Some(memory) = open()? else { return Ok(Vec::new()) };
    let found = query(&memory)?;
    match memory.waiting {
        Some(waiting) if found.is_empty() => Err(waiting.into()),
        _ => Ok(found),
    }
}

impl Memory {
    /// Returns the events that could not be stored, if there are any.
    pub(crate) fn waiting(&self) -> Option<&Waiting> {
        self.waiting.as_ref()
    }

    /// Returns the project of a scope, as seen from the current folder; `None` for all projects, also if the folder is not in
    /// a project.
    pub(crate) fn project(&self, scope: &Scope) -> Result<Option<Project>, MemoryError> {
        match scope {
            Scope::All => Ok(None),
            Scope::Current => Ok(project::of_folder(&env::current_dir())),
            Scope::Named(name) => self.reader.ask(|reader| find_project(reader, name)).map(Some),
        }
    }

    /// Returns where the projects are that a name means, if there are several.
    pub(crate) fn several_places(&self, scope: &Scope) -> Result<Vec<String>, StoreError> {
        let Scope::Named(name) = scope else { return Ok(Vec::new()) };
        let places = self.reader.ask(|reader| reader.places_called(name))?;
        Ok(if places.len() > 1 { places } else { Vec::new() })
    }

    /// Returns the one session with this id, or whose id starts with it.
    pub(crate) fn session(&self, id: &str) -> Result<SessionId, MemoryError> {
        self.reader.ask(|reader| find_session(reader, id))
    }

    /// Returns the shortest beginning of a session's id that means no other session, and at least eight characters.
    pub(crate) fn short_id(&self, session: &SessionId) -> Result<String, MemoryError> {
        let ends = session.0.char_indices().map(|(end, _)| end).skip(SHORT_ID);
        for end in ends {
            let short = &session.0[..end];
            if self.reader.ask(|reader| reader.sessions_starting(short, 2))?.len() < 2 {
                return Ok(short.to_owned());
            }
        }
        Ok(session.0.clone())
    }

    pub(crate) fn into_reader(self) -> CarefulReader {
        self.reader
    }

    /// Returns the hits of a search; if no row has the words, what begins with them.
    pub(crate) fn search(&self, search: &Search) -> Result<SearchPage, StoreError> {
        let ask = |search: &Search| self.reader.ask(|reader| reader.search_page(search, clock::timestamp()));
        let page = ask(search)?;
        let is_empty = page.hits.is_empty()
            && (search.offset == 0
                || ask(&Search { offset: 0, limit: 1, ..search.clone() })?.hits.is_empty());
        match widened(&search.text).filter(|_| is_empty) {
            Some(text) => Ok(SearchPage { is_widened: true, ..ask(&Search { text, ..search.clone() })? }),
            None => Ok(page),
        }
    }

    /// Returns the latest observations that a filter lets through, each file once, the newest first.
    pub(crate) fn recent_filtered(
        &self,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<Observation>, StoreError> {
        self.reader.ask(|reader| reader.recent_filtered(filter, limit))
    }

    /// Returns a filter for what the caller asked for; times are read in the zone of this machine.
    pub(crate) fn filter(&self, project: Option<Project>, only: &Only) -> Result<Filter, MemoryError> {
        if let Some(name) = only.harness.as_ref().filter(|name| harness::by_id(name).is_none()) {
            return Err(MemoryError::UnknownAgent(name.clone()));
        }
        let wrong = |name: &'static str| move |why: String| MemoryError::WrongTime { name, why };
        Ok(Filter {
            project,
            session: only.session.as_ref().map(|id| self.session(id)).transpose()?,
            harness: only.harness.clone(),
            since: only.since.as_deref().map(moment::parse).transpose().map_err(wrong("since"))?,
            until: only.until.as_deref().map(moment::parse_end).transpose().map_err(wrong("until"))?,
            types: Vec::new(),
        })
    }

    pub(crate) fn get(&self, ids: &[ObservationId]) -> Result<Vec<Observation>, StoreError> {
        self.reader.ask(|reader| reader.get(ids))
    }

    pub(crate) fn timeline(
        &self,
        anchor: ObservationId,
        before: usize,
        after: usize,
    ) -> Result<Timeline, StoreError> {
        self.reader.ask(|reader| reader.timeline(anchor, before, after))
    }

    /// Returns the latest observations of a project, filled up with those of other projects; without a project, of all.
    pub(crate) fn recent_with_others(
        &self,
        project: Option<&Project>,
        limit: usize,
    ) -> Result<Vec<Observation>, StoreError> {
        self.reader.ask(|reader| match project {
            // Other projects fill up the list of a project, but do not replace an empty one.
            Some(project) if reader.recent_of(project, 1)?.is_empty() => Ok(Vec::new()),
            project => reader.recent_context(project, limit),
        })
    }

    /// Returns the latest observations of a scope, each file once, the newest first.
    pub(crate) fn recent(&self, scope: &Scope, limit: usize) -> Result<Vec<Observation>, MemoryError> {
        // An agent also sees other projects if there is room; a person asked for this one.
        let rows = match self.project(scope)? {
            Some(project) => self.reader.ask(|reader| reader.recent_of(&project, limit)),
            None => self.recent_with_others(None, limit),
        };
        Ok(rows?)
    }

    pub(crate) fn sessions(&self, scope: &Scope, limit: usize) -> Result<Vec<SessionSummary>, MemoryError> {
        let project = self.project(scope)?;
        Ok(self.reader.ask(|reader| reader.sessions(project.as_ref(), limit))?)
    }

    /// Returns everything about the session with this id, or whose id starts with it.
    pub(crate) fn story(&self, id: &str) -> Result<FullSession, MemoryError> {
        let session = self.session(id)?;
        let unknown = || MemoryError::UnknownSession(id.to_owned());
        self.reader.ask(|reader| {
            let summary = reader.session_summary(&session)?.ok_or_else(unknown)?;
            Ok(FullSession { summary, observations: reader.session(&session)? })
        })
    }

    /// Returns all projects, the one with the latest observation first.
    pub(crate) fn projects(&self) -> Result<Vec<KnownProject>, StoreError> {
        self.reader.ask(Reader::known_projects)
    }

    pub(crate) fn stats(&self, scope: &Scope) -> Result<Stats, MemoryError> {
        let project = self.project(scope)?;
        Ok(self.reader.ask(|reader| reader.stats(project.as_ref(), clock::timestamp()))?)
    }
}

/// Returns the one session with this id, or whose id starts with it.
pub(crate) fn find_session(reader: &Reader, id: &str) -> Result<SessionId, MemoryError> {
    let mut found = reader.sessions_starting(id, 2)?;
    match found.iter().position(|session| session.0 == id) {
        Some(exact) => Ok(found.swap_remove(exact)),
        None if found.len() > 1 => Err(MemoryError::AmbiguousSession(id.to_owned())),
        None => found.pop().ok_or_else(|| MemoryError::UnknownSession(id.to_owned())),
    }
}

/// Returns a project by its name, its folder or its address; a name stands for all projects that are called so.
pub(crate) fn find_project(reader: &Reader, word: &str) -> Result<Project, MemoryError> {
    let known = reader.project_names()?;
    if known.iter().any(|known| known == word) {
        return Ok(Project { name: word.to_owned(), ..Project::default() });
    }
    if let Some(project) = reader.project_called(word)? {
        return Ok(project);
    }
    let hint = did_you_mean(word, known.iter().map(String::as_str));
    Err(MemoryError::UnknownProject { name: word.to_owned(), hint })
}

/// Returns the only project that a word means, for what must not touch another one.
pub(crate) fn find_one_project(reader: &Reader, word: &str) -> Result<Project, MemoryError> {
    let places = reader.places_called(word)?;
    if places.len() > 1 {
        return Err(MemoryError::AmbiguousProject { word: word.to_owned(), roots: places });
    }
    // By its folder: an earlier name of it may be the name of another project.
    match reader.project_called(word)? {
        Some(project) => Ok(project),
        None => find_project(reader, word),
    }
}
