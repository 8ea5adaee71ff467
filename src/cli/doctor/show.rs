//! The findings for a person: one line for what is well, and what to do for what is not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::cli::output::{BOLD, DIM, Failure, GREEN, Out, counted, show_problem};
use crate::cli::rows::ago;
use crate::cli::stats::bytes;
use crate::cli::why::milliseconds;
use crate::model::{InstallScope, Problem, Timestamp};
use crate::ops::doctor::Health;
use crate::ops::doctor::agents::AgentConnection;
use crate::ops::doctor::agents::Presence;
use crate::ops::doctor::findings::{Connected, DegradedRule, Findings, Hooks};
use crate::ops::doctor::server::Server;
use crate::ops::here::short_path;
use crate::ops::setup::Installed;
use crate::ops::times;

/// The column of names: the longest is that of an agent.
const NAME_WIDTH: usize = 18;
/// Maximum number of rules that are listed because some agents cannot follow them.
const NAMED: usize = 4;

pub(super) fn show(found: &Findings, out: &mut Out) -> Result<(), Failure> {
    let shown = |path: Option<&Path>| path.map_or("none".to_owned(), short_path);
    out.line(format_args!("{BOLD}nudge {}{BOLD:#}", env!("CARGO_PKG_VERSION")))?;
    out.line(format_args!("program             {}", shown(found.places.program.as_deref())))?;
    found.about_program.iter().try_for_each(|problem| show_problem(out, problem, None))?;
    out.line(format_args!("project             {}", short_path(&found.root)))?;
    out.line(format_args!("your rules          {}", shown(found.places.user_rules.as_deref())))?;
    out.line(format_args!("data                {}", shown(found.places.data.as_deref())))?;
    out.line(format_args!("cache               {}", shown(found.places.cache.as_deref())))?;
    let memory = &found.memory;
    out.line(format_args!("database            {}", shown(memory.database.as_deref())))?;
    let disabled = match found.disabled_rules {
        0 => String::new(),
        count => format!(", {count} disabled"),
    };
    section("rules", &format!("{} loaded{disabled}", found.rules), &found.about_rules, out)?;
    show_lowered(&found.lowered, out)?;
    section("folders", "", &found.about_folders, out)?;
    show_server(&found.server, out)?;
    show_agents(&found.agents, out)?;
    if !found.state.is_empty() {
        section("project", "plan and tasks", &found.state, out)?;
    }
    show_hooks(&found.hooks, out)?;
    section("settings", "", &found.about_settings, out)?;
    section("memory", &state(memory), &memory.problems, out)?;
    if memory.spool_bytes > 0 {
        let waiting = bytes(memory.spool_bytes);
        out.line(format_args!(
            "spool               {waiting} wait; they come in with the next turn or question"
        ))?;
    }
    if !found.logged.is_empty() {
        out.line(format_args!("\n{BOLD}Recent problems of hooks{BOLD:#}"))?;
        let now = times::now();
        for one in &found.logged {
            let at = Timestamp(i64::try_from(one.at).unwrap_or(i64::MAX));
            out.line(format_args!("{DIM}{:>8}{DIM:#}  {}", ago(at, now), one.problem))?;
        }
    }
    Ok(())
}

fn show_server(server: &Server, out: &mut Out) -> Result<(), Failure> {
    let state = match &server.health {
        Some(health) => format!(
            "pid {} is primary on port {}, version {}",
            health["pid"],
            health["port"],
            word(&health["version"])
        ),
        None => "not running".to_owned(),
    };
    section("server", &state, &server.problems, out)
}

fn show_agents(agents: &[Connected], out: &mut Out) -> Result<(), Failure> {
    if agents.is_empty() {
        return out.line("agents              none found");
    }
    for agent in agents {
        let places: Vec<String> = agent.places.iter().filter_map(in_place).collect();
        let state = match places.as_slice() {
            [] => format!("found, not connected: `nudge setup {}`", agent.name),
            places => places.join("; "),
        };
        let problems: Vec<Problem> = agent.all().cloned().collect();
        match places.as_slice() {
            [] if problems.is_empty() => out.line(format_args!("{:NAME_WIDTH$}  {state}", agent.title))?,
            _ => section(agent.title, &state, &problems, out)?,
        }
    }
    Ok(())
}

/// Says how an agent is connected in one place; nothing if it is not.
fn in_place(wired: &AgentConnection) -> Option<String> {
    let place = match wired.reach {
        InstallScope::User => "for you",
        InstallScope::Project => "for this project",
    };
    let answer = match wired.answers {
        Some(true) => ", a test event was answered",
        Some(false) => ", a test event was not answered",
        None => "",
    };
    match (wired.hooks, wired.server) {
        (Presence::Absent, Presence::Absent) => None,
        (Presence::Absent, _) => Some(format!("server only {place}")),
        (_, Presence::Absent) => Some(format!("hooks only {place}{answer}")),
        _ => Some(format!("hooks and server {place}{answer}{}", team(wired))),
    }
}

/// Says how many files of agents and skills are there; nothing if the user has none of them.
fn team(wired: &AgentConnection) -> String {
    let Installed { current, outdated, foreign, .. } = &wired.team;
    match (current + outdated.len(), foreign.len()) {
        (0, _) => String::new(),
        (own, 0) => format!(", {own} agents and skills"),
        (own, theirs) => format!(", {own} agents and skills, {theirs} of your own"),
    }
}

fn show_hooks(hooks: &Hooks, out: &mut Out) -> Result<(), Failure> {
    if !hooks.latency.is_empty() {
        let head =
            format!("{:18}  {:>6}  {:>8}  {:>8}  {:>8}", "event", "calls", "median", "95 of 100", "slowest");
        out.line(format_args!("{:NAME_WIDTH$}  {DIM}{head}{DIM:#}", "hooks"))?;
    }
    for one in &hooks.latency {
        let which = one.hook.map_or("all", |hook| hook.name());
        let [half, most, max] = [one.p50, one.p95, one.max].map(milliseconds);
        out.line(format_args!(
            "{:NAME_WIDTH$}  {which:18}  {:>6}  {half:>8}  {most:>9}  {max:>8}",
            "", one.count
        ))?;
    }
    hooks.problems.iter().try_for_each(|problem| show_problem(out, problem, None))
}

fn word(value: &serde_json::Value) -> &str {
    value.as_str().unwrap_or("?")
}

/// Says in one line what becomes of which rules where; more than a few are counted.
fn show_lowered(lowered: &[DegradedRule], out: &mut Out) -> Result<(), Failure> {
    let mut ways: BTreeMap<&str, (BTreeSet<&str>, BTreeSet<&str>)> = BTreeMap::new();
    for one in lowered {
        let (harnesses, rules) = ways.entry(one.instead).or_default();
        harnesses.insert(one.harness);
        rules.insert(&one.rule);
    }
    for (instead, (harnesses, rules)) in ways {
        let harnesses: Vec<&str> = harnesses.into_iter().collect();
        let mut names: Vec<String> = rules.iter().take(NAMED).map(|rule| format!("`{rule}`")).collect();
        names.extend((rules.len() > NAMED).then(|| format!("{} more", rules.len() - NAMED)));
        let line = format!("in {}: {instead} ({})", harnesses.join(", "), names.join(", "));
        out.line(format_args!("{DIM}            {line}{DIM:#}"))?;
    }
    Ok(())
}

fn section(name: &str, state: &str, problems: &[Problem], out: &mut Out) -> Result<(), Failure> {
    let state = if state.is_empty() { String::new() } else { format!("{state}, ") };
    if problems.is_empty() {
        return out.line(format_args!("{name:NAME_WIDTH$}  {GREEN}{state}ok{GREEN:#}"));
    }
    let plural = if problems.len() == 1 { "" } else { "s" };
    out.line(format_args!("{name:NAME_WIDTH$}  {state}{} problem{plural}:", problems.len()))?;
    problems.iter().try_for_each(|problem| show_problem(out, problem, None))
}

fn state(memory: &Health) -> String {
    match (&memory.integrity, memory.schema_version) {
        (Some(found), Some(version)) => {
            let size = bytes(memory.bytes);
            let rows = counted(found.rows, "observation");
            format!("{rows}, {} in the index, {size}, schema {version}", found.indexed)
        }
        _ if memory.bytes == 0 => "empty yet".to_owned(),
        _ => bytes(memory.bytes),
    }
}
