//! The soft order: the seed's weights, the contract's formulas, and what decides between equals.

use std::cmp::{Ordering, Reverse};

use jiff::Timestamp;

use super::shelf::{Kept, Place};
use crate::model::{Hint, HintContext};

/// A hint that is eligible, with its score.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ranked<'a> {
    pub(crate) place: Place<'a>,
    pub(crate) kept: &'a Kept,
    /// From 0 to 1, rounded as it is shown, so that order and shown numbers agree.
    pub(crate) score: f64,
}

/// Returns the eligible ones of these hints, the best first.
pub(super) fn ranked<'a>(
    hints: impl Iterator<Item = (Place<'a>, &'a Kept)>,
    context: &HintContext,
    now: Timestamp,
) -> Vec<Ranked<'a>> {
    weighed(hints.filter(|(_, kept)| kept.is_eligible(context)), now)
}

/// Returns these hints as if all were eligible, the best first.
pub(crate) fn weighed<'a>(
    hints: impl Iterator<Item = (Place<'a>, &'a Kept)>,
    now: Timestamp,
) -> Vec<Ranked<'a>> {
    top(hints, usize::MAX, now).0
}

/// Returns the best of these hints, at most so many, and how many there are; only what is returned is sorted.
pub(super) fn top<'a>(
    hints: impl Iterator<Item = (Place<'a>, &'a Kept)>,
    most: usize,
    now: Timestamp,
) -> (Vec<Ranked<'a>>, usize) {
    let score = |(place, kept): (Place<'a>, &'a Kept)| Ranked { place, kept, score: score(&kept.hint, now) };
    let mut weighed: Vec<Ranked<'_>> = hints.map(score).collect();
    let total = weighed.len();
    if most < total {
        weighed.select_nth_unstable_by(most, order);
        weighed.truncate(most);
    }
    weighed.sort_by(order);
    (weighed, total)
}

/// Returns the best of the eligible ones.
pub(crate) fn best<'a>(
    hints: impl Iterator<Item = (Place<'a>, &'a Kept)>,
    context: &HintContext,
    now: Timestamp,
) -> Option<Ranked<'a>> {
    ranked(hints, context, now).into_iter().next()
}

/// Orders by score, then by what people would look at next; in the end by name, so that answers repeat.
pub(super) fn order(one: &Ranked<'_>, other: &Ranked<'_>) -> Ordering {
    let key = |ranked: &Ranked<'_>| {
        let hint = &ranked.kept.hint;
        (Reverse(hint.use_count), Reverse(priority(hint)), Reverse(hint.updated_at))
    };
    let confidence = |ranked: &Ranked<'_>| confidence(&ranked.kept.hint);
    let (uses, priority, updated_at) = key(one);
    let (other_uses, other_priority, other_updated_at) = key(other);
    other
        .score
        .total_cmp(&one.score)
        .then_with(|| (uses, priority).cmp(&(other_uses, other_priority)))
        .then_with(|| confidence(other).total_cmp(&confidence(one)))
        .then_with(|| updated_at.cmp(&other_updated_at))
        .then_with(|| one.place.cmp(&other.place))
        .then_with(|| one.kept.hint.meta.scope.cmp(&other.kept.hint.meta.scope))
}

/// Returns the score of a hint.
pub(super) fn score(hint: &Hint, now: Timestamp) -> f64 {
    let frecency = match hint.last_used_at {
        Some(at) => (1.0 - (-(hint.use_count as f64) / 10.0).exp()) * fading(at, now),
        None => 0.0,
    };
    let specificity = (hint.meta.scope.fields() as f64 / 5.0).min(1.0);
    let score = 0.30 * frecency
        + 0.20 * (f64::from(priority(hint)) / 10.0)
        + 0.20 * confidence(hint)
        + 0.20 * specificity
        + 0.10 * fading(hint.updated_at, now);
    (score * 10_000.0).round() / 10_000.0
}

/// Halves every seven days; what an import dates into the future is as new as can be.
fn fading(at: Timestamp, now: Timestamp) -> f64 {
    const HALVES_IN: f64 = 7.0 * 86_400.0;
    let age = now.duration_since(at).as_secs_f64().max(0.0);
    (-age / HALVES_IN).exp2()
}

fn priority(hint: &Hint) -> u8 {
    hint.meta.priority.unwrap_or(5)
}

fn confidence(hint: &Hint) -> f64 {
    hint.meta.confidence.unwrap_or(0.5)
}

#[cfg(test)]
mod tests;
