//! `nudge memory add`: stores a finding.

use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;

use crate::cli::output::{CYAN, Failure, GREEN, Out, say};
use crate::model::Category;
use crate::nexus::Nexus;
use crate::nexus::notes::file;
use crate::ops::notes::{self, NewNote, Stored};

/// Store a finding, in the note that speaks of the same or in one of its own
///
/// Names have two to four lower-case words with `-` between them, without dates and versions, and may begin with a
/// category: `empirical-` for what was found out here, `external-` for what others impose, `pattern-` for recipes.
/// Secrets are refused.
#[derive(clap::Args)]
pub(crate) struct AddArgs {
    /// Name of the note, as in `retry-uploads` (default: from the text's first words)
    #[arg(value_name = "NAME")]
    first: Option<String>,

    /// Text in Markdown; `-` for standard input. Alone, it may stand in the place of NAME
    #[arg(value_name = "TEXT", conflicts_with = "file")]
    second: Option<String>,

    /// Read the text from a file
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,

    /// Sort of knowledge: empirical, external or pattern
    #[arg(long, value_name = "CATEGORY", value_parser = category)]
    category: Option<Category>,

    /// Words to find it by
    #[arg(long, value_name = "TAG", value_delimiter = ',')]
    tags: Vec<String>,

    /// Make a note of its own, even if another one speaks of the same
    #[arg(long)]
    new: bool,

    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(nexus: &Nexus, args: &AddArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let (name, text) = args.name_and_text()?;
    let tags = args.tags.iter().map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect();
    let new = NewNote { name, text, category: args.category, tags, insist: args.new };
    let stored = notes::store(nexus, &new)?;
    let wire = notes::stored_wire(&stored);
    if args.json {
        out.json(&json!(wire))?;
        return Ok(ExitCode::SUCCESS);
    }
    match &stored {
        Stored::Created { name } => out.line(format_args!("{GREEN}created{GREEN:#} {}", file(name)))?,
        Stored::Merged { name, why } => {
            out.line(format_args!("{GREEN}added to{GREEN:#} {}: {why}", file(name)))?;
            say(format_args!("{CYAN}hint:{CYAN:#} `--new` makes a note of its own"));
        }
        Stored::Unchanged { name, why } => {
            out.line(format_args!("all of it stands in {} already: {why}", file(name)))?;
        }
    }
    if let Some(hint) = wire.hint {
        say(format_args!("{CYAN}hint:{CYAN:#} {hint}"));
    }
    Ok(ExitCode::SUCCESS)
}

impl AddArgs {
    /// One argument is a name if a text comes from elsewhere, and else the text.
    fn name_and_text(&self) -> Result<(Option<String>, String), Failure> {
        if let Some(path) = &self.file {
            let text = fs::read_to_string(path)
                .map_err(|error| Failure::new(format!("cannot read `{}`: {error}", path.display())))?;
            return Ok((self.first.clone(), text));
        }
        match (self.first.as_deref(), self.second.as_deref()) {
            (Some(name), Some("-")) => Ok((Some(name.to_owned()), input()?)),
            (Some(name), Some(text)) => Ok((Some(name.to_owned()), text.to_owned())),
            (Some("-"), None) => Ok((None, input()?)),
            (Some(name), None) if !name.contains(char::is_whitespace) => {
                let failure = Failure::new(format!("`{name}` has no text")).usage();
                Err(failure
                    .hint(format!("write it behind the name, or `nudge memory add {name} -` and pipe it in")))
            }
            (Some(text), None) => Ok((None, text.to_owned())),
            _ => Err(Failure::new("there is no text to store")
                .hint("write it behind the name, or pipe it into `-`")
                .usage()),
        }
    }
}

fn input() -> Result<String, Failure> {
    let mut text = String::new();
    let read = std::io::stdin().lock().take(notes::MOST_INPUT).read_to_string(&mut text);
    read.map_err(|error| Failure::new(format!("cannot read the text: {error}")))?;
    Ok(text)
}

fn category(text: &str) -> Result<Category, String> {
    text.parse().map_err(|()| {
        let each = Category::ALL.map(|category| format!("{}: {}", category.name(), category.about()));
        each.join("; ")
    })
}
