//! `nudge export`: all hints, to be kept or carried elsewhere.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::Map;

use super::hints::Conversation;
use super::output::{Failure, Out, counted, say};
use crate::ops::save_hints::{Part, SaveError};

/// Write all hints as JSON, for `nudge import`
///
/// Secrets are left out unless you ask for them; then keep the file to yourself.
#[derive(clap::Args)]
pub(crate) struct ExportArgs {
    /// How it is written
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "json")]
    format: FormatArg,

    /// Only the hints of this component
    #[arg(long, value_name = "NAME")]
    component: Option<String>,

    /// Write secrets too
    #[arg(long)]
    include_secrets: bool,

    /// File to write (default: stdout); only you may read it
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Print the whole result as JSON, with the count of secrets that were left out
    #[arg(long, conflicts_with = "output")]
    json: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum FormatArg {
    Json,
}

pub(crate) fn run(args: &ExportArgs, port: Option<u16>, out: &mut Out) -> Result<ExitCode, Failure> {
    let FormatArg::Json = args.format;
    let mut params = Map::new();
    params.insert("format".to_owned(), "json".into());
    params.extend(args.component.clone().map(|component| ("component".to_owned(), component.into())));
    if args.include_secrets {
        params.insert("include_secrets".to_owned(), true.into());
    }
    let mut conversation = Conversation::begin(port, args.json)?;
    let part = if args.json { Part::Result } else { Part::Payload };
    let saved = match &args.output {
        None => conversation.save(&params, part, &mut BufWriter::new(out.raw())),
        Some(path) => write(path, |file| conversation.save(&params, part, file)),
    };
    let secrets = match (saved, &args.output) {
        (Ok(secrets), _) => usize::try_from(secrets).unwrap_or(usize::MAX),
        (Err(SaveError::Call(error)), _) => return conversation.refused(error, out),
        (Err(SaveError::Written(error)), None) => return Err(error.into()),
        (Err(SaveError::Written(error)), Some(path)) => {
            return Err(Failure::new(format!("`{}` cannot be written: {error}", path.display())));
        }
    };
    if secrets > 0 {
        say(format_args!("{} left out; `--include-secrets` writes them too", counted(secrets, "secret")));
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes beside the file and puts it in its place at the end, so that it is there as a whole or not at all.
fn write(path: &Path, save: impl FnOnce(&mut dyn Write) -> Result<u64, SaveError>) -> Result<u64, SaveError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // The error names a file that nobody has asked for.
    let file = tempfile::NamedTempFile::new_in(folder);
    let mut file = BufWriter::new(file.map_err(|error| SaveError::Written(error.kind().into()))?);
    let secrets = save(&mut file)?;
    let file = file.into_inner().map_err(|error| SaveError::Written(error.into_error()))?;
    file.persist(path).map_err(|error| SaveError::Written(error.error))?;
    Ok(secrets)
}
