//! The folder itself: only ours, or not used at all.
//!
//! `/tmp/nudge` lies where everybody may write: who comes first could lay out an address that leads to himself.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::files::{private_dir, read_regular};

/// A folder that nobody else can look into or write to.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    path: PathBuf,
}

/// The files of the folder.
pub(super) const ADDRESS: &str = "server.pid";
pub(super) const SNAPSHOT: &str = "server.snapshot";
pub(super) const TOKEN: &str = "server.token";
pub(super) const PRIMACY: &str = "server.lock";
pub(super) const MEMBERS: &str = "members.lock";
const BUFFER: usize = 64 << 10;
/// What a file is called until it is whole.
const UNFINISHED: &str = ".server-";

impl Folder {
    /// Opens the first of these folders that is safe, making it where there is none.
    pub(crate) fn open(choices: &[PathBuf]) -> Result<Folder, String> {
        let mut reasons = Vec::new();
        for path in choices {
            let made = make(path).map_err(|error| error.to_string());
            match made.and_then(|()| examine(path)) {
                Ok(()) => return Ok(Folder { path: path.clone() }),
                Err(reason) => reasons.push(format!("{}: {reason}", path.display())),
            }
        }
        Err(reasons.join("; "))
    }

    /// Finds the folder that a server would use, and makes none.
    pub(crate) fn find(choices: &[PathBuf]) -> Option<Folder> {
        let path = choices.iter().find(|path| examine(path).is_ok())?;
        Some(Folder { path: path.clone() })
    }

    /// Says in a sentence why a folder is not used; `None` if it is safe, or not there yet.
    pub(crate) fn unsafe_reason(path: &Path) -> Option<String> {
        fs::symlink_metadata(path).ok()?;
        examine(path).err()
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Reads a small file whole; one that is not there, or larger than we would write it, is as good as none.
    pub(super) fn read(&self, name: &str, most: u64) -> Option<Vec<u8>> {
        read_regular(&self.file(name), most).ok()
    }

    /// Writes a file so that readers see the old one or the new one, and nobody else sees either.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.write_with(name, |out| out.write_all(bytes))
    }

    /// The same for what is made while it is written.
    pub(super) fn write_with(
        &self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&self.path)?;
        let mut out = BufWriter::with_capacity(BUFFER, file.as_file_mut());
        write(&mut out)?;
        out.flush()?;
        drop(out);
        file.persist(self.file(name)).map_err(|error| error.error)?;
        Ok(())
    }

    pub(super) fn remove(&self, name: &str) {
        drop(fs::remove_file(self.file(name)));
    }

    /// Removes what a group of servers left, the locks aside.
    pub(super) fn clear(&self) {
        for name in [ADDRESS, SNAPSHOT, TOKEN] {
            self.remove(name);
        }
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            if entry.file_name().to_str().is_some_and(|name| name.starts_with(UNFINISHED)) {
                drop(fs::remove_file(entry.path()));
            }
        }
    }
}

/// Says whether a user may ask this process: ourselves, and root, who could anyway.
#[cfg(unix)]
pub(crate) fn is_ours(uid: u32) -> bool {
    uid == 0 || uid == rustix::process::geteuid().as_raw()
}

/// Elsewhere users have no numbers, and the token tells them apart.
#[cfg(not(unix))]
pub(crate) fn is_ours(_: u32) -> bool {
    false
}

fn make(path: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent().filter(|parent| !parent.exists()) {
        private_dir().recursive(true).create(parent)?;
    }
    match private_dir().create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// Says in a sentence what is unsafe about a folder.
fn examine(path: &Path) -> Result<(), String> {
    let meta = fs::symlink_metadata(path).map_err(|error| error.to_string())?;
    if meta.is_symlink() {
        return Err("is a symbolic link".to_owned());
    }
    if !meta.is_dir() {
        return Err("is no folder".to_owned());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if meta.uid() != rustix::process::geteuid().as_raw() {
            return Err(format!("belongs to the user with the number {}", meta.uid()));
        }
        if meta.mode() & 0o077 != 0 {
            return Err(format!("is open to others (mode {:o}, not 700)", meta.mode() & 0o777));
        }
    }
    Ok(())
}
