//! Rules that agents run into again and again: a call was blocked, and soon after it the same rule blocked another try.

use std::collections::{BTreeMap, HashSet};

use super::met::MIN_SESSIONS;
use crate::model::{Observation, ObservationId, SessionId, Timestamp};

/// Two blocks of one rule within this many seconds are one agent that tries again.
const SOON: i64 = 600;

/// A rule whose blocks did not end the matter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RetriedRule<'r> {
    pub(crate) rule: String,
    /// How often it blocked.
    pub(crate) blocked: usize,
    /// How often the same session ran into it again soon after.
    pub(crate) again: usize,
    pub(crate) sessions: usize,
    pub(crate) newest: &'r Observation,
    /// The blocks that came soon after another one, the newest first.
    pub(crate) ids: Vec<ObservationId>,
}

/// Finds the rules that blocked again soon after they had blocked, at least twice; `rows` are in chronological order.
pub(crate) fn retried_rules(rows: &[Observation]) -> Vec<RetriedRule<'_>> {
    let mut by_rule: BTreeMap<&str, Vec<&Observation>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.is_blocked()) {
        by_rule.entry(row.rule().unwrap_or("?")).or_default().push(row);
    }
    let mut found: Vec<RetriedRule<'_>> = by_rule
        .into_iter()
        .filter_map(|(rule, blocks)| {
            let mut last: BTreeMap<&SessionId, Timestamp> = BTreeMap::new();
            let mut again: Vec<ObservationId> = Vec::new();
            for block in &blocks {
                let before = last.insert(&block.session_id, block.timestamp);
                if before.is_some_and(|before| block.timestamp.since(before) <= SOON) {
                    again.push(block.id);
                }
            }
            again.reverse();
            let sessions: HashSet<&SessionId> = blocks.iter().map(|block| &block.session_id).collect();
            Some(RetriedRule {
                rule: rule.to_owned(),
                blocked: blocks.len(),
                again: again.len(),
                sessions: sessions.len(),
                newest: blocks.last()?,
                ids: again,
            })
        })
        .filter(|rule| rule.again >= MIN_SESSIONS)
        .collect();
    found.sort_by_key(|rule| std::cmp::Reverse((rule.again, rule.newest.timestamp)));
    found
}

#[cfg(test)]
mod tests;
