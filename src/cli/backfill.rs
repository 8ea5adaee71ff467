//! `nudge backfill`: fills the memory with what agents wrote down before.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::builder::{PossibleValue, PossibleValuesParser};
use indicatif::{ProgressBar, ProgressStyle};

use super::here;
use super::output::{BOLD, DIM, Failure, GREEN, Out, YELLOW, counted, say};
use crate::api::backfill::{BackfillJson, BackfilledAgentJson, UnreadTranscriptJson};
use crate::model::{Timestamp, UnknownRecords};
use crate::ops::agents::{self, Agent};
use crate::ops::observations::backfill::{
    self, AgentReport, BackfillError, BackfillReport, BackfillRequest, Progress,
};
use crate::ops::times;

/// Remember earlier sessions, from the agents' own transcripts
///
/// Coding agents write down every session, and some of them delete it after a month. This reads what is on this machine,
/// removes secrets as from live events, and stores what is new. What hooks have stored already stays one observation,
/// and reading twice stores nothing twice. Nothing is written to the agents' files.
#[derive(clap::Args)]
pub(crate) struct BackfillArgs {
    /// Agents to read [default: all]
    #[arg(value_name = "AGENT", value_parser = agent_names())]
    agents: Vec<String>,

    /// Only after this: a date, a time, `90d`, `1w` [default: what retention keeps]
    #[arg(long, value_name = "WHEN", value_parser = times::parse)]
    since: Option<Timestamp>,

    /// Only sessions that began in this project
    #[arg(long, conflicts_with = "all")]
    project: bool,

    /// Sessions in all projects (the default)
    #[arg(short, long)]
    all: bool,

    /// Only count what would be stored
    #[arg(long)]
    dry_run: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

/// Maximum number of transcripts that are named because they could not be read.
const MAX_NAMED: usize = 10;

/// Returns the names that can be given: those of all agents with transcripts.
fn agent_names() -> PossibleValuesParser {
    let readable = agents::AGENTS.iter().filter(|agent| agent.transcripts.is_some());
    PossibleValuesParser::new(readable.map(|agent| PossibleValue::new(agent.name).help(agent.title)))
}

pub(crate) fn run(args: &BackfillArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let agents: Vec<&'static Agent> = args.agents.iter().filter_map(|name| agents::by_name(name)).collect();
    let only_in = if args.project { Some(here()?) } else { None };
    let (since, is_dry) = (args.since, args.dry_run);
    read(&BackfillRequest { agents, since, only_in, is_dry, is_in_background: false }, args.json, out)
}

/// Reads everything of these agents, as `nudge setup` offers it.
pub(crate) fn run_for(agents: Vec<&'static Agent>, out: &mut Out) -> Result<ExitCode, Failure> {
    read(&BackfillRequest { agents, ..BackfillRequest::default() }, false, out)
}

fn read(request: &BackfillRequest, json: bool, out: &mut Out) -> Result<ExitCode, Failure> {
    let bar = ProgressBar::hidden();
    let report = backfill::run(request, &mut |progress| match progress {
        Progress::Total(bytes) => show_bar(&bar, bytes),
        Progress::Read(bytes) => bar.inc(bytes),
    });
    bar.finish_and_clear();
    let report = report.map_err(|error| match error {
        BackfillError::Store(error) => error.into(),
        other => Failure::new(other.to_string()),
    })?;
    if json {
        out.json(&to_json(&report, request.is_dry))?;
    } else {
        show(&report, request.is_dry, out)?;
    }
    Ok(if report.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Shows how far it is, where somebody looks.
fn show_bar(bar: &ProgressBar, bytes: u64) {
    if !io::stderr().is_terminal() {
        return;
    }
    let style = ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_length(bytes);
    bar.set_draw_target(indicatif::ProgressDrawTarget::stderr());
}

fn show(report: &BackfillReport, is_dry: bool, out: &mut Out) -> Result<(), Failure> {
    let found: Vec<&AgentReport> = report.agents.iter().filter(|agent| agent.transcripts > 0).collect();
    if found.is_empty() {
        say("no transcripts were found: none of the agents has written one on this machine");
        return Ok(());
    }
    for agent in found {
        if agent.agent.transcripts.is_some_and(|transcripts| transcripts.is_by_documentation) {
            let title = agent.agent.title;
            say(format_args!(
                "note: the reader of {title} follows documentation; it was never tried on a real session"
            ));
        }
        let all = counted(agent.transcripts, "transcript");
        let title = agent.agent.title;
        if agent.read == 0 {
            out.line(format_args!("{BOLD}{title}{BOLD:#}: {all}, nothing new"))?;
            continue;
        }
        let (read, size) = (agent.read, megabytes(agent.bytes));
        out.line(format_args!("{BOLD}{title}{BOLD:#}: {all}, {read} with something new ({size})"))?;
        let count = &agent.count;
        let verb = if is_dry { "would be stored" } else { "stored" };
        let stored = counted(count.stored, "observation");
        let others = [
            (count.known, "known already"),
            (count.copies, "repeated from other sessions"),
            (count.forgotten, "forgotten on request"),
        ];
        let others = others.iter().filter(|(count, _)| *count > 0);
        let others: String = others.map(|(count, what)| format!(", {count} {what}")).collect();
        out.line(format_args!("  {GREEN}✔{GREEN:#} {stored} {verb}{others}"))?;
        let types = count.types.iter().map(|(kind, count)| format!("{} {count}", kind.name()));
        let types: Vec<String> = types.collect();
        if !types.is_empty() {
            out.row(format_args!("    {DIM}{}{DIM:#}", types.join(", ")))?;
        }
    }
    if report.expired > 0 {
        let events = counted(report.expired, "event");
        say(format_args!("note: {events} left out: older than `retention` keeps them (`nudge settings`)"));
    }
    for UnknownRecords { harness, kind, count, agent_version } in &report.unknown {
        let version = agent_version.as_ref().map(|version| format!(", newest {version}")).unwrap_or_default();
        let records = counted(*count, "record");
        say(format_args!(
            "{YELLOW}warning:{YELLOW:#} {harness}: {records} of type {kind} not known{version}"
        ));
    }
    for (name, why) in report.failed.iter().take(MAX_NAMED) {
        say(format_args!("{YELLOW}skipped{YELLOW:#} {name}: {why}"));
    }
    Ok(())
}

fn megabytes(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} KB", bytes.div_ceil(1_000)),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

fn to_json(report: &BackfillReport, is_dry: bool) -> BackfillJson {
    let agents = report.agents.iter().map(|agent| BackfilledAgentJson {
        agent: agent.agent.id,
        transcripts: agent.transcripts,
        read: agent.read,
        bytes: agent.bytes,
        count: (&agent.count).into(),
    });
    let failed = report.failed.iter();
    BackfillJson {
        dry_run: is_dry,
        agents: agents.collect(),
        unknown: report.unknown.iter().map(Into::into).collect(),
        failed: failed
            .map(|(file, why)| UnreadTranscriptJson { file: file.clone(), why: why.clone() })
            .collect(),
        expired: report.expired,
    }
}
