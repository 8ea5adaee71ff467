//! Which rows are considered, and how the hits are ordered.

use std::collections::HashSet;

use super::{MAX_CANDIDATES, SearchCandidate, in_sequence, plan, ranked};
use crate::model::{Order, Timestamp};
use crate::store::query::{Word, significant_words};

fn word(text: &str) -> Word {
    Word { whole: text.to_owned(), any: text.to_owned() }
}

fn groups(words: &[&str], hits: &[usize]) -> Vec<Vec<String>> {
    plan(&words.iter().copied().map(word).collect::<Vec<_>>(), hits).groups
}

#[test]
fn rare_words_are_ranked_over_all_their_rows() {
    assert_eq!(groups(&["a", "b"], &[10, 20]), [["(a) OR (b)"]]);
    assert_eq!(groups(&["a"], &[MAX_CANDIDATES + 1]), [["(a)"]]);
}

#[test]
fn common_words_are_ranked_over_their_newest_rows_and_do_not_hide_rare_ones() {
    let many = MAX_CANDIDATES + 1;
    assert_eq!(
        groups(&["a", "rare", "b"], &[many, 3, many]),
        [vec!["(rare)", "((rare)) AND ((a) OR (b))"], vec!["(a) OR (b)"]]
    );
    assert_eq!(groups(&["a", "b"], &[many, many]), [["(a) AND (b)"], ["(a) OR (b)"]]);
}

#[test]
fn neighbouring_words_of_the_question_count_in_the_text() {
    let share =
        |question: &str, text: &str| in_sequence(&significant_words(question), &significant_words(text));
    assert_eq!(share("rate limit", "the rate limit"), 1.0);
    assert_eq!(share("the rate of the limit", "rate limit"), 1.0);
    assert_eq!(share("rate limit", "limit the rate"), 0.0);
    assert_eq!(share("rate limit of requests", "rate limit"), 0.5);
    assert_eq!(share("rate", "rate"), 0.0);
}

fn order(scores: &[(i64, f64, i64)], all: &[i64], sequence: &[i64], order: Order) -> Vec<i64> {
    let candidates = scores
        .iter()
        .map(|&(id, score, timestamp)| SearchCandidate { id, score, timestamp: Timestamp(timestamp) })
        .collect();
    let set = |ids: &[i64]| ids.iter().copied().collect::<HashSet<_>>();
    let sequence = set(sequence);
    let in_sequence = |id: i64| if sequence.contains(&id) { 1.0 } else { 0.0 };
    let ranked = ranked(candidates, &set(all), in_sequence, order, Timestamp(100 * 86_400));
    ranked.into_iter().map(|candidate| candidate.id).collect()
}

#[test]
fn the_best_comes_first_and_of_equals_the_newest() {
    assert_eq!(order(&[(1, 1.0, 0), (2, 3.0, 0), (3, 1.0, 0)], &[], &[], Order::Relevance), [2, 3, 1]);
}

#[test]
fn a_row_found_twice_counts_once_with_its_full_score() {
    assert_eq!(order(&[(1, 1.0, 0), (2, 2.0, 0), (1, 3.0, 0)], &[], &[], Order::Relevance), [1, 2]);
}

#[test]
fn all_words_count_more_and_words_in_sequence_most() {
    let scores = [(1, 1.0, 0), (2, 0.9, 0), (3, 0.8, 0)];
    assert_eq!(order(&scores, &[2, 3], &[3], Order::Relevance), [3, 2, 1]);
}

#[test]
fn a_blended_order_lifts_what_is_recent() {
    let day = 86_400;
    let scores = [(1, 1.0, 0), (2, 0.9, 100 * day)];
    assert_eq!(order(&scores, &[], &[], Order::Relevance), [1, 2]);
    assert_eq!(order(&scores, &[], &[], Order::Blended), [2, 1]);
    // Relevance still weighs more than twice as much.
    assert_eq!(order(&[(1, 1.0, 0), (2, 0.5, 100 * day)], &[], &[], Order::Blended), [1, 2]);
}
