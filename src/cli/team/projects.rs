//! `nudge team projects`: which projects the team has, and who may see them.

use std::process::ExitCode;

use crate::api::list::ListWire;
use crate::cli::output::{BOLD, DIM, Failure, GREEN, Out, YELLOW, in_line, say};
use crate::cli::window::columns;
use crate::ops::team::{self, ListedProject, TeamProjectChange};

/// List the projects of the team, or say who may see them
///
/// A key is the address of a repository: `github.com/acme/shop`. Without an option, lists them.
#[derive(clap::Args)]
#[group(skip)]
#[command(group = clap::ArgGroup::new("change").multiple(false))]
pub(crate) struct TeamProjectsArgs {
    /// Show it only to those who share it and whom an admin lets in
    #[arg(long, value_name = "KEY", group = "change")]
    close: Option<String>,

    /// Show it to all members
    #[arg(long, value_name = "KEY", group = "change")]
    open: Option<String>,

    /// Let a member into a closed project
    #[arg(long, value_names = ["KEY", "NAME"], num_args = 2, group = "change")]
    give: Option<Vec<String>>,

    /// Close a project to a member again
    #[arg(long, value_names = ["KEY", "NAME"], num_args = 2, group = "change")]
    take: Option<Vec<String>>,

    /// The repository OLD is now NEW; both names find it
    #[arg(long, value_names = ["OLD", "NEW"], num_args = 2, group = "change")]
    alias: Option<Vec<String>>,

    /// Allow projects to be shared, as `github.com/acme/*`
    #[arg(long, value_name = "PATTERN", group = "change")]
    allow: Option<String>,

    /// Take back what `--allow` said; rows that are there stay
    #[arg(long, value_name = "PATTERN", group = "change")]
    forbid: Option<String>,

    /// Address of the server, if it is not the team you joined
    #[arg(long, value_name = "URL")]
    url: Option<String>,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &TeamProjectsArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let server = team::connect(args.url.as_deref())?;
    if let Some((change, done)) = change(args) {
        server.change_project(change)?;
        if !args.json {
            out.line(format_args!("{GREEN}{done}{GREEN:#}"))?;
            return Ok(ExitCode::SUCCESS);
        }
    }
    let projects = server.projects()?;
    if args.json {
        out.json(&ListWire::<ListedProject>::whole(projects))?;
        return Ok(ExitCode::SUCCESS);
    }
    if projects.is_empty() {
        say("nobody has shared a project yet");
    }
    let width = projects.iter().map(|project| columns(&in_line(&project.key))).max().unwrap_or_default();
    for project in &projects {
        let state = if project.open { "open" } else { "closed" };
        let members = in_line(&project.members.join(", "));
        let aliases = match project.aliases.is_empty() {
            true => String::new(),
            false => format!("  {DIM}also {}{DIM:#}", in_line(&project.aliases.join(", "))),
        };
        out.row(format_args!(
            "{BOLD}{:width$}{BOLD:#}  {YELLOW}{state:6}{YELLOW:#}  {members}{aliases}",
            in_line(&project.key)
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns what is to be changed, and how that is said when it is done.
fn change(args: &TeamProjectsArgs) -> Option<(TeamProjectChange<'_>, String)> {
    let shown = |text: &str| in_line(text);
    if let Some(key) = &args.close {
        return Some((TeamProjectChange::Close(key), format!("closed  {}", shown(key))));
    }
    if let Some(key) = &args.open {
        return Some((TeamProjectChange::Open(key), format!("open  {}", shown(key))));
    }
    if let Some([key, member]) = args.give.as_deref() {
        let done = format!("{} may see {}", shown(member), shown(key));
        return Some((TeamProjectChange::Give { key, member }, done));
    }
    if let Some([key, member]) = args.take.as_deref() {
        let done = format!("{} may no longer see {}, if it is closed", shown(member), shown(key));
        return Some((TeamProjectChange::Take { key, member }, done));
    }
    if let Some([old, new]) = args.alias.as_deref() {
        let done = format!("{} is now {}, and both names find it", shown(old), shown(new));
        return Some((TeamProjectChange::Alias { old, new }, done));
    }
    if let Some(pattern) = &args.allow {
        return Some((TeamProjectChange::Allow(pattern), format!("allowed  {}", shown(pattern))));
    }
    let pattern = args.forbid.as_ref()?;
    Some((TeamProjectChange::Forbid(pattern), format!("no longer allowed  {}", shown(pattern))))
}
