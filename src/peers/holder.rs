//! A process that the address file names as PRIMARY, but that does not answer: whether it really is a nudge server, and
//! how to end it.
//!
//! A pid alone proves little: the system may have given it to another process. But only a server has the folder's lock
//! open.

use std::fs;

use super::folder::Folder;
#[cfg(unix)]
use super::folder::PRIMACY;

/// A process that is known to be a server of this folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ServerProcess {
    pid: u32,
}

impl ServerProcess {
    /// Returns the process with this pid if it has the folder's lock open; `None` where the system does not say.
    #[cfg(unix)]
    pub(crate) fn known(pid: u32, folder: &Folder) -> Option<ServerProcess> {
        use std::os::unix::fs::MetadataExt;
        let identity = |meta: fs::Metadata| (meta.dev(), meta.ino());
        let lock = fs::metadata(folder.file(PRIMACY)).map(identity).ok()?;
        let mut files = fs::read_dir(format!("/proc/{pid}/fd")).ok()?.flatten();
        let is_lock = |file: fs::DirEntry| fs::metadata(file.path()).is_ok_and(|meta| identity(meta) == lock);
        files.any(is_lock).then_some(ServerProcess { pid })
    }

    #[cfg(not(unix))]
    pub(crate) fn known(_: u32, _: &Folder) -> Option<ServerProcess> {
        None
    }

    /// Resumes a stopped process.
    pub(crate) fn wake(self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::CONT);
    }

    /// Ends the process and its session. The snapshot is removed first, while the process cannot write it again.
    pub(crate) fn kill(self, folder: &Folder) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::STOP);
        folder.remove_snapshot();
        #[cfg(unix)]
        self.signal(rustix::process::Signal::KILL);
    }

    #[cfg(unix)]
    fn signal(self, signal: rustix::process::Signal) {
        let pid = i32::try_from(self.pid).ok().and_then(rustix::process::Pid::from_raw);
        // The process may already have ended.
        let _sent = pid.map(|pid| rustix::process::kill_process(pid, signal));
    }
}
