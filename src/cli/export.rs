//! `nudge export`: all hints, to be kept or carried elsewhere.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Map, Value};

use super::hints::Conversation;
use super::output::{Failure, Out, counted, say};
use crate::api::HintMethod;

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
    let result = Conversation::begin(port, args.json)?.ask(HintMethod::Export, params, out)?;
    match &args.output {
        _ if args.json => out.json(&result)?,
        None => out.json(&result["payload"])?,
        Some(path) => {
            let cannot =
                |error: io::Error| Failure::new(format!("`{}` cannot be written: {error}", path.display()));
            write(&result["payload"], path).map_err(cannot)?;
        }
    }
    let secrets =
        result["skipped_secrets"].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
    if secrets > 0 && !args.json {
        say(format_args!("{} left out; `--include-secrets` writes them too", counted(secrets, "secret")));
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes beside the file and puts it in its place at the end, so that it is there as a whole or not at all.
fn write(payload: &Value, path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // The error names a file that nobody has asked for.
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|error| io::Error::from(error.kind()))?;
    let text = serde_json::to_string_pretty(payload).unwrap_or_default();
    writeln!(file, "{text}")?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
