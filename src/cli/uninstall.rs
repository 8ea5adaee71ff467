//! `nudge uninstall`: lists everything of nudge on this machine, asks, and removes it.

use std::path::PathBuf;
use std::process::ExitCode;

use super::here;
use super::output::{BOLD, CYAN, DIM, Failure, GREEN, Out, confirm, counted, say, say_problem};
use super::setup::kind;
use super::stats::bytes;
use crate::api::problem;
use crate::api::setup::ChangedFileJson;
use crate::api::uninstall::{DisconnectedAgentWire, UninstallWire};
use crate::model::Problem;
use crate::ops::here::short_path;
use crate::ops::setup::Change;
use crate::ops::uninstall::{self, DisconnectedAgent, Kept, RemovedPlace, Uninstall};

/// Remove nudge from this machine
///
/// Lists everything that nudge has put here, asks, then disconnects your agents (their files are restored), stops the
/// server, and deletes memory, cache, runtime files and your settings. Files in repositories are only listed. The program
/// itself stays: the last line says how to remove it. Close your agents first: a session that is still open calls the
/// hooks it started with.
#[derive(clap::Args)]
pub(crate) struct UninstallArgs {
    /// Keep what is remembered: the database and what belongs to it
    #[arg(long)]
    keep_memory: bool,

    /// Keep your settings and your own rules
    #[arg(long)]
    keep_settings: bool,

    /// Only list what would be removed
    #[arg(long)]
    dry_run: bool,

    /// Do not ask
    #[arg(short, long)]
    yes: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

/// Maximum number of files that are listed of one agent, and of repositories.
const MAX_LISTED: usize = 12;

pub(crate) fn run(args: &UninstallArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let kept = Kept { memory: args.keep_memory, settings: args.keep_settings };
    let mut found = uninstall::plan(&here()?, kept)?;
    if !args.json {
        show(&found, out)?;
    }
    let is_empty = found.agents.is_empty() && found.places.is_empty();
    if args.dry_run || is_empty {
        if args.json {
            out.json(&to_wire(&found, false, &[]))?;
        } else if is_empty {
            out.line("nothing of nudge is on this machine but the program")?;
        }
        return last_line(args, &found, out);
    }
    if !args.yes && !confirm("Remove all this?")? {
        say("nothing was removed");
        return Ok(ExitCode::FAILURE);
    }
    out.go_on();
    uninstall::disconnect(&mut found)?;
    let stopped = uninstall::stop_servers();
    let left = uninstall::remove(&found.places);
    if args.json {
        out.json(&to_wire(&found, true, &left))?;
    } else {
        if stopped > 0 {
            out.line(format_args!("stopped {}", counted(stopped, "server")))?;
        }
        let agents = counted(found.agents.len(), "agent");
        out.line(format_args!(
            "{GREEN}removed:{GREEN:#} {agents} disconnected, {} deleted",
            counted(found.places.len() - left.len(), "place")
        ))?;
    }
    left.iter().for_each(|problem| say_problem(problem, None));
    out.finish()?;
    last_line(args, &found, out)?;
    Ok(if left.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn show(found: &Uninstall, out: &mut Out) -> Result<(), Failure> {
    for DisconnectedAgent { agent, plan, .. } in &found.agents {
        out.line(format_args!("{BOLD}{}{BOLD:#}", agent.title))?;
        let is_removed = |change: &&Change| kind(change) == "removed";
        // Files of the user come first; those that nudge made are many, and go as a whole.
        for change in plan.changes.iter().filter(|change| !is_removed(change)) {
            out.line(format_args!("  restore  {}", short_path(&change.path)))?;
        }
        let files = plan.changes.iter().filter(is_removed);
        list(
            &files.map(|change| format!("  delete   {}", short_path(&change.path))).collect::<Vec<_>>(),
            out,
        )?;
    }
    if !found.places.is_empty() {
        out.line(format_args!("{BOLD}Files of nudge{BOLD:#}"))?;
    }
    for RemovedPlace { what, path, bytes: size } in &found.places {
        out.line(format_args!("  delete   {}  {DIM}{what}, {}{DIM:#}", short_path(path), bytes(*size)))?;
    }
    for path in &found.kept {
        out.line(format_args!("  keep     {}", short_path(path)))?;
    }
    if !found.in_repositories.is_empty() {
        out.line(format_args!(
            "{BOLD}In repositories{BOLD:#}, which stay: delete them yourself if you want"
        ))?;
        let files = found.in_repositories.iter().map(|path| format!("           {}", short_path(path)));
        list(&files.collect::<Vec<_>>(), out)?;
    }
    Ok(())
}

fn list(lines: &[String], out: &mut Out) -> Result<(), Failure> {
    let more = lines.len().saturating_sub(MAX_LISTED);
    lines.iter().take(MAX_LISTED).try_for_each(|line| out.line(line))?;
    if more > 0 {
        out.line(format_args!("           and {} (`--json` lists all)", counted(more, "more file")))?;
    }
    Ok(())
}

fn last_line(args: &UninstallArgs, found: &Uninstall, out: &mut Out) -> Result<ExitCode, Failure> {
    if let Some((path, command)) = found.program.as_ref().filter(|_| !args.json) {
        // `rm` names it already.
        let is_named = command.contains(&*path.to_string_lossy());
        let which = if is_named { String::new() } else { format!(", {}", short_path(path)) };
        out.line(format_args!("{CYAN}next:{CYAN:#} `{command}` removes the program{which}"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn to_wire(found: &Uninstall, removed: bool, left: &[Problem]) -> UninstallWire {
    let agent = |one: &DisconnectedAgent| DisconnectedAgentWire {
        agent: one.agent.name,
        files: one
            .plan
            .changes
            .iter()
            .map(|change| ChangedFileJson { path: change.path.clone(), change: kind(change) })
            .collect(),
    };
    let (program, program_removal): (Option<PathBuf>, Option<String>) = found.program.clone().unzip();
    UninstallWire {
        removed,
        agents: found.agents.iter().map(agent).collect(),
        places: found.places.iter().map(RemovedPlace::to_wire).collect(),
        kept: found.kept.clone(),
        in_repositories: found.in_repositories.clone(),
        program,
        program_removal,
        problems: problem::problems(left),
    }
}
