//! Says in human words why a hint was chosen, or why none was.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::gate::{Asked, Evidence, Outcome};
use super::rank::{self, Ranked};
use super::shelf::Kept;
use crate::model::{HintContext, MatchExplain};

/// Explains a hint that was chosen.
pub(crate) fn explain(ranked: &Ranked<'_>, context: &HintContext, now: Timestamp) -> MatchExplain {
    MatchExplain { matched: true, score: ranked.score, reasons: reasons(ranked.kept, context, now) }
}

/// Says why other variants of the same key were not chosen.
pub(crate) fn outranked(others: &[&Kept], context: &HintContext, now: Timestamp) -> Vec<String> {
    let mut said: Vec<String> = others
        .iter()
        .take(MOST_OUTRANKED)
        .map(|kept| {
            let scope = &kept.hint.meta.scope;
            match failed(kept, context).first() {
                Some(failed) => format!("outranked: {scope}, {failed}"),
                None => format!("outranked: {scope}, score {:.2}", rank::score(&kept.hint, now)),
            }
        })
        .collect();
    if let Some(more @ 1..) = others.len().checked_sub(MOST_OUTRANKED) {
        said.push(format!("outranked: {more} more variants"));
    }
    said
}

/// Returns, for each variant that was not eligible, its scope and what failed; never a value.
pub(crate) fn candidates<'a>(variants: impl Iterator<Item = &'a Kept>, context: &HintContext) -> Vec<Value> {
    let told = |kept: &Kept| json!({ "scope": kept.hint.meta.scope, "failed": failed(kept, context) });
    variants.take(MOST_CANDIDATES).map(told).collect()
}

/// Returns the facts that were not known and were asked for.
pub(crate) fn missing<'a>(variants: impl Iterator<Item = &'a Kept>, context: &'a HintContext) -> Vec<String> {
    let mut facts = BTreeSet::new();
    for kept in variants {
        facts.extend(kept.gate.outcomes(&kept.hint.meta.scope, context).filter_map(
            |outcome| match outcome {
                Outcome::Missing(asked) => Some(asked),
                _ => None,
            },
        ));
    }
    facts.iter().take(MOST_CANDIDATES).map(Asked::to_string).collect()
}

/// Says why this hint is eligible here, and what speaks for it.
pub(super) fn reasons(kept: &Kept, context: &HintContext, now: Timestamp) -> Vec<String> {
    let scope = &kept.hint.meta.scope;
    let mut reasons: Vec<String> = kept
        .gate
        .outcomes(scope, context)
        .filter_map(|outcome| match outcome {
            Outcome::Met { evidence, inferred } => {
                Some(format!("{}{}", said(&evidence), if inferred { " (inferred)" } else { "" }))
            }
            _ => None,
        })
        .collect();
    if scope.is_empty() {
        reasons.push("no scope: holds everywhere".into());
    }
    if let (Some(at), count @ 1..) = (kept.hint.last_used_at, kept.hint.use_count) {
        let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
        reasons.push(format!("used {times}, {}", ago(at, now)));
    }
    let meta = &kept.hint.meta;
    reasons.extend(
        meta.priority.filter(|priority| *priority != 5).map(|priority| format!("priority {priority}")),
    );
    reasons.extend(meta.confidence.map(|confidence| format!("confidence {confidence}")));
    reasons
}

/// Says how long ago a moment was, roughly.
pub(super) fn ago(at: Timestamp, now: Timestamp) -> String {
    match now.duration_since(at).as_secs() {
        ..1 => "just now".into(),
        seconds @ 1..60 => format!("{seconds}s ago"),
        seconds @ 60..3_600 => format!("{}m ago", seconds / 60),
        seconds @ 3_600..86_400 => format!("{}h ago", seconds / 3_600),
        seconds => format!("{}d ago", seconds / 86_400),
    }
}

const MOST_OUTRANKED: usize = 5;
const MOST_CANDIDATES: usize = 20;

fn failed(kept: &Kept, context: &HintContext) -> Vec<String> {
    let outcomes = kept.gate.outcomes(&kept.hint.meta.scope, context);
    outcomes
        .filter_map(|outcome| match outcome {
            Outcome::Met { .. } => None,
            Outcome::Missing(asked) => Some(format!("{asked} not given")),
            Outcome::Differs { asked, inferred } => {
                let wider = kept.gate.wider_glob(context).filter(|_| asked == Asked::Cwd);
                let wider = wider.map(|glob| format!(", `{glob}` would match")).unwrap_or_default();
                Some(format!("{asked}{} differs{wider}", if inferred { " (inferred)" } else { "" }))
            }
        })
        .collect()
}

fn said(evidence: &Evidence<'_>) -> String {
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
