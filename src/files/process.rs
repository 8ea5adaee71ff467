//! What the system tells of a process; only Linux does.

use std::fs;

/// A process as it is at the moment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) name: String,
    /// By Ctrl-Z or a debugger: it does nothing until somebody lets it go on.
    pub(crate) is_stopped: bool,
}

impl Process {
    pub(crate) fn with_pid(pid: u32) -> Option<Process> {
        Process::read(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Reads `4711 (name of it) T …`; a name may hold parentheses.
    fn read(stat: &str) -> Option<Process> {
        let (front, rest) = stat.rsplit_once(") ")?;
        let (_, name) = front.split_once('(')?;
        Some(Process { name: name.to_owned(), is_stopped: rest.starts_with(['T', 't']) })
    }
}

#[cfg(test)]
mod tests {
    use super::Process;

    #[test]
    fn a_name_may_hold_anything() {
        let process = |name: &str, is_stopped| Some(Process { name: name.to_owned(), is_stopped });
        assert_eq!(Process::read("9 (a (b) c) T 1 9"), process("a (b) c", true));
        assert_eq!(Process::read("9 (nudge) S 1 9"), process("nudge", false));
    }
}
