//! Explains in plain words why a hint was chosen, or why none was.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::gate::{ConditionOutcome, Evidence, RequiredFact};
use super::rank::{self, Ranked};
use super::table::{HintFile, StoredHint};
use crate::model::{HintCandidate, HintContext, MatchExplain};

/// Explains a hint that was chosen.
pub(crate) fn explain(ranked: &Ranked<'_>, context: &HintContext, now: Timestamp) -> MatchExplain {
    MatchExplain { matched: true, score: ranked.score, reasons: reasons(ranked.kept, context, now) }
}

/// Explains why other variants of the same key were not chosen.
pub(crate) fn outranked(
    chosen: &StoredHint,
    others: &[&StoredHint],
    context: &HintContext,
    now: Timestamp,
) -> Vec<String> {
    let mut lines: Vec<String> = others
        .iter()
        .take(MAX_OUTRANKED)
        .map(|kept| {
            let scope = &kept.hint.meta.scope;
            let conditions = scope.to_string();
            let conditions = conditions.strip_prefix("scope ").unwrap_or(&conditions);
            match failed_conditions(kept, context).first() {
                Some(_) if scope.fields() == 1 => format!("not here: {conditions}"),
                Some(failed) => format!("not here: {conditions} ({failed})"),
                None if scope.fields() < chosen.hint.meta.scope.fields() => {
                    format!("outranked: {conditions}, less specific")
                }
                None => format!("outranked: {conditions}, score {:.2}", rank::score(&kept.hint, now)),
            }
        })
        .collect();
    if let Some(more @ 1..) = others.len().checked_sub(MAX_OUTRANKED) {
        lines.push(format!("{more} more variants"));
    }
    lines
}

/// Returns the scope of each variant that was not eligible, and the conditions that failed; never a value.
pub(crate) fn candidates<'a>(
    variants: impl Iterator<Item = &'a StoredHint>,
    context: &HintContext,
) -> Vec<HintCandidate> {
    let describe = |kept: &StoredHint| HintCandidate {
        scope: kept.hint.meta.scope.clone(),
        failed: failed_conditions(kept, context),
    };
    variants.take(MAX_CANDIDATES).map(describe).collect()
}

/// Returns the facts that the scopes require and the context does not have.
pub(crate) fn missing<'a>(
    variants: impl Iterator<Item = &'a StoredHint>,
    context: &'a HintContext,
) -> Vec<String> {
    let mut facts = BTreeSet::new();
    for kept in variants {
        facts.extend(kept.gate.outcomes(&kept.hint.meta.scope, context).filter_map(
            |outcome| match outcome {
                ConditionOutcome::Missing(asked) => Some(asked),
                _ => None,
            },
        ));
    }
    facts.iter().take(MAX_CANDIDATES).map(RequiredFact::to_string).collect()
}

/// Returns why this hint is eligible here, and what raises its rank.
pub(super) fn reasons(kept: &StoredHint, context: &HintContext, now: Timestamp) -> Vec<String> {
    let scope = &kept.hint.meta.scope;
    let mut reasons: Vec<String> = kept
        .gate
        .outcomes(scope, context)
        .filter_map(|outcome| match outcome {
            ConditionOutcome::Met { evidence, inferred } => {
                Some(format!("{}{}", describe(&evidence), if inferred { " (inferred)" } else { "" }))
            }
            _ => None,
        })
        .collect();
    reasons.extend(kept.kept_in.map(|file| format!("kept in {}", file.name())));
    if scope.is_empty() {
        let reach = kept.kept_in.map_or("everywhere", HintFile::reach);
        reasons.push(format!("no scope: applies {reach}"));
    }
    if let (Some(at), count @ 1..) = (kept.hint.last_used_at, kept.hint.use_count) {
        let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
        reasons.push(format!("used {times}, {}", ago(at, now)));
    }
    let meta = &kept.hint.meta;
    reasons.extend(
        meta.priority.filter(|priority| *priority != 5.0).map(|priority| format!("priority {priority}")),
    );
    reasons.extend(meta.confidence.map(|confidence| format!("confidence {confidence}")));
    reasons
}

/// Describes roughly how long ago a time was.
pub(super) fn ago(at: Timestamp, now: Timestamp) -> String {
    match now.duration_since(at).as_secs() {
        ..1 => "just now".into(),
        seconds @ 1..60 => format!("{seconds}s ago"),
        seconds @ 60..3_600 => format!("{}m ago", seconds / 60),
        seconds @ 3_600..86_400 => format!("{}h ago", seconds / 3_600),
        seconds => format!("{}d ago", seconds / 86_400),
    }
}

const MAX_OUTRANKED: usize = 5;
const MAX_CANDIDATES: usize = 20;

fn failed_conditions(kept: &StoredHint, context: &HintContext) -> Vec<String> {
    let outcomes = kept.gate.outcomes(&kept.hint.meta.scope, context);
    outcomes
        .filter_map(|outcome| match outcome {
            ConditionOutcome::Met { .. } => None,
            ConditionOutcome::Missing(RequiredFact::Env(name)) => Some(format!("`{name}` is not set")),
            // A caller that detects its branch has none on a detached HEAD.
            ConditionOutcome::Missing(RequiredFact::Branch) => {
                Some("no branch (not given, or a detached HEAD)".to_owned())
            }
            ConditionOutcome::Missing(asked) => Some(format!("{asked} not given")),
            ConditionOutcome::Differs { asked, inferred } => {
                let wider = kept.gate.wider_glob(context).filter(|_| asked == RequiredFact::Cwd);
                let wider = wider.map(|glob| format!(", `{glob}` would match")).unwrap_or_default();
                Some(format!("{asked}{} differs{wider}", if inferred { " (inferred)" } else { "" }))
            }
        })
        .collect()
}

fn describe(evidence: &Evidence<'_>) -> String {
    match evidence {
        Evidence::Cwd(glob) => format!("cwd matched {glob}"),
        Evidence::Repo(repo) => format!("repo={repo} matched"),
        Evidence::Branch { branch, glob } if branch == glob => format!("branch={branch} allowed"),
        Evidence::Branch { branch, glob } => format!("branch={branch} matched {glob}"),
        Evidence::Os(os) => format!("os={} allowed", os.name()),
        Evidence::EnvSet(name) => format!("env {name} is set"),
        Evidence::EnvMatch(name) => format!("env {name} has an allowed value"),
    }
}
