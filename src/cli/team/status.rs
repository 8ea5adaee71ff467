//! `nudge team status`: when rows last moved each way, and why not since.

use std::process::ExitCode;

use crate::api::sharing::{HeldJson, SharedProjectJson, TeamStatusJson};
use crate::cli::output::{BOLD, CYAN, DIM, Failure, Out, YELLOW, counted, say};
use crate::cli::rows::ago;
use crate::model::Timestamp;
use crate::ops::sharing::ground::ExchangeError;
use crate::ops::sharing::overview::{self, TeamOverview};
use crate::ops::times;

/// Show when rows moved, what waits, and what is shared
#[derive(clap::Args)]
pub(crate) struct TeamStatusArgs {
    /// List the rows that stay here, and why
    #[arg(long)]
    held: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &TeamStatusArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let Some(overview) = overview::overview()? else { return without_team(args, out) };
    if args.json {
        out.json(&to_json(&overview))?;
        return Ok(ExitCode::SUCCESS);
    }
    show(&overview, out)?;
    if args.held {
        for row in &overview.held {
            let id = row.observation.map_or_else(|| "-".to_owned(), |id| format!("#{id}"));
            out.row(format_args!("  {BOLD}{id}{BOLD:#}  {}  {}", row.project, row.why))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Says that there is no team, which is no failure: most people have none.
fn without_team(args: &TeamStatusArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    if args.json {
        out.json(&TeamStatusJson::default())?;
        return Ok(ExitCode::SUCCESS);
    }
    out.line(ExchangeError::NoTeam)?;
    if let Some(hint) = ExchangeError::NoTeam.hint() {
        say(format_args!("{CYAN}hint:{CYAN:#} {hint}"));
    }
    Ok(ExitCode::SUCCESS)
}

fn show(overview: &TeamOverview, out: &mut Out) -> Result<(), Failure> {
    let now = times::now();
    let state = overview.state.as_ref();
    let when = |at: Option<Timestamp>| at.map_or_else(|| "never".to_owned(), |at| ago(at, now));
    let name = |name: &str| format!("{DIM}{name:8}{DIM:#}");
    let member =
        state.and_then(|state| Some(format!(", as {} ({})", state.member.as_ref()?, state.level.as_ref()?)));
    let protocol = state.and_then(|state| Some(format!(", protocol {}", state.version?)));
    out.line(format_args!(
        "{} {}{}{}",
        name("team"),
        overview.server,
        member.unwrap_or_default(),
        protocol.unwrap_or_default()
    ))?;
    let sent = state.filter(|state| state.sent_at.is_some());
    let sent = sent.map(|state| format!(", {}", counted(usize::try_from(state.sent).unwrap_or(0), "row")));
    let waiting = match overview.waiting {
        0 => "nothing waits".to_owned(),
        waiting => format!("{} wait", counted(waiting, "record")),
    };
    let sent_at = when(state.and_then(|state| state.sent_at));
    out.line(format_args!("{} {sent_at}{}; {waiting}", name("sent"), sent.unwrap_or_default()))?;
    let brought = state.filter(|state| state.brought_at.is_some());
    let brought =
        brought.map(|state| format!(", {}", counted(usize::try_from(state.brought).unwrap_or(0), "row")));
    let copy = &overview.copy;
    let left_out = match copy.left_out {
        0 => String::new(),
        left_out => format!("; {} left on the server", counted(left_out, "row")),
    };
    out.line(format_args!(
        "{} {}{}; {} of {} here ({:.1} MB){left_out}",
        name("brought"),
        when(state.and_then(|state| state.brought_at)),
        brought.unwrap_or_default(),
        counted(copy.rows, "row"),
        counted(copy.people, "colleague"),
        copy.bytes as f64 / 1e6,
    ))?;
    for project in &overview.projects {
        let sent = counted(project.sent, "row");
        out.line(format_args!("{} {}  {}, {sent} sent", name("shares"), project.key, project.level))?;
    }
    if !overview.held.is_empty() {
        let count = counted(overview.held.len(), "row");
        out.line(format_args!("{} {count} stay here: `nudge team status --held` says why", name("held")))?;
    }
    if let Some(trouble) = overview.trouble() {
        say(format_args!("{YELLOW}note:{YELLOW:#} {trouble}"));
        say(format_args!("{CYAN}hint:{CYAN:#} nothing is lost; `nudge sync` tries now"));
    }
    Ok(())
}

fn to_json(overview: &TeamOverview) -> TeamStatusJson {
    let state = overview.state.as_ref();
    let projects = overview.projects.iter().map(|project| SharedProjectJson {
        project: project.key.clone(),
        level: project.level,
        sent: Some(project.sent),
    });
    let held = overview.held.iter().map(|row| HeldJson {
        project: row.project.clone(),
        id: row.observation,
        why: row.why.clone(),
    });
    TeamStatusJson {
        server: Some(overview.server.clone()),
        member: state.and_then(|state| state.member.clone()),
        level: state.and_then(|state| state.level.clone()),
        protocol: state.and_then(|state| state.version),
        sent_at: state.and_then(|state| state.sent_at).map(times::iso),
        sent: state.map_or(0, |state| state.sent),
        waiting: overview.waiting,
        brought_at: state.and_then(|state| state.brought_at).map(times::iso),
        brought: state.map_or(0, |state| state.brought),
        colleagues: overview.copy.people,
        rows_here: overview.copy.rows,
        bytes_here: overview.copy.bytes,
        left_out: overview.copy.left_out,
        projects: projects.collect(),
        held: held.collect(),
        trouble: overview.trouble(),
    }
}
