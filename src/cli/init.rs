//! `nudge init`: sets a project up.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::output::{CYAN, DIM, Failure, GREEN, Out, counted, say};
use crate::api::setup::InitJson;
use crate::ops::here::short_path;
use crate::ops::nexus::init::{
    self, DRIVER_NAME, InitError, InitOptions, InitReport, NEXUS_FOLDER, RULE_FILE,
};
use crate::ops::nexus::team;
use crate::ops::rules::load;
use crate::ops::setup::Workplace;

/// Create a first `.nudge.yaml` and `.nexus/` in this project
///
/// The project is the repository you are in, or else this folder. `.nexus/` is for plans, tasks and notes; in a clone of
/// git, a merge driver for their history is set too. Existing files are not changed, so you can run this at any time.
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
    show_made(&done, out)?;
    if done.board != done.project {
        say(format_args!("this worktree shares the board of {}", short_path(&done.board)));
    }
    let project = short_path(&done.project);
    match done.made.is_empty() {
        true => say(format_args!("{project} was set up before")),
        false if done.is_in_git => {
            say(format_args!("{project} is set up; commit these files to share them"));
        }
        false => say(format_args!("{project} is set up")),
    }
    say_context(&done.project);
    Ok(ExitCode::SUCCESS)
}

/// Shows what was made: a folder that is new as a whole in one line, and of the rest each file or folder of files.
fn show_made(done: &InitReport, out: &mut Out) -> Result<(), Failure> {
    let mut rows: Vec<(String, String)> = Vec::new();
    if done.made.iter().any(|name| name == RULE_FILE) {
        rows.push((RULE_FILE.to_owned(), rules_on(&done.project)));
    }
    let is_new = done.made.iter().any(|name| name == NEXUS_FOLDER);
    if is_new {
        rows.push((format!("{NEXUS_FOLDER}/"), "place for plans, tasks and notes".to_owned()));
    }
    let is_rest = |name: &&String| {
        let belongs = name.starts_with(NEXUS_FOLDER) || *name == DRIVER_NAME;
        *name != RULE_FILE && !(is_new && belongs)
    };
    let mut agents: Vec<(&Path, usize)> = Vec::new();
    for name in done.made.iter().filter(is_rest) {
        let folder = Path::new(name).parent().filter(|_| !name.starts_with(NEXUS_FOLDER));
        match folder.filter(|folder| !folder.as_os_str().is_empty()) {
            None => rows.push((name.clone(), String::new())),
            Some(folder) => match agents.iter_mut().find(|(known, _)| *known == folder) {
                Some((_, count)) => *count += 1,
                None => agents.push((folder, 1)),
            },
        }
    }
    rows.extend(
        agents.into_iter().map(|(folder, count)| (format!("{}/", folder.display()), counted(count, "file"))),
    );
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (name, about) in rows {
        let line = format!("{GREEN}made{GREEN:#}   {name:width$}  {DIM}{about}{DIM:#}");
        out.line(if about.is_empty() { format!("{GREEN}made{GREEN:#}   {name}") } else { line })?;
    }
    Ok(())
}

/// Says which rules are on from now on.
fn rules_on(project: &Path) -> String {
    let (rules, _) = load::all(project);
    let of_packs = rules.iter().filter(|rule| rule.pack.is_some() && rule.enabled).count();
    format!("{} on, of the packs {}", counted(of_packs, "rule"), init::FIRST_PACKS.join(", "))
}

/// Says how agents get to know a project that no document introduces.
pub(super) fn say_context(project: &Path) {
    if init::lacks_context(project) {
        say(format_args!(
            "{CYAN}next:{CYAN:#} ask your agent to follow the skill `nx-init`, which fills the empty `.nexus/context`"
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
