//! Reads command lines as a shell would, far enough to know which programs they run and with which words.
//!
//! It expands nothing and never fails: what it cannot read stays part of the word before it.

mod acts;
mod program;
mod reader;
mod split;
mod tables;

pub(crate) use acts::{calls_of, commit_message, printed_files, removed_files, restored_files};
pub(crate) use program::{Doing, doing, program};
pub(crate) use reader::{ShellWrite, changes};
pub(crate) use split::{Connector, SimpleCommand, parts};

#[cfg(test)]
mod tests;
