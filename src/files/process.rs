//! What the system says about a process; only Linux does.

use std::fs;

/// The current state of a process.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) name: String,
    /// Stopped by Ctrl-Z or a debugger, until it is resumed.
    pub(crate) is_stopped: bool,
    parent: u32,
}

/// More processes above each other than anybody starts.
const MAX_ANCESTORS: usize = 64;
/// An interpreter, its options and the program that it runs are among the first words.
const MAX_WORDS: usize = 6;

impl Process {
    pub(crate) fn with_pid(pid: u32) -> Option<Process> {
        Process::parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Returns the names by which the processes above this one were started, the nearest first; none where the system
    /// does not say it.
    pub(crate) fn ancestors() -> Vec<Vec<String>> {
        let mut found = Vec::new();
        let mut process = Process::with_pid(std::process::id());
        while let Some(pid) = process.map(|process| process.parent).filter(|pid| *pid > 0)
            && found.len() < MAX_ANCESTORS
        {
            process = Process::with_pid(pid);
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let words = line.split(|byte| *byte == 0).take(MAX_WORDS);
            let words = words.map(|word| String::from_utf8_lossy(word).into_owned());
            found.push(process.iter().map(|process| process.name.clone()).chain(words).collect());
        }
        found
    }

    /// Parses `4711 (name of it) T …`; a name may contain parentheses.
    fn parse(stat: &str) -> Option<Process> {
        let (front, rest) = stat.rsplit_once(") ")?;
        let (_, name) = front.split_once('(')?;
        let parent = rest.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or_default();
        Some(Process { name: name.to_owned(), is_stopped: rest.starts_with(['T', 't']), parent })
    }
}

#[cfg(test)]
mod tests {
    use super::Process;

    #[test]
    fn a_name_may_contain_anything() {
        let process = |name: &str, is_stopped| Some(Process { name: name.to_owned(), is_stopped, parent: 1 });
        assert_eq!(Process::parse("9 (a (b) c) T 1 9"), process("a (b) c", true));
        assert_eq!(Process::parse("9 (nudge) S 1 9"), process("nudge", false));
    }
}
