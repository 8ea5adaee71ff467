//! `nudge init`: sets a project up.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::output::{CYAN, DIM, Failure, GREEN, Out, counted, say};
use crate::api::setup::InitJson;
use crate::ops::here::short_path;
use crate::ops::nexus::init::{self, InitError, InitOptions, InitReport, RULE_FILE};
use crate::ops::nexus::team;
use crate::ops::rules::load;
use crate::ops::setup::Workplace;

/// Create a first `.nudge.yaml` and `.nexus/` in this project
///
/// The project is the repository you are in, or else this folder. `.nexus/` is for plans, tasks and notes. Existing files
/// are not changed, so you can run this at any time.
#[derive(clap::Args)]
pub(crate) struct InitArgs {
    /// Do not create `.nudge.yaml`
    #[arg(long)]
    no_rules: bool,

    /// Write the nine agents and four skills for plans and tasks into this project too, for the agents that you have
    #[arg(long)]
    agents: bool,

    /// Give this worktree a plan and tasks of its own
    #[arg(long)]
    own_board: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &InitArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let options = InitOptions { with_rules: !args.no_rules, own_board: args.own_board };
    let mut done = init::init(&super::here()?, options)?;
    if args.agents {
        write_agents(&mut done)?;
    }
    if args.json {
        out.json(&InitJson { project: done.project, made: done.made, found: done.found })?;
        return Ok(ExitCode::SUCCESS);
    }
    for name in &done.made {
        out.line(format_args!("{GREEN}made{GREEN:#}   {name}"))?;
    }
    for name in &done.found {
        out.line(format_args!("{DIM}found{DIM:#}  {name}"))?;
    }
    if done.board != done.project {
        say(format_args!("this worktree shares the board of {}", short_path(&done.board)));
    }
    match done.made.is_empty() {
        true => say(format_args!("{} was set up before", short_path(&done.project))),
        false => say(format_args!("{} is set up; commit `.nexus` to share it", short_path(&done.project))),
    }
    if done.made.iter().any(|name| name == RULE_FILE) {
        say_rules(&done.project);
    }
    say_context(&done.project);
    Ok(ExitCode::SUCCESS)
}

/// Says which rules are on from now on.
fn say_rules(project: &Path) {
    let (rules, _) = load::all(project);
    let of_packs = rules.iter().filter(|rule| rule.pack.is_some() && rule.enabled).count();
    say(format_args!(
        "{GREEN}on:{GREEN:#} {} of the packs {}; `nudge rules` lists them, `nudge rules disable NAME` switches one off",
        counted(of_packs, "rule"),
        init::FIRST_PACKS.join(", ")
    ));
}

/// Says how agents get to know a project that no document introduces.
pub(super) fn say_context(project: &Path) {
    if init::lacks_context(project) {
        say(format_args!(
            "{CYAN}next:{CYAN:#} let your agent follow the skill `nx-init`: it fills `.nexus/context`, which is empty"
        ));
    }
}

/// Writes the files of roles and skills; `nudge setup --undo --project` takes them away.
fn write_agents(done: &mut InitReport) -> Result<(), Failure> {
    let workplace = Workplace::find(&done.project)?.with_team(team::team()?);
    for agent in workplace.agents(&[], false)? {
        let files = workplace.write_team(agent)?;
        let within = |file: &PathBuf| file.strip_prefix(&done.project).unwrap_or(file).display().to_string();
        let names: Vec<String> = files.iter().map(within).collect();
        done.made.extend(names);
    }
    Ok(())
}

impl From<InitError> for Failure {
    fn from(refused: InitError) -> Failure {
        Failure::new(refused.to_string()).hint_if(refused.hint())
    }
}
