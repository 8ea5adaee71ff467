//! Who holds the lock of a project, as far as the system tells.

use std::fmt;
use std::path::Path;

/// The process that has a lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Holder {
    pub(crate) pid: u32,
    pub(crate) name: String,
    /// It was stopped, and keeps the lock until somebody lets it go on.
    pub(crate) is_stopped: bool,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = if self.is_stopped { " (stopped)" } else { "" };
        write!(f, "`{}` with pid {}{state}", self.name, self.pid)
    }
}

impl Holder {
    /// Returns what to do about it.
    pub(crate) fn hint(&self) -> String {
        match self.is_stopped {
            true => format!("let it go on with `kill -CONT {0}`, or end it with `kill -KILL {0}`", self.pid),
            false => format!("wait for it, or look with `ps -p {}` whether it still works", self.pid),
        }
    }
}

/// Finds who holds the lock on a file; only Linux lists locks.
#[cfg(unix)]
pub(super) fn of(path: &Path) -> Option<Holder> {
    use std::fs;
    use std::os::unix::fs::MetadataExt;

    use crate::files::Process;
    let inode = fs::metadata(path).ok()?.ino();
    let pid = pid_in(&fs::read_to_string("/proc/locks").ok()?, inode)?;
    let Process { name, is_stopped } = Process::with_pid(pid)?;
    Some(Holder { pid, name, is_stopped })
}

/// Elsewhere nobody tells.
#[cfg(not(unix))]
pub(super) fn of(_: &Path) -> Option<Holder> {
    None
}

/// Reads `1: FLOCK  ADVISORY  WRITE 4711 fe:00:1157 0 EOF`; who only waits has an arrow in its line.
#[cfg(any(unix, test))]
fn pid_in(locks: &str, inode: u64) -> Option<u32> {
    let ending = format!(":{inode}");
    let words = locks.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let mut held = words.filter(|words| words.get(1) == Some(&"FLOCK"));
    let line = held.find(|words| words.get(5).is_some_and(|place| place.ends_with(&ending)))?;
    line[4].parse().ok().filter(|pid| *pid > 0)
}

#[cfg(test)]
mod tests {
    use super::pid_in;

    #[test]
    fn the_holder_is_told_from_who_waits() {
        let locks = "1: -> FLOCK  ADVISORY  WRITE 7 fe:00:115 0 EOF\n2: POSIX  ADVISORY  WRITE 8 fe:00:115 0 EOF\n\
                     3: FLOCK  ADVISORY  WRITE 9 fe:00:115 0 EOF\n4: FLOCK  ADVISORY  WRITE 10 fe:00:15 0 EOF\n";
        assert_eq!((pid_in(locks, 115), pid_in(locks, 15), pid_in(locks, 5)), (Some(9), Some(10), None));
    }
}
