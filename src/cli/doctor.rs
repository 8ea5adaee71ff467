//! `nudge doctor`: shows what is off now, and what went wrong where nobody could be told.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};

use super::here;
use super::output::{BOLD, DIM, Failure, GREEN, Out, problem_json, problems_json, say, show_problem};
use super::rows::ago;
use super::stats::bytes;
use crate::config::problems::{self, Logged};
use crate::config::{env, paths, project};
use crate::harness::{self, Harness};
use crate::model::{Problem, Severity, Timestamp};
use crate::ops::examine::{self, Health};
use crate::ops::{lower, remember, validate};
use crate::rules::Rule;

/// Show what is off: rules, settings, the memory, and problems that hooks met
///
/// Exit code 1 if anything of it is an error now; what hooks met lately does not count.
#[derive(clap::Args)]
pub(crate) struct DoctorArgs {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,

    /// Mend the memory first: make its index anew, or set a damaged file aside
    #[arg(long)]
    repair: bool,
}

/// So many of the last problems are shown.
const RECENT: usize = 20;
/// So many rules are named that some agents cannot follow.
const NAMED: usize = 4;

/// What was found.
struct Findings {
    root: PathBuf,
    rules: usize,
    about_rules: Vec<Problem>,
    about_settings: Vec<Problem>,
    memory: Health,
    logged: Vec<Logged>,
    lowered: Vec<Lowered>,
}

/// A rule that some agents cannot follow as it is written.
struct Lowered {
    rule: String,
    harness: &'static str,
    instead: &'static str,
}

pub(crate) fn run(args: &DoctorArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    if args.repair {
        say(examine::repair()?);
    }
    let found = find(&here()?);
    if args.json {
        out.json(&to_json(&found))?;
    } else {
        show(&found, out)?;
    }
    let all = [&found.about_rules, &found.about_settings, &found.memory.problems];
    let off = all.into_iter().flatten().any(Problem::is_error);
    Ok(if off { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn find(folder: &Path) -> Findings {
    let root = project::root(None, folder);
    let (files, mut about_rules) = validate::project(&root);
    let rules = files.iter().map(|file| file.rules.len()).sum();
    let agents = in_use(&root);
    let lowered =
        files.iter().flat_map(|file| &file.rules).flat_map(|rule| lowered_in(rule, &agents)).collect();
    about_rules.extend(env::problems());
    about_rules.extend(unwritable());
    about_rules.extend(files.into_iter().flat_map(|file| file.problems));
    about_rules.retain(|problem| problem.severity > Severity::Note);
    Findings {
        rules,
        about_rules,
        about_settings: examine::settings(&root),
        memory: examine::memory(),
        logged: problems::recent(RECENT),
        lowered,
        root,
    }
}

fn show(found: &Findings, out: &mut Out) -> Result<(), Failure> {
    let shown = |path: Option<&Path>| path.map_or("none".to_owned(), |path| path.display().to_string());
    out.line(format_args!("{BOLD}nudge {}{BOLD:#}", env!("CARGO_PKG_VERSION")))?;
    out.line(format_args!("program     {}", shown(env::current_exe().as_deref())))?;
    out.line(format_args!("project     {}", found.root.display()))?;
    out.line(format_args!("your rules  {}", shown(user_rules().as_deref())))?;
    out.line(format_args!("data        {}", shown(paths::data_dir().as_deref())))?;
    out.line(format_args!("cache       {}", shown(paths::cache_dir().as_deref())))?;
    let memory = &found.memory;
    out.line(format_args!("database    {}", shown(memory.database.as_deref())))?;
    section("rules", &format!("{} loaded", found.rules), &found.about_rules, out)?;
    show_lowered(&found.lowered, out)?;
    section("settings", "read", &found.about_settings, out)?;
    section("memory", &state(memory), &memory.problems, out)?;
    if memory.spool_bytes > 0 {
        let waiting = bytes(memory.spool_bytes);
        out.line(format_args!("spool       {waiting} wait; they come in with the next turn or question"))?;
    }
    if !found.logged.is_empty() {
        out.line(format_args!("\n{BOLD}What hooks met lately{BOLD:#}"))?;
        let now = remember::now();
        for one in &found.logged {
            let at = Timestamp(i64::try_from(one.at).unwrap_or(i64::MAX));
            out.line(format_args!("{DIM}{:>8}{DIM:#}  {}", ago(at, now), one.problem))?;
        }
    }
    Ok(())
}

/// Returns the agents that have left something on this machine; of the others nobody wants to hear.
fn in_use(root: &Path) -> Vec<&'static dyn Harness> {
    let places = [paths::home_dir(), Some(root.to_owned())];
    let is_here = |harness: &&dyn Harness| {
        let mut folders = harness.folders().iter();
        folders.any(|folder| places.iter().flatten().any(|place| place.join(folder).is_dir()))
    };
    harness::all().into_iter().filter(is_here).collect()
}

/// Names the agents in which a rule does something else than it says, and what.
fn lowered_in(rule: &Rule, agents: &[&dyn Harness]) -> Vec<Lowered> {
    let in_one = |harness: &&dyn Harness| {
        let instead = lower::lowered(rule, harness.abilities()).filter(|_| rule.enabled)?;
        Some(Lowered { rule: rule.name.clone(), harness: harness.id(), instead })
    };
    agents.iter().filter_map(in_one).collect()
}

/// Says in one line what becomes of which rules where; more than a few are counted.
fn show_lowered(lowered: &[Lowered], out: &mut Out) -> Result<(), Failure> {
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
    if problems.is_empty() {
        return out.line(format_args!("{name:10}  {GREEN}{state}, nothing off{GREEN:#}"));
    }
    let plural = if problems.len() == 1 { "" } else { "s" };
    out.line(format_args!("{name:10}  {state}, {} problem{plural}:", problems.len()))?;
    problems.iter().try_for_each(|problem| show_problem(out, problem, None))
}

fn state(memory: &Health) -> String {
    match (&memory.integrity, memory.schema_version) {
        (Some(found), Some(version)) => {
            let size = bytes(memory.bytes);
            format!("{} observations, {} in the index, {size}, schema {version}", found.rows, found.indexed)
        }
        _ if memory.bytes == 0 => "empty yet".to_owned(),
        _ => bytes(memory.bytes),
    }
}

fn to_json(found: &Findings) -> Value {
    let memory = &found.memory;
    let integrity = memory.integrity.as_ref();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "program": env::current_exe(),
        "project": found.root,
        "data": paths::data_dir(),
        "cache": paths::cache_dir(),
        "user_rules": user_rules(),
        "rules": found.rules,
        "lowered": found.lowered.iter().map(lowered_json).collect::<Vec<_>>(),
        "problems": problems_json(&found.about_rules),
        "settings": { "problems": problems_json(&found.about_settings) },
        "memory": {
            "database": memory.database,
            "bytes": memory.bytes,
            "schema_version": memory.schema_version,
            "rows": integrity.map(|found| found.rows),
            "indexed": integrity.map(|found| found.indexed),
            "faults": integrity.map(|found| &found.faults),
            "spool_bytes": memory.spool_bytes,
            "rejected_lines": memory.rejected_lines,
            "problems": problems_json(&memory.problems),
        },
        "log": found.logged.iter().map(logged_json).collect::<Vec<_>>(),
    })
}

fn lowered_json(one: &Lowered) -> Value {
    json!({ "rule": one.rule, "harness": one.harness, "instead": one.instead })
}

/// The user's own rules, whether there are any or not.
fn user_rules() -> Option<PathBuf> {
    Some(paths::user_config_dir()?.join("rules.yaml"))
}

/// Without its folder the program repeats itself, and nobody hears of what hooks meet.
fn unwritable() -> Option<Problem> {
    let Some(folder) = paths::data_dir() else {
        let problem = Problem::error("there is no folder to keep anything in");
        return Some(problem.hint("set HOME to an absolute path"));
    };
    let error = paths::try_writing(&folder).err()?;
    let problem = Problem::error(format!("this folder cannot be written to: {error}"));
    let hint =
        "give it to yourself, or set XDG_DATA_HOME; until then problems are not kept, and `once` repeats";
    Some(problem.at(&folder.display().to_string(), 0, 0).hint(hint))
}

fn logged_json(logged: &Logged) -> Value {
    let mut value = json!({ "at": logged.at });
    if let (Value::Object(all), Value::Object(problem)) = (&mut value, problem_json(&logged.problem)) {
        all.extend(problem);
    }
    value
}
