//! Keeps files inside their folder, also after links are resolved.

use std::fs;
use std::io;
use std::path::{Component, Path};

use super::{NexusError, Result};
use crate::files::canonical;

/// Checks that a folder, with all links resolved, is in another one.
pub(super) fn require_within(folder: &Path, within: &Path, name: &str) -> Result<()> {
    if is_plain(folder, within) {
        return Ok(());
    }
    let resolved = |path: &Path| {
        canonical(path).map_err(|source| NexusError::Io { action: "find", file: name.to_owned(), source })
    };
    if resolved(folder)?.starts_with(resolved(within)?) {
        return Ok(());
    }
    Err(NexusError::Escapes { file: name.to_owned() })
}

/// Checks that a path is not a link: its target must not be read or replaced.
pub(super) fn refuse_link(path: &Path, name: &str) -> Result<()> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_symlink() => Err(NexusError::Escapes { file: name.to_owned() }),
        _ => Ok(()),
    }
}

/// Returns whether a folder exists with no link between it and `within`: then it is inside, wherever `within` is.
///
/// Hooks check each file that they touch, and resolving both paths takes a system call for each folder from the root.
pub(super) fn is_plain(folder: &Path, within: &Path) -> bool {
    let Ok(relative) = folder.strip_prefix(within) else { return false };
    let mut reached = within.to_owned();
    relative.components().all(|part| {
        reached.push(part);
        matches!(part, Component::Normal(_)) && fs::symlink_metadata(&reached).is_ok_and(|meta| meta.is_dir())
    })
}

/// Creates the folders of a relative path below a base, and none outside of it.
pub(super) fn make_folders(base: &Path, folders: &Path, name: &str) -> Result<()> {
    if is_plain(&base.join(folders), base) {
        return Ok(());
    }
    let mut folder = base.to_owned();
    for part in folders.components() {
        folder.push(part);
        match fs::create_dir(&folder) {
            Err(source) if source.kind() != io::ErrorKind::AlreadyExists => {
                return Err(NexusError::Io { action: "make the folder of", file: name.to_owned(), source });
            }
            _ => require_within(&folder, base, name)?,
        }
    }
    Ok(())
}

/// Returns what is wrong with a file name that an agent or user gave.
pub(super) fn why_bad(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        return Some("it is empty");
    }
    if name.contains(char::is_control) {
        return Some("it has control characters");
    }
    // A folder with this name is a repository, whose settings git follows: they may name programs to run.
    if name.split(['/', '\\']).any(|part| part.eq_ignore_ascii_case(".git")) {
        return Some("it is in a `.git` folder");
    }
    if name.ends_with(['/', '\\']) || Path::new(name).file_name().is_none() {
        return Some("it names a folder");
    }
    // `./` in front changes nothing, as in the middle of a path.
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    // A backslash separates folders on one system and is a letter on another; the file must be the same on both.
    if name.contains('\\') || !Path::new(name).components().all(is_plain) {
        return Some("it is outside the artifacts folder");
    }
    None
}
