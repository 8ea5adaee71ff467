//! Storing observations: a batch in one transaction, each event once, and no repeated reads within a few minutes.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use rusqlite::{CachedStatement, Connection, params};

use super::{MAX_LOG_BYTES, Result, Store, forgotten, projects, row, summaries, words};
use crate::model::{
    Inserted, NewObservation, Observation, ObservationType, PastRow, Project, RowTexts, TODO, Timestamp,
    TodoChange, changed_list, fnv1a, list_text,
};

/// Within this many seconds, another read of a file or the same search says nothing new.
const REPEAT_WINDOW: i64 = 300;

impl Store {
    /// Stores the new observations of a batch.
    #[cfg(test)]
    pub(crate) fn insert_batch(&mut self, batch: &[NewObservation]) -> Result<Inserted> {
        let inserted = self.insert_unsynced(batch)?;
        super::mark::raise(&self.path, self.last_id()?);
        Ok(inserted)
    }

    /// Stores the new observations of a batch; until `sync`, a power cut may lose them.
    pub(crate) fn insert_unsynced(&mut self, batch: &[NewObservation]) -> Result<Inserted> {
        if batch.is_empty() {
            return Ok(Inserted::default());
        }
        let inserted = self.insert_all(batch, InsertSource::Live)?;
        self.bound_log(MAX_LOG_BYTES);
        Ok(inserted)
    }

    /// Stores observations of an export durably; those that are already in the database are left out.
    pub(crate) fn import(&mut self, batch: &[NewObservation]) -> Result<Inserted> {
        if batch.is_empty() {
            return Ok(Inserted::default());
        }
        let inserted = self.insert_all(batch, InsertSource::Export)?;
        self.sync()?;
        self.bound_log(MAX_LOG_BYTES);
        Ok(inserted)
    }

    /// Stores observations of a damaged file with their old ids, and returns how many were not in the database yet.
    pub(super) fn insert_with_ids(&mut self, batch: &[SalvagedRow]) -> Result<usize> {
        if batch.is_empty() {
            return Ok(0);
        }
        self.write(|connection| {
            summaries::begin_again(connection)?;
            let mut statements = Statements::prepare(connection)?;
            let mut restored = 0;
            for row in batch {
                // Earlier versions reused the ids of a damaged file: if the id is taken, the row gets a new one.
                let is_free = !statements.is_taken.on(connection)?.exists([row.id])?;
                let source = if row.is_own { InsertSource::Damaged } else { InsertSource::Export };
                let stored = statements.store(is_free.then_some(row.id), &row.observation, source)?;
                restored += usize::from(stored);
            }
            Ok(restored)
        })
    }

    fn insert_all(&mut self, batch: &[NewObservation], origin: InsertSource) -> Result<Inserted> {
        self.write(|connection| {
            let mut statements = Statements::prepare(connection)?;
            let mut inserted = Inserted::default();
            for observation in batch {
                if statements.store(None, observation, origin)? {
                    inserted.stored += 1;
                } else {
                    inserted.duplicates += 1;
                }
            }
            Ok(inserted)
        })
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum InsertSource {
    Live,
    /// A past event, which was compared with the stored ones already.
    Transcript,
    /// Repeated reads were left out when they were new; rows without a key are compared by their content.
    Export,
    /// The same, for a row that this machine has observed itself.
    Damaged,
    /// A row of another machine, with its number there.
    Machine {
        origin: i64,
        number: i64,
    },
}

impl InsertSource {
    /// Returns whether it was observed earlier, so that it may have been stored or forgotten since.
    fn is_copy(self) -> bool {
        !matches!(self, InsertSource::Live | InsertSource::Transcript)
    }

    /// Returns the machine that a row is from, and its number there, as the columns have them.
    fn origin(self) -> (Option<i64>, Option<i64>) {
        match self {
            InsertSource::Export => (Some(IMPORTED), None),
            InsertSource::Machine { origin, number } => (Some(origin), Some(number)),
            _ => (None, None),
        }
    }
}

/// The `origin` of rows that were imported from a file, whoever observed them.
const IMPORTED: i64 = 0;

/// A row of a damaged file.
pub(super) struct SalvagedRow {
    pub(super) id: i64,
    pub(super) observation: NewObservation,
    /// Whether this machine observed it. The keys of other machines are not salvaged.
    pub(super) is_own: bool,
}

pub(super) struct Statements<'c> {
    insert: LateStatement<'c>,
    index: LateStatement<'c>,
    reads: LateStatement<'c>,
    same: LateStatement<'c>,
    is_taken: LateStatement<'c>,
    has_key: LateStatement<'c>,
    is_known: LateStatement<'c>,
    is_forgotten: LateStatement<'c>,
    past: LateStatement<'c>,
    has_transcripts: bool,
    /// Whether the session of the next row has no rows but those of this batch.
    pub(super) is_fresh_session: bool,
    /// The rows of transcripts that were recognised as live events; each stands for one.
    paired: HashSet<i64>,
    /// The times at which a subject was read, for the subjects of this batch.
    read_times: HashMap<i64, Vec<Timestamp>>,
    projects: HashMap<Project, i64>,
    /// The one that was looked up last: most rows are of the same project as the row before them.
    last_project: Option<(Project, i64)>,
    connection: &'c Connection,
}

/// A statement that is prepared when it is needed: a hook stores a few rows, and most of these are for others.
struct LateStatement<'c> {
    sql: &'static str,
    prepared: Option<CachedStatement<'c>>,
}

impl<'c> LateStatement<'c> {
    fn new(sql: &'static str) -> LateStatement<'c> {
        LateStatement { sql, prepared: None }
    }

    fn on(&mut self, connection: &'c Connection) -> Result<&mut CachedStatement<'c>> {
        let prepared = match self.prepared.take() {
            Some(prepared) => prepared,
            None => connection.prepare_cached(self.sql)?,
        };
        Ok(self.prepared.insert(prepared))
    }
}

impl<'c> Statements<'c> {
    pub(super) fn prepare(connection: &'c Connection) -> Result<Statements<'c>> {
        Ok(Statements {
            insert: LateStatement::new(
                "INSERT INTO observations (timestamp, session_id, project_id, obs_type, source_event,
                     tool_name, content, file_path, metadata, event_key, program, signature, pinned, subject, parts, id,
                     origin, origin_seq)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)
                 ON CONFLICT DO NOTHING",
            ),
            index: LateStatement::new(
                "INSERT INTO observations_fts (rowid, content, file_path, parts, tags) VALUES (?1, ?2, ?3, ?4, ?5)",
            ),
            reads: LateStatement::new("SELECT timestamp FROM observations WHERE subject = ?1"),
            same: LateStatement::new(
                "SELECT 1 FROM observations WHERE session_id = ?1 AND timestamp = ?2 AND obs_type = ?3
                     AND content = ?4 AND file_path IS ?5",
            ),
            has_key: LateStatement::new("SELECT 1 FROM observations WHERE event_key = ?1"),
            is_known: LateStatement::new(
                "SELECT 1 FROM observations WHERE event_key = ?1 UNION ALL SELECT 1 FROM forgotten WHERE key = ?1",
            ),
            is_forgotten: LateStatement::new(forgotten::IS_FORGOTTEN),
            is_taken: LateStatement::new("SELECT 1 FROM observations WHERE id = ?1"),
            past: LateStatement::new(
                "SELECT id FROM observations
                 WHERE session_id = ?1 AND timestamp BETWEEN ?2 AND ?3 AND obs_type = ?4
                     AND (?5 IS NULL OR content = ?5) AND metadata ->> '$.origin' = 'transcript'
                     AND metadata ->> '$.at_ms' IS NOT NULL",
            ),
            has_transcripts: connection.prepare_cached("SELECT 1 FROM sources")?.exists([])?,
            is_fresh_session: false,
            paired: HashSet::new(),
            read_times: HashMap::new(),
            projects: HashMap::new(),
            last_project: None,
            connection,
        })
    }

    /// Stores one observation and returns whether it was new.
    pub(super) fn store(
        &mut self,
        id: Option<i64>,
        new: &NewObservation,
        origin: InsertSource,
    ) -> Result<bool> {
        self.store_with(id, new, None, origin)
    }

    /// Stores an observation of a transcript, which was compared with the stored ones already.
    pub(super) fn store_past(&mut self, row: &PastRow) -> Result<bool> {
        self.store_with(None, &row.observation, Some(&row.texts), InsertSource::Transcript)
    }

    fn store_with(
        &mut self,
        id: Option<i64>,
        new: &NewObservation,
        texts: Option<&RowTexts>,
        origin: InsertSource,
    ) -> Result<bool> {
        let subject = texts.map_or_else(|| subject(new), |texts| texts.subject);
        let read = subject.filter(|_| !origin.is_copy() && new.obs_type.only_looks());
        if let Some(subject) = read
            && self.was_just_read(subject, new.timestamp)?
        {
            return Ok(false);
        }
        if origin.is_copy() && self.is_forgotten.on(self.connection)?.exists([forgotten::key_of(new).0])? {
            return Ok(false);
        }
        let is_list = new.is_list();
        let joined = if is_list { self.joined_list(new)? } else { Some(Cow::Borrowed(new)) };
        // An older state of the list is no news.
        let Some(new) = joined else { return Ok(false) };
        let (is_new, new) = (matches!(new, Cow::Borrowed(_)), new.as_ref());
        // A conflict would use up an id. A past event that is not part of a list was looked for by its key just now. A
        // list keeps its key, so what happens to it after it was forgotten is new.
        let known = if is_list { &mut self.has_key } else { &mut self.is_known };
        if let Some(key) = new.event_key
            && (origin != InsertSource::Transcript || is_list)
            && known.on(self.connection)?.exists([key.0])?
        {
            return Ok(false);
        }
        if origin.is_copy() && new.event_key.is_none() && self.exists(new)? {
            return Ok(false);
        }
        if origin == InsertSource::Live && self.is_from_transcript(new)? {
            return Ok(false);
        }
        let project = self.project(new, origin)?;
        let texts = match texts {
            Some(texts) if is_new => Cow::Borrowed(texts),
            _ => Cow::Owned(row_texts(new)),
        };
        let (machine, number) = origin.origin();
        let stored = self.insert.on(self.connection)?.execute(params![
            new.timestamp.0,
            new.session_id.0,
            project,
            new.obs_type.name(),
            new.source_event,
            new.tool_name,
            new.content,
            new.file_path,
            texts.metadata,
            new.event_key.map(|key| key.0),
            new.program,
            new.signature,
            new.pinned,
            subject,
            texts.parts,
            id,
            machine,
            number,
        ])? > 0;
        if stored {
            let id = self.connection.last_insert_rowid();
            self.index.on(self.connection)?.execute(params![
                id,
                new.content,
                new.file_path,
                texts.parts,
                tags(new.obs_type, project)
            ])?;
        }
        if let Some(subject) = read.filter(|_| stored) {
            self.read_times.entry(subject).or_default().push(new.timestamp);
        }
        Ok(stored && (is_new || !is_list))
    }

    /// Joins a change of a session's list with the list that is stored, and removes that; borrowed if there is none.
    fn joined_list<'n>(&mut self, new: &'n NewObservation) -> Result<Option<Cow<'n, NewObservation>>> {
        let Some(key) = new.event_key else { return Ok(Some(Cow::Borrowed(new))) };
        let known = row::first(self.connection, "WHERE event_key = ?1", [key.0])?;
        let change = new.metadata.as_ref().and_then(|metadata| metadata.0.get(TODO));
        let change = change.and_then(|change| serde_json::from_value::<TodoChange>(change.clone()).ok());
        let (known_list, is_known) = match &known {
            Some(known) if known.timestamp > new.timestamp => return Ok(None),
            Some(known) => (known.todo().unwrap_or_default(), true),
            None => (Vec::new(), false),
        };
        let (Some(change), true) = (change, is_known) else { return Ok(Some(Cow::Borrowed(new))) };
        let list = changed_list(known_list, change);
        if known.as_ref().and_then(Observation::todo).as_ref() == Some(&list) {
            return Ok(None);
        }
        self.connection
            .prepare_cached("DELETE FROM observations WHERE event_key = ?1 AND NOT pinned")?
            .execute([key.0])?;
        let mut joined = new.clone();
        joined.content = list_text(&list);
        let facts = &mut joined.metadata.get_or_insert_default().0;
        facts.insert(TODO.to_owned(), serde_json::json!(TodoChange::Whole(list)));
        Ok(Some(Cow::Owned(joined)))
    }

    /// Returns the id of the observation's project, and adds the project if it is new.
    fn project(&mut self, new: &NewObservation, source: InsertSource) -> Result<Option<i64>> {
        let Some(name) = &new.project else { return Ok(None) };
        if let Some((last, id)) = &self.last_project
            && (&last.name, &last.root, &last.repository) == (name, &new.project_root, &new.repository)
        {
            return Ok(Some(*id));
        }
        let project = Project {
            name: name.clone(),
            root: new.project_root.clone(),
            repository: new.repository.clone(),
        };
        if let Some(id) = self.projects.get(&project).copied() {
            self.last_project = Some((project, id));
            return Ok(Some(id));
        }
        if let InsertSource::Machine { .. } = source {
            let id = projects::foreign_folder_id(self.connection, &project)?;
            self.projects.insert(project, id);
            return Ok(Some(id));
        }
        let id = projects::folder_id(self.connection, &project)?;
        // What was recognised applies to the events without it, which come after.
        self.projects.insert(Project { repository: None, ..project.clone() }, id);
        self.projects.insert(project, id);
        Ok(Some(id))
    }

    fn was_just_read(&mut self, subject: i64, at: Timestamp) -> Result<bool> {
        if self.is_fresh_session {
            self.read_times.entry(subject).or_default();
        } else if !self.read_times.contains_key(&subject) {
            let rows =
                self.reads.on(self.connection)?.query_map([subject], |row| row.get(0).map(Timestamp))?;
            self.read_times.insert(subject, rows.collect::<rusqlite::Result<_>>()?);
        }
        // Parallel hooks may report out of order, so the window extends in both directions.
        Ok(self.read_times[&subject].iter().any(|read| read.0.abs_diff(at.0) <= REPEAT_WINDOW as u64))
    }

    /// Returns whether a transcript has brought this event already; an event with an id is recognised by its key.
    fn is_from_transcript(&mut self, new: &NewObservation) -> Result<bool> {
        let has_id = new.metadata.as_ref().is_some_and(|metadata| metadata.0.contains_key("tool_use_id"));
        if has_id || new.is_list() || !self.has_transcripts {
            return Ok(false);
        }
        let (window, content) = match new.obs_type {
            ObservationType::SessionStart | ObservationType::Summary => (60, None),
            _ => (30, Some(&new.content)),
        };
        let at = new.timestamp.0;
        let found = self.past.on(self.connection)?.query_map(
            params![new.session_id.0, at - window, at + window, new.obs_type.name(), content],
            |row| row.get(0),
        )?;
        for id in found {
            if self.paired.insert(id?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn exists(&mut self, new: &NewObservation) -> Result<bool> {
        let key = (&new.session_id.0, new.timestamp.0, new.obs_type.name(), &new.content, &new.file_path);
        Ok(self.same.on(self.connection)?.exists(key)?)
    }
}

/// Returns the texts that are stored with an observation.
pub(crate) fn row_texts(new: &NewObservation) -> RowTexts {
    let texts = [Some(new.content.as_str()), new.file_path.as_deref()];
    RowTexts {
        subject: subject(new),
        metadata: new.metadata.as_ref().map(|metadata| serde_json::to_string(metadata).unwrap_or_default()),
        parts: Some(words::parts(texts.into_iter().flatten())).filter(|parts| !parts.is_empty()),
    }
}

/// Returns the tags of an observation, in the form of the table's generated column.
fn tags(obs_type: ObservationType, project: Option<i64>) -> String {
    let project = project.map_or_else(String::new, |id| format!(" p{id}"));
    format!("t{}{project}", obs_type.name())
}

/// Returns a hash of what an observation is about, for the types that are compared with earlier ones.
pub(super) fn subject(new: &NewObservation) -> Option<i64> {
    let kind = new.obs_type.name();
    // A path inside a project is relative to it.
    let [project, root] = [&new.project, &new.project_root].map(|part| part.as_deref().unwrap_or(""));
    match new.obs_type {
        ObservationType::FileRead | ObservationType::Search => {
            let about = new.file_path.as_ref().unwrap_or(&new.content);
            Some(hash([kind, project, root, &new.session_id.0, about]))
        }
        // A failure and a success of one command are about the same thing.
        ObservationType::Command | ObservationType::CommandError | ObservationType::McpCall => {
            let command =
                new.metadata.as_ref().and_then(|metadata| metadata.command()).unwrap_or(&new.content);
            Some(hash(["run", project, root, command]))
        }
        _ => None,
    }
}

/// Returns a hash of several texts; none of them contains the byte that separates them.
fn hash<'p>(parts: impl IntoIterator<Item = &'p str>) -> i64 {
    fnv1a(parts.into_iter().flat_map(|part| part.bytes().chain([0xff]))).cast_signed()
}

#[cfg(test)]
mod tests;
