//! `nudge failures`: what fails again and again, and what ended it.

use std::process::ExitCode;

use super::memory::{self, ScopeArgs};
use super::output::{BOLD, CYAN, DIM, Failure, GREEN, Out, RED, counted, in_line, say};
use super::rows::{ago, one_line};
use crate::api::failures::{FailureCauseWire, FailuresWire};
use crate::model::Timestamp;
use crate::ops::failures;
use crate::ops::times;

/// Show what fails again and again, and what ended it
///
/// Failures with the same cause are one entry: those of most sessions first, then the latest.
#[derive(clap::Args)]
pub(crate) struct FailuresArgs {
    #[command(flatten)]
    scope: ScopeArgs,

    /// Only after this: a date, a time, `3d`, `PT2H`, `yesterday`
    #[arg(long, value_name = "WHEN", value_parser = times::parse)]
    since: Option<Timestamp>,

    /// Maximum number of causes
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

/// Maximum number of characters of a command, and of a line of its output.
const MAX_TEXT: usize = 110;

pub(crate) fn run(args: &FailuresArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let Some(memory) = memory::open()? else {
        memory::nothing_yet(args.json, &FailuresWire { total: Some(0), ..FailuresWire::default() }, out)?;
        return Ok(ExitCode::SUCCESS);
    };
    let scope = args.scope.scope();
    let is_everywhere = memory::project_of(&memory, &scope)?.is_none();
    let found = failures::find(memory, &scope, args.since, usize::from(args.limit))?;
    if args.json {
        out.json(&found)?;
        return Ok(ExitCode::SUCCESS);
    }
    for (index, cause) in found.items.iter().enumerate() {
        if index > 0 {
            out.line("")?;
        }
        show(cause, is_everywhere, out)?;
    }
    match found.items.len() {
        0 if is_everywhere => say("no failure is remembered"),
        0 => say("no failure is remembered of this project: try `--all`"),
        shown => {
            let more = found.total.map_or(0, |total| total.saturating_sub(shown));
            if more > 0 {
                say(format_args!("{}: try `-n {}`", counted(more, "more cause"), shown + more));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn show(cause: &FailureCauseWire, with_project: bool, out: &mut Out) -> Result<(), Failure> {
    let project = cause
        .project
        .as_deref()
        .filter(|_| with_project)
        .map(|project| format!("{CYAN}{}{CYAN:#}  ", in_line(project)));
    let often = match (cause.times, cause.sessions) {
        (1, _) => "once".to_owned(),
        (times, sessions) => format!("{times} times in {}", counted(sessions, "session")),
    };
    let last = ago(times::from_iso(&cause.last_at).unwrap_or(Timestamp(0)), times::now());
    let program = cause.program.as_deref().unwrap_or("?");
    out.row(format_args!(
        "{BOLD}{}{BOLD:#}  {}{RED}{}{RED:#}  {often}, last {last}",
        cause.id,
        project.unwrap_or_default(),
        one_line(program, MAX_TEXT),
    ))?;
    out.row(format_args!("    {}", one_line(&cause.command, MAX_TEXT)))?;
    let line = cause.error.as_str();
    if !line.trim().is_empty() && !cause.command.contains(line) {
        out.row(format_args!("    {DIM}{}{DIM:#}", one_line(line, MAX_TEXT)))?;
    }
    match &cause.ended_by {
        Some(way) => {
            let text = one_line(&way.text, 2 * MAX_TEXT);
            out.row(format_args!("    {GREEN}ended by:{GREEN:#} {text}  {DIM}({}){DIM:#}", way.id))
        }
        None => out.row(format_args!("    {DIM}nothing ended it yet{DIM:#}")),
    }
}
