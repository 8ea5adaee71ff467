//! `nudge man`: the manual, made from the same words as the help.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap_mangen::Man;

use super::output::{Failure, Out, counted};

/// Print a page of the manual, or write all of them
///
/// As in: nudge man | man -l -
/// or: nudge man --out ~/.local/share/man/man1
#[derive(clap::Args)]
pub(crate) struct ManArgs {
    /// The command whose page is printed, as in `task add` (default: nudge itself)
    command: Vec<String>,

    /// Folder that gets a page for every command; it is made if need be
    #[arg(short, long, value_name = "DIR", conflicts_with = "command")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &ManArgs, out: &mut Out, command: clap::Command) -> Result<ExitCode, Failure> {
    // `nudge help` explains itself; a page of each command's `help` would double the manual.
    let mut command = command.disable_help_subcommand(true);
    command.build();
    match &args.out {
        Some(folder) => {
            let count = write(&command, folder).map_err(|error| {
                Failure::new(format!("the manual cannot be written to `{}`: {error}", folder.display()))
            })?;
            out.line(format_args!("{} written to {}", counted(count, "page"), folder.display()))?;
        }
        None => out.bytes(&page(named(&command, &args.command)?)?)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Follows the words of a command line to the command that they name.
fn named<'c>(command: &'c clap::Command, words: &[String]) -> Result<&'c clap::Command, Failure> {
    words.iter().try_fold(command, |command, word| {
        command.find_subcommand(word).ok_or_else(|| {
            let failure = Failure::new(format!("there is no command `{}`", words.join(" ")));
            failure.hint("`nudge help` lists them").usage()
        })
    })
}

/// Writes the page of a command and those of all below it, and returns how many.
fn write(command: &clap::Command, folder: &Path) -> std::io::Result<usize> {
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join(Man::new(command.clone()).get_filename()), page(command)?)?;
    let inner = command.get_subcommands().filter(|inner| !inner.is_hide_set());
    inner.map(|inner| write(inner, folder)).try_fold(1, |sum, count| Ok(sum + count?))
}

fn page(command: &clap::Command) -> std::io::Result<Vec<u8>> {
    let version = format!("nudge {}", env!("CARGO_PKG_VERSION"));
    let mut page = Vec::new();
    Man::new(command.clone()).source(version).manual("Nudge").render(&mut page)?;
    Ok(page)
}
