//! Imports what other tools remember: finds their stores, and stores what the records in them become.

mod sources;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use self::sources::SourceError;
use super::{database, remember};
use crate::config::{env, paths, settings};
use crate::imports::{ImportDraft, ImportPlace, LeftOut, Mapped, ProjectHint};
use crate::model::{
    Backfilled, EventKey, Metadata, NewObservation, ObservationType, Project, Retention, SessionId, Timestamp,
};
use crate::nexus::Nexus;
use crate::observations;
use crate::ops::nexus::notes::{self, NewNote};
use crate::ops::{here, project, secret_patterns};
use crate::redact::OwnPatterns;
use crate::store::{Extent, Reader, Store, StoreError};
use crate::system::clock;

pub(crate) use crate::imports::{ImportTool, TOOLS, ToolStore, rule_tool_of, tool};

/// Rows per transaction.
const BATCH: usize = 500;

/// What to import.
#[derive(Debug)]
pub(crate) struct ToolImportRequest {
    pub(crate) tool: &'static ImportTool,
    /// The store, if it is not where the tool keeps it.
    pub(crate) path: Option<PathBuf>,
    /// Also what is personal or finished.
    pub(crate) all: bool,
    /// Texts that are about a topic become notes in `.nexus/memory`.
    pub(crate) as_notes: bool,
    /// Count, and store nothing.
    pub(crate) is_dry: bool,
}

/// What an import found.
#[derive(Debug, Default)]
pub(crate) struct ToolImport {
    /// The stores that were read.
    pub(crate) sources: Vec<PathBuf>,
    pub(crate) count: Backfilled,
    /// Records that are older than what is kept of their type.
    pub(crate) expired: usize,
    /// What was left out, and how often.
    pub(crate) left_out: BTreeMap<String, usize>,
    /// Notes that were written, or would be.
    pub(crate) notes: Vec<String>,
    /// The file of rules, and how many are in it.
    pub(crate) rules: Option<(PathBuf, usize)>,
    pub(crate) changes: Vec<String>,
    /// Some of what would be stored, as it would be stored.
    pub(crate) examples: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ToolImportError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error("a pattern under `redact` is not a regex: {0}")]
    Pattern(String),
    #[error("the database has no place: there is no home folder")]
    Homeless,
    #[error("there is no `.nexus` folder for notes in {0}")]
    NoNexus(String),
    #[error("`{0}` exists and has other rules in it")]
    RulesExist(String),
    #[error("`{path}` cannot be written: {error}")]
    Write { path: String, error: std::io::Error },
}

/// Reads a file that the user names.
pub(crate) fn read_text(path: &Path, max_bytes: u64) -> std::io::Result<String> {
    let bytes = crate::files::read_regular(path, max_bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Imports what a tool remembers.
pub(crate) fn run(request: &ToolImportRequest) -> Result<ToolImport, ToolImportError> {
    let home = paths::home_dir().ok_or(ToolImportError::Homeless)?;
    let root = here::root(&env::current_dir());
    let place = ImportPlace { home: &home, root: &root, moved: env::folder };
    let found = match &request.path {
        Some(path) => vec![path.clone()],
        None => (request.tool.paths)(&place),
    };
    let sources = sources::existing(request.tool, &found)?;
    let mut import = ToolImport { sources: sources.clone(), ..ToolImport::default() };
    match request.tool.store {
        ToolStore::Tables(tables, map) => {
            let records = sources::tables(&sources, tables)?;
            store(map(&records), request, &mut import)?;
        }
        ToolStore::Lines(map) => {
            let (records, broken) = sources::lines(&sources)?;
            if broken > 0 {
                import.left_out.insert("lines that are not JSON".to_owned(), broken);
            }
            store(map(&records), request, &mut import)?;
        }
        ToolStore::Files(map) => store(map(&sources::files(&sources, ".md")?), request, &mut import)?,
        ToolStore::Rules(rules) => {
            let read = rules(&sources::files(&sources, "")?);
            for LeftOut { what, why } in read.left_out {
                import.left_out.insert(format!("{what}: {why}"), 1);
            }
            import.changes = read.changes;
            if read.rules > 0 {
                let path = root.join("imported.nudge.yaml");
                write_rules(&path, &read.text, request.is_dry)?;
                import.rules = Some((path, read.rules));
            }
        }
    }
    Ok(import)
}

/// Writes a file of rules beside the one that is used: what a stranger wrote does not guard anything by itself.
fn write_rules(path: &Path, text: &str, is_dry: bool) -> Result<(), ToolImportError> {
    let shown = || path.display().to_string();
    match std::fs::read_to_string(path) {
        Ok(old) if old == text => return Ok(()),
        Ok(_) => return Err(ToolImportError::RulesExist(shown())),
        Err(_) if is_dry => return Ok(()),
        Err(_) => {}
    }
    crate::files::replace(path, &[text.as_bytes()])
        .map_err(|error| ToolImportError::Write { path: shown(), error })
}

fn store(
    mapped: Vec<Mapped>,
    request: &ToolImportRequest,
    import: &mut ToolImport,
) -> Result<(), ToolImportError> {
    let mut drafts = Vec::new();
    for one in mapped {
        match one {
            Mapped::Draft(draft) => drafts.push(draft),
            Mapped::OnlyWithAll(draft, _) if request.all => drafts.push(draft),
            Mapped::OnlyWithAll(_, why) => {
                *import.left_out.entry(format!("{why} (`--all`)")).or_default() += 1;
            }
            Mapped::LeftOut(why) => *import.left_out.entry(why.to_owned()).or_default() += 1,
        }
    }
    if request.as_notes {
        write_notes(&mut drafts, request, import)?;
    }
    let path = paths::database().ok_or(ToolImportError::Homeless)?;
    // What hooks have spooled is known, also to a run that only counts.
    remember::drain(database::DATABASE_TIMEOUT, Extent::All)?;
    let reader = Reader::open(&path, database::DATABASE_TIMEOUT)?;
    let (settings, _) = settings::load(&here::root(&env::current_dir()));
    let own = secret_patterns::of(&settings).map_err(ToolImportError::Pattern)?;
    let mut maker = ImportMaker::new(request.tool.id, reader.as_ref(), &own);
    let mut rows = Vec::new();
    for draft in drafts {
        let row = maker.row(draft)?;
        if is_expired(&row, &settings.retention) { import.expired += 1 } else { rows.push(row) }
    }
    import.examples =
        rows.iter().take(3).map(|row| format!("{} {}", row.obs_type.name(), row.content)).collect();
    if request.is_dry {
        match &reader {
            Some(reader) => import.count = reader.would_import(&rows)?,
            None => rows.iter().for_each(|row| import.count.count_stored(row.obs_type)),
        }
        return Ok(());
    }
    drop(reader);
    let mut store = Store::open(&path, database::DATABASE_TIMEOUT)?;
    for batch in rows.chunks(BATCH) {
        import.count += store.import_foreign(batch)?;
    }
    Ok(())
}

fn is_expired(row: &NewObservation, retention: &Retention) -> bool {
    let days = retention.days.iter().find(|(kind, _)| *kind == row.obs_type).and_then(|(_, days)| *days);
    !row.pinned && days.is_some_and(|days| row.timestamp < clock::timestamp().minus_days(days))
}

/// Writes notes of what is about a topic; what a note cannot have stays an observation.
fn write_notes(
    drafts: &mut Vec<ImportDraft>,
    request: &ToolImportRequest,
    import: &mut ToolImport,
) -> Result<(), ToolImportError> {
    let folder = env::current_dir();
    let root = here::root(&folder);
    let nexus = Nexus::of(&root);
    if !nexus.exists() {
        return Err(ToolImportError::NoNexus(root.display().to_string()));
    }
    let mut rest = Vec::new();
    for draft in drafts.drain(..) {
        let name = draft.note.as_deref().and_then(|name| crate::notes::propose_name(name, &draft.content));
        let Some(name) = name else {
            rest.push(draft);
            continue;
        };
        if matches!(nexus.note(&name), Ok(Some(_))) {
            *import.left_out.entry("notes that exist".to_owned()).or_default() += 1;
            continue;
        }
        let new = NewNote {
            name: Some(name.clone()),
            text: draft.content.clone(),
            insist: true,
            ..NewNote::default()
        };
        if request.is_dry || notes::store(&nexus, &new).is_ok() {
            import.notes.push(name);
        } else {
            rest.push(draft);
        }
    }
    *drafts = rest;
    Ok(())
}

/// Makes observations of drafts.
struct ImportMaker<'m> {
    tool: &'static str,
    reader: Option<&'m Reader>,
    own: &'m OwnPatterns,
    here: Option<Project>,
    projects: HashMap<(String, ProjectKey), Option<Project>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum ProjectKey {
    Named(String),
    Folder(String),
}

impl<'m> ImportMaker<'m> {
    fn new(tool: &'static str, reader: Option<&'m Reader>, own: &'m OwnPatterns) -> ImportMaker<'m> {
        let here = project::of_folder(&env::current_dir());
        ImportMaker { tool, reader, own, here, projects: HashMap::new() }
    }

    fn row(&mut self, draft: ImportDraft) -> Result<NewObservation, StoreError> {
        let project = self.project(&draft)?;
        let mut facts = Map::new();
        facts.insert("origin".to_owned(), json!("import"));
        facts.insert("tool".to_owned(), json!(self.tool));
        facts.extend(draft.kind.map(|kind| ("kind".to_owned(), json!(kind))));
        for (name, value) in draft.facts {
            facts.insert(name.to_owned(), value);
        }
        let program = facts.get("command").and_then(Value::as_str).map(str::to_owned);
        let is_failure = draft.obs_type == ObservationType::CommandError;
        let new = NewObservation {
            repository: None,
            timestamp: Timestamp(draft.at_ms.div_euclid(1_000).clamp(0, clock::timestamp().0)),
            session_id: SessionId(draft.session),
            project: project.as_ref().map(|project| project.name.clone()),
            project_root: project.and_then(|project| project.root),
            obs_type: draft.obs_type,
            source_event: "Import".to_owned(),
            tool_name: None,
            signature: is_failure.then(|| draft.content.clone()),
            content: draft.content,
            file_path: draft.file_path,
            metadata: Some(Metadata(facts)),
            event_key: Some(EventKey::of(["import", self.tool, &draft.source_id])),
            program,
            pinned: draft.pinned,
        };
        // Redacted, cut, and derived again, as if it came from another machine.
        Ok(observations::cleaned(new, self.own))
    }

    fn project(&mut self, draft: &ImportDraft) -> Result<Option<Project>, StoreError> {
        let key = match &draft.project {
            ProjectHint::Here => return Ok(self.here.clone()),
            ProjectHint::Nowhere => return Ok(None),
            ProjectHint::Named(name) => ProjectKey::Named(name.clone()),
            ProjectHint::Folder(folder) => ProjectKey::Folder(folder.clone()),
        };
        let key = (draft.session.clone(), key);
        if let Some(known) = self.projects.get(&key) {
            return Ok(known.clone());
        }
        let project = match &key.1 {
            // A bare name says little: hooks and transcripts know where the session was.
            ProjectKey::Named(name) => {
                let of_session =
                    self.reader.map(|reader| reader.project_of_session(&key.0)).transpose()?.flatten();
                of_session.or_else(|| Some(Project { name: name.clone(), ..Project::default() }))
            }
            ProjectKey::Folder(folder) => project::of_folder(Path::new(folder)),
        };
        self.projects.insert(key, project.clone());
        Ok(project)
    }
}
