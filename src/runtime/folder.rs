//! The folder itself: only ours, or not used at all.
//!
//! `/tmp/nudge` lies where everybody may write: who comes first could lay out an address that leads to himself.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::lock::Membership;
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
pub(super) const SOCKET: &str = "server.sock";
#[cfg(unix)]
const FILES: [&str; 6] = [ADDRESS, SNAPSHOT, TOKEN, PRIMACY, MEMBERS, SOCKET];
const BUFFER: usize = 64 << 10;
/// What a file is called until it is whole.
const UNFINISHED: &str = ".server-";

impl Folder {
    /// Opens the folder in which servers meet: where some of them are, else the first of these that is safe or can be made
    /// safe. All servers and commands of a user come to the same one.
    pub(crate) fn open(choices: &[PathBuf]) -> Result<Folder, String> {
        let safe = choices.iter().filter(|path| examine(path).is_ok());
        let mut safe = safe.map(|path| Folder { path: path.clone() });
        if let Some(folder) = safe.find(Membership::has_members) {
            return Ok(folder);
        }
        let mut reasons = Vec::new();
        for path in choices {
            let made = make(path).map_err(|error| error.to_string());
            match made.and_then(|()| tightened(path)) {
                Ok(()) => return Ok(Folder { path: path.clone() }),
                Err(reason) => reasons.push(format!("{}: {reason}", path.display())),
            }
        }
        Err(reasons.join("; "))
    }

    /// Finds the folder that servers use, and makes none.
    pub(crate) fn find(choices: &[PathBuf]) -> Option<Folder> {
        let mut safe = choices.iter().filter(|path| examine(path).is_ok());
        let first = safe.next()?;
        let is_used = |path: &&PathBuf| path.join(ADDRESS).exists();
        let path = if is_used(&first) { first } else { safe.find(is_used).unwrap_or(first) };
        Some(Folder { path: path.clone() })
    }

    /// Returns what tells this folder from another one with the same path, in a container for example.
    pub(crate) fn identity(&self) -> String {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let meta = fs::metadata(&self.path);
            meta.map(|meta| format!("{:x}-{:x}", meta.dev(), meta.ino())).unwrap_or_default()
        }
        #[cfg(not(unix))]
        String::new()
    }

    /// Says in a sentence why a folder is not used; `None` if it is safe, or not there yet, or a server will make it safe.
    pub(crate) fn unsafe_reason(path: &Path) -> Option<String> {
        fs::symlink_metadata(path).ok()?;
        examine(path).err().filter(|_| !can_be_closed(path))
    }

    /// Says whether a folder is ours and open to others, until the next server closes it.
    pub(crate) fn is_open_to_others(path: &Path) -> bool {
        examine(path).is_err() && can_be_closed(path)
    }

    /// Says why no server can have a folder among these; `None` if one of them can still be made.
    pub(crate) fn why_none(choices: &[PathBuf]) -> Option<String> {
        let reason = |path: &PathBuf| Some(format!("{}: {}", path.display(), Folder::unsafe_reason(path)?));
        let reasons: Option<Vec<String>> = choices.iter().map(reason).collect();
        reasons.map(|reasons| reasons.join("; "))
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

    /// Removes the socket of the PRIMARY, which this process is.
    pub(crate) fn remove_socket(&self) {
        self.remove(SOCKET);
    }

    /// Removes what a group of servers left, the locks aside.
    pub(super) fn clear(&self) {
        for name in [ADDRESS, SNAPSHOT, TOKEN, SOCKET] {
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

/// Closes a folder of ours to others, unless it has another purpose.
#[cfg(unix)]
fn tightened(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let Err(reason) = examine(path) else { return Ok(()) };
    if !can_be_closed(path) {
        return Err(reason);
    }
    // Nobody but root and us can put another file in its place: the folder is ours, and so is its entry in a sticky `/tmp`.
    fs::set_permissions(path, fs::Permissions::from_mode(0o700)).map_err(|_| reason)?;
    // While it was open, others may have left files for us to believe. Their folders with something in them stay.
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.metadata().is_ok_and(|meta| !super::owner::is_us(meta.uid())) {
            drop(fs::remove_file(entry.path()).or_else(|_| fs::remove_dir(entry.path())));
        }
    }
    examine(path)
}

#[cfg(not(unix))]
fn tightened(path: &Path) -> Result<(), String> {
    examine(path)
}

/// Says whether a folder is ours, and we keep nothing else in it. A sticky folder is shared on purpose.
#[cfg(unix)]
fn can_be_closed(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let is_known = |name: &str| FILES.contains(&name) || name.starts_with(UNFINISHED);
    let is_no_purpose = |entry: fs::DirEntry| {
        entry.file_name().to_str().is_some_and(is_known)
            || entry.metadata().is_ok_and(|meta| !super::owner::is_us(meta.uid()) && !meta.is_file())
    };
    let meta = fs::symlink_metadata(path);
    let mut entries = fs::read_dir(path).into_iter().flatten().flatten();
    meta.is_ok_and(|meta| meta.is_dir() && super::owner::is_us(meta.uid()) && meta.mode() & 0o1000 == 0)
        && entries.all(is_no_purpose)
}

#[cfg(not(unix))]
fn can_be_closed(_: &Path) -> bool {
    false
}

/// Says in a sentence what is unsafe about a folder.
fn examine(path: &Path) -> Result<(), String> {
    let meta = fs::symlink_metadata(path).map_err(|error| error.to_string())?;
    if meta.is_symlink() {
        return Err("is a symbolic link".to_owned());
    }
    if !meta.is_dir() {
        return Err("is not a folder".to_owned());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if meta.uid() != rustix::process::geteuid().as_raw() {
            return Err(format!("belongs to another user, uid {}", meta.uid()));
        }
        if meta.mode() & 0o077 != 0 {
            return Err(format!("is open to others (mode {:o}, not 700)", meta.mode() & 0o777));
        }
        // Servers and commands must agree on the folder, so commands look at this too.
        let is_unusable = |meta: fs::Metadata| meta.is_dir() || !is_ours(meta.uid());
        let in_the_way =
            FILES.iter().find(|name| fs::symlink_metadata(path.join(name)).is_ok_and(is_unusable));
        if let Some(name) = in_the_way {
            return Err(format!("has a `{name}` that is a folder or belongs to another user"));
        }
    }
    Ok(())
}
