//! `nudge import`: hints from a file, to begin a session with.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use super::hints::{self, name, shown_in_line};
use super::import_from::{self, tool_names};
use super::output::{Failure, GREEN, Out, YELLOW, counted, say};
use crate::api::read_strictly;
use crate::model::{ImportMode, ImportReport};
use crate::ops::hints::import;

/// Read hints from a file, or what another tool remembers
///
/// The file comes from `nudge export`, or you wrote it. Every hint is checked as `nudge set` does. Exit code 1 if one of
/// them is refused.
///
/// With `--from`, reads the memory or the rules of another tool instead. It shows what would come in, and asks. What a
/// model wrote becomes observations that name their source; rules become a file beside yours, for you to read.
#[derive(clap::Args)]
pub(crate) struct ImportArgs {
    /// File to read; `-` is stdin. With `--from`: the tool's file or folder [default: where the tool keeps it]
    #[arg(required_unless_present = "from")]
    file: Option<PathBuf>,

    /// Read what this tool remembers, or its rules
    #[arg(long, value_name = "TOOL", value_parser = tool_names(), conflicts_with = "mode")]
    from: Option<String>,

    #[command(flatten)]
    other: import_from::ImportFromArgs,

    /// `merge` keeps existing hints; `replace` deletes them, after the whole file has been validated
    #[arg(long, value_enum, value_name = "MODE", default_value = "merge")]
    mode: ModeArg,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum ModeArg {
    Merge,
    Replace,
}

/// More than a full store; what is longer is not read to its end.
const MAX_BYTES: u64 = 1 << 30;
/// A file of this size takes long enough to show how far it is.
const LONG: usize = 1 << 20;

pub(crate) fn run(args: &ImportArgs, port: Option<u16>, out: &mut Out) -> Result<ExitCode, Failure> {
    if let Some(tool) = args.from.as_deref().and_then(import_from::tool) {
        return import_from::run(tool, args.file.clone(), &args.other, args.json, out);
    }
    let payload = read(args.file.as_deref().unwrap_or(Path::new("-")))?;
    let mode = match args.mode {
        ModeArg::Merge => ImportMode::Merge,
        ModeArg::Replace => ImportMode::Replace,
    };
    let progress = progress(import::size(&payload));
    let mut client = hints::reach(port)?;
    let report = import::load(&mut client, payload, mode, |bytes| progress.inc(bytes as u64));
    progress.finish_and_clear();
    let report = report?;
    if args.json {
        out.json(&report)?;
    } else {
        print(&report, out)?;
    }
    Ok(if report.errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Reads a store, or the result that holds one.
fn read(path: &Path) -> Result<Value, Failure> {
    let shown = path.display();
    let cannot = |error: io::Error| Failure::new(format!("`{shown}` cannot be read: {error}"));
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        io::stdin().lock().take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(cannot)?;
    } else {
        File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)).map_err(cannot)?;
    }
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Failure::new(format!("`{shown}` is larger than any session's hints")));
    }
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let text = std::str::from_utf8(text).map_err(|_| Failure::new(format!("`{shown}` is not UTF-8")))?;
    let mut value = read_strictly(text.as_bytes()).map_err(|error| {
        // JSON has two names for one thing there, and nobody knows which is meant.
        let what = if error.is_data() { "not JSON that can be trusted" } else { "not JSON" };
        Failure::new(format!("`{shown}` is {what}: {error}"))
            .hint("`nudge export` shows what such a file looks like")
    })?;
    let is_result = value["components"].is_null() && value["payload"].is_object();
    Ok(if is_result { value["payload"].take() } else { value })
}

fn print(report: &ImportReport, out: &mut Out) -> Result<(), Failure> {
    let ImportReport { imported, skipped, errors, .. } = report;
    for error in errors {
        let named = name(&error.component, error.key.as_deref().unwrap_or_default());
        say(format_args!("{YELLOW}skipped{YELLOW:#} {named}: {}", shown_in_line(&error.detail)));
    }
    let unnamed = skipped.saturating_sub(errors.len());
    let why = match (skipped, errors.is_empty()) {
        (0, _) => String::new(),
        (_, true) => format!(", {skipped} were here already"),
        (_, false) if unnamed > 0 => {
            format!(", {skipped} skipped ({unnamed} of them not named: here already, or too many)")
        }
        (_, false) => format!(", {skipped} skipped"),
    };
    out.line(format_args!("{GREEN}✔{GREEN:#} imported {}{why}", counted(*imported, "hint")))
}

fn progress(size: usize) -> ProgressBar {
    if size < LONG || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes} {eta}");
    ProgressBar::new(size as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
