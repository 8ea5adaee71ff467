//! The name and the text of what is stored, from the command line, a file or standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use crate::cli::output::Failure;
use crate::ops::nexus::notes;

#[derive(clap::Args)]
pub(super) struct TextArgs {
    /// Name, for example `retry-uploads` [default: from the first words of the text]
    #[arg(value_name = "NAME")]
    first: Option<String>,

    /// Text in Markdown; `-` is stdin. Without a name, give the text first
    #[arg(value_name = "TEXT", conflicts_with = "file")]
    second: Option<String>,

    /// Read the text from a file
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,
}

impl TextArgs {
    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none() && self.file.is_none()
    }

    /// One argument is a name if a text comes from elsewhere, and else the text.
    pub(super) fn name_and_text(&self, command: &str) -> Result<(Option<String>, String), Failure> {
        if let Some(path) = &self.file {
            let text = File::open(path)
                .and_then(bounded)
                .map_err(|error| Failure::new(format!("cannot read `{}`: {error}", path.display())))?;
            return Ok((self.first.clone(), text));
        }
        match (self.first.as_deref(), self.second.as_deref()) {
            (Some(name), Some("-")) => Ok((Some(name.to_owned()), input()?)),
            (Some(name), Some(text)) => Ok((Some(name.to_owned()), text.to_owned())),
            (Some("-"), None) => Ok((None, input()?)),
            // A name has Latin letters; some scripts have no spaces.
            (Some(name), None) if name.is_ascii() && !name.contains(char::is_whitespace) => {
                let failure = Failure::new(format!("`{name}` has no text")).usage();
                Err(failure.hint(format!(
                    "write it behind the name, or `nudge note {command} {name} -` and pipe it in"
                )))
            }
            (Some(text), None) => Ok((None, text.to_owned())),
            _ => Err(Failure::new("there is no text to store")
                .hint("write it behind the name, or pipe it into `-`")
                .usage()),
        }
    }
}

fn input() -> Result<String, Failure> {
    bounded(io::stdin().lock()).map_err(|error| Failure::new(format!("cannot read the text: {error}")))
}

/// Reads a text, but no more of it than it takes to be too long.
fn bounded(from: impl Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    let length = from.take(notes::MAX_INPUT).read_to_end(&mut bytes)?;
    if length as u64 == notes::MAX_INPUT {
        // The cut may go through a letter, and that is not what is wrong with it.
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}
