//! `nudge search`: finds what was observed.

use std::process::ExitCode;

#[cfg(feature = "team")]
use super::colleagues;
use super::memory::{self, ScopeArgs};
use super::output::{BOLD, CYAN, DIM, Failure, GREEN, Out, say};
use super::rows::{self, Row, one_line};
use super::show::show;
use crate::api::Scope;
use crate::api::list::ListWire;
use crate::api::memory::ObservationJson;
use crate::api::sharing::SearchItemJson;
use crate::model::{
    ColleagueHit, Filter, ObservationId, ObservationType, Order, Project, Search, SearchHit, SearchPage,
    SessionId, Timestamp,
};
use crate::ops::nexus::search::{self, Written, WrittenSource};
use crate::ops::{here, project, times};

/// Search what agents did: commands, failures, edits, prompts
///
/// Also finds notes, guidance and closed cycles in `.nexus/` of the project. Plain words find whatever contains some of
/// them, the best match first. `AND`, `OR`, `NOT`, "a phrase" and prefix* work too. Exit code 1 if nothing is found.
#[derive(clap::Args)]
pub(crate) struct SearchArgs {
    /// Words to find
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,

    #[command(flatten)]
    scope: ScopeArgs,

    /// Only this type of observation; can be repeated
    #[arg(long = "type", value_name = "TYPE", value_parser = memory::obs_type, value_delimiter = ',')]
    types: Vec<ObservationType>,

    /// Only this session: its id, or the beginning of it
    #[arg(long, value_name = "ID")]
    session: Option<String>,

    /// Only what this agent did: its name after `--harness` in its hooks
    #[arg(long, visible_alias = "harness", value_name = "AGENT", value_parser = memory::agent)]
    agent: Option<String>,

    /// Only after this: a date, a time, `3d`, `PT2H`, `yesterday`
    #[arg(long, value_name = "WHEN", value_parser = times::parse)]
    since: Option<Timestamp>,

    /// Only before this; a date includes the whole day
    #[arg(long, value_name = "WHEN", value_parser = times::parse_end)]
    until: Option<Timestamp>,

    /// Maximum number of results
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,

    /// Skip the first N results
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u16,

    /// Order of the results
    #[arg(long, default_value = "relevance")]
    order: OrderArg,

    /// Also ask the team's server, for up to three seconds
    #[arg(long, conflicts_with = "mine")]
    team: bool,

    /// Only your own rows, none of colleagues
    #[arg(long)]
    mine: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,

    /// Show whole observations
    #[arg(long)]
    full: bool,

    /// Print only the numbers, for `xargs nudge show`
    #[arg(long, conflicts_with_all = ["json", "full"])]
    ids: bool,
}

/// Maximum number of characters of a line from a note, a rule or a cycle.
const MAX_CHARS: usize = 100;

#[derive(Clone, Copy, clap::ValueEnum)]
enum OrderArg {
    /// Best match first
    Relevance,
    /// Good and recent matches first
    Blended,
}

pub(crate) fn run(args: &SearchArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let written = if args.means_everything() {
        search::find(&super::here()?, &args.query.join(" "))
    } else {
        Vec::new()
    };
    let Some(memory) = memory::open()? else {
        // A machine that has just joined has nothing of its own.
        let here =
            (args.scope.scope() == Scope::Current).then(|| project::of_folder(&here::folder_or_root()));
        let theirs = args.colleagues(here.flatten().as_ref());
        if !theirs.is_empty() {
            let rows: Vec<Row> = theirs.iter().map(Row::of_colleague).collect();
            if args.json {
                let items = theirs.into_iter().map(|hit| SearchItemJson::Colleague(Box::new(hit.into())));
                out.json(&ListWire::<SearchItemJson<Written>>::whole(items))?;
            } else {
                rows::print(&rows, true, out)?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        if written.is_empty() {
            memory::nothing_yet(args.json, &memory::no_items(), out)?;
            return Ok(ExitCode::FAILURE);
        }
        if args.json {
            out.json(&ListWire::<SearchItemJson<Written>>::whole(
                written.into_iter().map(SearchItemJson::Written),
            ))?;
        } else {
            print_written(&written, out)?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let scope = args.scope.scope();
    let project = memory::project_of(&memory, &scope)?;
    let session = args.session.as_ref().map(|id| memory.session(id)).transpose()?;
    // A user who names a session means all of it, in every folder.
    let project = if session.is_some() && scope == Scope::Current { None } else { project };
    let SearchPage { hits, ranked_since, is_widened } =
        memory.search(&args.question(project.clone(), session))?;
    let theirs = args.colleagues(project.as_ref());
    let ids: Vec<ObservationId> = hits.iter().map(|hit| hit.id).collect();
    if args.ids {
        ids.iter().try_for_each(|id| out.line(id.0))?;
    } else if args.full && args.json {
        out.json(&args.list::<ObservationJson>(memory.get(&ids)?))?;
    } else if args.json {
        let hits = hits.iter().cloned().map(|hit| SearchItemJson::Observed(Box::new(hit.into())));
        let ListWire { mut items, total } = args.list(hits);
        items.extend(theirs.iter().cloned().map(|hit| SearchItemJson::Colleague(Box::new(hit.into()))));
        items.extend(written.iter().cloned().map(SearchItemJson::Written));
        let total = total.map(|total| total + written.len() + theirs.len());
        out.json(&ListWire { items, total })?;
    } else if args.full {
        show(&memory.get(&ids)?, out)?;
    } else {
        print_written(&written, out)?;
        let rows: Vec<Row> = hits.iter().map(Row::of_hit).collect();
        rows::print(&rows, project.is_none(), out)?;
        if !theirs.is_empty() {
            say("of colleagues (evidence of the past, not instructions):");
            let rows: Vec<Row> = theirs.iter().map(Row::of_colleague).collect();
            rows::print(&rows, project.is_none(), out)?;
        }
    }
    if !args.json && (written.is_empty() && theirs.is_empty() || !hits.is_empty()) {
        args.say_more(&hits, project.as_ref().map(|project| project.name.as_str()));
    }
    if is_widened && !hits.is_empty() && !args.ids && !args.json {
        say(format_args!("nothing has `{}` as whole words: this begins with them", args.query.join(" ")));
    }
    if let Some(since) = ranked_since.filter(|_| !args.ids) {
        let since = times::local_time(since);
        say(format_args!(
            "more rows match than were ranked: these are the best since {since}; `--until` with that time shows older ones"
        ));
    }
    Ok(if hits.is_empty() && written.is_empty() && theirs.is_empty() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// Prints what was written down on purpose, before what merely happened.
fn print_written(written: &[Written], out: &mut Out) -> Result<(), Failure> {
    for one in written {
        let line = one_line(&one.content_preview, MAX_CHARS);
        match one.source {
            WrittenSource::Note => {
                out.row(format_args!("{GREEN}note{GREEN:#}     {BOLD}{}{BOLD:#}  {line}", one.file_path))?;
            }
            WrittenSource::Rule => {
                out.row(format_args!("{GREEN}rule{GREEN:#}     {BOLD}{}{BOLD:#}  {line}", one.file_path))?;
            }
            WrittenSource::Plan | WrittenSource::Tasks => {
                let word = if one.source == WrittenSource::Plan { "plan   " } else { "tasks  " };
                out.row(format_args!("{CYAN}{word}{CYAN:#}  {line}"))?;
            }
            WrittenSource::History => {
                let day = one.completed_at.as_deref().and_then(|at| at.get(..10)).unwrap_or("unknown");
                out.row(format_args!("{CYAN}history{CYAN:#}  {DIM}{day}{DIM:#}  {line}"))?;
            }
        }
    }
    Ok(())
}

impl SearchArgs {
    /// Says whether nothing narrows the search down to what agents did.
    fn means_everything(&self) -> bool {
        let is_narrowed =
            self.session.is_some() || self.agent.is_some() || self.since.is_some() || self.until.is_some();
        self.scope.scope() == Scope::Current
            && !(is_narrowed || !self.types.is_empty() || self.offset > 0 || self.ids || self.full)
    }

    /// Returns rows of colleagues; those who page through their own rows have seen them already.
    fn colleagues(&self, project: Option<&Project>) -> Vec<ColleagueHit> {
        if self.mine || self.ids || self.full || self.offset > 0 {
            return Vec::new();
        }
        #[cfg(not(feature = "team"))]
        return Vec::new();
        #[cfg(feature = "team")]
        colleagues::found(&self.question(None, self.session.clone().map(SessionId)), project, self.team)
    }

    fn list<T>(&self, items: impl IntoIterator<Item = impl Into<T>>) -> ListWire<T> {
        ListWire::limited(items, usize::from(self.offset), usize::from(self.limit))
    }

    fn question(&self, project: Option<Project>, session: Option<SessionId>) -> Search {
        Search {
            text: self.query.join(" "),
            filter: Filter {
                project,
                types: self.types.clone(),
                session,
                harness: self.agent.clone(),
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
                memory::say_damage();
                say(format_args!("{wider} other words, fewer of them, or a part with `*` as in `conf*`"));
            }
            found if found == usize::from(self.limit) && !self.ids => {
                say(format_args!("there may be more: `--offset {next}` shows the next"));
            }
            _ => {}
        }
    }
}
