//! Keeps paths inside: after links are resolved, a file of ours lies where its name says.

use std::fs;
use std::io;
use std::path::{Component, Path};

use super::{NexusError, Result};
use crate::files::canonical;

/// Holds that a folder, with all links resolved, lies in another one.
pub(super) fn hold(folder: &Path, within: &Path, name: &str) -> Result<()> {
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

/// Makes the folders of a relative path below a base, and none outside of it.
pub(super) fn make_folders(base: &Path, folders: &Path, name: &str) -> Result<()> {
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
