//! `nudge export`: all hints, to be kept or carried elsewhere.

use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use super::hints;
use super::output::{Failure, Out, counted, say};
use crate::api::hints::ExportRequest;
use crate::ops::hints::CallError;
use crate::ops::hints::save::{self, ExportPart, SaveError};

/// Write all hints as JSON, for `nudge import`
///
/// Secrets are left out unless you ask for them; if you do, keep the file private.
#[derive(clap::Args)]
pub(crate) struct ExportArgs {
    /// Format of the file
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "json")]
    format: ExportFormatArg,

    /// Only hints of this component
    #[arg(long, value_name = "NAME")]
    component: Option<String>,

    /// Include secrets
    #[arg(long)]
    include_secrets: bool,

    /// Write to this file, readable only by you [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Print JSON: the whole result, with the number of secrets left out
    #[arg(short, long, conflicts_with = "output")]
    json: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum ExportFormatArg {
    Json,
}

pub(crate) fn run(args: &ExportArgs, port: Option<u16>, out: &mut Out) -> Result<ExitCode, Failure> {
    let ExportFormatArg::Json = args.format;
    let request = ExportRequest {
        component: args.component.clone(),
        include_secrets: args.include_secrets,
        whole: false,
        context: None,
    };
    let mut client = hints::reach(port)?;
    if client.is_local() {
        let failure = Failure::new("no server is running, and an export is made by one");
        return Err(failure.hint("`nudge serve` starts one; kept hints are in files, which can be copied"));
    }
    let part = if args.json { ExportPart::Result } else { ExportPart::Payload };
    let saved = match &args.output {
        None => {
            let mut out = BufWriter::new(out.raw());
            // What is left in the buffer would be lost without a word.
            let saved = save::save(&mut client, &request, part, &mut out);
            saved.and_then(|secrets| out.flush().map(|()| secrets).map_err(SaveError::Written))
        }
        Some(path) => save::save_to(path, &mut client, &request, part),
    };
    let secrets = match (saved, &args.output) {
        (Ok(secrets), _) => usize::try_from(secrets).unwrap_or(usize::MAX),
        (Err(SaveError::Call(error)), _) => {
            if !matches!(error, CallError::Refused(_)) {
                out.mark_answered();
            }
            return Err(error.into());
        }
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
