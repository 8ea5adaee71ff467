//! `nudge why`: explains what the hook did with the latest events.

use std::process::ExitCode;

use super::here;
use super::output::{BOLD, CYAN, DIM, Failure, GREEN, Out, RED, YELLOW, counted, in_line, say, say_problem};
use super::rows::{ago, one_line};
use crate::api::list::ListWire;
use crate::api::rules::RuleJson;
use crate::api::why::{ReconstructedJson, TracedEventJson, WhyJson};
use crate::model::{ContextPart, Fate, Recorded, Timestamp, Trace, TracedTarget, TriedRule, VerdictKind};
use crate::ops::here::root as root_of;
use crate::ops::rules::explain::Explanation;
use crate::ops::rules::shown;
use crate::ops::times;
use crate::ops::why::{self, Reconstructed, TraceQuery, Untried, UntriedRules};
use anstyle::Style;

/// Explain the latest hook calls: rules, replies, time
///
/// Shows what hooks logged when they replied. For a single event it also explains why the other current rules were not
/// tried; that part is reconstructed and marked as such.
#[derive(clap::Args)]
pub(crate) struct WhyArgs {
    /// Id of an event, for example `@k3f9`, or the beginning of it
    id: Option<String>,

    /// Only this session: its id, or the beginning of it
    #[arg(long, value_name = "ID")]
    session: Option<String>,

    /// Maximum number of events, the latest
    #[arg(short = 'n', long, alias = "last", value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,

    /// All projects, not only this one
    #[arg(short, long)]
    all: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

/// Enough of an id to tell sessions apart.
const SHORT: usize = 8;
/// Maximum number of characters of a line that somebody else wrote.
const MAX_CHARS: usize = 160;
/// Maximum number of characters of a rule's tools or files.
const MAX_KEY: usize = 60;

pub(crate) fn run(args: &WhyArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let root = root_of(&here()?);
    let anywhere = args.all || args.session.is_some() || args.id.is_some();
    let found = why::find(&TraceQuery {
        session: args.session.as_deref(),
        project: (!anywhere).then_some(root.as_path()),
        id: args.id.as_deref().map(|id| id.trim_start_matches('@')),
        last: usize::from(args.limit),
    });
    if let (Some(id), []) = (&args.id, found.traces.as_slice()) {
        let failure = Failure::new(format!("no event `{}` is kept", in_line(id)));
        return Err(failure.hint("`nudge why --all` lists what is kept; only the last events are"));
    }
    found.unread.iter().for_each(|(path, error)| say_problem(&why::unreadable(path, error), None));
    let untried = match found.traces.as_slice() {
        [trace] => why::untried_today(trace),
        _ => UntriedRules::default(),
    };
    if args.json {
        let events = found.traces.iter().map(|trace| to_json(trace, &untried.rules));
        let events = ListWire::limited(events, 0, usize::from(args.limit));
        out.json(&WhyJson { events, torn_lines: found.torn, kept: found.kept })?;
        return Ok(ExitCode::SUCCESS);
    }
    let most_silent = if found.traces.len() > 1 { MAX_SILENT } else { usize::MAX };
    for trace in &found.traces {
        show(trace, most_silent, out)?;
    }
    show_untried(&untried, out)?;
    match (found.traces.is_empty(), found.kept) {
        (false, _) => {}
        (true, 0) if !found.unread.is_empty() => {}
        (true, 0) => say(
            "no event is kept: an agent's hooks write them, and `nudge forget` removes those of what it deletes",
        ),
        (true, kept) => {
            say(format_args!("nothing here; of other sessions and projects {kept} are kept: try `--all`"));
        }
    }
    if found.torn > 0 {
        say(format_args!(
            "{} of the trace could not be read, and were passed over",
            counted(found.torn, "line")
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// In a list of events, at most this many rules that did not fire are named for each; `nudge why ID` names them all.
const MAX_SILENT: usize = 3;

fn show(trace: &Trace, most_silent: usize, out: &mut Out) -> Result<(), Failure> {
    let at = Timestamp(i64::try_from(trace.at / 1_000).unwrap_or(i64::MAX));
    let (style, verdict) = verdict(trace.verdict);
    let session = trace.session.as_ref().map(|session| {
        format!(", session {}", session.0.chars().filter(|c| !c.is_control()).take(SHORT).collect::<String>())
    });
    let moment = if trace.verdict == VerdictKind::Lost { "an event" } else { trace.hook.name() };
    let what: Vec<String> =
        [trace.tool.as_deref().map(in_line), target(trace)].into_iter().flatten().collect();
    out.row(format_args!(
        "{BOLD}@{}{BOLD:#}  {DIM}{}{DIM:#}  {CYAN}{moment}{CYAN:#}{}",
        trace.id,
        ago(at, times::now()),
        what.iter().map(|word| format!(" {word}")).collect::<String>()
    ))?;
    out.line(format_args!(
        "    {style}{verdict}{style:#} in {} {DIM}({}{}){DIM:#}",
        milliseconds(trace.microseconds),
        in_line(&trace.harness),
        session.unwrap_or_default()
    ))?;
    if let Some(by) = &trace.refused_by {
        out.line(format_args!("    {RED}refused{RED:#} by {}", refuser(by)))?;
    }
    let is_silent =
        |tried: &&TriedRule| matches!(tried.fate, Fate::Unmatched(_) | Fate::Excepted | Fate::Unmet(_));
    let (silent, spoke): (Vec<_>, Vec<_>) = trace.rules.iter().partition(is_silent);
    let shown = if silent.len() > most_silent { 0 } else { silent.len() };
    for tried in trace.rules.iter().filter(|tried| shown > 0 || !is_silent(tried)) {
        let after = tried.after.as_ref().map(|what| format!(", after `{}`", one_line(what, MAX_CHARS)));
        let fate = fate(&tried.fate);
        out.line(format_args!("    rule `{}` {fate}{}", in_line(&tried.rule), after.unwrap_or_default()))?;
    }
    match trace.tried.saturating_sub(spoke.len() + shown) {
        _ if trace.verdict == VerdictKind::Lost => {}
        0 if trace.tried == 0 => out.line("    no rule was for it")?,
        0 => {}
        1 if spoke.len() + shown == 0 => out.line("    1 rule was tried")?,
        1 => out.line("    1 more rule was tried")?,
        tried if spoke.len() + shown == 0 => out.line(format_args!("    {tried} rules were tried"))?,
        more => out.line(format_args!("    {more} more rules were tried"))?,
    }
    if let Some(why) = &trace.unread_command {
        out.line(format_args!(
            "    rules looked for words in the command, which could not be read: {}",
            in_line(why)
        ))?;
    }
    if let Some(told) = told(trace) {
        out.line(format_args!("    {told}"))?;
    }
    if let Some(rule) = &trace.said_by_rule {
        out.line(format_args!(
            "    the memory's warning was left out: rule `{}` was learned from it",
            in_line(rule)
        ))?;
    }
    if let Some(waited) = trace.late_hints_ms {
        out.line(format_args!("    no hints: the hint server did not answer within {waited} ms"))?;
    }
    if let Some(words) = recorded(trace) {
        out.line(format_args!("    {words}"))?;
    }
    for problem in &trace.problems {
        out.line(format_args!("    {YELLOW}problem:{YELLOW:#} {}", one_line(problem, MAX_CHARS)))?;
    }
    Ok(())
}

fn show_untried(untried: &UntriedRules, out: &mut Out) -> Result<(), Failure> {
    if !untried.rules.is_empty() {
        out.line("    The other rules of today (reconstructed from the names that were kept):")?;
    }
    for one in &untried.rules {
        let name = in_line(&one.rule.name);
        out.line(format_args!("    rule `{name}` {}  {DIM}{}{DIM:#}", why_untried(one), one.rule.place))?;
    }
    match untried.of_other_events {
        0 => Ok(()),
        1 => out.line(format_args!("    {DIM}1 rule is for other events{DIM:#}")),
        more => out.line(format_args!("    {DIM}{more} rules are for other events{DIM:#}")),
    }
}

/// Says which key of a rule kept it from this event.
fn why_untried(one: &Untried) -> String {
    let RuleJson { tool, target, .. } = shown::to_json(&one.rule);
    match (&one.why, tool, target) {
        (Reconstructed::NotMeant(Explanation::OtherTool), Some(tool), _) => {
            format!("was not tried: its `on.tool` is `{}`", one_line(&tool, MAX_KEY))
        }
        (Reconstructed::NotMeant(Explanation::OtherFile), _, Some(files)) => {
            let files = one_line(&files.join(" "), MAX_KEY);
            match one.rule.does {
                Some(does) => format!("was not tried: its `on.does` is `{}` for `{files}`", does.name()),
                None => format!("was not tried: its `on.file` is `{files}`"),
            }
        }
        (why, _, _) => why.to_string(),
    }
}

/// Names the role or the setting that refused an action.
fn refuser(by: &str) -> String {
    match by.strip_prefix("role ") {
        Some(role) => format!("the role `{}` of this agent, not by a rule", in_line(role)),
        None => format!("the setting `{}`, not by a rule", in_line(by)),
    }
}

fn verdict(verdict: VerdictKind) -> (Style, &'static str) {
    match verdict {
        VerdictKind::Pass => (DIM, "allowed"),
        VerdictKind::Guide => (GREEN, "context added"),
        VerdictKind::Ask => (YELLOW, "asked"),
        VerdictKind::Block => (RED, "blocked"),
        VerdictKind::Lost => (YELLOW, "lost"),
    }
}

fn target(trace: &Trace) -> Option<String> {
    Some(match trace.target.as_ref()? {
        TracedTarget::File(path) => one_line(path, MAX_CHARS),
        TracedTarget::Command(command) | TracedTarget::CommandGist(command) => {
            format!("`{}`", one_line(command, MAX_CHARS))
        }
    })
}

fn fate(fate: &Fate) -> String {
    match fate {
        Fate::Blocked => format!("{RED}fired{RED:#}: it blocks"),
        Fate::Guided => format!("{GREEN}fired{GREEN:#}: it guides"),
        Fate::Unmet(condition) => format!("did not fire: its `when: {condition}` was not true"),
        Fate::Shadowed => "matched, and was silent: it is only counted (`shadow`)".to_owned(),
        Fate::Untrusted => "matched, and was silent: nobody has trusted it (`nudge trust`)".to_owned(),
        Fate::Asked => format!("{YELLOW}fired{YELLOW:#}: the agent asks a person"),
        Fate::AskRefused => format!(
            "{RED}fired{RED:#}: it asks a person, and this agent asks nobody now, so it blocks until `nudge allow`"
        ),
        Fate::AllowedOnce => {
            format!("{GREEN}fired{GREEN:#}: a person had allowed this call once, with `nudge allow`")
        }
        Fate::SaidBefore => "matched, and was silent: it speaks once in a session (`once`)".to_owned(),
        Fate::Unmatched(field) => format!("did not fire: its `match.{}` is not found", in_line(field)),
        Fate::Excepted => "did not fire: its `unless` is found".to_owned(),
        Fate::Waits(why) => format!("matched, and waits: {}", one_line(why, MAX_CHARS)),
        Fate::Unevaluated(why) => {
            format!("{YELLOW}was not evaluated{YELLOW:#}: {}", one_line(why, MAX_CHARS))
        }
    }
}

/// Says what there was to tell, and whether all of it went out.
fn told(trace: &Trace) -> Option<String> {
    let own = trace.rows.iter().map(|row| format!("#{}", row.0));
    let rows: Vec<String> = own.chain(trace.colleague_rows.iter().map(|row| format!("@{row}"))).collect();
    let parts = trace.parts.iter().filter(|(_, size)| *size > 0).map(|(part, size)| match part {
        ContextPart::Past if !rows.is_empty() => {
            format!("{} ({size}) from {}", part.name(), rows.join(" "))
        }
        _ => format!("{} ({size})", part.name()),
    });
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() {
        return None;
    }
    let all: usize = trace.parts.iter().map(|(_, size)| size).sum();
    let parts = parts.join(", ");
    Some(match trace.told {
        0 => format!(
            "the model was sent nothing, because this agent takes no context with this event: {parts}"
        ),
        told if told < all => {
            format!("sent {told} of {all} characters, because there was no room for more: {parts}")
        }
        told => format!("sent {told} characters: {parts}"),
    })
}

fn recorded(trace: &Trace) -> Option<String> {
    Some(match &trace.recorded {
        _ if trace.verdict == VerdictKind::Lost => return None,
        Recorded::Nothing => "nothing in it to remember".to_owned(),
        Recorded::Observations(count) => format!("remembered: {}", counted(*count, "observation")),
        Recorded::Off => "not remembered: the memory is switched off".to_owned(),
        Recorded::Dropped(why) => format!("{RED}not remembered{RED:#}: {}", one_line(why, MAX_CHARS)),
    })
}

pub(crate) fn milliseconds(microseconds: u64) -> String {
    match microseconds {
        0..10_000 => format!("{:.1} ms", microseconds as f64 / 1_000.0),
        _ => format!("{} ms", microseconds / 1_000),
    }
}

impl std::fmt::Display for Reconstructed {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reconstructed::NotMeant(why) => write!(out, "was not tried: {why}"),
            Reconstructed::Later => {
                write!(out, "was not tried: this agent gets context after the tool has run")
            }
            Reconstructed::Unnamed(Some(why)) => {
                write!(out, "may have been tried; of this command today: {why}")
            }
            Reconstructed::Unnamed(None) => {
                write!(out, "may have been tried: only the first rules are kept, and no texts")
            }
            Reconstructed::Changed => write!(out, "was not tried then: it is new, or was changed since"),
        }
    }
}

fn to_json(trace: &Trace, untried: &[Untried]) -> TracedEventJson {
    let reconstructed = untried.iter().map(|one| ReconstructedJson {
        rule: one.rule.name.clone(),
        file: one.rule.place.file.clone(),
        why: why_untried(one),
    });
    TracedEventJson::new(trace, reconstructed.collect())
}
