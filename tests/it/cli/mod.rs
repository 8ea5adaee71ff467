//! The command line: commands, flags, output, completions.

mod check;
pub(crate) mod commands;
mod completion;
mod json;
mod output;
mod people;
#[cfg(unix)]
mod terminal;
mod test;
mod validate;
pub(crate) mod why;
