//! `nudge artifact`: texts that agents leave for each other.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::nexus::{self, JsonArgs};
use super::output::{Failure, Out, in_line, say, visible};
use crate::api::list::ListWire;
use crate::api::nexus::{ArtifactTextJson, ArtifactWriteRequest};
use crate::ops::here::short_path;
use crate::ops::nexus::artifact;

/// List the artifacts of this project, show or write one
///
/// Artifacts are text files in `.nexus/state/artifacts/`. They stay when the cycle is closed.
#[derive(clap::Args)]
pub(crate) struct ArtifactArgs {
    #[command(subcommand)]
    command: Option<ArtifactCommand>,

    #[command(flatten)]
    json: JsonArgs,
}

#[derive(clap::Subcommand)]
enum ArtifactCommand {
    /// List the artifacts (the default)
    #[command(alias = "ls")]
    List,
    /// Print an artifact
    Show {
        /// Name of the artifact, as `nudge artifact` lists it
        name: String,
    },
    /// Write an artifact, replacing one of the same name
    Write {
        /// Name of the artifact; it may contain folders
        name: String,
        /// File to read; `-` is stdin
        #[arg(default_value = "-")]
        file: PathBuf,
    },
}

/// More than any text that agents hand over; what is longer is not read to its end.
const MAX_BYTES: u64 = 64 << 20;

pub(crate) fn run(args: ArtifactArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let nexus = nexus::here()?;
    if let Some(ArtifactCommand::Show { name }) = &args.command {
        let text = artifact::text(&nexus, name)?.ok_or_else(|| {
            let failure = Failure::new(format!("there is no artifact `{}`", in_line(name)));
            failure.hint("`nudge artifact` lists them")
        })?;
        return args.json.print(&ArtifactTextJson { filename: name, content: &text }, out, |shown, out| {
            out.line(visible(shown.content).trim_end_matches('\n'))
        });
    }
    let Some(ArtifactCommand::Write { name, file }) = args.command else {
        return args.json.print(&ListWire::<String>::whole(artifact::list(&nexus)?), out, |names, out| {
            if names.items.is_empty() {
                say("there are no artifacts: `nudge artifact write NAME FILE` writes one");
            }
            names.items.iter().try_for_each(|name| out.line(in_line(name)))
        });
    };
    let content = read(&file).map_err(|error| {
        let failure = Failure::new(format!("`{}` cannot be read: {error}", file.display()));
        failure.hint("an artifact is a text file in UTF-8")
    })?;
    let written = artifact::write(&nexus, &ArtifactWriteRequest { filename: name, content })?;
    args.json.print(&written, out, |written, _| {
        say(format_args!("written: {}", short_path(Path::new(&written.path))));
        Ok(())
    })
}

fn read(file: &PathBuf) -> io::Result<String> {
    let mut text = String::new();
    let read = match file.as_os_str() == "-" {
        true => io::stdin().lock().take(MAX_BYTES + 1).read_to_string(&mut text),
        false => File::open(file)?.take(MAX_BYTES + 1).read_to_string(&mut text),
    };
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than 64 MB"));
    }
    read.map(|_| text)
}
