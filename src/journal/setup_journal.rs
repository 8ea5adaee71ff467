//! The journal of `nudge setup`: each file before and after a change, so that it can be undone.
//!
//! It is changed under a lock. Its content is trusted only as far as nudge could have written it: a copy must be in
//! nudge's folder, and a created folder must be above its file.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::agent_files;
use crate::config::paths;
use crate::files;
use crate::model::{Problem, fnv1a};
use crate::system::clock;

/// What was done to one file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The real file, without symlinks.
    pub(crate) path: PathBuf,
    /// The checksum of the text that we wrote.
    pub(crate) after: u64,
    /// The name of the copy of the old file; `None` if there was no file.
    pub(crate) backup: Option<String>,
    /// The folders that were created for it, innermost first.
    pub(crate) made_folders: Vec<PathBuf>,
}

#[derive(Default, Serialize, Deserialize)]
struct JournalWire {
    files: Vec<Record>,
}

/// The locked journal: no other process changes it, nor the files in it, until it is dropped.
pub(crate) struct Journal {
    records: Vec<Record>,
    folder: PathBuf,
    _lock: File,
}

/// A new journal that is ready to replace the old one.
pub(crate) struct StagedJournal {
    file: NamedTempFile,
    path: PathBuf,
}

const FILE_NAME: &str = "journal.json";

/// Name prefix of an unreadable journal that was set aside; the time follows.
const BROKEN_PREFIX: &str = "journal.json.broken-";

/// Another setup does not need longer for all files of one agent.
const LOCK_TIMEOUT: Duration = Duration::from_secs(20);

impl Journal {
    /// Locks and reads the journal; an unreadable one is set aside, and nothing is lost.
    pub(crate) fn take() -> io::Result<Journal> {
        let folder = folder()?;
        files::make_private_dir(&folder)?;
        let mut options = files::private_file();
        options.write(true).create(true).truncate(false);
        let lock = files::lock(&folder.join("lock"), &options, LOCK_TIMEOUT).map_err(|error| match error
            .kind()
        {
            io::ErrorKind::WouldBlock => io::Error::other("another `nudge setup` is running"),
            _ => error,
        })?;
        let records = match read(&folder)? {
            Ok(records) => records,
            Err(_) => {
                let at = clock::unix_seconds();
                let mut names = (0..).map(|number| folder.join(format!("{BROKEN_PREFIX}{at}-{number}")));
                let aside = names.find(|path| !path.exists()).unwrap_or_default();
                fs::rename(folder.join(FILE_NAME), aside)?;
                Vec::new()
            }
        };
        Ok(Journal { records, folder, _lock: lock })
    }

    /// Returns the record of a file.
    pub(crate) fn record(&self, path: &Path) -> Option<&Record> {
        self.records.iter().find(|record| record.path == path)
    }

    /// Adds a record, replacing an older one of the same file.
    pub(crate) fn keep(&mut self, record: Record) {
        self.forget(&record.path);
        self.records.push(record);
    }

    pub(crate) fn forget(&mut self, path: &Path) {
        self.records.retain(|record| record.path != path);
    }

    /// Writes the journal, without these files, beside the old one, which is valid until this one replaces it.
    pub(crate) fn stage(&self, without: &[PathBuf]) -> io::Result<StagedJournal> {
        let kept = self.records.iter().filter(|record| !without.contains(&record.path));
        let written = JournalWire { files: kept.cloned().collect() };
        let file = stage(&self.folder, serde_json::to_string_pretty(&written)?.as_bytes())?;
        Ok(StagedJournal { file, path: self.folder.join(FILE_NAME) })
    }

    /// Copies a text to nudge's own folder, and returns the name of the copy.
    pub(crate) fn back_up(&self, path: &Path, text: &str) -> io::Result<String> {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{}{:016x}-{file}", copy_prefix(path), sum(text));
        files::persist(stage(&self.folder, text.as_bytes())?, &self.folder.join(&name))?;
        Ok(name)
    }

    /// Removes the copies of a restored file; a copy that stays does no harm.
    pub(crate) fn remove_copies(&self, path: &Path) {
        // A journal that was set aside may still be fixed, and may name them.
        if !broken().is_empty() {
            return;
        }
        let start = copy_prefix(path);
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&start) {
                drop(fs::remove_file(entry.path()));
            }
        }
    }
}

impl StagedJournal {
    pub(crate) fn commit(self) -> io::Result<()> {
        files::persist(self.file, &self.path)
    }
}

/// Reads the records without a lock; if the journal is unreadable, returns none and a problem.
pub(crate) fn look() -> (Vec<Record>, Option<Problem>) {
    let problem = |what: &str, hint: &str| {
        let place = folder().unwrap_or_default().join(FILE_NAME);
        Problem::warning(format!("the journal of `nudge setup` cannot be read: {what}"))
            .at(&place.display().to_string(), 0, 0)
            .hint(hint)
    };
    match folder().and_then(|folder| read(&folder)) {
        Ok(Ok(records)) => (records, None),
        Ok(Err(why)) => {
            let hint = "the next change sets it aside; the copies beside it stay";
            (Vec::new(), Some(problem(&why, hint)))
        }
        Err(error) => {
            (Vec::new(), Some(problem(&error.to_string(), "fix it; until then nothing is changed")))
        }
    }
}

/// Returns the unreadable journals that were set aside.
pub(crate) fn broken() -> Vec<PathBuf> {
    let entries = folder().and_then(fs::read_dir).into_iter().flatten().flatten();
    let is_broken = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(BROKEN_PREFIX))
    };
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_broken).collect();
    found.sort();
    found
}

/// Returns a copy, if it still exists.
pub(crate) fn backed_up(name: &str) -> Option<String> {
    let path = folder().ok()?.join(name);
    let is_file = fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_file());
    is_file.then(|| fs::read_to_string(path).ok()).flatten()
}

/// Returns the folder of the journal and the copies.
pub(crate) fn folder() -> io::Result<PathBuf> {
    let data = paths::data_dir().ok_or_else(|| io::Error::other("there is no folder to keep anything in"))?;
    Ok(data.join("setup"))
}

/// Returns a checksum of a text; the same in every version, because journals outlive programs.
pub(crate) fn sum(text: &str) -> u64 {
    fnv1a(text.bytes())
}

/// Reads the journal; it may not be one that nudge wrote.
fn read(folder: &Path) -> io::Result<Result<Vec<Record>, String>> {
    let bytes = match fs::read(folder.join(FILE_NAME)) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Ok(Vec::new()));
        }
        read => read?,
    };
    let written = serde_json::from_slice::<JournalWire>(&bytes).map_err(|error| error.to_string());
    Ok(written.and_then(|written| match written.files.iter().find_map(foreign) {
        None => Ok(written.files),
        Some(path) => Err(format!("it names `{}`, which nudge did not make", path.display())),
    }))
}

/// Returns a path in a record that nudge would not write: a copy elsewhere, or a folder that is not above its file.
fn foreign(record: &Record) -> Option<PathBuf> {
    let is_copy = |name: &str| {
        let mut parts = Path::new(name).components();
        let is_plain =
            matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == name);
        is_plain && name.starts_with(&copy_prefix(&record.path))
    };
    let copy = record.backup.as_ref().filter(|name| !is_copy(name)).map(PathBuf::from);
    let is_above = |folder: &Path| record.path.ancestors().skip(1).any(|above| above == folder);
    copy.or_else(|| record.made_folders.iter().find(|folder| !is_above(folder)).cloned())
}

/// Returns the prefix of the names of all copies of a file.
fn copy_prefix(path: &Path) -> String {
    format!("{:016x}-", sum(&path.to_string_lossy()))
}

fn stage(folder: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let mut file = agent_files::unfinished().tempfile_in(folder)?;
    file.write_all(bytes)?;
    // A full disk is noticed here, before anything is changed.
    file.as_file().sync_all()?;
    Ok(file)
}
