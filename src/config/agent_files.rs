//! The files of agents: read as they are, and changed all or none.
//!
//! A symlink is followed to the real file, whose permissions stay; who reads meanwhile sees the old text or the new.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::files;
use crate::model::{Problem, Reach};

/// Returns the text of a file; `None` if there is no such file.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Problem> {
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

/// A file that is ready to be put in place, or to go.
pub(crate) struct Staged {
    target: PathBuf,
    next: Option<NamedTempFile>,
}

/// Prepares the new text of a file, or its end; nothing is changed yet, but whatever can go wrong has.
pub(crate) fn stage(path: &Path, text: Option<&str>, reach: Reach) -> Result<Staged, Problem> {
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
    let Some(folder) = target.ancestors().skip(1).find(|folder| folder.exists()) else {
        return Err(about(path, "there is no folder for this"));
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".nudge-");
    // What is new in the user's own folders may get secrets of the agent later; a project is shared.
    #[cfg(unix)]
    if reach == Reach::Project {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = reach;
    let mut file = builder.tempfile_in(folder).map_err(fault)?;
    let Some(text) = text else { return Ok(Staged { target, next: None }) };
    if let Some(meta) = meta {
        file.as_file().set_permissions(meta.permissions()).map_err(fault)?;
    }
    file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(fault)?;
    Ok(Staged { target, next: Some(file) })
}

impl Staged {
    /// Puts it in place, and returns the folders that had to be made for it.
    pub(crate) fn commit(self) -> Result<Vec<PathBuf>, Problem> {
        let fault = |error: io::Error| about(&self.target, &format!("this could not be written: {error}"));
        let Some(next) = self.next else {
            return fs::remove_file(&self.target).map(|()| Vec::new()).map_err(fault);
        };
        let parents = self.target.ancestors().skip(1);
        let made: Vec<PathBuf> = parents.take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
        for folder in made.iter().rev() {
            fs::create_dir(folder).map_err(fault)?;
        }
        next.persist(&self.target).map_err(|error| fault(error.error))?;
        Ok(made)
    }
}

/// Removes folders that were made for a file, as far as nobody has put anything else there.
pub(crate) fn remove_folders(folders: &[PathBuf]) {
    for folder in folders {
        if fs::remove_dir(folder).is_err() {
            return;
        }
    }
}

fn about(path: &Path, what: &str) -> Problem {
    Problem::error(what).at(&path.display().to_string(), 0, 0)
}
