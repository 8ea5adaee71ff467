//! Ranks eligible hints: the seed's weights, the contract's formulas, and the tie-breakers.

use std::cmp::{Ordering, Reverse};

use jiff::Timestamp;

use super::table::{HintName, StoredHint};
use crate::model::{Hint, HintContext};

/// A hint that is eligible, with its score.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ranked<'a> {
    pub(crate) place: HintName<'a>,
    pub(crate) kept: &'a StoredHint,
    /// From 0 to 1, rounded as it is shown, so that the order agrees with the numbers that users see.
    pub(crate) score: f64,
}

/// Returns the variants of a key as if all of them were eligible, best first.
pub(crate) fn weighed<'a>(
    variants: impl Iterator<Item = (HintName<'a>, &'a StoredHint)>,
    now: Timestamp,
) -> Vec<Ranked<'a>> {
    let (mut weighed, _) = top(variants, usize::MAX, now);
    weighed.sort_by(variant_order);
    weighed
}

/// Returns the best eligible variant of each key.
pub(super) fn best_variants<'a>(
    hints: impl Iterator<Item = (HintName<'a>, &'a StoredHint)>,
    context: &HintContext,
    now: Timestamp,
) -> Vec<Ranked<'a>> {
    let (mut eligible, _) = top(hints.filter(|(_, kept)| kept.is_eligible(context)), usize::MAX, now);
    eligible.sort_by(|one, other| one.place.cmp(&other.place).then_with(|| variant_order(one, other)));
    eligible.dedup_by_key(|ranked| ranked.place);
    eligible
}

/// Returns the best `max` hints, and the total count; only the returned ones are sorted.
pub(super) fn top<'a>(
    hints: impl Iterator<Item = (HintName<'a>, &'a StoredHint)>,
    max: usize,
    now: Timestamp,
) -> (Vec<Ranked<'a>>, usize) {
    let score =
        |(place, kept): (HintName<'a>, &'a StoredHint)| Ranked { place, kept, score: score(&kept.hint, now) };
    let mut scored: Vec<Ranked<'_>> = hints.map(score).collect();
    let total = scored.len();
    if max < total {
        scored.select_nth_unstable_by(max, order);
        scored.truncate(max);
    }
    scored.sort_by(order);
    (scored, total)
}

/// Returns the best eligible variant of a key.
pub(crate) fn best<'a>(
    variants: impl Iterator<Item = (HintName<'a>, &'a StoredHint)>,
    context: &HintContext,
    now: Timestamp,
) -> Option<Ranked<'a>> {
    best_variants(variants, context, now).into_iter().next()
}

/// Orders the variants of one key: the most specific first, whatever their scores are. A default that was useful
/// elsewhere must not replace the exception that somebody made for this place.
fn variant_order(one: &Ranked<'_>, other: &Ranked<'_>) -> Ordering {
    let fields = |ranked: &Ranked<'_>| ranked.kept.hint.meta.scope.fields();
    fields(other).cmp(&fields(one)).then_with(|| order(one, other))
}

/// Orders by score, then by the tie-breakers; last by name, so that results are deterministic.
pub(super) fn order(one: &Ranked<'_>, other: &Ranked<'_>) -> Ordering {
    let key = |ranked: &Ranked<'_>| {
        let hint = &ranked.kept.hint;
        (Reverse(hint.use_count), Reverse(hint.updated_at))
    };
    let priority = |ranked: &Ranked<'_>| priority(&ranked.kept.hint);
    let confidence = |ranked: &Ranked<'_>| confidence(&ranked.kept.hint);
    let (uses, updated_at) = key(one);
    let (other_uses, other_updated_at) = key(other);
    other
        .score
        .total_cmp(&one.score)
        .then_with(|| uses.cmp(&other_uses))
        .then_with(|| priority(other).total_cmp(&priority(one)))
        .then_with(|| confidence(other).total_cmp(&confidence(one)))
        .then_with(|| updated_at.cmp(&other_updated_at))
        .then_with(|| one.place.cmp(&other.place))
        .then_with(|| one.kept.hint.meta.scope.cmp(&other.kept.hint.meta.scope))
}

/// Returns the score of a hint.
pub(super) fn score(hint: &Hint, now: Timestamp) -> f64 {
    let frecency = match hint.last_used_at {
        Some(at) => (1.0 - (-(hint.use_count as f64) / 10.0).exp()) * decay(at, now),
        None => 0.0,
    };
    let specificity = (hint.meta.scope.fields() as f64 / 5.0).min(1.0);
    let score = 0.30 * frecency
        + 0.20 * (priority(hint) / 10.0)
        + 0.20 * confidence(hint)
        + 0.20 * specificity
        + 0.10 * decay(hint.updated_at, now);
    (score * 10_000.0).round() / 10_000.0
}

/// Halves every seven days; a future timestamp from an import counts as now.
fn decay(at: Timestamp, now: Timestamp) -> f64 {
    const HALF_LIFE_SECONDS: f64 = 7.0 * 86_400.0;
    let age = now.duration_since(at).as_secs_f64().max(0.0);
    (-age / HALF_LIFE_SECONDS).exp2()
}

fn priority(hint: &Hint) -> f64 {
    hint.meta.priority.unwrap_or(5.0)
}

fn confidence(hint: &Hint) -> f64 {
    hint.meta.confidence.unwrap_or(0.5)
}

#[cfg(test)]
mod tests;
