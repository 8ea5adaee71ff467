//! Ranking: which rows are looked at for a query, and in which order they come out.
//!
//! BM25 over every match of a common word takes longer the more there is to remember. So a query says first how many
//! rows each word has; rare words are ranked over all their rows, common ones over their newest.

use std::collections::{HashMap, HashSet};

use super::query::{Word, join};
use crate::model::{Order, Timestamp};

/// So many rows are affordable to rank.
pub(super) const CANDIDATES: usize = 2_000;

/// A row that has all words of a question is worth more than the sum of its words, one that has them in sequence more.
const ALL_WORDS: f64 = 0.2;
const IN_SEQUENCE: f64 = 0.4;

/// So many of the best are looked at for words in sequence.
const LOOKED_AT: usize = 100;

/// How much of a blended score is relevance; the rest is recency.
const RELEVANCE: f64 = 0.7;

/// After so many seconds, recency is worth half.
const HALF_LIFE: f64 = 14.0 * 86_400.0;

/// How a question of plain words is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    /// Expressions whose newest matches are the candidates; a later group is asked only if the earlier gave too few.
    pub(super) groups: Vec<Vec<String>>,
    /// The expression of the rows that have all words.
    pub(super) every: String,
}

/// Plans a question; `hits` says how many rows have each word, counted to just past `CANDIDATES`.
pub(super) fn plan(words: &[Word], hits: &[usize]) -> Plan {
    let every = join(words.iter().map(|word| &word.whole), " AND ");
    if words.len() == 1 || hits.iter().sum::<usize>() <= CANDIDATES {
        return Plan { groups: vec![vec![join(words.iter().map(|word| &word.any), " OR ")]], every };
    }
    let mut by_hits: Vec<(usize, &Word)> = hits.iter().copied().zip(words).collect();
    by_hits.sort_by_key(|(hits, _)| *hits);
    let mut total = 0;
    let (mut rare, mut common) = (Vec::new(), Vec::new());
    for (hits, word) in by_hits {
        total += hits;
        if total <= CANDIDATES { rare.push(&word.any) } else { common.push(&word.any) }
    }
    let any_common = join(common, " OR ");
    let first = if rare.is_empty() {
        vec![every.clone()]
    } else {
        // The first gives every row of the rare words, the second the full score to those with common ones too;
        // BM25 reads all rows of each word it weighs, so the common ones are left out where they can be.
        let any_rare = join(rare, " OR ");
        vec![any_rare.clone(), format!("({any_rare}) AND ({any_common})")]
    };
    Plan { groups: vec![first, vec![any_common]], every }
}

/// A row that may be a hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    pub(super) id: i64,
    /// BM25, the higher the better.
    pub(super) score: f64,
    pub(super) timestamp: Timestamp,
}

/// Puts candidates in order, each once, the best first; `sequence` says how much of the question a row has in sequence.
pub(super) fn ranked(
    candidates: Vec<Candidate>,
    all_words: &HashSet<i64>,
    mut sequence: impl FnMut(i64) -> f64,
    order: Order,
    now: Timestamp,
) -> Vec<Candidate> {
    let mut best: HashMap<i64, Candidate> = HashMap::with_capacity(candidates.len());
    for candidate in candidates {
        // A row found by several expressions has its full score in one of them.
        let known = best.entry(candidate.id).or_insert(candidate);
        known.score = known.score.max(candidate.score);
    }
    let mut ranked: Vec<Candidate> = best.into_values().collect();
    for candidate in ranked.iter_mut().filter(|candidate| all_words.contains(&candidate.id)) {
        candidate.score *= 1.0 + ALL_WORDS;
    }
    sort(&mut ranked);
    for candidate in ranked.iter_mut().take(LOOKED_AT) {
        candidate.score *= 1.0 + IN_SEQUENCE * sequence(candidate.id);
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

/// Of equals the newest comes first.
fn sort(candidates: &mut [Candidate]) {
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
