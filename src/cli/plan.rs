//! `nudge plan`: what is to be decided before the work begins.

use std::process::ExitCode;

use super::nexus::{self, JsonArgs};
use super::output::{BOLD, CYAN, DIM, Failure, GREEN, Out, YELLOW, ask, counted, say};
use super::rows::{one_line, plain};
use crate::api::nexus::{
    DecidedWire, IssueChangedWire, PlanDecideRequest, PlanStartRequest, PlanStartedWire, PlanStatusWire,
    PlanUpdateRequest, PreviousPlanChoice,
};
use crate::model::{Consultation, Issue};
use crate::ops::nexus::{Nexus, PlanError, plan};

/// Show the plan of this project, start one, decide its issues
///
/// The plan is in `.nexus/state/plan.json`. Agents work on the same plan with the nx_plan tools.
#[derive(clap::Args)]
pub(crate) struct PlanArgs {
    #[command(subcommand)]
    command: Option<PlanCommand>,

    #[command(flatten)]
    json: JsonArgs,
}

#[derive(clap::Subcommand)]
enum PlanCommand {
    /// Show the open plan (the default)
    #[command(alias = "list", alias = "ls", alias = "show")]
    Status,
    Start(StartArgs),
    Decide(DecideArgs),
    /// Add an issue to the open plan
    Add {
        /// Question to decide
        title: String,
    },
    /// Remove an issue from the open plan
    Remove {
        /// Number of the issue
        #[arg(value_parser = nexus::id)]
        id: u64,
    },
    /// Change the title of an issue
    Edit {
        /// Number of the issue
        #[arg(value_parser = nexus::id)]
        id: u64,
        /// Question to decide
        title: String,
    },
    /// Withdraw the decision on an issue
    Reopen {
        /// Number of the issue
        #[arg(value_parser = nexus::id)]
        id: u64,
    },
}

/// Start a plan
///
/// If another plan is open, `--archive` moves it to the history first; on a terminal you are asked.
#[derive(clap::Args)]
struct StartArgs {
    /// Topic of the plan
    #[arg(value_parser = nexus::filled)]
    topic: String,

    /// Question to decide; can be repeated
    #[arg(long = "issue", value_name = "TITLE", value_parser = nexus::filled)]
    issues: Vec<String>,

    /// Findings so far
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    research: String,

    /// Move an open plan to the history first
    #[arg(long)]
    archive: bool,
}

/// Record the decision on an issue
#[derive(clap::Args)]
struct DecideArgs {
    /// Number of the issue
    #[arg(value_parser = nexus::id)]
    id: u64,

    /// What was decided, and why
    decision: String,
}

/// Maximum number of characters of a line.
const MAX_CHARS: usize = 100;

pub(crate) fn run(args: PlanArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let (nexus, json) = (nexus::here()?, &args.json);
    let update = |action: &str, issue_id, title| {
        let request = PlanUpdateRequest { action: action.to_owned(), issue_id, title };
        plan::update(&nexus, request)
    };
    let changed = match args.command {
        None | Some(PlanCommand::Status) => return json.print(&plan::status(&nexus)?, out, show),
        Some(PlanCommand::Start(args)) => {
            return json.print(&start(&nexus, args)?, out, |started, _| say_started(started));
        }
        Some(PlanCommand::Decide(DecideArgs { id, decision })) => {
            let request =
                PlanDecideRequest { issue_id: id, decision, how: Consultation::default(), plan_id: None };
            return json.print(&plan::decide(&nexus, request)?, out, |decided, _| say_decided(decided));
        }
        Some(PlanCommand::Add { title }) => update("add", None, Some(title)),
        Some(PlanCommand::Remove { id }) => update("remove", Some(id), None),
        Some(PlanCommand::Edit { id, title }) => update("edit", Some(id), Some(title)),
        Some(PlanCommand::Reopen { id }) => update("reopen", Some(id), None),
    };
    json.print(&changed?, out, |changed, _| say_changed(changed))
}

/// Starts a plan; a person at a terminal is asked about one that is open.
fn start(nexus: &Nexus, args: StartArgs) -> Result<PlanStartedWire, Failure> {
    let StartArgs { topic, issues, research, archive } = args;
    let previous = if archive { PreviousPlanChoice::Archive } else { PreviousPlanChoice::Refuse };
    let request = PlanStartRequest { topic, issues, research_summary: research, previous };
    let refused = match plan::start(nexus, request.clone()) {
        Err(refused @ PlanError::PlanOpen { .. }) => refused,
        started => return Ok(started?),
    };
    match ask(&format!("{refused}; archive it (a), or cancel?"))?.as_deref() {
        Some("a" | "archive") => {
            Ok(plan::start(nexus, PlanStartRequest { previous: PreviousPlanChoice::Archive, ..request })?)
        }
        Some(_) => Err(Failure::new("nothing was started")),
        None => Err(refused.into()),
    }
}

fn show(status: &PlanStatusWire, out: &mut Out) -> Result<(), Failure> {
    let PlanStatusWire::Active { plan_id, topic, issues, research_summary, summary, .. } = status else {
        say("no plan is open: `nudge plan start` begins one");
        return Ok(());
    };
    let counts = format!("{} of {} decided", summary.decided, summary.total);
    out.line(format_args!(
        "{BOLD}plan {plan_id}: {}{BOLD:#}  {DIM}{counts}{DIM:#}",
        one_line(topic, MAX_CHARS)
    ))?;
    for line in plain(research_summary.as_deref().unwrap_or_default()).lines() {
        out.line(format_args!("  {DIM}{line}{DIM:#}"))?;
    }
    issues.iter().try_for_each(|issue| show_issue(issue, out))
}

fn show_issue(issue: &Issue, out: &mut Out) -> Result<(), Failure> {
    let (style, mark) = if issue.is_decided() { (GREEN, "✓") } else { (YELLOW, "?") };
    out.row(format_args!("  {style}{mark}{style:#} {:>2}  {}", issue.id, one_line(&issue.title, MAX_CHARS)))?;
    for line in plain(issue.decision.as_deref().unwrap_or_default()).lines() {
        out.line(format_args!("        {CYAN}{line}{CYAN:#}"))?;
    }
    Ok(())
}

fn say_started(started: &PlanStartedWire) -> Result<(), Failure> {
    if let Some(before) = &started.previous {
        let topic = one_line(&before.topic, MAX_CHARS);
        say(format_args!("plan {} `{topic}` went to the history", before.plan_id));
    } else if let Some(message) = &started.message {
        say(message);
        return Ok(());
    }
    let issues = counted(started.issue_count, "issue");
    say(format_args!("plan {} begins: {} ({issues})", started.plan_id, one_line(&started.topic, MAX_CHARS)));
    Ok(())
}

fn say_decided(decided: &DecidedWire) -> Result<(), Failure> {
    say(format_args!("decided: {}", one_line(&decided.issue, MAX_CHARS)));
    match &decided.remaining {
        Some(remaining) => say(format_args!("{} to go", counted(remaining.len(), "issue"))),
        None => say("all issues are decided: `nudge task add` turns them into tasks"),
    }
    Ok(())
}

fn say_changed(changed: &IssueChangedWire) -> Result<(), Failure> {
    let flags = [(changed.added, "added"), (changed.removed, "removed"), (changed.edited, "edited")];
    let word = flags.iter().find(|(is_so, _)| *is_so).map_or("reopened", |(_, word)| word);
    let title = changed.issue.title.as_deref().map(|title| format!(": {}", one_line(title, MAX_CHARS)));
    say(format_args!("{word} issue {}{}", changed.issue.id, title.unwrap_or_default()));
    Ok(())
}
