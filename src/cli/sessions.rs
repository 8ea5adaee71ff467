//! `nudge sessions`: the list of sessions, and one of them as a story.

use std::process::ExitCode;

use super::memory::{self, ScopeArgs};
use super::output::{BOLD, CYAN, DIM, Failure, Out, RED, say};
use super::rows::{ago, one_line};
use super::story::{self, counts, lasted};
use super::window::columns;
use crate::api::list::ListWire;
use crate::api::memory::SessionJson;
use crate::model::{SessionSummary, Timestamp};
use crate::ops::times;

/// List sessions, or show one as a story
///
/// A story shows every prompt, and what the agent did next.
#[derive(clap::Args)]
pub(crate) struct SessionsArgs {
    /// Id of a session, or the beginning of it
    id: Option<String>,

    #[command(flatten)]
    scope: ScopeArgs,

    /// Only after this: a date, a time, `3d`, `PT2H`, `yesterday`
    #[arg(long, value_name = "WHEN", value_parser = times::parse)]
    since: Option<Timestamp>,

    /// Maximum number of results
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

/// Maximum number of sessions that are counted.
const MAX_SESSIONS: usize = 10_000;

pub(crate) fn run(args: &SessionsArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let Some(memory) = memory::open()? else {
        memory::nothing_yet(args.json, &ListWire::<SessionJson>::whole(Vec::<SessionJson>::new()), out)?;
        return Ok(ExitCode::SUCCESS);
    };
    if let Some(id) = &args.id {
        let story = memory.story(id)?;
        if args.json {
            let observations = memory::observations_json(&story.observations);
            out.json(&SessionJson::with_observations(story.summary, observations))?;
        } else {
            story::tell(&story, out)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let scope = args.scope.scope();
    let mut sessions = memory.sessions(&scope, MAX_SESSIONS)?;
    sessions.retain(|session| args.since.is_none_or(|since| session.ended_at >= since));
    let total = sessions.len();
    sessions.truncate(usize::from(args.limit));
    if args.json {
        let ListWire { items, .. } = ListWire::<SessionJson>::whole(sessions);
        out.json(&ListWire { items, total: Some(total).filter(|total| *total < MAX_SESSIONS) })?;
        return Ok(ExitCode::SUCCESS);
    }
    let project = memory::project_of(&memory, &scope)?;
    let shown = sessions.into_iter().map(|session| Ok((memory.short_id(&session.session_id)?, session)));
    let sessions = shown.collect::<Result<Vec<_>, Failure>>()?;
    list(&sessions, project.is_none(), out)?;
    if let (true, Some(project)) = (sessions.is_empty() && args.since.is_none(), project) {
        say(format_args!("no session of project `{}` is remembered: try `--all`", project.name));
    }
    Ok(ExitCode::SUCCESS)
}

fn list(sessions: &[(String, SessionSummary)], with_project: bool, out: &mut Out) -> Result<(), Failure> {
    let now = times::now();
    let name = |session: &SessionSummary| session.project.clone().unwrap_or_else(|| "-".to_owned());
    let width = sessions.iter().map(|(_, session)| columns(&name(session))).max().unwrap_or(0);
    let ids = sessions.iter().map(|(id, _)| columns(id)).max().unwrap_or(0);
    let agent = |session: &SessionSummary| session.harness.clone().unwrap_or_else(|| "-".to_owned());
    let agents = sessions.iter().map(|(_, session)| columns(&agent(session))).max().unwrap_or(0);
    let is_one_agent = sessions.windows(2).all(|pair| pair[0].1.harness == pair[1].1.harness);
    for (id, session) in sessions {
        let by =
            if is_one_agent { String::new() } else { format!("{CYAN}{:agents$}{CYAN:#}  ", agent(session)) };
        let project =
            if with_project { format!("{CYAN}{:width$}{CYAN:#}  ", name(session)) } else { String::new() };
        let asked = session.first_prompt.as_deref().map(|prompt| format!("  {}", one_line(prompt, 70)));
        let [prompts, edits, failures] = counts(session);
        let red = if session.failures > 0 { RED } else { DIM };
        out.row(format_args!(
            "{BOLD}{id:ids$}{BOLD:#}  {DIM}{:>8}{DIM:#}  {:>5}  {project}{by}{prompts:>11} {edits:>9} {red}{failures:>12}{red:#}{}",
            ago(session.ended_at, now),
            lasted(session),
            asked.unwrap_or_default(),
        ))?;
    }
    Ok(())
}
