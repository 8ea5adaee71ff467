//! `nudge man`: the manual, made from the same words as the help.

mod sections;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap_mangen::Man;

use super::output::{Failure, Out, counted, say};

/// Print a manual page, or write all of them
///
/// For example: nudge man recent | man -l -
#[derive(clap::Args)]
pub(crate) struct ManArgs {
    /// Command whose page to print, for example `task add` [default: nudge itself]
    command: Vec<String>,

    /// Write a page for every command to this folder
    #[arg(short, long, alias = "out", value_name = "DIR", conflicts_with = "command")]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: &ManArgs, out: &mut Out, command: clap::Command) -> Result<ExitCode, Failure> {
    // `nudge help` explains itself; a page of each command's `help` would double the manual.
    let mut command = command.disable_help_subcommand(true);
    command.build();
    match &args.output {
        Some(folder) => {
            let count = write(&command, folder).map_err(|error| {
                Failure::new(format!("the manual cannot be written to `{}`: {error}", folder.display()))
            })?;
            out.line(format_args!("{} written to {}", counted(count, "page"), folder.display()))?;
        }
        None => {
            let page = page(named(&command, &args.command)?)?;
            if out.is_terminal() {
                let words = args.command.iter().map(|word| format!(" {word}")).collect::<String>();
                say(format_args!("this is the source of a page: `nudge man{words} | man -l -` shows it"));
            } else {
                out.bytes(&page)?;
            }
        }
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

/// Writes a page: what clap knows of a command, then our own sections.
fn page(command: &clap::Command) -> std::io::Result<Vec<u8>> {
    let version = format!("nudge {}", env!("CARGO_PKG_VERSION"));
    let mut page = Vec::new();
    let man = Man::new(command.clone()).source(version).manual("Nudge");
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.get_subcommands().any(|inner| !inner.is_hide_set()) {
        man.render_subcommands_section(&mut page)?;
    }
    sections::write(command, &mut page);
    Ok(sections::in_ascii(&String::from_utf8_lossy(&page)).into_bytes())
}
