//! The latest hook calls, and why each did what it did.

use std::path::Path;

use super::request::{ViewError, ViewRange, ViewRequest};
use super::shown::Shown;
use super::{QueryStop, ViewAnswer, part, whole};
use crate::api::view::{
    FeedView, HookRowView, OtherRuleView, ToldPartView, ToldRowView, TriedRuleView, WhyView,
};
use crate::journal::trace::{self, StoredTraces};
use crate::model::{Fate, ObservationId, Recorded, Trace, TracedTarget, VerdictKind};
use crate::ops::why;

/// Rows that are shown at once.
const USUAL_ROWS: usize = 100;

/// `feed`: the hook calls of the range, the newest first.
pub(super) fn rows(request: &ViewRequest) -> Result<ViewAnswer, ViewError> {
    let (range, limit) = (request.range()?, request.limit(USUAL_ROWS)?);
    let before = request.text("before");
    let shown = Shown::new();
    let wanted = WantedTraces {
        range,
        project: request.text("project").map(|root| crate::ops::trace::shown_project(Path::new(root))),
        session: request.text("session"),
        rule: request.text("rule"),
        agents: request.texts("agent"),
        kinds: request.texts("kinds"),
    };
    let StoredTraces { traces, .. } = trace::read();
    let mut newest: Vec<&Trace> = traces.iter().rev().collect();
    newest.sort_by_key(|trace| std::cmp::Reverse(trace.at));
    let is_before = |trace: &&&Trace| before.is_none_or(|before| cursor(trace).as_str() < before);
    let mut found = newest.iter().filter(|trace| wanted.includes(trace)).filter(is_before);
    let rows: Vec<HookRowView> = found.by_ref().take(limit).map(|trace| row(trace, &shown)).collect();
    let next = rows.last().filter(|_| found.next().is_some());
    let next = next.map(|row| format!("{:016}-{}", row.at_ms, row.id));
    part(&FeedView { rows }, next)
}

/// Which hook calls are asked for.
struct WantedTraces<'w> {
    range: ViewRange,
    project: Option<String>,
    session: Option<&'w str>,
    rule: Option<&'w str>,
    agents: Vec<&'w str>,
    kinds: Vec<&'w str>,
}

impl WantedTraces<'_> {
    fn includes(&self, trace: &Trace) -> bool {
        let is_lost = trace.verdict == VerdictKind::Lost;
        let at = i64::try_from(trace.at).unwrap_or(i64::MAX);
        let session = trace.session.as_ref().map(|session| session.0.as_str());
        let is_of_rule =
            |rule: &&str| trace.rules.iter().any(|tried| tried.fate.fired() && tried.rule == *rule);
        (self.range.from_ms..=self.range.to_ms).contains(&at)
            // A lost event has no project, so it belongs to every one.
            && self.project.as_ref().is_none_or(|project| is_lost || trace.project == *project)
            && self.session.is_none_or(|wanted| session.is_some_and(|session| session.starts_with(wanted)))
            && self.rule.as_ref().is_none_or(is_of_rule)
            && (self.agents.is_empty() || self.agents.contains(&trace.harness.as_str()))
            && (self.kinds.is_empty() || self.kinds.contains(&kind(trace)))
    }
}

fn cursor(trace: &Trace) -> String {
    format!("{:016}-{}", trace.at, trace.id)
}

/// Returns a hook call as a row.
pub(super) fn row(trace: &Trace, shown: &Shown) -> HookRowView {
    let fired = trace.rules.iter().find(|tried| tried.fate.fired());
    HookRowView {
        id: shown.name(&trace.id),
        at_ms: i64::try_from(trace.at).unwrap_or(i64::MAX),
        us: trace.microseconds,
        session: trace.session.as_ref().map(|session| shown.name(&session.0)),
        agent: shown.name(&trace.harness),
        project: shown.name(&trace.project),
        hook: trace.hook.name(),
        tool: trace.tool.as_ref().map(|tool| shown.name(tool)),
        target: trace.target.as_ref().map(|target| match target {
            TracedTarget::File(text) | TracedTarget::Command(text) | TracedTarget::CommandGist(text) => {
                shown.row(text)
            }
        }),
        verdict: verdict(trace.verdict),
        rule: fired.map(|tried| shown.name(&tried.rule)),
        kind: kind(trace),
        parts: trace.parts.iter().map(|(part, chars)| (part.name(), *chars)).collect(),
        told: trace.told,
        obs: trace.rows.iter().map(|row| row.0).collect(),
    }
}

fn verdict(verdict: VerdictKind) -> &'static str {
    match verdict {
        VerdictKind::Pass => "pass",
        VerdictKind::Guide => "guide",
        VerdictKind::Ask => "ask",
        VerdictKind::Block => "block",
        VerdictKind::Lost => "lost",
    }
}

/// Returns the kind by which rows are filtered: what nudge did, else what the agent did.
fn kind(trace: &Trace) -> &'static str {
    match trace.verdict {
        VerdictKind::Block => "block",
        VerdictKind::Ask => "ask",
        VerdictKind::Lost => "lost",
        VerdictKind::Guide => "told",
        VerdictKind::Pass if trace.told > 0 => "told",
        VerdictKind::Pass => match (trace.hook.name(), &trace.target) {
            ("UserPromptSubmit", _) => "prompt",
            ("PostToolUseFailure", _) => "failed",
            (_, Some(TracedTarget::Command(_) | TracedTarget::CommandGist(_))) => "command",
            (_, Some(TracedTarget::File(_))) => match trace.tool.as_deref() {
                Some("Edit" | "Write" | "MultiEdit" | "NotebookEdit") => "edit",
                _ => "read",
            },
            _ => "other",
        },
    }
}

/// `why/ID`: what one hook call did, and why.
pub(super) fn why(request: &ViewRequest, stop: &QueryStop) -> Result<ViewAnswer, ViewError> {
    let id = request.rest();
    let unknown = || {
        ViewError::unknown(format!("no hook call with the id `{id}` is kept"))
            .hint("the last thousand hook calls are kept; a row of a session has the id of its observation")
    };
    let traces = trace::read().traces;
    let trace = traces.iter().rev().find(|trace| trace.id == id).ok_or_else(unknown)?;
    let shown = Shown::new();
    let told = told_rows(&trace.rows, stop, &shown)?;
    let untried = why::untried_today(trace).rules;
    let parts = trace.parts.iter().map(|(part, chars)| ToldPartView {
        part: part.name(),
        chars: *chars,
        rows: if part.name() == "past" { told.clone() } else { Vec::new() },
    });
    whole(&WhyView {
        row: row(trace, &shown),
        tried: trace.rules.iter().map(|tried| tried_rule(&tried.rule, &tried.fate, &shown)).collect(),
        others: untried
            .iter()
            .map(|one| OtherRuleView {
                rule: shown.name(&one.rule.name),
                why: shown.row(&one.why.to_string()),
            })
            .collect(),
        parts: parts.collect(),
        recorded: match &trace.recorded {
            Recorded::Nothing => "nothing worth remembering".to_owned(),
            Recorded::Observations(count) => crate::model::counted(*count, "observation"),
            Recorded::Off => "the memory is disabled".to_owned(),
            Recorded::Dropped(why) => shown.row(&format!("not remembered: {why}")),
        },
        problems: trace.problems.iter().map(|problem| shown.row(problem)).collect(),
        reconstructed: !untried.is_empty(),
    })
}

fn tried_rule(rule: &str, fate: &Fate, shown: &Shown) -> TriedRuleView {
    let (fate, field) = match fate {
        Fate::Blocked => ("blocked", None),
        Fate::Guided => ("guided", None),
        Fate::Asked => ("asked", None),
        Fate::AskRefused => ("refused", None),
        Fate::AllowedOnce => ("allowed", None),
        Fate::SaidBefore => ("said_before", None),
        Fate::Shadowed => ("shadowed", None),
        Fate::Untrusted => ("untrusted", None),
        Fate::Unmatched(field) => ("unmatched", Some(field)),
        Fate::Unmet(condition) => ("unmet", Some(condition)),
        Fate::Excepted => ("excepted", None),
        Fate::Waits(why) => ("waits", Some(why)),
        Fate::Unevaluated(why) => ("unevaluated", Some(why)),
    };
    TriedRuleView { rule: shown.name(rule), fate, field: field.map(|field| shown.row(field)), place: None }
}

/// Returns the observations that were told, in the form of a list; those that were forgotten say so.
pub(super) fn told_rows(
    ids: &[ObservationId],
    stop: &QueryStop,
    shown: &Shown,
) -> Result<Vec<ToldRowView>, ViewError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let known = match stop.memory()? {
        Some(reader) => reader.ask(|reader| reader.get(ids))?,
        None => Vec::new(),
    };
    let rows = ids.iter().map(|id| match known.iter().find(|row| row.id == *id) {
        Some(row) => ToldRowView {
            id: Some(id.0),
            kind: row.obs_type.name(),
            text: shown.row(&row.content),
            why: None,
            forgotten: false,
        },
        None => ToldRowView {
            id: Some(id.0),
            kind: "forgotten",
            text: "forgotten".to_owned(),
            why: None,
            forgotten: true,
        },
    });
    Ok(rows.collect())
}
