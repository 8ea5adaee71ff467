//! `nudge recent`: what was observed last.

use std::process::ExitCode;

use super::memory::{self, ScopeArgs};
use super::output::{Failure, Out, say};
use super::rows::{self, Row};
use crate::api::Scope;
use crate::api::list::ListWire;
use crate::api::memory::ObservationJson;
use crate::model::{Filter, ObservationType, Timestamp};
use crate::ops::times;

/// List the latest observations, each file once
#[derive(clap::Args)]
pub(crate) struct RecentArgs {
    #[command(flatten)]
    scope: ScopeArgs,

    /// Only this type of observation; can be repeated
    #[arg(long = "type", value_name = "TYPE", value_parser = memory::obs_type, value_delimiter = ',')]
    types: Vec<ObservationType>,

    /// Only after this: a date, a time, `3d`, `PT2H`, `yesterday`
    #[arg(long, value_name = "WHEN", value_parser = times::parse)]
    since: Option<Timestamp>,

    /// Only before this; a date includes the whole day
    #[arg(long, value_name = "WHEN", value_parser = times::parse_end)]
    until: Option<Timestamp>,

    /// Only this session: its id, or the beginning of it
    #[arg(long, value_name = "ID")]
    session: Option<String>,

    /// Only what this agent did: its name after `--harness` in its hooks
    #[arg(long, visible_alias = "harness", value_name = "AGENT", value_parser = memory::agent)]
    agent: Option<String>,

    /// Maximum number of results
    #[arg(short = 'n', long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &RecentArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let Some(memory) = memory::open()? else {
        memory::nothing_yet(args.json, &memory::no_items(), out)?;
        return Ok(ExitCode::SUCCESS);
    };
    let scope = args.scope.scope();
    let session = args.session.as_ref().map(|id| memory.session(id)).transpose()?;
    let is_narrowed = session.is_some()
        || args.agent.is_some()
        || args.since.is_some()
        || args.until.is_some()
        || !args.types.is_empty();
    let recent = if is_narrowed {
        // A user who names a session means all of it, in every folder.
        let is_anywhere = session.is_some() && scope == Scope::Current;
        let project = if is_anywhere { None } else { memory.project(&scope)? };
        let (harness, since, until) = (args.agent.clone(), args.since, args.until);
        let filter = Filter { project, session, harness, since, until, types: args.types.clone() };
        memory.recent_filtered(&filter, usize::from(args.limit))?
    } else {
        memory.recent(&scope, usize::from(args.limit))?
    };
    if args.json {
        out.json(&ListWire::<ObservationJson>::limited(recent, 0, usize::from(args.limit)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let project = memory::project_of(&memory, &scope)?;
    let rows: Vec<Row> = recent.iter().map(Row::of_observation).collect();
    rows::print(&rows, project.is_none(), out)?;
    if recent.is_empty() && memory.waiting().is_none() {
        match project {
            _ if is_narrowed => {
                say("nothing found: `nudge recent` lists the latest, `--all` those of all projects");
            }
            Some(project) => {
                say(format_args!("nothing is remembered of project `{}` yet: try `--all`", project.name));
            }
            None => say("nothing is remembered yet"),
        }
        memory::say_damage();
    }
    Ok(ExitCode::SUCCESS)
}
