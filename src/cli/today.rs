//! `nudge` alone: what happened today, in at most 24 lines.

use std::path::Path;
use std::process::ExitCode;

use super::here;
use super::output::{BOLD, CYAN, DIM, Failure, GREEN, Out, RED, YELLOW, counted, in_line};
use super::rows::{ago, one_line};
use crate::api::today::{SessionDayWire, TodayWire};
use crate::model::Timestamp;
use crate::ops::here::root as root_of;
use crate::ops::pause;
use crate::ops::times;
use crate::ops::today::{self, Period};

/// Maximum number of characters of a text that somebody else wrote.
const MAX_TEXT: usize = 90;

pub(crate) fn run(is_json: bool, out: &mut Out) -> Result<ExitCode, Failure> {
    let folder = here()?;
    let today = today::look(&folder, &Period::today(), &today::A_FEW)?;
    if is_json {
        out.json(&today)?;
    } else if today.is_fresh {
        first_steps(out)?;
    } else {
        let heading = format!("Today, {}", today.date);
        show(&today, &heading, &root_of(&folder), out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn first_steps(out: &mut Out) -> Result<(), Failure> {
    out.line(format_args!("{BOLD}nudge {}{BOLD:#}: nothing is recorded yet\n", env!("CARGO_PKG_VERSION")))?;
    out.line("  nudge demo     see what it does, without any agent")?;
    out.line("  nudge setup    connect your coding agents")?;
    out.line("  nudge init     create a first rule file in this project\n")?;
    out.line("Then work with your agent, and run `nudge` again. `nudge -h` lists all commands.")
}

/// Shows a period: its heading, and a paragraph for each kind of thing.
pub(super) fn show(today: &TodayWire, heading: &str, root: &Path, out: &mut Out) -> Result<(), Failure> {
    out.line(format_args!("{BOLD}{heading}{BOLD:#}"))?;
    if let Some(paused) = pause::of_project(root) {
        title("off", format!("{YELLOW}nudge is off {paused}{YELLOW:#}: {}", paused.way_out()), out)?;
    }
    show_agents(today, out)?;
    show_sessions(today, out)?;
    show_rules(today, out)?;
    if !today.failures.is_empty() {
        title("failures", "the latest", out)?;
    }
    for failure in &today.failures {
        let (when, text) = (age(&failure.at), one_line(&failure.content, MAX_TEXT));
        out.row(format_args!(
            "  {BOLD}{:>6}{BOLD:#}  {DIM}{when:>8}{DIM:#}  {RED}{text}{RED:#}",
            failure.id
        ))?;
    }
    if let Some(tasks) = &today.tasks {
        title("tasks", format!("{} of {} open in this project", tasks.open, tasks.total), out)?;
        for task in &tasks.items {
            out.row(format_args!("  {BOLD}{:>6}{BOLD:#}  {}", task.id, one_line(&task.title, MAX_TEXT)))?;
        }
    }
    if !today.problems.is_empty() {
        title("problems", "`nudge doctor` shows all", out)?;
    }
    for problem in &today.problems {
        let text = one_line(&problem.message, MAX_TEXT);
        out.row(format_args!("  {DIM}{:>8}{DIM:#}  {YELLOW}{text}{YELLOW:#}", age(&problem.at)))?;
    }
    out.line(format_args!(
        "{DIM}more: `nudge sessions ID`, `nudge show NUMBER`, `nudge why`, `nudge -h`{DIM:#}"
    ))
}

fn show_agents(today: &TodayWire, out: &mut Out) -> Result<(), Failure> {
    if today.agents.is_empty() {
        let is_today = today::is_of_today(today);
        let hint = if is_today { " yet; `nudge doctor` checks whether they are connected" } else { "" };
        return title("agents", format!("none active{hint}"), out);
    }
    let agents =
        today.agents.iter().map(|agent| format!("{} ({})", agent.title, counted(agent.hooks, "event")));
    title("agents", agents.collect::<Vec<_>>().join(", "), out)
}

fn show_sessions(today: &TodayWire, out: &mut Out) -> Result<(), Failure> {
    if let Some(problem) = &today.memory_problem {
        return title(
            "memory",
            format!("{YELLOW}{}{YELLOW:#}: `nudge doctor`", one_line(problem, MAX_TEXT)),
            out,
        );
    }
    let sessions = &today.sessions;
    let counts = counts(sessions.prompts, sessions.edits, sessions.failures);
    title("sessions", format!("{}: {counts}", sessions.total), out)?;
    let width = |text: fn(&SessionDayWire) -> &str| {
        sessions.items.iter().map(|session| text(session).chars().count()).max().unwrap_or(0)
    };
    let (ids, projects, harnesses) = (width(|one| &one.short_id), width(project), width(harness));
    for session in &sessions.items {
        let prompt = session.first_prompt.as_deref().unwrap_or("no prompt yet");
        out.row(format_args!(
            "  {BOLD}{:ids$}{BOLD:#}  {DIM}{:>8}{DIM:#}  {CYAN}{:projects$}{CYAN:#}  {:harnesses$}  {}",
            session.short_id,
            age(&session.ended_at),
            in_line(project(session)),
            harness(session),
            one_line(prompt, MAX_TEXT),
        ))?;
    }
    Ok(())
}

fn project(session: &SessionDayWire) -> &str {
    session.project.as_deref().unwrap_or("-")
}

fn harness(session: &SessionDayWire) -> &str {
    session.harness.as_deref().unwrap_or("-")
}

fn show_rules(today: &TodayWire, out: &mut Out) -> Result<(), Failure> {
    let sum = |count: fn(&crate::api::today::AgentDayWire) -> usize| -> usize {
        today.agents.iter().map(count).sum()
    };
    let (blocked, guided) = (sum(|agent| agent.blocked), sum(|agent| agent.guided));
    title("rules", format!("{blocked} blocked, {guided} with context added"), out)?;
    let names = today.rules.iter().map(|rule| in_line(&rule.rule).chars().count()).max().unwrap_or(0);
    for rule in &today.rules {
        let mut words = Vec::new();
        words.extend((rule.blocked > 0).then(|| format!("{RED}{} blocked{RED:#}", rule.blocked)));
        words.extend((rule.guided > 0).then(|| format!("{GREEN}{} guided{GREEN:#}", rule.guided)));
        out.row(format_args!("  {BOLD}{:names$}{BOLD:#}  {}", in_line(&rule.rule), words.join(", ")))?;
    }
    Ok(())
}

pub(super) fn counts(prompts: usize, edits: usize, failures: usize) -> String {
    [counted(prompts, "prompt"), counted(edits, "edit"), counted(failures, "failure")].join(", ")
}

fn title(name: &str, text: impl std::fmt::Display, out: &mut Out) -> Result<(), Failure> {
    out.row(format_args!("{DIM}{name:9}{DIM:#} {text}"))
}

pub(super) fn age(at: &str) -> String {
    ago(times::from_iso(at).unwrap_or(Timestamp(0)), times::now())
}
