//! Files that a line writes and then runs, and the output of `<(…)` that it runs: their text is part of the line.

use super::found::join;
use super::inner::{InnerCommand, base_name, of_program_text};
use super::{Follower, ShellWord};
use crate::shell::tables::INTERPRETERS;
use crate::shell::wrappers::POSIX_SHELLS;

impl Follower {
    /// Returns the file that a command runs and what is in it, if the line shows that.
    pub(super) fn written_script(&self, name: &str, words: &[ShellWord]) -> Option<(String, String)> {
        let file = self.file_run(name, words)?;
        if let Some(text) = self.found.printed(&file.text) {
            return Some((file.text.clone(), text.to_owned()));
        }
        let path = join(&self.directory, file.text.trim_start_matches("./"))?;
        // A script that runs itself is followed once.
        if self.running.contains(&path) {
            return None;
        }
        let text = self.found.content_of(&path)?.to_owned();
        Some((path, text))
    }

    fn file_run<'w>(&self, name: &str, words: &'w [ShellWord]) -> Option<&'w ShellWord> {
        let (first, rest) = words.split_first()?;
        let is_shell = POSIX_SHELLS.contains(&name);
        if is_shell || INTERPRETERS.contains(&name) {
            let takes_code = |word: &ShellWord| {
                let letters = word.text.strip_prefix('-').unwrap_or_default();
                !letters.starts_with('-') && letters.contains(if is_shell { 'c' } else { 'm' })
                    || !is_shell && matches!(letters, "c" | "e" | "E" | "r" | "p" | "pe" | "ne")
            };
            let own = rest.iter().take_while(|word| word.text.starts_with(['-', '+']));
            let count = own.clone().count();
            return rest.get(count).filter(|_| !own.clone().any(takes_code));
        }
        if matches!(name, "source" | ".") {
            return rest.first();
        }
        Some(first).filter(|first| first.text.contains('/'))
    }
}

/// Returns what a script runs, in the language that its first line or the program in front of it names.
pub(super) fn commands_of(program: &str, text: &str) -> Vec<InnerCommand> {
    let first_line = text.lines().next().unwrap_or_default();
    let named = first_line.strip_prefix("#!").and_then(|line| {
        let mut words = line.split_whitespace().map(base_name).filter(|word| *word != "env");
        words.find(|word| !word.starts_with('-')).map(str::to_owned)
    });
    let program =
        if INTERPRETERS.contains(&program) { program.to_owned() } else { named.unwrap_or_default() };
    of_program_text(&program, text)
}
