//! `nudge search`: finds what was observed.

use std::process::ExitCode;

use serde_json::{Value, json};

use super::memory::{self, ScopeArgs};
use super::output::{Failure, Out, say};
use super::rows::{self, Row};
use super::show::show;
use crate::config::moment;
use crate::model::{Filter, ObservationId, ObservationType, Order, Search, SearchHit, SessionId, Timestamp};
use crate::ops::browse::{self, Scope};

/// Search what agents did: commands, failures, edits, prompts
///
/// Plain words find whatever has some of them, the best first. `AND`, `OR`, `NOT`, "a phrase" and prefix* are
/// understood as well. As in: nudge search linker error --since 3d
#[derive(clap::Args)]
pub(crate) struct SearchArgs {
    /// What to look for
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,

    #[command(flatten)]
    scope: ScopeArgs,

    /// Only observations of this type; may be given several times
    #[arg(long = "type", value_name = "TYPE", value_parser = memory::obs_type, value_delimiter = ',')]
    types: Vec<ObservationType>,

    /// Only this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,

    /// Only from this moment on: a date, a time, `3d`, `2h`, `yesterday`
    #[arg(long, value_name = "WHEN", value_parser = moment::parse)]
    since: Option<Timestamp>,

    /// Only before this moment; a day counts with all its hours
    #[arg(long, value_name = "WHEN", value_parser = moment::parse_end)]
    until: Option<Timestamp>,

    /// Show at most so many
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,

    /// Pass over so many
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u16,

    /// What comes first
    #[arg(long, default_value = "relevance")]
    order: OrderArg,

    /// Print the hits as JSON
    #[arg(long)]
    json: bool,

    /// Show whole observations
    #[arg(long)]
    full: bool,

    /// Print numbers only, as in: nudge search --ids make | xargs nudge show
    #[arg(long, conflicts_with_all = ["json", "full"])]
    ids: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum OrderArg {
    /// What fits best
    Relevance,
    /// What fits well and is recent
    Blended,
}

pub(crate) fn run(args: &SearchArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let Some(memory) = browse::open()? else {
        memory::nothing_yet(args.json, &json!([]), out)?;
        return Ok(ExitCode::SUCCESS);
    };
    let scope = args.scope.scope();
    let project = memory.project(&scope)?;
    let session = args.session.as_ref().map(|id| memory.session(id)).transpose()?;
    // Who names a session means all of it, wherever it went.
    let project = if session.is_some() && scope == Scope::Here { None } else { project };
    let hits = memory.search(&args.question(project.clone(), session))?;
    let ids: Vec<ObservationId> = hits.iter().map(|hit| hit.id).collect();
    if args.ids {
        ids.iter().try_for_each(|id| out.line(id.0))?;
    } else if args.full && args.json {
        out.json(&memory::observations_json(&memory.get(&ids)?))?;
    } else if args.json {
        out.json(&hits.iter().map(memory::hit_json).collect::<Value>())?;
    } else if args.full {
        show(&memory.get(&ids)?, out)?;
    } else {
        let rows: Vec<Row> = hits.iter().map(Row::of_hit).collect();
        rows::print(&rows, project.is_none(), out)?;
    }
    if !args.json {
        args.say_more(&hits, project.as_ref().map(|project| project.name.as_str()));
    }
    Ok(ExitCode::SUCCESS)
}

impl SearchArgs {
    fn question(&self, project: Option<crate::model::Project>, session: Option<SessionId>) -> Search {
        Search {
            text: self.query.join(" "),
            filter: Filter {
                project,
                types: self.types.clone(),
                session,
                since: self.since,
                until: self.until,
            },
            order: match self.order {
                OrderArg::Relevance => Order::Relevance,
                OrderArg::Blended => Order::Blended,
            },
            limit: usize::from(self.limit),
            offset: usize::from(self.offset),
            excerpts: !self.full && !self.json && !self.ids,
        }
    }

    /// Says what else there may be, and how to find it.
    fn say_more(&self, hits: &[SearchHit], project: Option<&str>) {
        let next = self.offset.saturating_add(self.limit);
        match hits.len() {
            0 if self.offset > 0 => say(format_args!("no more hits after the first {}", self.offset)),
            0 => {
                let place = project.map(|name| format!(" in project `{name}`")).unwrap_or_default();
                say(format_args!("nothing found for `{}`{place}", self.query.join(" ")));
                let wider = if project.is_some() { "`--all` looks at all projects; or try" } else { "try" };
                say(format_args!("{wider} other words, fewer of them, or a part with `*` as in `conf*`"));
            }
            found if found == usize::from(self.limit) && !self.ids => {
                say(format_args!("there may be more: --offset {next}"));
            }
            _ => {}
        }
    }
}
