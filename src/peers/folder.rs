//! The runtime folder: it must belong to this user alone, or it is not used.
//!
//! `/tmp/nudge` is where every user may write: another user could create it first, with an address file that points to
//! their own server.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::files::{private_dir, read_regular};

/// A folder that no other user can read or write.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    path: PathBuf,
}

/// The files of the folder.
pub(super) const ADDRESS: &str = "server.pid";
pub(super) const SNAPSHOT: &str = "server.snapshot";
/// Changes since the snapshot, and those that the next snapshot covers.
pub(super) const CHANGES: &str = "server.changes";
pub(super) const OLD_CHANGES: &str = "server.changes.old";
pub(super) const TOKEN: &str = "server.token";
/// The open pages of the viewer, as hashes.
pub(super) const PAGES: &str = "server.pages";
/// Leads a browser to a page; only where the kernel does not name the owner of a connection.
pub(super) const PAGE_LINK: &str = "server.page.html";
pub(super) const PRIMACY: &str = "server.lock";
pub(super) const MEMBERS: &str = "members.lock";
pub(super) const SOCKET: &str = "server.sock";
#[cfg(unix)]
const FILES: [&str; 9] = [ADDRESS, SNAPSHOT, CHANGES, OLD_CHANGES, TOKEN, PAGES, PRIMACY, MEMBERS, SOCKET];
const BUFFER_BYTES: usize = 64 << 10;
/// Name prefix of a file that is not completely written yet.
const UNFINISHED_PREFIX: &str = ".server-";

/// Returns the files of servers in a folder of this user; the folder may have other files, which are not ours.
pub(crate) fn own_files(folder: &Path) -> Vec<PathBuf> {
    if examine(folder).is_err() {
        return Vec::new();
    }
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name == MEMBERS || name.starts_with("server.") || name.starts_with(UNFINISHED_PREFIX)
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(is_ours).collect()
}

impl Folder {
    /// Opens the folder that servers share: one with running servers, else the first candidate that is safe or can be
    /// made safe. All servers and commands of a user use the same one.
    pub(crate) fn open(choices: &[PathBuf]) -> Result<Folder, String> {
        let safe = choices.iter().filter(|path| examine(path).is_ok());
        let mut safe = safe.map(|path| Folder { path: path.clone() });
        if let Some(folder) = safe.find(Folder::has_members) {
            return Ok(folder);
        }
        let mut reasons = Vec::new();
        for path in choices {
            let made = create(path).map_err(|error| error.to_string());
            match made.and_then(|()| restrict(path)) {
                Ok(()) => return Ok(Folder { path: path.clone() }),
                Err(reason) => reasons.push(format!("{}: {reason}", path.display())),
            }
        }
        Err(reasons.join("; "))
    }

    /// Finds the folder that servers use, without creating one.
    pub(crate) fn find(choices: &[PathBuf]) -> Option<Folder> {
        let mut safe = choices.iter().filter(|path| examine(path).is_ok());
        let first = safe.next()?;
        let is_used = |path: &&PathBuf| path.join(ADDRESS).exists();
        let path = if is_used(&first) { first } else { safe.find(is_used).unwrap_or(first) };
        Some(Folder { path: path.clone() })
    }

    /// Returns an id that distinguishes this folder from another one with the same path, for example in a container.
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

    /// Returns why a folder is not used, as a sentence; `None` if it is safe, does not exist, or a server will make it
    /// safe.
    pub(crate) fn unsafe_reason(path: &Path) -> Option<String> {
        fs::symlink_metadata(path).ok()?;
        examine(path).err().filter(|_| !can_be_closed(path))
    }

    /// Returns whether a folder of this user is open to others, which the next server will correct.
    pub(crate) fn is_open_to_others(path: &Path) -> bool {
        examine(path).is_err() && can_be_closed(path)
    }

    /// Returns why none of these folders can be used; `None` if one of them can still be created.
    pub(crate) fn why_none(choices: &[PathBuf]) -> Option<String> {
        let reason = |path: &PathBuf| Some(format!("{}: {}", path.display(), Folder::unsafe_reason(path)?));
        let reasons: Option<Vec<String>> = choices.iter().map(reason).collect();
        reasons.map(|reasons| reasons.join("; "))
    }

    /// Returns whether a server is running, without creating a lock file.
    pub(crate) fn has_members(&self) -> bool {
        let file = File::open(self.file(MEMBERS));
        file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Reads a whole small file; `None` if it does not exist or is larger than `max` bytes.
    pub(super) fn read(&self, name: &str, max: u64) -> Option<Vec<u8>> {
        read_regular(&self.file(name), max).ok()
    }

    /// Writes a file atomically: readers see the old or the new one, and other users see neither.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.write_with(name, |out| out.write_all(bytes))
    }

    /// Does the same for content that is produced while it is written.
    pub(super) fn write_with(
        &self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut file = tempfile::Builder::new().prefix(UNFINISHED_PREFIX).tempfile_in(&self.path)?;
        let mut out = BufWriter::with_capacity(BUFFER_BYTES, file.as_file_mut());
        write(&mut out)?;
        out.flush()?;
        drop(out);
        file.persist(self.file(name)).map_err(|error| error.error)?;
        Ok(())
    }

    pub(super) fn remove(&self, name: &str) {
        drop(fs::remove_file(self.file(name)));
    }

    /// Removes the socket; only the PRIMARY may call this.
    pub(crate) fn remove_socket(&self) {
        self.remove(SOCKET);
    }

    /// Removes all files that a group of servers left, except the locks.
    pub(super) fn clear(&self) {
        for name in [ADDRESS, SNAPSHOT, CHANGES, OLD_CHANGES, TOKEN, PAGES, SOCKET] {
            self.remove(name);
        }
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            if entry.file_name().to_str().is_some_and(|name| name.starts_with(UNFINISHED_PREFIX)) {
                drop(fs::remove_file(entry.path()));
            }
        }
    }
}

/// Returns whether a user may use this process: the same user, or root, who can do anything anyway.
#[cfg(unix)]
pub(crate) fn is_ours(uid: u32) -> bool {
    uid == 0 || uid == rustix::process::geteuid().as_raw()
}

/// Other systems have no numeric user ids; there the token identifies callers.
#[cfg(not(unix))]
pub(crate) fn is_ours(_: u32) -> bool {
    false
}

fn create(path: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent().filter(|parent| !parent.exists()) {
        private_dir().recursive(true).create(parent)?;
    }
    match private_dir().create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// Removes other users' permissions from a folder of this user, unless it has another purpose.
#[cfg(unix)]
fn restrict(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let Err(reason) = examine(path) else { return Ok(()) };
    if !can_be_closed(path) {
        return Err(reason);
    }
    // Only root and this user can replace the folder: we own it, and its entry in a sticky `/tmp`.
    fs::set_permissions(path, fs::Permissions::from_mode(0o700)).map_err(|_| reason)?;
    // Other users may have left files here that we would trust. Their non-empty folders stay.
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.metadata().is_ok_and(|meta| !super::owner::is_us(meta.uid())) {
            drop(fs::remove_file(entry.path()).or_else(|_| fs::remove_dir(entry.path())));
        }
    }
    examine(path)
}

#[cfg(not(unix))]
fn restrict(path: &Path) -> Result<(), String> {
    examine(path)
}

/// Returns whether a folder belongs to this user and has only runtime files. A sticky folder is shared on purpose.
#[cfg(unix)]
fn can_be_closed(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let is_known = |name: &str| FILES.contains(&name) || name.starts_with(UNFINISHED_PREFIX);
    let is_removable = |entry: fs::DirEntry| {
        entry.file_name().to_str().is_some_and(is_known)
            || entry.metadata().is_ok_and(|meta| !super::owner::is_us(meta.uid()) && !meta.is_file())
    };
    let meta = fs::symlink_metadata(path);
    let mut entries = fs::read_dir(path).into_iter().flatten().flatten();
    meta.is_ok_and(|meta| meta.is_dir() && super::owner::is_us(meta.uid()) && meta.mode() & 0o1000 == 0)
        && entries.all(is_removable)
}

#[cfg(not(unix))]
fn can_be_closed(_: &Path) -> bool {
    false
}

/// Returns what is unsafe about a folder, as a sentence.
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
        // Servers and commands must choose the same folder, so commands check this too.
        let is_unusable = |meta: fs::Metadata| meta.is_dir() || !is_ours(meta.uid());
        let in_the_way =
            FILES.iter().find(|name| fs::symlink_metadata(path.join(name)).is_ok_and(is_unusable));
        if let Some(name) = in_the_way {
            return Err(format!("has a `{name}` that is a folder or belongs to another user"));
        }
    }
    Ok(())
}
