//! The files of agents: read as they are, and changed all or none.
//!
//! A symlink is followed to the real file, whose owner and permissions stay; who reads meanwhile sees the old text or the
//! new.

mod swap;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::files;
use crate::model::{Problem, Reach};

/// What files are called until they are put in place; nobody else calls theirs so.
const UNFINISHED: (&str, &str) = (".nudge-setup-", ".tmp");

/// Returns the text of a file; `None` if there is no such file.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Problem> {
    // A pipe may never end, and what is put in the place of a device breaks the machine.
    if fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        return Err(about(path, "this is no regular file").hint("move it away, and try again"));
    }
    match fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(about(path, "this is no UTF-8 text").hint("save it as UTF-8, and try again")),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(about(path, "this link leads nowhere").hint("mend or remove it, and try again"))
        }
        Err(error) => Err(about(path, &format!("this cannot be read: {error}"))),
    }
}

/// Returns the path without symlinks; what does not exist yet is named from the nearest folder that does.
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
    /// What is there now; anything else was written meanwhile.
    before: Option<String>,
    after: Option<String>,
    next: NamedTempFile,
    /// The folders that have to be made for it, innermost first.
    pub(crate) missing_folders: Vec<PathBuf>,
}

/// Why a file is not as it should be now.
#[derive(Debug)]
pub(crate) enum CommitError {
    /// Another program wrote it meanwhile, and what it wrote is there.
    Changed,
    Failed(Problem),
}

/// Prepares the change of a file from one text to another, where `None` is no file. Nothing is changed yet, but whatever
/// can go wrong has.
pub(crate) fn stage(
    path: &Path,
    before: Option<&str>,
    text: Option<&str>,
    reach: Reach,
) -> Result<Staged, Problem> {
    let target = real(path);
    let meta = fs::metadata(&target).ok();
    let fault = |error: io::Error| {
        about(path, &format!("this cannot be written: {error}"))
            .hint("nothing was changed; give yourself the right to write there")
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
    // What is new in the user's own folders may get secrets of the agent later; a project is shared.
    #[cfg(unix)]
    if reach == Reach::Project {
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
    /// Puts it in place, or deletes what is there; if that fails, nothing is changed.
    ///
    /// What another program writes at the same moment is not lost: the two files change places, and if what came out is
    /// not what the change was made for, it is put back.
    pub(crate) fn commit(self) -> Result<(), CommitError> {
        let Staged { target, before, after, next, missing_folders } = self;
        let fault = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => CommitError::Changed,
            _ => CommitError::Failed(about(&target, &format!("this could not be written: {error}"))),
        };
        // Another file of the same agent may have made some of them.
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

/// Removes folders that were made for a file, as far as nobody has put anything else there.
pub(crate) fn remove_folders(folders: &[PathBuf]) {
    for folder in folders {
        match fs::remove_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return,
            _ => {}
        }
    }
}

/// Returns how a file is made that is not finished.
pub(super) fn unfinished() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED.0).suffix(UNFINISHED.1);
    builder
}

/// Returns what was not finished in these folders: a setup was killed, or is at work.
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
    /// No file of an agent lies deeper in what may be missing.
    const DEPTH: usize = 4;
    path.ancestors().skip(1).take(DEPTH)
}

/// Only root can give a file away, and only root has to.
fn keep_owner(file: &NamedTempFile, meta: &fs::Metadata) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        drop(fchown(file.as_file(), Some(meta.uid()), Some(meta.gid())));
    }
    #[cfg(not(unix))]
    let _ = (file, meta);
}

/// Copies what else belongs to a file, such as access lists; some of it only root may set.
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

/// The largest list of names, and the largest value, that Linux has.
#[cfg(any(target_os = "linux", target_os = "macos"))]
const MAX_ATTRIBUTE_BYTES: usize = 64 << 10;

fn about(path: &Path, what: &str) -> Problem {
    Problem::error(what).at(&path.display().to_string(), 0, 0)
}
