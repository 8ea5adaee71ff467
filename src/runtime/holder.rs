//! A process that is written down as PRIMARY and does not answer: whether it is a server of ours, and what can be done.
//!
//! A number alone says little: who is gone leaves it to another. But nobody else has the lock of our folder open.

use std::fs;

use super::folder::Folder;
#[cfg(unix)]
use super::folder::PRIMACY;

/// A process that was seen to be a server of this folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Holder {
    pid: u32,
}

impl Holder {
    /// Returns the process with this number if it has the lock of the folder open; where the system does not tell, none.
    #[cfg(unix)]
    pub(crate) fn known(pid: u32, folder: &Folder) -> Option<Holder> {
        use std::os::unix::fs::MetadataExt;
        let identity = |meta: fs::Metadata| (meta.dev(), meta.ino());
        let lock = fs::metadata(folder.file(PRIMACY)).map(identity).ok()?;
        let mut files = fs::read_dir(format!("/proc/{pid}/fd")).ok()?.flatten();
        let is_lock = |file: fs::DirEntry| fs::metadata(file.path()).is_ok_and(|meta| identity(meta) == lock);
        files.any(is_lock).then_some(Holder { pid })
    }

    #[cfg(not(unix))]
    pub(crate) fn known(_: u32, _: &Folder) -> Option<Holder> {
        None
    }

    /// Lets a process that was stopped go on.
    pub(crate) fn wake(self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::CONT);
    }

    /// Ends the process, and the session with it: what it left for others goes first, and it cannot write it anew.
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
        // Who is gone meanwhile needs no signal.
        let _sent = pid.map(|pid| rustix::process::kill_process(pid, signal));
    }
}
