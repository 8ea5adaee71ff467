//! The simple commands of a command line and their words, for everything that asks what a line does as a whole.

use super::run::{CommandOrigin, Dialect, follow};
use super::tree::Connector;

/// A simple command of a line: `git push -u` in `cd x && git push -u 2>&1 | tail`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct SimpleCommand {
    /// Its words without quotation marks, and without assignments before it and redirections.
    pub(crate) words: Vec<String>,
    /// What connects it with the part before it.
    pub(crate) joint: Connector,
}

/// At most this many parts of a line are read: a script of a thousand lines is not one command.
const MAX_PARTS: usize = 64;

/// Returns the simple commands of a line, in their order; those of `bash -c "…"` in its place.
///
/// What a substitution runs says nothing about the command around it.
pub(crate) fn parts(line: &str) -> Vec<SimpleCommand> {
    let commands = follow(line, Dialect::Posix).commands;
    let own = commands.iter().filter(|command| command.origin == CommandOrigin::Line && !command.is_shell);
    own.take(MAX_PARTS)
        .map(|command| SimpleCommand {
            words: command.words.iter().map(|word| word.brief().to_owned()).collect(),
            joint: command.joint,
        })
        .collect()
}

/// Returns whether a word is `NAME=value`.
pub(super) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}
