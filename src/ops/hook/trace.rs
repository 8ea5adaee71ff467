//! Notes what a hook does while it does it, for `nudge why`: names and sizes, and a target without its secrets.

use std::path::Path;
use std::time::Duration;

use super::Own;
use crate::config::settings::Settings;
use crate::journal::trace;
use crate::model::{
    Event, Fate, Outcome, Problem, Recorded, SessionId, Severity, ToolAction, Trace, TracedTarget, TriedRule,
    Verdict, VerdictKind,
};
use crate::redact::{self, OwnPatterns};
use crate::rules::{self, Action};
use crate::system::clock;

/// So many rules are named, those that fired before the others.
const MOST_RULES: usize = 16;
/// So many problems are named.
const MOST_PROBLEMS: usize = 3;
/// The most characters of a command.
const MOST_COMMAND: usize = 120;
const MOST_PATH: usize = 200;
const MOST_NAME: usize = 80;
const MOST_REASON: usize = 160;

/// Says what became of a rule that was tried.
pub(super) fn fate(outcome: &rules::Outcome) -> Fate {
    match outcome {
        rules::Outcome::Fired(fired) if fired.action == Action::Interrupt => Fate::Blocked,
        rules::Outcome::Fired(_) => Fate::Guided,
        rules::Outcome::Unmatched(field) => Fate::Unmatched(field.name().to_owned()),
        rules::Outcome::Excepted => Fate::Excepted,
        rules::Outcome::Unevaluated(why) => Fate::Unevaluated(why.clone()),
    }
}

/// Notes a rule that was tried.
pub(super) fn note(trace: &mut Trace, rule: &str, fate: Fate) {
    trace.tried += 1;
    // Secrets are taken out of the few names that are kept, in `describe`.
    let tried = TriedRule { rule: rule.to_owned(), fate };
    let loud = |tried: &TriedRule| !matches!(tried.fate, Fate::Unmatched(_) | Fate::Excepted);
    if loud(&tried) {
        let behind = trace.rules.iter().take_while(|other| loud(other)).count();
        trace.rules.insert(behind, tried);
    } else if trace.rules.len() < MOST_RULES {
        trace.rules.push(tried);
    }
    trace.rules.truncate(MOST_RULES);
}

/// Returns a rule's name as it is kept.
pub(crate) fn shown_name(rule: &str) -> String {
    clean(rule, MOST_NAME, &OwnPatterns::default())
}

/// Returns a project's root as it is kept.
pub(crate) fn shown_project(root: &Path) -> String {
    redact::redact(&root.to_string_lossy(), &OwnPatterns::default()).text.into_owned()
}

/// Notes whom and what the event was about, and what was answered.
pub(super) fn describe(
    trace: &mut Trace,
    event: &Event,
    root: &Path,
    verdict: &Verdict,
    found: &[Problem],
    settings: &Settings,
    own: Own<'_>,
) {
    // These are names, but they come from outside too.
    let plain = OwnPatterns::default();
    trace.session = event.session.as_ref().map(|session| SessionId(clean(&session.0, MOST_NAME, &plain)));
    trace.project = shown_project(root);
    trace.harness = event.harness.to_owned();
    trace.hook = event.hook;
    (trace.verdict, trace.told) = match &verdict.outcome {
        Outcome::Pass => (VerdictKind::Pass, 0),
        Outcome::Guide(text) => (VerdictKind::Guide, text.chars().count()),
        Outcome::Block(text) => (VerdictKind::Block, text.chars().count()),
    };
    let is_worth_naming = |problem: &&Problem| problem.severity > Severity::Note;
    let found: Vec<&Problem> = found.iter().filter(is_worth_naming).take(MOST_PROBLEMS).collect();
    clean_texts(trace, own.unwrap_or(&plain));
    // Who wants nothing remembered wants no commands here either; nor does who cannot say what is secret.
    let Ok(own) = own else { return };
    trace.tool = event.tool.as_ref().map(|tool| clean(&tool.name, MOST_NAME, own));
    if !settings.remember {
        return;
    }
    trace.target = event.tool.as_ref().and_then(|tool| target(&tool.action, root, own));
    trace.problems = found.iter().map(|problem| clean(&problem.to_string(), MOST_REASON, own)).collect();
}

/// Keeps the trace of an event that was answered after so long.
pub(crate) fn keep(mut trace: Trace, elapsed: Duration) {
    let now = clock::since_epoch(clock::now());
    trace.at = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
    trace.microseconds = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
    trace.id = id(now, std::process::id());
    trace::append(trace);
}

/// Keeps that an event was lost.
pub(crate) fn lost(harness: &str, problem: &Problem, elapsed: Duration) {
    let problem = clean(&problem.to_string(), MOST_REASON, &OwnPatterns::default());
    let trace = Trace {
        harness: clean(harness, MOST_NAME, &OwnPatterns::default()),
        verdict: VerdictKind::Lost,
        problems: vec![problem],
        ..Trace::default()
    };
    keep(trace, elapsed);
}

fn target(action: &ToolAction, root: &Path, own: &OwnPatterns) -> Option<TracedTarget> {
    if let ToolAction::Command { command } = action {
        let kept = clean(command, MOST_COMMAND, own);
        let is_whole = kept == *command;
        return Some(if is_whole { TracedTarget::Command(kept) } else { TracedTarget::CommandGist(kept) });
    }
    let path = action.path()?;
    let within = Path::new(path).strip_prefix(root).ok().and_then(Path::to_str);
    Some(TracedTarget::File(clean(within.unwrap_or(path), MOST_PATH, own)))
}

/// Takes secrets out of the traces that older versions have kept.
pub(crate) fn clean_kept(own: &OwnPatterns) -> std::io::Result<()> {
    let change = |mut trace: Trace| {
        clean_texts(&mut trace, own);
        trace.harness = clean(&trace.harness, MOST_NAME, own);
        trace.tool = trace.tool.map(|tool| clean(&tool, MOST_NAME, own));
        trace.problems = trace.problems.iter().map(|problem| clean(problem, MOST_REASON, own)).collect();
        trace.target = trace.target.map(|target| match target {
            TracedTarget::File(path) => TracedTarget::File(clean(&path, MOST_PATH, own)),
            TracedTarget::CommandGist(text) => TracedTarget::CommandGist(clean(&text, MOST_COMMAND, own)),
            TracedTarget::Command(text) => {
                let kept = clean(&text, MOST_COMMAND, own);
                let is_whole = kept == text;
                if is_whole { TracedTarget::Command(kept) } else { TracedTarget::CommandGist(kept) }
            }
        });
        Some(trace)
    };
    trace::revise(change).map(drop)
}

/// Takes secrets out of the texts that are noted while a hook works.
fn clean_texts(trace: &mut Trace, own: &OwnPatterns) {
    // One look at all of them is enough for nearly every event.
    let names: Vec<&str> = trace.rules.iter().map(|tried| tried.rule.as_str()).collect();
    let is_plain = names.iter().all(|name| name.len() <= MOST_NAME)
        && redact::redact(&names.join("\n"), own).kinds.is_empty()
        && !trace.rules.iter().any(|tried| matches!(tried.fate, Fate::Unevaluated(_)));
    if !is_plain {
        clean_rules(trace, own);
    }
    if let Recorded::Dropped(why) = &mut trace.recorded {
        *why = clean(why, MOST_REASON, own);
    }
}

fn clean_rules(trace: &mut Trace, own: &OwnPatterns) {
    for tried in &mut trace.rules {
        tried.rule = clean(&tried.rule, MOST_NAME, own);
        if let Fate::Unevaluated(why) = &mut tried.fate {
            *why = clean(why, MOST_NAME, own);
        }
    }
}

/// Takes secrets out, then cuts.
pub(super) fn clean(text: &str, most: usize, own: &OwnPatterns) -> String {
    let text = redact::excerpt(text, most + 1, own);
    // A text that was cut before ends in a mark, which stays.
    if text.ends_with('…') { text } else { cut(&text, most) }
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Makes a name that is short enough to type; two hooks of one moment have two processes.
fn id(now: Duration, process: u32) -> String {
    let mixed = (now.as_nanos() as u64 ^ (u64::from(process) << 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("{:06x}", mixed >> 40)
}
