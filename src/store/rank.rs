//! Ranking: which rows are considered for a query, and how the hits are ordered.
//!
//! BM25 over every match of a common word takes longer the larger the database is. So the rows of each word are counted
//! first; rare words are ranked over all their rows, common ones over their newest.

use std::collections::{HashMap, HashSet};

use super::query::{Word, join};
use crate::model::{BLOCKED, FAILED_TOOL, ObservationType, Order, Timestamp};

/// Ranking this many rows is affordable.
pub(super) const MAX_CANDIDATES: usize = 2_000;

/// A row that has all words of a question scores higher than the sum of its words, and even higher if it has them in
/// sequence.
const ALL_WORDS_BONUS: f64 = 0.2;
const SEQUENCE_BONUS: f64 = 0.4;

/// At most this many of the best rows are checked for words in sequence.
const MAX_SEQUENCE_CHECKS: usize = 100;

/// At most this many of the best rows are weighed by what they are.
pub(super) const MAX_WEIGHED: usize = 200;

/// How much of a blended score is relevance; the rest is recency.
const RELEVANCE: f64 = 0.7;

/// After this many seconds, recency counts half.
const HALF_LIFE: f64 = 14.0 * 86_400.0;

/// Returns how much a row of this type counts: what the agent said and what failed answer more questions than what was
/// read. Measured on questions about real sessions (`real-work.md`, 6).
pub(super) fn weight(obs_type: ObservationType, kind: Option<&str>) -> f64 {
    match obs_type {
        ObservationType::Outcome => 1.35,
        ObservationType::Summary => 1.2,
        // What a rule blocked never ran, so it says little about the work.
        ObservationType::CommandError if kind == Some(BLOCKED) => 0.85,
        ObservationType::CommandError if kind == Some(FAILED_TOOL) => 0.45,
        ObservationType::CommandError => 1.15,
        ObservationType::FileEdit => 1.1,
        // A commit or a test run says more than a bare success.
        ObservationType::Command if kind.is_some() => 1.05,
        ObservationType::FileWrite | ObservationType::UserPrompt => 1.0,
        ObservationType::Command | ObservationType::McpCall => 0.85,
        ObservationType::FileRead | ObservationType::Search => 0.45,
        ObservationType::SessionStart | ObservationType::SessionEnd => 0.3,
    }
}

/// How a question of plain words is searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SearchPlan {
    /// Expressions whose newest matches are the candidates; a later group is searched only if earlier ones gave too
    /// few.
    pub(super) groups: Vec<Vec<String>>,
    /// The expression that matches rows with all words.
    pub(super) every: String,
}

/// Plans the search for a question; `hits` is the number of rows with each word, counted up to `MAX_CANDIDATES + 1`.
pub(super) fn plan(words: &[Word], hits: &[usize]) -> SearchPlan {
    let every = join(words.iter().map(|word| &word.whole), " AND ");
    if words.len() == 1 || hits.iter().sum::<usize>() <= MAX_CANDIDATES {
        return SearchPlan { groups: vec![vec![join(words.iter().map(|word| &word.any), " OR ")]], every };
    }
    let mut by_hits: Vec<(usize, &Word)> = hits.iter().copied().zip(words).collect();
    by_hits.sort_by_key(|(hits, _)| *hits);
    let mut total = 0;
    let (mut rare, mut common) = (Vec::new(), Vec::new());
    for (hits, word) in by_hits {
        total += hits;
        if total <= MAX_CANDIDATES { rare.push(&word.any) } else { common.push(&word.any) }
    }
    let any_common = join(common, " OR ");
    let first = if rare.is_empty() {
        vec![every.clone()]
    } else {
        // The first finds every row with the rare words; the second gives the full score to those that have common ones
        // too. BM25 reads all rows of each word in the expression, so common words are left out where possible.
        let any_rare = join(rare, " OR ");
        vec![any_rare.clone(), format!("({any_rare}) AND ({any_common})")]
    };
    SearchPlan { groups: vec![first, vec![any_common]], every }
}

/// A row that may be a hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SearchCandidate {
    pub(super) id: i64,
    /// BM25, the higher the better.
    pub(super) score: f64,
    pub(super) timestamp: Timestamp,
}

/// Orders candidates, each once, best first; `sequence` returns how much of the question a row has in sequence.
pub(super) fn ranked(
    candidates: Vec<SearchCandidate>,
    all_words: &HashSet<i64>,
    mut sequence: impl FnMut(i64) -> f64,
    order: Order,
    now: Timestamp,
) -> Vec<SearchCandidate> {
    let mut best: HashMap<i64, SearchCandidate> = HashMap::with_capacity(candidates.len());
    for candidate in candidates {
        // A row found by several expressions has its full score in one of them.
        let known = best.entry(candidate.id).or_insert(candidate);
        known.score = known.score.max(candidate.score);
    }
    let mut ranked: Vec<SearchCandidate> = best.into_values().collect();
    for candidate in ranked.iter_mut().filter(|candidate| all_words.contains(&candidate.id)) {
        candidate.score *= 1.0 + ALL_WORDS_BONUS;
    }
    sort(&mut ranked);
    for candidate in ranked.iter_mut().take(MAX_SEQUENCE_CHECKS) {
        candidate.score *= 1.0 + SEQUENCE_BONUS * sequence(candidate.id);
    }
    if order == Order::Blended {
        let top = ranked.iter().map(|candidate| candidate.score).fold(f64::MIN_POSITIVE, f64::max);
        for candidate in &mut ranked {
            let recency = 0.5_f64.powf(now.since(candidate.timestamp) as f64 / HALF_LIFE);
            candidate.score = RELEVANCE * candidate.score / top + (1.0 - RELEVANCE) * recency;
        }
    }
    sort(&mut ranked);
    ranked
}

/// Sorts by score; of equals, the newest comes first.
fn sort(candidates: &mut [SearchCandidate]) {
    candidates.sort_by(|one, two| two.score.total_cmp(&one.score).then(two.id.cmp(&one.id)));
}

/// Returns how many of a question's neighbouring words are neighbours in a text too, from 0 to 1.
pub(super) fn in_sequence(question: &[String], text: &[String]) -> f64 {
    let pairs: HashSet<&[String]> = question.windows(2).collect();
    if pairs.is_empty() {
        return 0.0;
    }
    let found: HashSet<&[String]> = text.windows(2).filter(|pair| pairs.contains(pair)).collect();
    found.len() as f64 / pairs.len() as f64
}

#[cfg(test)]
mod tests;
