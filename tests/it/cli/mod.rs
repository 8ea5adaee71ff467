//! The command line: commands, flags, output, completions.

#[cfg(unix)]
mod allow;
mod check;
mod check_changes;
pub(crate) mod commands;
mod completion;
mod json;
mod learn;
mod look;
mod output;
mod pause;
mod people;
mod settings;
#[cfg(unix)]
mod terminal;
mod test;
mod validate;
pub(crate) mod why;
