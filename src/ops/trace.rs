//! Records what a hook does, for `nudge why`: names and sizes, and a redacted target.

use std::mem;
use std::path::Path;
use std::time::Duration;

use crate::journal::trace;
use crate::model::{
    Fate, Outcome, Problem, Recorded, SessionId, Severity, ToolAction, Trace, TracedTarget, TriedRule,
    Verdict, VerdictKind, shortened,
};
use crate::ops::turn::Turn;
use crate::redact::{self, OwnPatterns};
use crate::rules::{self, Action};
use crate::system::clock;

/// Maximum number of rules named; those that fired come first.
const MAX_RULES: usize = 16;
/// Maximum number of problems named.
const MAX_PROBLEMS: usize = 3;
/// Maximum number of characters of a command.
const MAX_COMMAND: usize = 120;
const MAX_PATH: usize = 200;
const MAX_NAME: usize = 80;
const MAX_REASON: usize = 160;

/// Returns what became of a rule that was tried.
pub(super) fn fate(outcome: &rules::RuleOutcome) -> Fate {
    match outcome {
        rules::RuleOutcome::Fired(fired) if fired.action == Action::Interrupt => Fate::Blocked,
        rules::RuleOutcome::Fired(fired) if fired.action == Action::Ask => Fate::Asked,
        rules::RuleOutcome::Fired(_) => Fate::Guided,
        rules::RuleOutcome::Unmatched(field) => Fate::Unmatched(field.name().to_owned()),
        rules::RuleOutcome::Unmet(condition) => Fate::Unmet((*condition).to_owned()),
        rules::RuleOutcome::Excepted => Fate::Excepted,
        rules::RuleOutcome::Waits(why) => Fate::Waits(why.to_string()),
        rules::RuleOutcome::Unevaluated(why) => Fate::Unevaluated(why.clone()),
    }
}

/// Records a rule that was tried, and what happened earlier in the session that it asks for.
pub(super) fn add_rule(trace: &mut Trace, rule: &str, fate: Fate, after: Option<String>) {
    trace.tried += 1;
    // `describe` redacts the few names that are kept.
    let tried = TriedRule { rule: rule.to_owned(), fate, after };
    let matters =
        |tried: &TriedRule| !matches!(tried.fate, Fate::Unmatched(_) | Fate::Unmet(_) | Fate::Excepted);
    if matters(&tried) {
        let position = trace.rules.iter().take_while(|other| matters(other)).count();
        trace.rules.insert(position, tried);
    } else if trace.rules.len() < MAX_RULES {
        trace.rules.push(tried);
    }
    trace.rules.truncate(MAX_RULES);
}

/// Returns a rule's name as the trace stores it.
pub(crate) fn shown_name(rule: &str) -> String {
    clean(rule, MAX_NAME, &OwnPatterns::default())
}

/// Returns a session's id as the trace stores it.
pub(crate) fn shown_session(session: &SessionId) -> String {
    clean(&session.0, MAX_NAME, &OwnPatterns::default())
}

/// Returns a project's root as the trace stores it.
pub(crate) fn shown_project(root: &Path) -> String {
    redact::redact(&root.to_string_lossy(), &OwnPatterns::default()).text.into_owned()
}

/// Records who sent the event, what it was about, and what was answered.
pub(super) fn describe(turn: &mut Turn<'_>, verdict: &Verdict) {
    let mut trace = mem::take(&mut turn.trace);
    let (event, root) = (&turn.event, turn.place.root());
    // These are only names, but they come from outside too.
    let plain = OwnPatterns::default();
    trace.session = event.session.as_ref().map(|session| SessionId(shown_session(session)));
    trace.project = shown_project(root);
    trace.harness = event.harness.to_owned();
    trace.hook = event.hook;
    (trace.verdict, trace.told) = match &verdict.outcome {
        Outcome::Pass => (VerdictKind::Pass, 0),
        Outcome::Guide(text) => (VerdictKind::Guide, text.chars().count()),
        Outcome::Ask { reason, context } => (
            VerdictKind::Ask,
            [Some(reason), context.as_ref()].into_iter().flatten().map(|text| text.chars().count()).sum(),
        ),
        Outcome::Block(text) => (VerdictKind::Block, text.chars().count()),
    };
    if !turn.settings.remember || turn.secrets().is_err() {
        trace.rules.iter_mut().for_each(forget_what_happened);
    }
    clean_texts(&mut trace, turn.secrets().unwrap_or(&plain));
    // A user who wants nothing remembered wants no commands here either. If the patterns for secrets are broken,
    // nobody can say what is secret.
    if let Ok(own) = turn.secrets() {
        trace.tool = event.tool.as_ref().map(|tool| clean(&tool.name, MAX_NAME, own));
        if turn.settings.remember {
            let is_worth_naming = |problem: &&Problem| problem.severity > Severity::Note;
            let named = turn.problems.iter().filter(is_worth_naming).take(MAX_PROBLEMS);
            trace.target = event.tool.as_ref().and_then(|tool| target(&tool.action, root, own));
            trace.problems = named.map(|problem| clean(&problem.to_string(), MAX_REASON, own)).collect();
        }
    }
    turn.trace = trace;
}

/// Removes the commands and paths of a session from what is said about a rule.
fn forget_what_happened(tried: &mut TriedRule) {
    tried.after = None;
    if let Fate::Waits(why) = &mut tried.fate {
        why.truncate(why.find(": `").unwrap_or(why.len()));
    }
}

/// Stores the trace of an event that took `elapsed` to answer.
pub(crate) fn keep(mut trace: Trace, elapsed: Duration) {
    let now = clock::since_epoch(clock::now());
    trace.at = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
    trace.microseconds = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
    trace.id = id(now, std::process::id());
    trace::append(trace);
}

/// Stores the fact that an event was lost.
pub(crate) fn lost(harness: &str, problem: &Problem, elapsed: Duration) {
    let problem = clean(&problem.to_string(), MAX_REASON, &OwnPatterns::default());
    let trace = Trace {
        harness: clean(harness, MAX_NAME, &OwnPatterns::default()),
        verdict: VerdictKind::Lost,
        problems: vec![problem],
        ..Trace::default()
    };
    keep(trace, elapsed);
}

fn target(action: &ToolAction, root: &Path, own: &OwnPatterns) -> Option<TracedTarget> {
    if let ToolAction::Command { command } = action {
        let kept = clean(command, MAX_COMMAND, own);
        let is_whole = kept == *command;
        return Some(if is_whole { TracedTarget::Command(kept) } else { TracedTarget::CommandGist(kept) });
    }
    let path = action.path()?;
    let within = Path::new(path).strip_prefix(root).ok().and_then(Path::to_str);
    Some(TracedTarget::File(clean(within.unwrap_or(path), MAX_PATH, own)))
}

/// Redacts the traces that older versions stored.
pub(crate) fn clean_kept(own: &OwnPatterns) -> std::io::Result<()> {
    let change = |mut trace: Trace| {
        clean_texts(&mut trace, own);
        trace.harness = clean(&trace.harness, MAX_NAME, own);
        trace.tool = trace.tool.map(|tool| clean(&tool, MAX_NAME, own));
        trace.problems = trace.problems.iter().map(|problem| clean(problem, MAX_REASON, own)).collect();
        trace.target = trace.target.map(|target| match target {
            TracedTarget::File(path) => TracedTarget::File(clean(&path, MAX_PATH, own)),
            TracedTarget::CommandGist(text) => TracedTarget::CommandGist(clean(&text, MAX_COMMAND, own)),
            TracedTarget::Command(text) => {
                let kept = clean(&text, MAX_COMMAND, own);
                let is_whole = kept == text;
                if is_whole { TracedTarget::Command(kept) } else { TracedTarget::CommandGist(kept) }
            }
        });
        Some(trace)
    };
    trace::revise(change).map(drop)
}

/// Redacts the texts that were recorded while the hook ran.
fn clean_texts(trace: &mut Trace, own: &OwnPatterns) {
    // Nearly every event has no secret in its names, and one search over all of them settles that.
    let names: Vec<&str> = trace.rules.iter().map(|tried| tried.rule.as_str()).collect();
    let is_plain = names.iter().all(|name| name.len() <= MAX_NAME)
        && redact::redact(&names.join("\n"), own).kinds.is_empty()
        && !trace.rules.iter().any(|tried| {
            matches!(tried.fate, Fate::Unevaluated(_) | Fate::Waits(_)) || tried.after.is_some()
        });
    if !is_plain {
        clean_rules(trace, own);
    }
    if let Recorded::Dropped(why) = &mut trace.recorded {
        *why = clean(why, MAX_REASON, own);
    }
    trace.refused_by = trace.refused_by.take().map(|by| clean(&by, MAX_NAME, own));
}

fn clean_rules(trace: &mut Trace, own: &OwnPatterns) {
    for tried in &mut trace.rules {
        tried.rule = clean(&tried.rule, MAX_NAME, own);
        if let Fate::Unevaluated(why) | Fate::Waits(why) = &mut tried.fate {
            *why = clean(why, MAX_NAME, own);
        }
        tried.after = tried.after.take().map(|what| clean(&what, MAX_NAME, own));
    }
}

/// Redacts the text, then cuts it.
pub(super) fn clean(text: &str, max: usize, own: &OwnPatterns) -> String {
    let text = redact::excerpt(text, max + 1, own);
    // A text that was cut before already ends in a mark.
    if text.ends_with('…') { text } else { shortened(&text, max).into_owned() }
}

/// Makes an id that is short enough to type; hooks that run at the same time differ in their process id.
fn id(now: Duration, process: u32) -> String {
    let mixed = (now.as_nanos() as u64 ^ (u64::from(process) << 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("{:06x}", mixed >> 40)
}
