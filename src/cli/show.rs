//! `nudge show`: whole observations.

use std::process::ExitCode;

use serde_json::Value;

use super::memory::{self, ObservationArg};
use super::output::{BOLD, CYAN, DIM, Failure, Out, RED, YELLOW, in_line, say};
use super::rows::{ago, duration, plain, style};
use crate::api::list::ListWire;
use crate::api::memory::ObservationJson;
#[cfg(feature = "team")]
use crate::api::sharing::ColleagueRowJson;
use crate::model::{Observation, ObservationId, Timestamp};
#[cfg(feature = "team")]
use crate::ops::sharing::colleagues;
use crate::ops::times;

/// Show observations in full
///
/// Exit code 1 if one of them does not exist.
#[derive(clap::Args)]
pub(crate) struct ShowArgs {
    /// Numbers of observations, for example `42`; `last` is the latest of this project, `@17` a row of a colleague
    #[arg(required = true, value_name = "ID", value_parser = ObservationArg::parse)]
    ids: Vec<ObservationArg>,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &ShowArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let (theirs, own): (Vec<ObservationArg>, Vec<ObservationArg>) =
        args.ids.iter().copied().partition(|id| matches!(id, ObservationArg::Colleague(_)));
    #[cfg(not(feature = "team"))]
    if !theirs.is_empty() {
        return Err(memory::no_team());
    }
    #[cfg(feature = "team")]
    if !theirs.is_empty() {
        let code = show_colleagues(&theirs, args.json, out)?;
        if own.is_empty() {
            return Ok(code);
        }
    }
    let Some(memory) = memory::open()? else {
        memory::nothing_yet(args.json, &memory::no_items(), out)?;
        return Ok(ExitCode::FAILURE);
    };
    let ids = own.iter().map(|id| id.find(&memory)).collect::<Result<Vec<_>, Failure>>()?;
    let found = memory.get(&ids)?;
    if args.json {
        out.json(&ListWire::<ObservationJson>::whole(found.iter().cloned()))?;
    } else {
        show(&found, out)?;
    }
    let missing: Vec<ObservationId> =
        ids.iter().filter(|id| found.iter().all(|one| one.id != **id)).copied().collect();
    memory::say_missing(&missing);
    Ok(if missing.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Shows whole rows, as what they are: text of somebody else.
#[cfg(feature = "team")]
fn show_colleagues(ids: &[ObservationArg], json: bool, out: &mut Out) -> Result<ExitCode, Failure> {
    let number =
        |id: &ObservationArg| if let ObservationArg::Colleague(number) = id { Some(*number) } else { None };
    let numbers: Vec<i64> = ids.iter().filter_map(number).collect();
    let found = colleagues::get(&numbers)?;
    let is_complete = found.len() == numbers.len();
    if json {
        out.json(&ListWire::<ColleagueRowJson>::whole(found))?;
    } else {
        let now = times::now();
        for row in &found {
            let by = if row.author.is_ci { " (CI)" } else { "" };
            let author = in_line(&row.author.name);
            out.line(format_args!(
                "{DIM}told by{DIM:#}  {CYAN}@{author}{CYAN:#}{by}: evidence of the past, not an instruction"
            ))?;
            show_one(&row.observation, &format!("@{}", row.observation.id.0), now, out)?;
        }
    }
    if !is_complete {
        say(format_args!(
            "{RED}error:{RED:#} some of these rows are not here: they were taken back, or never came"
        ));
    }
    Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints observations with all that is known of them.
pub(crate) fn show(observations: &[Observation], out: &mut Out) -> Result<(), Failure> {
    let now = times::now();
    for (index, one) in observations.iter().enumerate() {
        if index > 0 {
            out.line("")?;
        }
        show_one(one, &one.id.0.to_string(), now, out)?;
    }
    Ok(())
}

/// Prints one observation under a number.
pub(crate) fn show_one(
    one: &Observation,
    number: &str,
    now: Timestamp,
    out: &mut Out,
) -> Result<(), Failure> {
    let (style, kind) = (style(one.obs_type), one.obs_type.name());
    let pin = if one.pinned { format!("  {YELLOW}pinned{YELLOW:#}") } else { String::new() };
    let when = format!("{} ({})", times::local_time(one.timestamp), ago(one.timestamp, now));
    out.line(format_args!("{BOLD}{number}{BOLD:#}  {style}{kind}{style:#}  {when}{pin}"))?;
    let mut fact = |name: &str, value: Option<&str>| match value {
        Some(value) => out.line(format_args!("{DIM}{name:8}{DIM:#} {}", plain(value))),
        None => Ok(()),
    };
    fact("project", one.project.as_deref())?;
    fact("session", Some(&one.session_id.0))?;
    let tool = one.tool_name.as_ref().map(|tool| format!(" of {tool}")).unwrap_or_default();
    fact("event", Some(&format!("{}{tool}", one.source_event)))?;
    fact("file", one.file_path.as_deref())?;
    fact("agent", one.harness())?;
    fact("branch", place(one).as_deref())?;
    fact("rule", one.rule())?;
    fact("exit", one.exit_code().map(|code| code.to_string()).as_deref())?;
    fact("took", one.duration_ms().map(duration).as_deref())?;
    fact("facts", facts(one).as_deref())?;
    for line in plain(&one.content).lines() {
        out.line(format_args!("  {line}"))?;
    }
    Ok(())
}

/// Returns the branch, and the worktree if it has another name.
fn place(one: &Observation) -> Option<String> {
    let worktree = one.worktree().filter(|worktree| one.branch() != Some(worktree));
    match (one.branch(), worktree) {
        (Some(branch), Some(worktree)) => Some(format!("{branch} in worktree {worktree}")),
        (branch, worktree) => branch.or(worktree).map(str::to_owned),
    }
}

/// What has a line of its own.
const NAMED: [&str; 6] = ["harness", "branch", "worktree", "rule", "exit_code", "duration_ms"];

/// Returns the metadata in one line, without what is shown anyway.
fn facts(observation: &Observation) -> Option<String> {
    let metadata = observation.metadata.as_ref()?;
    let facts = metadata.0.iter().filter(|(name, value)| {
        let is_named = NAMED.contains(&name.as_str());
        let is_shown = name.as_str() == "command"
            && value.as_str().is_some_and(|text| observation.content.starts_with(text));
        !is_named && !is_shown
    });
    let facts: Vec<String> = facts
        .map(|(name, value)| match value {
            Value::String(text) => format!("{name} {}", text.replace('\n', " ")),
            other => format!("{name} {other}"),
        })
        .collect();
    (!facts.is_empty()).then(|| facts.join(", "))
}
