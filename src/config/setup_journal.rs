//! The journal of `nudge setup`: what each file was before, and what we made of it, so that it can be undone.
//!
//! Whoever changes it has a lock for as long. What it says is believed only as far as it could be ours: a copy lies in
//! our folder, and a folder that was made lies above its file.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::{agent_files, clock, paths};
use crate::files;
use crate::model::Problem;

/// What was done to one file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The real file, without symlinks.
    pub(crate) path: PathBuf,
    /// The sum of what we wrote.
    pub(crate) after: u64,
    /// The name of the copy of what was there before; `None` if there was no file.
    pub(crate) backup: Option<String>,
    /// The folders that were made for it, innermost first.
    pub(crate) made_folders: Vec<PathBuf>,
}

#[derive(Default, Serialize, Deserialize)]
struct Written {
    files: Vec<Record>,
}

/// The journal in our hands: nobody else changes it, nor the files that it is about, until it is dropped.
pub(crate) struct Journal {
    records: Vec<Record>,
    folder: PathBuf,
    _lock: File,
}

/// A journal that is ready to be put in the place of the old one.
pub(crate) struct StagedJournal {
    file: NamedTempFile,
    path: PathBuf,
}

const NAME: &str = "journal.json";

/// What an unreadable journal is called from then on, with the time behind it.
const BROKEN: &str = "journal.json.broken-";

/// Others need no longer for all files of one agent.
const PATIENCE: Duration = Duration::from_secs(20);

impl Journal {
    /// Takes the journal; one that cannot be read is set aside, and nothing of it is lost.
    pub(crate) fn take() -> io::Result<Journal> {
        let folder = folder()?;
        files::make_private_dir(&folder)?;
        let mut options = files::private_file();
        options.write(true).create(true).truncate(false);
        let lock =
            files::lock(&folder.join("lock"), &options, PATIENCE).map_err(|error| match error.kind() {
                io::ErrorKind::WouldBlock => io::Error::other("another `nudge setup` is at work"),
                _ => error,
            })?;
        let records = match read(&folder)? {
            Ok(records) => records,
            Err(_) => {
                let at = clock::unix_seconds();
                let mut names = (0..).map(|number| folder.join(format!("{BROKEN}{at}-{number}")));
                let aside = names.find(|path| !path.exists()).unwrap_or_default();
                fs::rename(folder.join(NAME), aside)?;
                Vec::new()
            }
        };
        Ok(Journal { records, folder, _lock: lock })
    }

    /// Returns the record of a file.
    pub(crate) fn record(&self, path: &Path) -> Option<&Record> {
        self.records.iter().find(|record| record.path == path)
    }

    /// Keeps a record, in place of an older one of the same file.
    pub(crate) fn keep(&mut self, record: Record) {
        self.forget(&record.path);
        self.records.push(record);
    }

    pub(crate) fn forget(&mut self, path: &Path) {
        self.records.retain(|record| record.path != path);
    }

    /// Writes the journal, without these files, beside the old one, which holds until this one is put in its place.
    pub(crate) fn stage(&self, without: &[PathBuf]) -> io::Result<StagedJournal> {
        let kept = self.records.iter().filter(|record| !without.contains(&record.path));
        let written = Written { files: kept.cloned().collect() };
        let file = stage(&self.folder, serde_json::to_string_pretty(&written)?.as_bytes())?;
        Ok(StagedJournal { file, path: self.folder.join(NAME) })
    }

    /// Copies a text to our own folder, and returns the name of the copy.
    pub(crate) fn back_up(&self, path: &Path, text: &str) -> io::Result<String> {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{}{:016x}-{file}", copies_of(path), sum(text));
        files::persist(stage(&self.folder, text.as_bytes())?, &self.folder.join(&name))?;
        Ok(name)
    }

    /// Removes the copies of a file that is back; one that stays harms nobody.
    pub(crate) fn remove_copies(&self, path: &Path) {
        // A journal that was set aside may still be mended, and name them.
        if !broken().is_empty() {
            return;
        }
        let start = copies_of(path);
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

/// Looks at the records as they are; what is wrong with the journal is a problem, and then there are none.
pub(crate) fn look() -> (Vec<Record>, Option<Problem>) {
    let problem = |what: &str, hint: &str| {
        let place = folder().unwrap_or_default().join(NAME);
        Problem::warning(format!("what `nudge setup` wrote down cannot be read: {what}"))
            .at(&place.display().to_string(), 0, 0)
            .hint(hint)
    };
    match folder().and_then(|folder| read(&folder)) {
        Ok(Ok(records)) => (records, None),
        Ok(Err(why)) => {
            let hint = "it is set aside with the next change; the copies beside it stay";
            (Vec::new(), Some(problem(&why, hint)))
        }
        Err(error) => {
            (Vec::new(), Some(problem(&error.to_string(), "mend it; until then nothing is changed")))
        }
    }
}

/// Returns the journals that could not be read, and were set aside.
pub(crate) fn broken() -> Vec<PathBuf> {
    let entries = folder().and_then(fs::read_dir).into_iter().flatten().flatten();
    let is_broken =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(BROKEN));
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_broken).collect();
    found.sort();
    found
}

/// Returns a copy, if it is still there.
pub(crate) fn backed_up(name: &str) -> Option<String> {
    let path = folder().ok()?.join(name);
    let is_file = fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_file());
    is_file.then(|| fs::read_to_string(path).ok()).flatten()
}

/// Returns the folder of the copies.
pub(crate) fn folder() -> io::Result<PathBuf> {
    let data = paths::data_dir().ok_or_else(|| io::Error::other("there is no folder to keep anything in"))?;
    Ok(data.join("setup"))
}

/// Tells texts apart; the same in every version, since journals outlive programs (FNV-1a).
pub(crate) fn sum(text: &str) -> u64 {
    let step = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Reads the journal; what is in it may be no journal of ours.
fn read(folder: &Path) -> io::Result<Result<Vec<Record>, String>> {
    let bytes = match fs::read(folder.join(NAME)) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Ok(Vec::new()));
        }
        read => read?,
    };
    let written = serde_json::from_slice::<Written>(&bytes).map_err(|error| error.to_string());
    Ok(written.and_then(|written| match written.files.iter().find_map(foreign) {
        None => Ok(written.files),
        Some(path) => Err(format!("it names `{}`, which is not ours", path.display())),
    }))
}

/// Returns what a record names that no record of ours would: a copy elsewhere, or a folder that is not above its file.
fn foreign(record: &Record) -> Option<PathBuf> {
    let is_copy = |name: &str| {
        let mut parts = Path::new(name).components();
        let is_plain =
            matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == name);
        is_plain && name.starts_with(&copies_of(&record.path))
    };
    let copy = record.backup.as_ref().filter(|name| !is_copy(name)).map(PathBuf::from);
    let is_above = |folder: &Path| record.path.ancestors().skip(1).any(|above| above == folder);
    copy.or_else(|| record.made_folders.iter().find(|folder| !is_above(folder)).cloned())
}

/// Returns what the names of all copies of a file begin with.
fn copies_of(path: &Path) -> String {
    format!("{:016x}-", sum(&path.to_string_lossy()))
}

fn stage(folder: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let mut file = agent_files::unfinished().tempfile_in(folder)?;
    file.write_all(bytes)?;
    // A full disk is noticed here, before anything is changed.
    file.as_file().sync_all()?;
    Ok(file)
}
