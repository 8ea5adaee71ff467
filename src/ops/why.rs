//! Explains what hooks did: finds traces, explains the rules that a trace leaves out, and measures how long hooks take.

use std::io;
use std::path::{Path, PathBuf};

use super::hook::lower;
use super::rules::explain::{self, Explanation};
use super::rules::load;
use super::trace;
use crate::harness;
use crate::journal;
use crate::model::{Abilities, Event, Hook, Problem, Trace, TracedTarget, VerdictKind};
use crate::rules::{self, MissingVersion, Rule, Sample};
use crate::system::rule_files::Stamp;

/// Which traces to show.
pub(crate) struct TraceQuery<'w> {
    /// The beginning of a session's id.
    pub(crate) session: Option<&'w str>,
    /// The root of a project; `None` means all.
    pub(crate) project: Option<&'w Path>,
    /// The beginning of a trace's id.
    pub(crate) id: Option<&'w str>,
    pub(crate) last: usize,
}

/// The traces that were found, the oldest first.
pub(crate) struct FoundTraces {
    pub(crate) traces: Vec<Trace>,
    /// How many lines could not be read.
    pub(crate) torn: usize,
    /// How many traces there are of all sessions and projects.
    pub(crate) kept: usize,
    /// The files that could not be read at all.
    pub(crate) unread: Vec<(PathBuf, io::Error)>,
}

/// A current rule that the trace does not name, and the most likely reason.
pub(crate) struct Untried {
    pub(crate) rule: Rule,
    pub(crate) why: Reconstructed,
}

/// The current rules that a trace does not name.
#[derive(Default)]
pub(crate) struct UntriedRules {
    pub(crate) rules: Vec<Untried>,
    /// How many are for other events, so that there is nothing to explain.
    pub(crate) of_other_events: usize,
}

/// Why a rule is not named in a trace, as far as that is known afterwards.
pub(crate) enum Reconstructed {
    /// It was not for this event.
    NotMeant(Explanation),
    /// The agent cannot show guidance for this event, and gets it after the tool call.
    Later,
    /// The trace had no room to name it; this is its result on the command today.
    Unnamed(Option<Explanation>),
    /// It would be tried today, but was not then.
    Changed,
}

/// How long the hooks of one event kind took, in microseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Latency {
    /// `None` for all of them together.
    pub(crate) hook: Option<Hook>,
    pub(crate) count: usize,
    pub(crate) p50: u64,
    pub(crate) p95: u64,
    pub(crate) max: u64,
}

/// How many of the latest hooks are timed.
pub(crate) const TIMED: usize = 1_000;

/// Finds the latest wanted traces; a lost event has no session and no project, so it belongs to every project.
pub(crate) fn find(wanted: &TraceQuery<'_>) -> FoundTraces {
    let journal::trace::StoredTraces { mut traces, torn, unread } = journal::trace::read();
    let kept = traces.len();
    let project = wanted.project.map(trace::shown_project);
    let is_meant = |trace: &Trace| {
        let of_session = wanted
            .session
            .is_none_or(|wanted| trace.session.as_ref().is_some_and(|session| session.0.starts_with(wanted)));
        let of_project = project.as_ref().is_none_or(|project| trace.project == *project);
        let lost = trace.verdict == VerdictKind::Lost && wanted.session.is_none();
        wanted.id.is_none_or(|id| trace.id.starts_with(id)) && of_session && (of_project || lost)
    };
    traces.retain(is_meant);
    traces.drain(..traces.len().saturating_sub(wanted.last));
    FoundTraces { traces, torn, kept, unread }
}

/// Stamps of the files that hooks write.
pub(crate) type TraceStamps = Vec<Option<Stamp>>;

/// Returns stamps that change when a hook is called.
pub(crate) fn stamps() -> TraceStamps {
    journal::trace::stamps()
}

/// Returns a rule's name as traces have it.
pub(crate) fn shown_rule(name: &str) -> String {
    trace::shown_name(name)
}

/// Returns the problem for a trace file that cannot be read at all.
pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Problem {
    let problem = Problem::error(format!("the trace can be neither read nor written: {error}"));
    problem
        .at(&path.display().to_string(), 0, 0)
        .hint("make yourself its owner, or move it away; hooks start a new one")
}

/// Returns the current rules that a trace does not name; none if its agent is unknown.
pub(crate) fn untried_today(trace: &Trace) -> UntriedRules {
    harness::by_id(&trace.harness).map(|agent| untried(trace, &agent.abilities)).unwrap_or_default()
}

/// Explains for every current rule of this kind of event that the trace does not name why it is not there.
pub(crate) fn untried(trace: &Trace, abilities: &Abilities) -> UntriedRules {
    if trace.project.is_empty() || trace.hook == Hook::Other {
        return UntriedRules::default();
    }
    let (files, _) = load::files(Path::new(&trace.project), MissingVersion::Warn);
    let all = files.into_iter().flat_map(|file| file.loaded.rules);
    let is_named = |rule: &Rule| trace.rules.iter().any(|tried| tried.rule == trace::shown_name(&rule.name));
    let event = Event { hook: trace.hook, prompt: Some(String::new()), ..Event::default() };
    let asked = lower::select_rules(&event, abilities);
    let is_asked =
        |rule: &Rule| asked.iter().any(|asked| asked.hook == rule.hook && asked.includes(rule.action));
    let mut untried = UntriedRules::default();
    for rule in all.filter(|rule| !is_named(rule)) {
        let why = match (rule.hook == trace.hook, is_asked(&rule)) {
            (false, false) => {
                untried.of_other_events += 1;
                continue;
            }
            _ if !rule.enabled => Reconstructed::NotMeant(Explanation::Off),
            (true, false) => Reconstructed::Later,
            (_, true) => reconstruct(&rule, trace),
        };
        untried.rules.push(Untried { rule, why });
    }
    untried
}

fn reconstruct(rule: &Rule, trace: &Trace) -> Reconstructed {
    let why = trace.tool.as_ref().map(|_| judge_again(rule, trace));
    match why {
        Some(why @ (Explanation::OtherTool | Explanation::OtherFile | Explanation::Undescribed(_))) => {
            Reconstructed::NotMeant(why)
        }
        why if trace.tried > trace.rules.len() => {
            let is_whole = matches!(trace.target, Some(TracedTarget::Command(_)));
            Reconstructed::Unnamed(why.filter(|_| is_whole))
        }
        _ => Reconstructed::Changed,
    }
}

/// Evaluates a rule on what the trace stored of the tool call.
fn judge_again(rule: &Rule, trace: &Trace) -> Explanation {
    let (file, content) = match &trace.target {
        Some(TracedTarget::File(path)) => (Some(path.clone()), None),
        Some(TracedTarget::Command(command) | TracedTarget::CommandGist(command)) => {
            (None, Some(command.clone()))
        }
        None => (None, None),
    };
    if rule.file.is_some() && file.is_none() && content.is_none() {
        return Explanation::Undescribed("its file was not kept".to_owned());
    }
    let sample = Sample { tool: trace.tool.clone(), file, content, ..Sample::default() };
    let root = Path::new(&trace.project);
    // What the session knew then is not known now.
    let rule = &Rule { session: None, ..rule.clone() };
    match rules::describe(rule, &sample) {
        Ok(event) => explain::explain_event(rule, Event { cwd: root.to_owned(), ..event }, root, &[]),
        Err(why) => Explanation::Undescribed(why),
    }
}

/// Computes how long the latest hooks took: all of them first, then those of each event kind.
pub(crate) fn latency(traces: &[Trace]) -> Vec<Latency> {
    let last = &traces[traces.len().saturating_sub(TIMED)..];
    let mut hooks: Vec<Hook> = Vec::new();
    for trace in last.iter().filter(|trace| trace.hook != Hook::Other) {
        if !hooks.contains(&trace.hook) {
            hooks.push(trace.hook);
        }
    }
    hooks.sort_by_key(|hook| hook.name());
    let all = std::iter::once(None).chain(hooks.into_iter().map(Some));
    all.filter_map(|hook| timed(hook, last)).collect()
}

fn timed(hook: Option<Hook>, traces: &[Trace]) -> Option<Latency> {
    let of_hook = traces.iter().filter(|trace| hook.is_none_or(|hook| trace.hook == hook));
    let mut times: Vec<u64> = of_hook.map(|trace| trace.microseconds).collect();
    times.sort_unstable();
    // The smallest time that this percentage of hooks does not exceed.
    let percentile = |percent: usize| times[(times.len() * percent).div_ceil(100).saturating_sub(1)];
    let max = *times.last()?;
    Some(Latency { hook, count: times.len(), p50: percentile(50), p95: percentile(95), max })
}

#[cfg(test)]
mod tests;
