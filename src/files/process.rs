//! What the system says about a process; only Linux does.

use std::fs;

/// The current state of a process.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) name: String,
    /// Stopped by Ctrl-Z or a debugger, until it is resumed.
    pub(crate) is_stopped: bool,
}

impl Process {
    pub(crate) fn with_pid(pid: u32) -> Option<Process> {
        Process::parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Parses `4711 (name of it) T …`; a name may contain parentheses.
    fn parse(stat: &str) -> Option<Process> {
        let (front, rest) = stat.rsplit_once(") ")?;
        let (_, name) = front.split_once('(')?;
        Some(Process { name: name.to_owned(), is_stopped: rest.starts_with(['T', 't']) })
    }
}

#[cfg(test)]
mod tests {
    use super::Process;

    #[test]
    fn a_name_may_contain_anything() {
        let process = |name: &str, is_stopped| Some(Process { name: name.to_owned(), is_stopped });
        assert_eq!(Process::parse("9 (a (b) c) T 1 9"), process("a (b) c", true));
        assert_eq!(Process::parse("9 (nudge) S 1 9"), process("nudge", false));
    }
}
