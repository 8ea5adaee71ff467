//! `nudge log`: one line for each hook call, and new ones as they come.

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anstyle::Style;

use super::output::{BOLD, CYAN, DIM, Failure, GREEN, Out, RED, YELLOW, in_line, say, say_problem};
use super::rows::one_line;
use super::why::milliseconds;
use super::window::{columns, cut};
use super::{here, memory};
use crate::api::list::ListWire;
use crate::api::why::TracedEventJson;
use crate::model::{Timestamp, Trace, TracedTarget, VerdictKind};
use crate::ops::agents;
use crate::ops::here::root as root_of;
use crate::ops::times;
use crate::ops::why::{self, TraceQuery, TraceStamps};

/// List hook calls, one line each; -f follows them
///
/// Each line has the time, the agent, the event, tool and target, what was answered with the rules that fired, and how
/// long it took. `nudge why ID` explains one of them; the id is in the JSON.
#[derive(clap::Args)]
pub(crate) struct LogArgs {
    /// Keep printing new ones, until Ctrl-C
    #[arg(short, long)]
    follow: bool,

    /// Only what was blocked
    #[arg(long)]
    blocked: bool,

    /// Only where this rule fired
    #[arg(long, value_name = "NAME")]
    rule: Option<String>,

    /// Only what this agent did: its name in `nudge setup`, or after `--harness` in its hooks
    #[arg(long, visible_alias = "harness", value_name = "AGENT", value_parser = memory::agent)]
    agent: Option<String>,

    /// Only after this: a date, a time, `3d`, `PT2H`, `yesterday`
    #[arg(long, value_name = "WHEN", value_parser = times::parse)]
    since: Option<Timestamp>,

    /// Maximum number of lines, the latest
    #[arg(short = 'n', long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..))]
    limit: u16,

    /// All projects, not only this one
    #[arg(short, long)]
    all: bool,

    /// Print JSON; with -f, one object per line
    #[arg(short, long)]
    json: bool,
}

const FOLLOW_INTERVAL: Duration = Duration::from_millis(300);
/// The columns of an agent and of an event, as wide as the longest name.
const AGENT_WIDTH: usize = 8;
const EVENT_WIDTH: usize = 18;
/// The columns of tool and target: at least this many on a narrow terminal, at most this many elsewhere.
const MIN_TARGET: usize = 16;
const MAX_TARGET: usize = 60;
/// What the other columns take: time, agent, event, verdict, rule and milliseconds.
const OTHER_COLUMNS: usize = 68;
/// Maximum number of characters of the names of rules.
const MAX_RULES: usize = 40;

pub(crate) fn run(args: &LogArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let root = root_of(&here()?);
    let project = (!args.all).then_some(root);
    // Taken before the files are read: what is written meanwhile is found by the first look.
    let stamps = why::stamps();
    let found = find(project.as_ref());
    found.unread.iter().for_each(|(path, error)| say_problem(&why::unreadable(path, error), None));
    let mut seen = HashSet::new();
    let kept = found.kept;
    let mut shown = found.traces;
    seen.extend(shown.iter().map(key));
    shown.retain(|trace| args.wants(trace));
    shown.drain(..shown.len().saturating_sub(usize::from(args.limit)));
    if args.json && !args.follow {
        let events = shown.iter().map(|trace| TracedEventJson::new(trace, Vec::new()));
        out.json(&ListWire::<TracedEventJson>::limited(events, 0, usize::from(args.limit)))?;
        return Ok(ExitCode::SUCCESS);
    }
    shown.iter().try_for_each(|trace| print(trace, args, out))?;
    if !args.follow {
        if shown.is_empty() {
            say(match kept {
                0 => "no hook call is kept yet: it begins when an agent's hooks call `nudge hook`".to_owned(),
                kept => format!("nothing found here; {kept} hook calls are kept: try `--all`"),
            });
        }
        return Ok(ExitCode::SUCCESS);
    }
    follow(args, project.as_ref(), FollowState { seen, stamps }, out)
}

/// What has been shown.
struct FollowState {
    seen: HashSet<(u64, String)>,
    stamps: TraceStamps,
}

fn find(project: Option<&PathBuf>) -> why::FoundTraces {
    why::find(&TraceQuery {
        session: None,
        project: project.map(PathBuf::as_path),
        id: None,
        last: usize::MAX,
    })
}

/// What tells two traces apart.
fn key(trace: &Trace) -> (u64, String) {
    (trace.at, trace.id.clone())
}

fn follow(
    args: &LogArgs,
    project: Option<&PathBuf>,
    FollowState { mut seen, mut stamps }: FollowState,
    out: &mut Out,
) -> Result<ExitCode, Failure> {
    loop {
        std::thread::sleep(FOLLOW_INTERVAL);
        let now = why::stamps();
        if now == stamps {
            continue;
        }
        stamps = now;
        let traces = find(project).traces;
        let new: Vec<&Trace> = traces.iter().filter(|trace| !seen.contains(&key(trace))).collect();
        new.iter().filter(|trace| args.wants(trace)).try_for_each(|trace| print(trace, args, out))?;
        // Only what is still in the files can be met again.
        seen = traces.iter().map(key).collect();
    }
}

impl LogArgs {
    fn wants(&self, trace: &Trace) -> bool {
        let at = Timestamp(i64::try_from(trace.at / 1_000).unwrap_or(i64::MAX));
        let fired = |name: &String| {
            trace.rules.iter().any(|tried| tried.rule == why::shown_rule(name) && tried.fate.fired())
        };
        (!self.blocked || trace.verdict == VerdictKind::Block)
            && self.agent.as_ref().is_none_or(|agent| trace.harness == *agent)
            && self.since.is_none_or(|since| at >= since)
            && self.rule.as_ref().is_none_or(fired)
    }
}

fn print(trace: &Trace, args: &LogArgs, out: &mut Out) -> Result<(), Failure> {
    if args.json {
        let line = serde_json::to_string(&TracedEventJson::new(trace, Vec::new())).unwrap_or_default();
        writeln!(out.raw(), "{line}")?;
        return Ok(());
    }
    let agent =
        agents::by_id(&trace.harness).map_or_else(|| in_line(&trace.harness), |agent| agent.name.to_owned());
    let event = if trace.verdict == VerdictKind::Lost { "-" } else { trace.hook.name() };
    let width = out
        .width()
        .map_or(MAX_TARGET, |width| width.saturating_sub(OTHER_COLUMNS).clamp(MIN_TARGET, MAX_TARGET));
    let target = what(trace);
    let (style, verdict) = verdict(trace);
    if out.width().is_some_and(|width| width < OTHER_COLUMNS + MIN_TARGET) {
        // What was answered matters more than the end of a command.
        return out.row(format_args!(
            "{DIM}{}{DIM:#}  {CYAN}{agent:AGENT_WIDTH$}{CYAN:#}  {event:EVENT_WIDTH$}  {style}{verdict}{style:#}  {target}",
            times::clock_time(trace.at),
        ));
    }
    let target = cut(&target, width);
    let blank = " ".repeat(width.saturating_sub(columns(&target)));
    out.row(format_args!(
        "{DIM}{}{DIM:#}  {CYAN}{agent:AGENT_WIDTH$}{CYAN:#}  {event:EVENT_WIDTH$}  {target}{blank}  {style}{verdict}{style:#}  {DIM}{}{DIM:#}",
        times::clock_time(trace.at),
        milliseconds(trace.microseconds),
    ))
}

/// Returns the tool and what it was used on.
fn what(trace: &Trace) -> String {
    let target = trace.target.as_ref().map(|target| match target {
        TracedTarget::File(text) | TracedTarget::Command(text) | TracedTarget::CommandGist(text) => text,
    });
    let words = trace.tool.iter().chain(target).map(|word| one_line(word, MAX_TARGET));
    words.collect::<Vec<_>>().join(" ")
}

/// Returns what was answered, and because of what.
fn verdict(trace: &Trace) -> (Style, String) {
    let fired = trace.rules.iter().filter(|tried| tried.fate.fired()).map(|tried| tried.rule.as_str());
    let rules = one_line(&fired.collect::<Vec<_>>().join(", "), MAX_RULES);
    let because = |word: &str, other: String| match (rules.is_empty(), other.is_empty()) {
        (false, _) => format!("{word} {BOLD}{rules}{BOLD:#}"),
        (true, false) => format!("{word} {other}"),
        (true, true) => word.to_owned(),
    };
    let parts = || trace.parts.iter().map(|(part, _)| part.name()).collect::<Vec<_>>().join(", ");
    match trace.verdict {
        VerdictKind::Pass => (DIM, "ok".to_owned()),
        VerdictKind::Guide => (GREEN, because("context", parts())),
        VerdictKind::Ask => (YELLOW, because("ask", parts())),
        VerdictKind::Block => (RED, because("BLOCK", parts())),
        VerdictKind::Lost => (YELLOW, "lost".to_owned()),
    }
}
