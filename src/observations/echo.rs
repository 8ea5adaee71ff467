//! Lines of an output that repeat the command: a commit message that a hook prints, a script that `set -x` shows.
//!
//! Whoever wrote the command wrote them, so they do not say what went wrong, whatever words they have.

use super::lines::{self, Worth};

/// A shorter text is in many commands by chance, in bytes.
const MIN_TEXT: usize = 8;
/// A text of fewer words may be the name of a thing, of which a program complains: `no such file: ./a.sh`.
const MIN_WORDS: usize = 3;

/// The texts of a command that would be taken for an error if they were printed.
pub(super) struct Echoes<'c> {
    command: &'c str,
    texts: Vec<&'c str>,
}

impl<'c> Echoes<'c> {
    /// Finds them in a redacted command.
    pub(super) fn of(command: &'c str) -> Echoes<'c> {
        let is_text = |text: &&str| {
            text.len() >= MIN_TEXT
                && text.split_whitespace().nth(MIN_WORDS - 1).is_some()
                && lines::speaks_of_error(text)
        };
        // A message ends with its line or with its quotes, of which an apostrophe is none.
        let pieces = |quote: char| command.split(['\n', quote]).map(str::trim).filter(is_text);
        let mut texts: Vec<&str> = pieces('"').chain(pieces('\'')).collect();
        texts.sort_unstable_by_key(|text| std::cmp::Reverse(text.len()));
        texts.dedup();
        Echoes { command, texts }
    }

    /// Returns how much a line says that the command does not say; `worth` is that of the whole line.
    pub(super) fn worth_besides(&self, line: &str, worth: Worth) -> Worth {
        let line = line.trim();
        if worth == Worth::Nothing || self.command.is_empty() {
            return worth;
        }
        if is_echo(line, self.command) {
            return Worth::Nothing;
        }
        let Some(text) = self.texts.iter().find(|text| line.contains(**text)) else { return worth };
        // `error: the message "…" is too long` is an error without the message, too; `input: …` is not.
        match lines::worth(lines::without_prefix(&line.replace(text, ""))) {
            rest if rest >= Worth::Suspect => rest.min(worth),
            _ => Worth::Nothing,
        }
    }
}

/// Returns whether a line of an output stands in the command as it is.
pub(super) fn is_echo(line: &str, command: &str) -> bool {
    let line = line.trim();
    line.len() >= MIN_TEXT && command.contains(line)
}

#[cfg(test)]
mod tests {
    use super::{Echoes, Worth};

    #[test]
    fn what_stands_in_the_command_says_nothing_about_its_failure() {
        let commit =
            "git commit -m \"fix: error: the login failed for users\n\nIt can't be undefined any more.\"";
        for (command, line, expected) in [
            (commit, "fix: error: the login failed for users", Worth::Nothing),
            (commit, "It can't be undefined any more.", Worth::Nothing),
            (commit, "⧗   input: fix: error: the login failed for users", Worth::Nothing),
            (commit, "+ git commit -m 'fix: error: the login failed for users'", Worth::Nothing),
            (commit, "error: fix: error: the login failed for users is too long a subject", Worth::Cause),
            (commit, "✖   subject must not be empty", Worth::Cause),
            ("./deploy.sh", "zsh: no such file or directory: ./deploy.sh", Worth::Cause),
            ("cat missing.txt", "cat: missing.txt: No such file or directory", Worth::Cause),
            ("", "error: no space left", Worth::Cause),
        ] {
            assert_eq!(Echoes::of(command).worth_besides(line, Worth::Cause), expected, "{line}");
        }
    }
}
