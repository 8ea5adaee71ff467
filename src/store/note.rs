//! Notes about damage: one small file beside the database for each time it was damaged. A note says what happened, how
//! much was restored, and how far the salvage has come, so that any process can continue it.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::beside;
use crate::files::{private_file, write_whole};
use crate::model::Timestamp;

const NOTE: &str = ".salvage-";
const DAMAGED: &str = ".damaged-";

/// One case of damage, and what was done about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct DamageNote {
    pub(crate) at: Timestamp,
    /// The ending of the names of its files.
    pub(crate) name: String,
    pub(crate) kind: DamageKind,
    pub(super) next_page: u32,
    pub(super) pass: Pass,
    /// The projects by their ids in the damaged file.
    pub(super) projects: BTreeMap<i64, (String, Option<String>)>,
    /// How many observations the damaged file should have.
    pub(crate) expected: u64,
    /// How many of them could be read.
    pub(crate) readable: u64,
    /// How many of those were not in the database yet.
    pub(crate) restored: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DamageKind {
    /// The whole database was damaged, and moved away with its log.
    Database,
    /// The log lost its end, and with it the observations with these ids; if there was a log, a copy is kept.
    Log { first: i64, last: i64 },
}

/// The damaged file is read twice: rows need the names of their projects, which can be anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Pass {
    Projects,
    Rows,
    Done,
}

impl DamageNote {
    pub(super) fn new(name: String, at: Timestamp, kind: DamageKind) -> DamageNote {
        let (next_page, pass, projects) = (1, Pass::Projects, BTreeMap::new());
        DamageNote { at, name, kind, next_page, pass, projects, expected: 0, readable: 0, restored: 0 }
    }

    /// Returns whether everything that can be read was restored.
    pub(crate) fn is_finished(&self) -> bool {
        self.pass == Pass::Done
    }

    /// Returns how many observations are lost, as far as that is known.
    pub(crate) fn lost(&self) -> u64 {
        match self.kind {
            DamageKind::Database => self.expected.saturating_sub(self.readable),
            DamageKind::Log { first, last } => {
                (last - first + 1).cast_unsigned().saturating_sub(self.restored)
            }
        }
    }

    /// Returns whether an observation with this id may have been lost.
    pub(super) fn concerns(&self, id: i64) -> bool {
        match self.kind {
            DamageKind::Database => true,
            DamageKind::Log { first, last } => (first..=last).contains(&id),
        }
    }

    /// Returns the damaged file, or the copy of the damaged log.
    pub(crate) fn file(&self, database: &Path) -> PathBuf {
        let ending = if self.kind == DamageKind::Database { "" } else { "-wal" };
        beside(database, &format!("{DAMAGED}{}{ending}", self.name))
    }

    /// Returns whether this is the first process that asks, so that the damage is reported once.
    pub(crate) fn claim_telling(&self, database: &Path) -> bool {
        let path = beside(database, &format!("{NOTE}{}.told", self.name));
        private_file().write(true).create_new(true).open(path).is_ok()
    }

    pub(super) fn save(&self, database: &Path) -> io::Result<()> {
        let path = beside(database, &format!("{NOTE}{}.json", self.name));
        write_whole(&path, |out| out.write_all(&serde_json::to_vec(self)?))?
    }
}

/// Returns the notes about this database, oldest first.
pub(crate) fn damage_notes(database: &Path) -> Vec<DamageNote> {
    let read = |name: &String| {
        let bytes = fs::read(beside(database, &format!("{NOTE}{name}"))).ok()?;
        serde_json::from_slice::<DamageNote>(&bytes).ok()
    };
    let names = endings(database, NOTE);
    let mut notes: Vec<DamageNote> =
        names.iter().filter(|name| name.ends_with(".json")).filter_map(read).collect();
    notes.sort_by_key(|note| note.at);
    notes
}

/// Returns the damaged databases and logs that are kept beside this one.
pub(crate) fn damaged_files(database: &Path) -> Vec<PathBuf> {
    let names = endings(database, DAMAGED);
    let has_database =
        |name: &str| name.strip_suffix("-wal").is_some_and(|start| names.iter().any(|one| one == start));
    let mut files: Vec<PathBuf> = names
        .iter()
        .filter(|name| !name.ends_with("-shm") && !has_database(name))
        .map(|name| beside(database, &format!("{DAMAGED}{name}")))
        .collect();
    files.sort();
    files
}

/// Creates notes for damaged databases without one, which an earlier version or a killed process left.
pub(super) fn note_unnoted(database: &Path) {
    let known: Vec<String> = damage_notes(database).into_iter().map(|note| note.name).collect();
    for name in endings(database, DAMAGED) {
        let is_side_file = name.ends_with("-wal") || name.ends_with("-shm");
        if !is_side_file && !known.contains(&name) {
            let at = name.split('-').next().and_then(|seconds| seconds.parse().ok()).unwrap_or(0);
            // If this fails, the next call tries again.
            drop(DamageNote::new(name, Timestamp(at), DamageKind::Database).save(database));
        }
    }
}

/// Deletes the damaged files and the notes about them.
pub(crate) fn delete_damaged(database: &Path) -> io::Result<()> {
    for start in [DAMAGED, NOTE] {
        for name in endings(database, start) {
            fs::remove_file(beside(database, &format!("{start}{name}")))?;
        }
    }
    Ok(())
}

/// Returns the rest of the names of the files beside the database that begin with its name and `start`.
fn endings(database: &Path, start: &str) -> Vec<String> {
    let Some((folder, name)) = database.parent().zip(database.file_name()) else { return Vec::new() };
    let start = format!("{}{start}", name.to_string_lossy());
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some(entry.file_name().to_str()?.strip_prefix(&start)?.to_owned())).collect()
}
