//! The notes in `.nexus/memory`: list, show, store, search, delete and restore; and the guidance in `.nexus/rules`,
//! which is only stored.

mod answer;
mod gc;
mod join;
pub(crate) mod observe;
mod restore;
mod rule;
mod search;
mod store;

pub(crate) use crate::nexus::notes::{MEMORY, file};
pub(crate) use crate::nexus::removal::RemovedFile;
pub(crate) use crate::nexus::rules::{RULES, file as rule_file};
pub(crate) use crate::notes::{Advice, NotesPlan, PlannedNote};
use std::collections::BTreeMap;
use std::time::Duration;

use crate::config::settings::{self, Settings};
use crate::model::{Category, Note, Reads};
use crate::nexus::git::GitError;
use crate::nexus::removal::RemovalError;
use crate::nexus::{Locked, Nexus, NexusError, access};
use crate::notes::Fault;
use crate::ops::nexus::change::NexusChange;

pub(crate) use answer::{answer, found_wire, plan_wire, removed_wire, rule_stored_wire, stored_wire};
pub(crate) use gc::{Cleared, automatic, blindness, chosen, clear, plan, proposed};
pub(crate) use join::join;
pub(crate) use restore::{restorable, restore};
pub(crate) use rule::{GuidanceError, NewRule, RuleStored, rules, store_rule};
pub(crate) use search::{FoundNote, search};
pub(crate) use store::{MAX_INPUT, NewNote, Stored, store};

/// A note with what is known about its use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) note: Note,
    /// `None` if no read was ever observed.
    pub(crate) reads: Option<Reads>,
}

/// Why a note is not stored, shown, deleted or restored.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoteError {
    #[error("`{name}` is not a valid name for a note: {fault}")]
    Name { name: String, fault: Fault, proposal: Option<String> },
    #[error("no name can be derived from this text")]
    NoName,
    #[error("`{name}` says `{}` and the category says `{}`", named.name(), asked.name())]
    OtherCategory { name: String, named: Category, asked: Category },
    #[error("this looks like it contains a secret ({0}), and notes go into git")]
    Secret(String),
    #[error("a pattern under `redact` is not a regex: {0}")]
    Pattern(String),
    #[error("there is nothing to store")]
    Empty,
    #[error("the text contains a control character, {}", .0.escape_default())]
    Control(char),
    #[error("a tag must not contain a comma, a line break or `-->`: `{0}`")]
    Tag(String),
    #[error("the note would have {} KB, and the limit is {} KB", .bytes.div_ceil(1024), store::MAX_BYTES >> 10)]
    TooLong { bytes: usize },
    #[error("`{0}` is not plain text, so nothing can be added to it")]
    NotText(String),
    #[error("a note `{0}` already exists")]
    Exists(String),
    #[error("a note cannot be merged into itself: `{0}`")]
    Itself(String),
    #[error("`{0}` exists, so there is nothing to restore")]
    NotRemoved(String),
    #[error("there is no note `{0}`")]
    NotFound(String),
    #[error("no deletion of `{0}` was found in this branch")]
    NeverRemoved(String),
    #[error("automatic deletion is disabled")]
    AutomaticOff,
    #[error("automatic deletion needs three signals, and {0} of them are set")]
    TooFewSignals(usize),
    #[error("{0} works in this project and does not report reads, so nobody knows what it has read")]
    BlindHarness(String),
    #[error("`{}`: {error}", crate::nexus::notes::file(.name))]
    Removal { name: String, error: RemovalError },
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Nexus(#[from] NexusError),
}

impl NoteError {
    /// Returns what the user can do about it.
    pub(crate) fn hint(&self) -> Option<String> {
        Some(match self {
            NoteError::Name { proposal: Some(proposal), .. } if Category::of(proposal).is_some() => {
                format!("call it `{proposal}`")
            }
            NoteError::Name { proposal: Some(proposal), .. } => {
                format!("call it `{proposal}`; {}", categories())
            }
            NoteError::Name { .. } | NoteError::NoName => {
                format!("give it a name of two to four words, as in `retry-uploads.md`; {}", categories())
            }
            NoteError::OtherCategory { .. } => "leave one of them out".to_owned(),
            NoteError::Secret(_) => "say where the secret is kept, instead of the secret itself".to_owned(),
            NoteError::Control(_) => "remove it: notes and rules are plain text".to_owned(),
            NoteError::TooLong { .. } => {
                "keep what cannot be found elsewhere; long texts belong in files of their own".to_owned()
            }
            NoteError::Exists(_) => "choose another name, or add the text to that note".to_owned(),
            NoteError::NotFound(_) => "`nudge note` lists them".to_owned(),
            NoteError::NeverRemoved(_) => "`nudge note restore` lists what can be restored".to_owned(),
            NoteError::AutomaticOff => {
                "set `notes.auto_delete`, and read `nudge note gc --help` first".to_owned()
            }
            NoteError::TooFewSignals(_) => {
                "set `notes.auto_days`, `notes.auto_cycles` and `notes.auto_reads`".to_owned()
            }
            NoteError::BlindHarness(_) => "run `nudge note gc` and decide yourself".to_owned(),
            NoteError::Removal { error: RemovalError::Changed | RemovalError::Staged, .. } => {
                "commit or undo them, and try again".to_owned()
            }
            NoteError::Removal { error: RemovalError::Git(error), .. } | NoteError::Git(error) => {
                error.hint()?.to_owned()
            }
            NoteError::Nexus(error) => error.hint()?,
            _ => return None,
        })
    }
}

/// Describes the three categories.
pub(crate) fn categories() -> String {
    let each = Category::ALL.map(|category| format!("`{}-` ({})", category.name(), category.about()));
    format!("a name may begin with {}", each.join(", "))
}

/// Returns all notes with their reads, by name.
pub(crate) fn list(nexus: &Nexus) -> Result<Vec<Listed>, NoteError> {
    let reads = reads(nexus);
    let listed =
        nexus.notes()?.into_iter().map(|note| Listed { reads: reads.get(&note.name).copied(), note });
    Ok(listed.collect())
}

/// Returns the reads of each note by its name, including those that are not recorded yet.
fn reads(nexus: &Nexus) -> BTreeMap<String, Reads> {
    let mut reads = access::reads(nexus);
    for change in access::harnesses(nexus).iter().flat_map(|harness| nexus.waiting::<NexusChange>(harness)) {
        let NexusChange::ReadNote { note, at, .. } = change else { continue };
        let Some(name) = note.file_name().and_then(|name| name.to_str()) else { continue };
        let read = reads.entry(name.to_owned()).or_default();
        read.count = read.count.saturating_add(1);
        read.last_at = read.last_at.max(Some(at));
    }
    reads
}

/// Returns a note by its name, with or without `.md`. Only reads by agents are counted, and this one is a person's.
pub(crate) fn show(nexus: &Nexus, name: &str) -> Result<Note, NoteError> {
    let name = file_name(name);
    nexus.note(&name)?.ok_or(NoteError::NotFound(name))
}

/// Returns the file name for a path as it was shown, or for a name with or without `.md`.
pub(crate) fn file_name(name: &str) -> String {
    with_extension(name, &file(""))
}

fn with_extension(name: &str, folder: &str) -> String {
    let name = name.strip_prefix(folder).unwrap_or(name);
    if name.ends_with(".md") { name.to_owned() } else { format!("{name}.md") }
}

/// How long a person, or an agent that asked for it, waits for the lock; hooks wait less.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

fn lock(nexus: &Nexus) -> Result<Locked<'_>, NoteError> {
    Ok(nexus.lock(LOCK_TIMEOUT)?)
}

fn settings(nexus: &Nexus) -> Settings {
    settings::load(nexus.project()).0
}
