//! Reads command lines as a shell would, far enough to know which programs they run and with which words.
//!
//! It expands nothing and never fails: what it cannot read stays part of the word before it.

mod acts;
mod cmd;
mod cursor;
mod document;
mod escape;
mod options;
mod parse;
mod pattern;
mod powershell;
mod program;
mod run;
mod split;
mod tables;
mod touch;
mod tree;
mod wrappers;

pub(crate) use acts::{calls_of, commit_message, printed_files, removed_files, restored_files};
pub(crate) use pattern::{CommandMatch, CommandPattern, CommandPatterns, CommandPrograms, RunPrograms};
pub(crate) use program::{Doing, doing, program};
pub(crate) use run::{Dialect, ShellRun, ShellWrite, follow};
pub(crate) use split::{SimpleCommand, parts};
pub(crate) use touch::{FileDeeds, touches};
pub(crate) use tree::{Connector, Unread};

#[cfg(test)]
mod tests;
