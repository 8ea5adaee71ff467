//! Which process has the lock of a project, as far as the system says.

use std::fmt;
use std::path::Path;

/// The process that has a lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LockHolder {
    pub(crate) pid: u32,
    pub(crate) name: String,
    /// It is stopped, and keeps the lock until it is resumed.
    pub(crate) is_stopped: bool,
}

impl fmt::Display for LockHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = if self.is_stopped { " (stopped)" } else { "" };
        write!(f, "`{}` with pid {}{state}", self.name, self.pid)
    }
}

impl LockHolder {
    /// Returns what to do about it.
    pub(crate) fn hint(&self) -> String {
        match self.is_stopped {
            true => format!("resume it with `kill -CONT {0}`, or end it with `kill -KILL {0}`", self.pid),
            false => format!("wait for it, or check with `ps -p {}` whether it is still working", self.pid),
        }
    }
}

/// How often the list of locks is read until the lock is in it.
#[cfg(unix)]
const READS: usize = 5;

/// Finds the process that has the lock on a file; only Linux lists locks.
#[cfg(unix)]
pub(super) fn of(path: &Path) -> Option<LockHolder> {
    use std::fs;
    use std::os::unix::fs::MetadataExt;

    use crate::files::Process;
    let inode = fs::metadata(path).ok()?.ino();
    // The kernel gives the list in parts, so that one of them can miss a line while other locks come and go.
    let pid = (0..READS).find_map(|_| parse_holder_pid(&fs::read_to_string("/proc/locks").ok()?, inode))?;
    let Process { name, is_stopped, .. } = Process::with_pid(pid)?;
    Some(LockHolder { pid, name, is_stopped })
}

/// Other systems do not list locks.
#[cfg(not(unix))]
pub(super) fn of(_: &Path) -> Option<LockHolder> {
    None
}

/// Parses lines such as `1: FLOCK  ADVISORY  WRITE 4711 fe:00:1157 0 EOF`; a waiting process has an arrow in its line.
#[cfg(any(unix, test))]
fn parse_holder_pid(locks: &str, inode: u64) -> Option<u32> {
    let ending = format!(":{inode}");
    let words = locks.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let mut held = words.filter(|words| words.get(1) == Some(&"FLOCK"));
    let line = held.find(|words| words.get(5).is_some_and(|place| place.ends_with(&ending)))?;
    line[4].parse().ok().filter(|pid| *pid > 0)
}

#[cfg(test)]
mod tests {
    use super::parse_holder_pid;

    #[test]
    fn the_holder_is_distinguished_from_waiting_processes() {
        let locks = "1: -> FLOCK  ADVISORY  WRITE 7 fe:00:115 0 EOF\n2: POSIX  ADVISORY  WRITE 8 fe:00:115 0 EOF\n\
                     3: FLOCK  ADVISORY  WRITE 9 fe:00:115 0 EOF\n4: FLOCK  ADVISORY  WRITE 10 fe:00:15 0 EOF\n";
        assert_eq!(
            (parse_holder_pid(locks, 115), parse_holder_pid(locks, 15), parse_holder_pid(locks, 5)),
            (Some(9), Some(10), None)
        );
    }
}
