//! `nudge report`: the viewer's page in one file, with its data.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::here;
use super::output::{Failure, Out, counted};
use crate::api::report::ReportJson;
use crate::ops::here::root as root_of;
use crate::ops::pages::report::{self, ReportError, ReportRequest};
use crate::ops::times;

/// Write what your agents did into one HTML file
///
/// For a retrospective, a pull request or a colleague.
/// The file is the page of `nudge ui` with the data of a range in it: it opens from disk, asks nobody, and prints.
/// Secrets are masked and paths below your home folder become `~`. Patterns find what looks like a secret: read it
/// before you send it.
#[derive(clap::Args)]
pub(crate) struct ReportArgs {
    /// File to write
    #[arg(long, value_name = "FILE", required = true)]
    html: PathBuf,

    /// Since when: `7d`, `yesterday`, `2026-01-05` [default: 7d]
    #[arg(long, value_name = "TIME", default_value = "7d")]
    since: String,

    /// Until when [default: now]
    #[arg(long, value_name = "TIME")]
    until: Option<String>,

    /// The project in this folder [default: the one you are in]
    #[arg(long, value_name = "FOLDER", conflicts_with = "all")]
    project: Option<PathBuf>,

    /// All projects
    #[arg(short, long)]
    all: bool,

    /// Only this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,

    /// Leave out prompts, outputs and messages
    #[arg(long)]
    plain: bool,

    /// Replace a file that exists
    #[arg(long)]
    force: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &ReportArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    if args.html.as_os_str() == "-" {
        let failure = Failure::new("a page is written to a file, not to the screen").usage();
        return Err(failure.hint("name one, as in `--html week.html`"));
    }
    let time = |name: &str, text: &str, parsed: Result<crate::model::Timestamp, String>| {
        parsed
            .map_err(|why| Failure::new(format!("`{name}` is `{text}`, which is not a time: {why}")).usage())
    };
    let since = time("--since", &args.since, times::parse(&args.since))?;
    let until = match &args.until {
        Some(text) => time("--until", text, times::parse_end(text))?,
        None => times::now(),
    };
    if since > until {
        return Err(Failure::new("`--since` is after `--until`").usage());
    }
    let project = match (&args.project, args.all || args.session.is_some()) {
        (Some(folder), _) => Some(root_of(folder)),
        (None, true) => None,
        (None, false) => Some(root_of(&here()?)),
    };
    let request = ReportRequest {
        from_ms: since.0 * 1_000,
        to_ms: until.0 * 1_000 + 999,
        project,
        session: args.session.clone(),
        is_plain: args.plain,
    };
    let failed = |error: ReportError| Failure::new(error.to_string()).hint_if(error.hint());
    let made = report::make(&request).map_err(failed)?;
    report::write(&args.html, &made.html, args.force).map_err(failed)?;
    let name = args.html.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    if args.json {
        let file = shown(&args.html);
        let (sessions, masked, bytes) = (made.sessions, made.masked, made.html.len());
        out.json(&ReportJson { file, sessions, bytes, masked, left_out: made.left_out })?;
        return Ok(ExitCode::SUCCESS);
    }
    out.line(format_args!(
        "{name}: {}, {} KB, {} masked. Patterns find what looks like a secret: read it before you send it.",
        counted(made.sessions, "session"),
        made.html.len().div_ceil(1_000),
        counted(made.masked, "secret"),
    ))?;
    if !made.left_out.is_empty() {
        out.line(format_args!(
            "left out, because the page would be too large: {}",
            made.left_out.join(", ")
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
