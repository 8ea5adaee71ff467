//! `nudge projects`: the list of projects, and what the user says about them.

use std::path::Path;
use std::process::ExitCode;

use super::memory;
use super::output::{BOLD, CYAN, DIM, Failure, Out, in_line, say};
use super::rows::ago;
use super::window::columns;
use crate::api::list::ListWire;
use crate::api::memory::{MergedProjectsJson, ProjectJson, RenamedProjectJson};
use crate::model::{KnownProject, counted};
use crate::ops::here::short_path;
use crate::ops::observations::projects;
use crate::ops::times;

/// List projects, make one of two, or rename one
///
/// A project is where its repository was cloned from, else its first commit, else its folder: worktrees, and folders that
/// were moved, renamed or cloned again, are one project. What was remembered keeps its folder.
#[derive(clap::Args)]
pub(crate) struct ProjectsArgs {
    #[command(subcommand)]
    change: Option<ProjectChange>,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum ProjectChange {
    Merge(MergeArgs),
    Rename(RenameArgs),
}

/// Make one project of two: what was remembered of FROM becomes part of INTO
#[derive(clap::Args)]
struct MergeArgs {
    /// Project that becomes a part: its name, a folder of it, or its address
    from: String,

    /// Project that it becomes a part of
    into: String,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

/// Give a project another name in the memory; the earlier names still find it
#[derive(clap::Args)]
struct RenameArgs {
    /// Project: its name, a folder of it, or its address
    project: String,

    /// New name
    #[arg(value_parser = name)]
    name: String,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

/// Maximum length of a name, in characters.
const MAX_NAME: usize = 100;

pub(crate) fn run(args: &ProjectsArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    match &args.change {
        None => list(args.json, out),
        Some(ProjectChange::Merge(args)) => merge(args, out),
        Some(ProjectChange::Rename(args)) => rename(args, out),
    }
}

fn list(json: bool, out: &mut Out) -> Result<ExitCode, Failure> {
    let Some(memory) = memory::open()? else {
        memory::nothing_yet(json, &ListWire::<ProjectJson>::whole(Vec::<ProjectJson>::new()), out)?;
        return Ok(ExitCode::SUCCESS);
    };
    let known = memory.projects()?;
    if json {
        out.json(&ListWire::<ProjectJson>::whole(known))?;
        return Ok(ExitCode::SUCCESS);
    }
    let now = times::now();
    let width = known.iter().map(|known| columns(&in_line(&known.name))).max().unwrap_or(0);
    for known in &known {
        let last = known.last_at.map(|last| ago(last, now)).unwrap_or_default();
        let name = in_line(&known.name);
        let pad = " ".repeat(width - columns(&name));
        out.row(format_args!(
            "{BOLD}{name}{BOLD:#}{pad}  {DIM}{last:>8}{DIM:#}  {:>6}  {CYAN}{}{CYAN:#}",
            known.observations,
            place(known),
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns where a project is, in one line.
fn place(known: &KnownProject) -> String {
    let first = known
        .origin
        .as_ref()
        .or(known.roots.first())
        .map(|place| in_line(&short_path(Path::new(place))))
        .unwrap_or_default();
    let folders = known.roots.len();
    if folders > 1 { format!("{first} ({})", counted(folders, "folder")) } else { first }
}

fn merge(args: &MergeArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let Some([from, into]) = projects::merge(&args.from, &args.into)? else {
        memory::nothing_yet(args.json, &MergedProjectsJson::default(), out)?;
        return Ok(ExitCode::SUCCESS);
    };
    if from == into {
        let message = format!("`{}` and `{}` are the same project already", args.from, args.into);
        return Err(Failure::new(message).hint("`nudge projects` lists them"));
    }
    let observations = from.observations + into.observations;
    if args.json {
        out.json(&MergedProjectsJson { project: Some(into.name), merged: Some(from.name), observations })?;
    } else {
        let count = counted(observations, "observation");
        say(format_args!("`{}` is part of `{}` now: {count}", in_line(&from.name), in_line(&into.name)));
    }
    Ok(ExitCode::SUCCESS)
}

fn rename(args: &RenameArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let Some((known, name)) = projects::rename(&args.project, &args.name)? else {
        memory::nothing_yet(args.json, &RenamedProjectJson::default(), out)?;
        return Ok(ExitCode::SUCCESS);
    };
    if args.json {
        out.json(&RenamedProjectJson { project: Some(name), earlier: Some(known.name) })?;
    } else {
        say(format_args!("`{}` is called `{}` now", in_line(&known.name), in_line(&name)));
    }
    Ok(ExitCode::SUCCESS)
}

fn name(text: &str) -> Result<String, String> {
    let text = text.trim();
    let is_plain = !text.is_empty() && text.chars().count() <= MAX_NAME && !text.contains(char::is_control);
    if is_plain { Ok(text.to_owned()) } else { Err(format!("write a name of 1 to {MAX_NAME} characters")) }
}
