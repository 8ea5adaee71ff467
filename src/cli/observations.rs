//! `nudge observations`: takes the memory elsewhere, and brings it in from there.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::memory::{self, ScopeArgs};
use super::output::{Failure, Out, YELLOW, counted, say};
use crate::api::memory::{ImportedJson, SkippedLineJson};
use crate::files;
use crate::model::Timestamp;
use crate::ops::observations::exchange::{self, Export, ImportError, Imported};
use crate::ops::times;
use indicatif::{ProgressBar, ProgressStyle};

/// Export observations to a file, or import them
#[derive(clap::Args)]
pub(crate) struct ObservationsArgs {
    #[command(subcommand)]
    command: ExchangeCommand,
}

#[derive(clap::Subcommand)]
enum ExchangeCommand {
    Export(ObservationsExportArgs),
    Import(ObservationsImportArgs),
}

/// Write observations as JSON Lines
#[derive(clap::Args)]
struct ObservationsExportArgs {
    /// Write to this file [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// File to write; `-` is stdout
    // The older way to name it.
    #[arg(hide = true, conflicts_with = "output")]
    file: Option<PathBuf>,

    #[command(flatten)]
    scope: ScopeArgs,

    /// Only after this: a date, a time, `3d`, `PT2H`, `yesterday`
    #[arg(long, value_name = "WHEN", value_parser = times::parse)]
    since: Option<Timestamp>,
}

/// Read observations from JSON Lines; known ones are not changed
///
/// Every line is checked, and secrets are redacted again. Exit code 1 if a line is skipped.
#[derive(clap::Args)]
struct ObservationsImportArgs {
    /// File to read; `-` is stdin
    file: PathBuf,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

/// Maximum number of skipped lines that are named.
const NAMED: usize = 10;

pub(crate) fn run(args: &ObservationsArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    match &args.command {
        ExchangeCommand::Export(args) => export(args, out),
        ExchangeCommand::Import(args) => import(args, out),
    }
}

fn export(args: &ObservationsExportArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let Some(export) = exchange::export(&args.scope.scope(), args.since)? else {
        memory::nothing_yet(false, &memory::no_items(), out)?;
        return Ok(ExitCode::SUCCESS);
    };
    let progress = progress(export.count as u64, "{bar:30} {pos}/{len} observations {eta}");
    let file = args.output.as_deref().or(args.file.as_deref()).filter(|file| *file != Path::new("-"));
    if let Some(file) = file {
        write(&export, file, &progress).map_err(|error| cannot("written", file, &error))??;
    } else {
        export.each(|line| {
            progress.inc(1);
            out.bytes(line.as_bytes())
        })??;
    }
    progress.finish_and_clear();
    say(format_args!("{} exported", counted(export.count, "observation")));
    Ok(ExitCode::SUCCESS)
}

fn write(export: &Export, path: &Path, progress: &ProgressBar) -> io::Result<Result<(), Failure>> {
    files::write_whole(path, |file| {
        let written = export.each(|line| {
            progress.inc(1);
            file.write_all(line.as_bytes())
        })?;
        written.map_err(|error| cannot("written", path, &error))
    })
}

fn import(args: &ObservationsImportArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let (lines, length): (Box<dyn BufRead>, u64) = if args.file == Path::new("-") {
        (Box::new(io::stdin().lock()), 0)
    } else {
        let file = File::open(&args.file).map_err(|error| cannot("read", &args.file, &error))?;
        let length = file.metadata().map_or(0, |meta| meta.len());
        (Box::new(BufReader::new(file)), length)
    };
    let progress = progress(length, "{bar:30} {bytes}/{total_bytes} {eta}");
    let imported = exchange::import(lines, |bytes| progress.inc(bytes as u64));
    progress.finish_and_clear();
    let imported = imported.map_err(|error| match error {
        ImportError::Store(error) => error.into(),
        other => Failure::new(other.to_string()),
    })?;
    let Imported { inserted, skipped } = &imported;
    if args.json {
        let skipped = skipped.iter().map(|one| SkippedLineJson { line: one.line, why: one.why.clone() });
        let (stored, duplicates) = (inserted.stored, inserted.duplicates);
        out.json(&ImportedJson { stored, duplicates, skipped: skipped.collect() })?;
    } else {
        for one in skipped.iter().take(NAMED) {
            say(format_args!("{YELLOW}skipped{YELLOW:#} line {}: {}", one.line, one.why));
        }
        let (stored, known) = (counted(inserted.stored, "observation"), inserted.duplicates);
        say(format_args!("{stored} imported, {known} were here already, {} skipped", skipped.len()));
    }
    Ok(if skipped.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn cannot(done: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("`{}` cannot be {done}: {error}", path.display()))
}

fn progress(length: u64, template: &str) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
