//! What users take back again and again: prompts that correct the agent, grouped by the thing that they are about.
//!
//! They are listed and nothing else: how a rule about them is worded is up to the user, or to the agent that asks the user.

use std::collections::{HashMap, HashSet};

use super::met::MIN_SESSIONS;
use crate::model::{Observation, ObservationType, REFUSAL};
use crate::recall;

/// A word that more than this share of all prompts have, as `(part, whole)`, is what the work is about.
const MAX_SHARE: (usize, usize) = (1, 12);
/// A word of this many prompts may be a thing, however few prompts there are.
const FEW: usize = 3;
/// A word of fewer characters names nothing.
const MIN_WORD: usize = 4;
/// The corrected act is searched among this many rows before the prompt.
const MAX_BEFORE: usize = 20;

/// Words of corrections that name nothing.
#[rustfmt::skip]
const GENERAL: [&str; 96] = [
    "about", "actually", "added", "adding", "after", "again", "agent", "also", "always", "another", "anything", "because",
    "been", "before", "being", "both", "called", "change", "changed", "changes", "check", "code", "could", "didn", "does",
    "doesn", "doing", "done", "dont", "each", "ever", "every", "everything", "file", "files", "first", "forgot", "from",
    "going", "have", "here", "instead", "into", "issue", "just", "keep", "know", "like", "make", "makes", "maybe", "more",
    "need", "needs", "never", "only", "other", "please", "problem", "really", "remove", "revert", "right", "said", "same",
    "seem", "should", "since", "some", "something", "still", "stop", "sure", "take", "test", "tests", "than", "that", "their",
    "them", "then", "there", "these", "they", "thing", "things", "think", "this", "those", "told", "using", "want", "were",
    "what", "with", "wrong",
];

/// A prompt that takes something back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Correction<'r> {
    pub(crate) prompt: &'r Observation,
    /// What the agent had done.
    pub(crate) before: Option<&'r Observation>,
}

/// Corrections of several sessions that are about one thing, the newest first.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CorrectedThing<'r> {
    /// The word that they share.
    pub(crate) word: String,
    pub(crate) corrections: Vec<Correction<'r>>,
    pub(crate) sessions: usize,
}

/// Finds what users took back in several sessions; `rows` are in chronological order.
pub(crate) fn corrected_things(rows: &[Observation]) -> Vec<CorrectedThing<'_>> {
    let prompts = || rows.iter().filter(|row| row.obs_type == ObservationType::UserPrompt);
    let mut counts: HashMap<String, usize> = HashMap::new();
    // What only corrections speak of is not what the work is about, however often they do.
    for prompt in prompts().filter(|row| !recall::takes_back(&row.content)) {
        words(&prompt.content).into_iter().for_each(|word| *counts.entry(word).or_default() += 1);
    }
    let total = prompts().count();
    let is_rare = |word: &String| {
        let count = counts.get(word).copied().unwrap_or_default();
        count <= FEW || count * MAX_SHARE.1 <= total * MAX_SHARE.0
    };
    let corrections: Vec<(Correction<'_>, Vec<String>)> = corrections(rows)
        .into_iter()
        .map(|correction| {
            let mut its = words(&correction.prompt.content);
            its.retain(is_rare);
            (correction, its)
        })
        .collect();
    let mut things: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, (_, words)) in corrections.iter().enumerate() {
        words.iter().for_each(|word| things.entry(word).or_default().push(number));
    }
    let sessions = |numbers: &[usize]| -> usize {
        let all = numbers.iter().map(|number| &corrections[*number].0.prompt.session_id);
        all.collect::<HashSet<_>>().len()
    };
    let mut things: Vec<(&str, Vec<usize>)> =
        things.into_iter().filter(|(_, numbers)| sessions(numbers) >= MIN_SESSIONS).collect();
    things.sort_by_key(|(word, numbers)| {
        (std::cmp::Reverse((sessions(numbers), numbers.len(), word.len())), *word)
    });
    // A prompt is shown once, with the word that most prompts share.
    let mut taken: HashSet<usize> = HashSet::new();
    let mut found = Vec::new();
    for (word, mut numbers) in things {
        numbers.retain(|number| !taken.contains(number));
        if sessions(&numbers) < MIN_SESSIONS {
            continue;
        }
        taken.extend(&numbers);
        let its = numbers.iter().rev().map(|number| corrections[*number].0);
        found.push(CorrectedThing {
            word: word.to_owned(),
            sessions: sessions(&numbers),
            corrections: its.collect(),
        });
    }
    found
}

fn corrections(rows: &[Observation]) -> Vec<Correction<'_>> {
    let mut found: Vec<Correction<'_>> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let is_refusal = row.kind() == Some(REFUSAL);
        let takes_back = || row.is_prompt() && recall::takes_back(&row.content);
        if row.obs_type != ObservationType::UserPrompt || !is_refusal && !takes_back() {
            continue;
        }
        let its = rows[..at].iter().rev().filter(|other| other.session_id == row.session_id);
        let before = its.take(MAX_BEFORE).find(|other| is_act(other));
        // The first prompt of a session corrects nothing that this agent did.
        if before.is_none() && !is_refusal {
            continue;
        }
        // The same words sent twice in a session are one correction; so are those of a session that repeats another one.
        let is_same = |known: &Correction<'_>| {
            let (one, other) = (known.prompt, row);
            one.content == other.content
                && (one.session_id == other.session_id || one.timestamp == other.timestamp)
        };
        if !found.iter().any(is_same) {
            found.push(Correction { prompt: row, before });
        }
    }
    found
}

fn is_act(row: &Observation) -> bool {
    matches!(
        row.obs_type,
        ObservationType::Command
            | ObservationType::CommandError
            | ObservationType::FileEdit
            | ObservationType::FileWrite
            | ObservationType::McpCall
    )
}

/// Returns the words of a prompt that may name a thing, each once.
fn words(prompt: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let text: String = prompt.chars().take(400).collect::<String>().to_lowercase();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    for word in text.split(|c: char| !is_part(c)) {
        let word = word.trim_matches(['.', '-', '/', '_']);
        let is_thing = word.chars().count() >= MIN_WORD && word.contains(char::is_alphabetic);
        if is_thing && !GENERAL.contains(&word) && !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests;
