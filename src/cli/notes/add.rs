//! `nudge note add`: stores a finding.

use std::process::ExitCode;

use super::text::TextArgs;
use crate::cli::output::{CYAN, Failure, GREEN, Out, say};
use crate::model::Category;
use crate::ops::nexus::Nexus;
use crate::ops::nexus::notes::file;
use crate::ops::nexus::notes::{self, NewNote, Stored};

/// Add a finding to the note on the same topic, or to a new one
///
/// A name is lower-case words joined by `-`, best two to four, without dates and versions. It may begin with a category:
/// `empirical-` for what was found out here, `external-` for what others impose, `pattern-` for recipes. Secrets are
/// refused.
#[derive(clap::Args)]
pub(crate) struct NoteAddArgs {
    #[command(flatten)]
    text: TextArgs,

    /// Category: empirical, external or pattern
    #[arg(long, value_name = "CATEGORY", value_parser = category)]
    category: Option<Category>,

    /// Tags to find it by
    #[arg(long, value_name = "TAG", value_delimiter = ',')]
    tags: Vec<String>,

    /// Create a new note, even if another one covers the same topic
    #[arg(long)]
    new: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(super) fn run(nexus: &Nexus, args: &NoteAddArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let (name, text) = args.text.name_and_text("add")?;
    let tags = args.tags.iter().map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect();
    let new = NewNote { name, text, category: args.category, tags, insist: args.new };
    let stored = notes::store(nexus, &new)?;
    let wire = notes::stored_wire(&stored);
    if args.json {
        out.json(&wire)?;
        return Ok(ExitCode::SUCCESS);
    }
    match &stored {
        Stored::Created { name, .. } => out.line(format_args!("{GREEN}created{GREEN:#} {}", file(name)))?,
        Stored::Merged { name, why } => {
            out.line(format_args!("{GREEN}added to{GREEN:#} {}: {why}", file(name)))?;
            say(format_args!("{CYAN}hint:{CYAN:#} `--new` makes a note of its own"));
        }
        Stored::Unchanged { name, why } => {
            out.line(format_args!("all of it is in {} already: {why}", file(name)))?;
        }
    }
    if let Some(hint) = wire.hint {
        say(format_args!("{CYAN}hint:{CYAN:#} {hint}"));
    }
    Ok(ExitCode::SUCCESS)
}

fn category(text: &str) -> Result<Category, String> {
    text.parse().map_err(|()| {
        let each = Category::ALL.map(|category| format!("{}: {}", category.name(), category.about()));
        each.join("; ")
    })
}
