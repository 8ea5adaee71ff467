//! The files of agents: read unchanged, and changed all together or not at all.
//!
//! A symlink is followed to the real file, whose owner and permissions stay; a concurrent reader sees the old text or
//! the new one.

mod swap;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::files;
use crate::model::{InstallScope, Problem};

/// Prefix and suffix of files that are not in place yet; no other program uses them.
const UNFINISHED: (&str, &str) = (".nudge-setup-", ".tmp");

/// Returns the text of a file; `None` if there is no such file.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Problem> {
    // A pipe may never end, and replacing a device breaks the machine.
    if fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        return Err(about(path, "this is not a regular file").hint("move it away, and try again"));
    }
    match fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(about(path, "this is not UTF-8 text").hint("save it as UTF-8, and try again")),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(about(path, "this link is broken").hint("fix or remove it, and try again"))
        }
        Err(error) => Err(about(path, &format!("this cannot be read: {error}"))),
    }
}

/// Returns the path without symlinks; for a missing file, the path from the nearest existing folder.
pub(crate) fn real(path: &Path) -> PathBuf {
    if let Ok(real) = files::canonical(path) {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => real(parent).join(name),
        _ => path.to_owned(),
    }
}

/// Returns the first link on the way from a folder to a file that leads out of the folder, or to nothing.
pub(crate) fn link_out(path: &Path, folder: &Path) -> Option<PathBuf> {
    let way = path.strip_prefix(folder).ok()?;
    let is_inside = |link: &Path| files::leads_inside(link, folder).unwrap_or(false);
    let mut reached = folder.to_owned();
    way.components().find_map(|part| {
        reached.push(part);
        (reached.is_symlink() && !is_inside(&reached)).then(|| reached.clone())
    })
}

/// A file that is ready to be put in place, or to be deleted.
pub(crate) struct Staged {
    target: PathBuf,
    /// The expected current text; anything else was written meanwhile.
    before: Option<String>,
    after: Option<String>,
    next: NamedTempFile,
    /// The folders that must be created for it, innermost first.
    pub(crate) missing_folders: Vec<PathBuf>,
}

/// Why a file is not as it should be now.
#[derive(Debug)]
pub(crate) enum CommitError {
    /// Another program wrote it meanwhile, and its text was kept.
    Changed,
    Failed(Problem),
}

/// Prepares the change of a file from one text to another; `None` means no file. Nothing is changed yet, but whatever
/// can fail has been tried.
pub(crate) fn stage(
    path: &Path,
    before: Option<&str>,
    text: Option<&str>,
    reach: InstallScope,
) -> Result<Staged, Problem> {
    let target = real(path);
    let meta = fs::metadata(&target).ok();
    let fault = |error: io::Error| {
        about(path, &format!("this cannot be written: {error}"))
            .hint("nothing was changed; give yourself write permission there")
    };
    if meta.as_ref().is_some_and(|meta| meta.permissions().readonly()) {
        return Err(about(path, "this file is read-only")
            .hint("nothing was changed; make it writable, and try again"));
    }
    let parents = target.ancestors().skip(1);
    let missing_folders: Vec<PathBuf> =
        parents.take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
    let Some(folder) = target.ancestors().skip(1).find(|folder| folder.exists()) else {
        return Err(about(path, "there is no folder for this"));
    };
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has modes"))]
    let mut builder = unfinished();
    // A new file in the user's own folders may contain the agent's secrets later; a project is shared.
    #[cfg(unix)]
    if reach == InstallScope::Project {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = reach;
    let mut file = builder.tempfile_in(folder).map_err(fault)?;
    if let Some(text) = text {
        if let Some(meta) = meta {
            keep_owner(&file, &meta);
            keep_attributes(&file, &target);
            file.as_file().set_permissions(meta.permissions()).map_err(fault)?;
        }
        file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(fault)?;
    }
    let (before, after) = (before.map(str::to_owned), text.map(str::to_owned));
    Ok(Staged { target, before, after, next: file, missing_folders })
}

impl Staged {
    /// Puts it in place, or deletes the file; if that fails, nothing is changed.
    ///
    /// Text that another program writes at the same time is not lost: the two files are exchanged, and if the old file
    /// is not the expected one, it is restored.
    pub(crate) fn commit(self) -> Result<(), CommitError> {
        let Staged { target, before, after, next, missing_folders } = self;
        let fault = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => CommitError::Changed,
            _ => CommitError::Failed(about(&target, &format!("this could not be written: {error}"))),
        };
        // Another file of the same agent may have created some of them.
        let missing: Vec<PathBuf> = missing_folders.into_iter().filter(|folder| !folder.exists()).collect();
        let done = match (&before, &after) {
            (Some(before), Some(_)) => swap::replace(next, &target, before),
            (Some(before), None) => swap::remove(next, &target, before),
            (None, Some(_)) => {
                let made = missing.iter().rev().try_for_each(fs::create_dir);
                made.and_then(|()| next.persist_noclobber(&target).map(drop).map_err(|error| error.error))
            }
            (None, None) => Ok(()),
        };
        if done.is_err() {
            remove_folders(&missing);
        }
        done.map_err(fault)?;
        files::sync_folder_of(&target);
        missing.iter().for_each(|folder| files::sync_folder_of(folder));
        Ok(())
    }
}

/// Removes folders that were created for a file, unless they contain something else.
pub(crate) fn remove_folders(folders: &[PathBuf]) {
    for folder in folders {
        match fs::remove_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return,
            _ => {}
        }
    }
}

/// Returns a builder for unfinished files.
pub(super) fn unfinished() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED.0).suffix(UNFINISHED.1);
    builder
}

/// Returns the unfinished files in these folders: a setup was killed, or is running.
pub(crate) fn find_unfinished<'p>(folders: impl IntoIterator<Item = &'p Path>) -> Vec<PathBuf> {
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(UNFINISHED.0) && name.ends_with(UNFINISHED.1) && !path.is_symlink() && path.is_file()
    };
    let entries = folders.into_iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_ours).collect();
    found.sort();
    found.dedup();
    found
}

/// Returns the folders in which a file may have been prepared.
pub(crate) fn folders_of(path: &Path) -> impl Iterator<Item = &Path> {
    /// Maximum number of missing folders above an agent's file.
    const MAX_DEPTH: usize = 4;
    path.ancestors().skip(1).take(MAX_DEPTH)
}

/// Only root can change a file's owner, and only root needs to.
fn keep_owner(file: &NamedTempFile, meta: &fs::Metadata) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        drop(fchown(file.as_file(), Some(meta.uid()), Some(meta.gid())));
    }
    #[cfg(not(unix))]
    let _ = (file, meta);
}

/// Copies extended attributes, such as access lists; only root may set some of them.
fn keep_attributes(file: &NamedTempFile, from: &Path) {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        use rustix::fs::{XattrFlags, fsetxattr, getxattr, listxattr};
        let mut names = vec![0; MAX_ATTRIBUTE_BYTES];
        let length = listxattr(from, &mut names[..]).unwrap_or(0);
        for name in names[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
            let mut value = vec![0; MAX_ATTRIBUTE_BYTES];
            if let Ok(length) = getxattr(from, name, &mut value[..]) {
                let _may_fail = fsetxattr(file.as_file(), name, &value[..length], XattrFlags::empty());
            }
        }
    }
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    let _ = (file, from);
}

/// The largest list of names, and the largest value, on Linux.
#[cfg(any(target_os = "linux", target_os = "macos"))]
const MAX_ATTRIBUTE_BYTES: usize = 64 << 10;

fn about(path: &Path, what: &str) -> Problem {
    Problem::error(what).at(&path.display().to_string(), 0, 0)
}
