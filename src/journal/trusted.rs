//! The rule files that this user has seen, by their content, and of which new ones the user was told.
//!
//! Never inside a repository: a folder of the user's data, with a copy of each text that was seen (to show what changed),
//! a note for each path, and empty files for what was told.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::config::paths;
use crate::files;
use crate::model::{Timestamp, sha256_hex};
use crate::system::clock;

/// Rule files are not larger than this.
const MAX_BYTES: u64 = 1 << 20;

/// A rule file that the user has seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SeenFile {
    pub(crate) path: PathBuf,
    /// The hash of its content at that time.
    pub(crate) digest: String,
    pub(crate) at: Timestamp,
}

/// Whether the user must be told of a rule file that was not seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Telling {
    /// Nobody has told the user of a rule file at this path.
    New,
    /// The user knows a file at this path, with another content.
    Changed,
    ToldBefore,
}

/// Returns whether the user has seen a text with this hash.
pub(crate) fn is_seen(digest: &str) -> bool {
    let meta = is_digest(digest).then(|| folder("seen")).flatten();
    let meta = meta.and_then(|folder| fs::symlink_metadata(folder.join(digest)).ok());
    meta.is_some_and(|meta| meta.is_file() && files::is_ours_alone(&meta)) && is_ours()
}

/// Writes down that the user has seen the text of a rule file.
pub(crate) fn see(path: &Path, text: &[u8]) -> io::Result<()> {
    let digest = sha256_hex(text);
    let seen = made_folder("seen")?;
    files::replace(&seen.join(&digest), &[text])?;
    let note = SeenFile { path: path.to_owned(), digest, at: clock::timestamp() };
    let note = serde_json::to_vec(&note)?;
    files::replace(&made_folder("files")?.join(name_of(path)), &[&note])
}

/// Forgets that a rule file was seen: what it was, and what it is now.
pub(crate) fn forget(path: &Path, now: Option<&str>) -> io::Result<bool> {
    let known = seen_at(path).map(|file| file.digest);
    let digests = known.into_iter().chain(now.map(str::to_owned)).filter(|digest| is_digest(digest));
    let mut was_seen = false;
    for file in digests.filter_map(|digest| Some(folder("seen")?.join(digest))) {
        was_seen |= removed(&file)?;
    }
    if let Some(note) = folder("files").map(|folder| folder.join(name_of(path))) {
        was_seen |= removed(&note)?;
    }
    Ok(was_seen)
}

fn removed(path: &Path) -> io::Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns every file that was seen, by path.
pub(crate) fn all() -> Vec<SeenFile> {
    let entries = folder("files").and_then(|folder| fs::read_dir(folder).ok());
    let mut all: Vec<SeenFile> =
        entries.into_iter().flatten().flatten().filter_map(|entry| read_note(&entry.path())).collect();
    all.sort_by(|one, two| one.path.cmp(&two.path));
    all
}

/// Returns what was seen at a path.
pub(crate) fn seen_at(path: &Path) -> Option<SeenFile> {
    read_note(&folder("files")?.join(name_of(path))).filter(|file| file.path == path)
}

/// Returns a text that was seen.
pub(crate) fn text(digest: &str) -> Option<String> {
    let bytes = files::read_regular(&folder("seen")?.join(digest), MAX_BYTES).ok()?;
    String::from_utf8(bytes).ok().filter(|_| is_digest(digest))
}

/// Decides who tells the user of a file that was not seen: of two sessions that start at once, one.
pub(crate) fn claim(path: &Path, digest: &str) -> io::Result<Telling> {
    let told = made_folder("told")?;
    let claimed =
        |name: String| match files::private_file().write(true).create_new(true).open(told.join(name)) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        };
    let place = name_of(path);
    if !claimed(sha256_hex(format!("{place} {digest}").as_bytes()))? {
        return Ok(Telling::ToldBefore);
    }
    let is_first = claimed(place)? && seen_at(path).is_none();
    Ok(if is_first { Telling::New } else { Telling::Changed })
}

fn read_note(path: &Path) -> Option<SeenFile> {
    let is_ours_alone = fs::symlink_metadata(path).is_ok_and(|meta| files::is_ours_alone(&meta));
    serde_json::from_slice(&files::read_regular(path, 64 << 10).ok().filter(|_| is_ours_alone)?).ok()
}

/// Returns the name under which a path is kept: paths come from outside.
fn name_of(path: &Path) -> String {
    sha256_hex(path.as_os_str().as_encoded_bytes())
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns whether nobody else can write into the folder: otherwise it proves nothing.
fn is_ours() -> bool {
    let is_ours =
        |folder: PathBuf| fs::symlink_metadata(folder).is_ok_and(|meta| files::is_ours_alone(&meta));
    folder("seen").is_some_and(is_ours)
}

fn made_folder(name: &str) -> io::Result<PathBuf> {
    let folder = folder(name).ok_or_else(|| io::Error::other("there is no folder for data: set HOME"))?;
    files::make_private_dir(&folder)?;
    Ok(folder)
}

fn folder(name: &str) -> Option<PathBuf> {
    Some(paths::data_dir()?.join("trust").join(name))
}
