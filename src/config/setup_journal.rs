//! The journal of `nudge setup`: what each file was before, and what we made of it, so that it can be undone.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::paths;
use crate::files;

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
struct Journal {
    files: Vec<Record>,
}

/// Returns the record of a file.
pub(crate) fn record(path: &Path) -> Option<Record> {
    load().files.into_iter().find(|record| record.path == path)
}

/// Keeps a record, in place of an older one of the same file; a copy that is no longer named goes.
pub(crate) fn keep(record: Record) -> io::Result<()> {
    let path = record.path.clone();
    change(&path, Some(record))
}

/// Forgets a file, and its copy.
pub(crate) fn forget(path: &Path) -> io::Result<()> {
    change(path, None)
}

fn change(path: &Path, record: Option<Record>) -> io::Result<()> {
    let mut journal = load();
    let kept = record.as_ref().and_then(|record| record.backup.clone());
    let old = journal.files.iter().filter(|old| old.path == path).filter_map(|old| old.backup.clone());
    let unnamed: Vec<String> = old.filter(|old| Some(old) != kept.as_ref()).collect();
    journal.files.retain(|old| old.path != path);
    journal.files.extend(record);
    write("journal.json", serde_json::to_string_pretty(&journal)?.as_bytes())?;
    for name in unnamed {
        fs::remove_file(folder()?.join(name))?;
    }
    Ok(())
}

/// Copies a text to our own folder, and returns the name of the copy.
pub(crate) fn back_up(path: &Path, text: &str) -> io::Result<String> {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let name = format!("{:016x}-{:016x}-{file}", sum(&path.to_string_lossy()), sum(text));
    write(&name, text.as_bytes())?;
    Ok(name)
}

/// Returns a copy, if it is still there.
pub(crate) fn backed_up(name: &str) -> Option<String> {
    fs::read_to_string(folder().ok()?.join(name)).ok()
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

fn load() -> Journal {
    let text = folder().ok().and_then(|folder| fs::read_to_string(folder.join("journal.json")).ok());
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

fn write(name: &str, bytes: &[u8]) -> io::Result<()> {
    let folder = folder()?;
    files::make_private_dir(&folder)?;
    let mut file = NamedTempFile::new_in(&folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(folder.join(name))?;
    Ok(())
}
