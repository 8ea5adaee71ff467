//! Keeps paths inside: after links are resolved, a file of ours lies where its name says.

use std::fs;
use std::io;
use std::path::{Component, Path};

use super::{NexusError, Result};
use crate::files::canonical;

/// Holds that a folder, with all links resolved, lies in another one.
pub(super) fn hold(folder: &Path, within: &Path, name: &str) -> Result<()> {
    if is_plain(folder, within) {
        return Ok(());
    }
    let resolved = |path: &Path| {
        canonical(path).map_err(|source| NexusError::Io { deed: "find", file: name.to_owned(), source })
    };
    if resolved(folder)?.starts_with(resolved(within)?) {
        return Ok(());
    }
    Err(NexusError::Escapes { file: name.to_owned() })
}

/// Holds that a path is no link: what it leads to is not ours to read or to replace.
pub(super) fn refuse_link(path: &Path, name: &str) -> Result<()> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_symlink() => Err(NexusError::Escapes { file: name.to_owned() }),
        _ => Ok(()),
    }
}

/// Says whether a folder is there, and no link on the way to it from another one: then it lies in that, wherever that is.
///
/// Hooks ask for each file they touch, and to resolve both paths takes a call for each folder from the top of the disk.
pub(super) fn is_plain(folder: &Path, within: &Path) -> bool {
    let Ok(way) = folder.strip_prefix(within) else { return false };
    let mut reached = within.to_owned();
    way.components().all(|part| {
        reached.push(part);
        matches!(part, Component::Normal(_)) && fs::symlink_metadata(&reached).is_ok_and(|meta| meta.is_dir())
    })
}

/// Makes the folders of a relative path below a base, and none outside of it.
pub(super) fn make_folders(base: &Path, folders: &Path, name: &str) -> Result<()> {
    if is_plain(&base.join(folders), base) {
        return Ok(());
    }
    let mut folder = base.to_owned();
    for part in folders.components() {
        folder.push(part);
        match fs::create_dir(&folder) {
            Err(source) if source.kind() != io::ErrorKind::AlreadyExists => {
                return Err(NexusError::Io { deed: "make the folder of", file: name.to_owned(), source });
            }
            _ => hold(&folder, base, name)?,
        }
    }
    Ok(())
}

/// Returns what is wrong with a name that somebody else gave a file.
pub(super) fn why_bad(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        return Some("it is empty");
    }
    if name.contains(['\0', '\n', '\r']) {
        return Some("it has control characters");
    }
    if name.ends_with(['/', '\\']) {
        return Some("it names a folder");
    }
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    // On one system a backslash parts folders, on another it is a letter; the file must be the same on both.
    if name.contains('\\') || !Path::new(name).components().all(is_plain) {
        return Some("it leaves the folder of artifacts");
    }
    None
}
