//! `nudge sessions`: the list of sessions, and one of them as a story.

use std::process::ExitCode;

use serde_json::{Value, json};

use super::memory::{self, ScopeArgs};
use super::output::{BOLD, CYAN, DIM, Failure, Out, RED, say};
use super::rows::{ago, one_line};
use super::story::{self, counts, lasted};
use super::window::columns;
use crate::model::{SessionSummary, Timestamp};
use crate::system::{clock, moment};

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
    #[arg(long, value_name = "WHEN", value_parser = moment::parse)]
    since: Option<Timestamp>,

    /// Maximum number of results
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &SessionsArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let Some(memory) = memory::open()? else {
        memory::nothing_yet(args.json, &json!([]), out)?;
        return Ok(ExitCode::SUCCESS);
    };
    if let Some(id) = &args.id {
        let story = memory.story(id)?;
        if args.json {
            let mut value = summary_json(&story.summary);
            value["observations"] = memory::observations_json(&story.observations);
            out.json(&value)?;
        } else {
            story::tell(&story, out)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let scope = args.scope.scope();
    let mut sessions = memory.sessions(&scope, usize::from(args.limit))?;
    sessions.retain(|session| args.since.is_none_or(|since| session.ended_at >= since));
    if args.json {
        out.json(&sessions.iter().map(summary_json).collect::<Value>())?;
        return Ok(ExitCode::SUCCESS);
    }
    let project = memory.project(&scope)?;
    let shown = sessions.into_iter().map(|session| Ok((memory.short_id(&session.session_id)?, session)));
    let sessions = shown.collect::<Result<Vec<_>, Failure>>()?;
    list(&sessions, project.is_none(), out)?;
    if let (true, Some(project)) = (sessions.is_empty() && args.since.is_none(), project) {
        say(format_args!("no session of project `{}` is remembered: try `--all`", project.name));
    }
    Ok(ExitCode::SUCCESS)
}

fn list(sessions: &[(String, SessionSummary)], with_project: bool, out: &mut Out) -> Result<(), Failure> {
    let now = clock::timestamp();
    let name = |session: &SessionSummary| session.project.clone().unwrap_or_else(|| "-".to_owned());
    let width = sessions.iter().map(|(_, session)| columns(&name(session))).max().unwrap_or(0);
    let ids = sessions.iter().map(|(id, _)| columns(id)).max().unwrap_or(0);
    for (id, session) in sessions {
        let project =
            if with_project { format!("{CYAN}{:width$}{CYAN:#}  ", name(session)) } else { String::new() };
        let asked = session.first_prompt.as_deref().map(|prompt| format!("  {}", one_line(prompt, 70)));
        let [prompts, edits, failures] = counts(session);
        let red = if session.failures > 0 { RED } else { DIM };
        out.row(format_args!(
            "{BOLD}{id:ids$}{BOLD:#}  {DIM}{:>8}{DIM:#}  {:>5}  {project}{prompts:>11} {edits:>9} {red}{failures:>12}{red:#}{}",
            ago(session.ended_at, now),
            lasted(session),
            asked.unwrap_or_default(),
        ))?;
    }
    Ok(())
}

fn summary_json(session: &SessionSummary) -> Value {
    json!({
        "session_id": session.session_id.0,
        "project": session.project,
        "started_at": session.started_at,
        "ended_at": session.ended_at,
        "observations": session.observations,
        "prompts": session.prompts,
        "edits": session.edits,
        "failures": session.failures,
        "first_prompt": session.first_prompt,
    })
}
