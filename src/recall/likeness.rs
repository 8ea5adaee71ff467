//! How alike two failures are: the words of their signatures, weighted by how rare they are in this memory.

use std::collections::{HashMap, HashSet};

/// Two failures have the same cause if their likeness is at least this, and they share a particular word. Measured on
/// real sessions: below it, other causes of the same program creep in; above it, the same cause with another name in it
/// is missed.
pub(crate) const SAME_CAUSE: f64 = 0.62;

/// The weight of a word that stands in quotation marks, or names a file: it often varies, and sometimes is the cause.
const SOFT: f64 = 0.45;
/// The weight of a word that every failure may have.
const GENERIC: f64 = 0.25;
/// A word is particular if at most this share of the failures has it, or at most `FEW` of them.
const RARE_SHARE: f64 = 0.08;
const FEW: usize = 3;

/// Words of failures in general; to share them means nothing.
#[rustfmt::skip]
const GENERIC_WORDS: [&str; 125] = [
    "error", "errors", "err", "fatal", "failed", "failure", "fail", "panic", "panicked", "exception",
    "warning", "cannot", "can", "could", "not", "found", "no", "such", "file", "files", "directory",
    "folder", "path", "line", "column", "command", "invalid", "unexpected", "expected", "unknown",
    "missing", "undefined", "test", "tests", "thread", "main", "at", "the", "an", "of", "in", "on", "to",
    "for", "with", "and", "or", "is", "are", "was", "be", "been", "has", "have", "had", "this", "that",
    "it", "its", "as", "by", "from", "but", "if", "when", "while", "use", "used", "using", "run", "running",
    "code", "status", "value", "type", "name", "module", "package", "function", "method", "call", "called",
    "does", "did", "do", "must", "should", "may", "you", "your", "try", "please", "see", "any", "none",
    "null", "eval", "zsh", "bash", "sh", "find", "get", "set", "open", "read", "write", "load", "create",
    "make", "start", "end", "key", "object", "string", "number", "failing", "new", "more", "than", "only",
    "there", "one", "all", "following", "specified",
];

/// The words of one signature, each once.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Words(Vec<(String, f64)>);

impl Words {
    pub(crate) fn of(signature: &str) -> Words {
        let mut words: Vec<(String, f64)> = Vec::new();
        for line in signature.lines() {
            let mut quote: Option<char> = None;
            for word in line.split_whitespace() {
                let opens = word.starts_with(['"', '\'', '`', '‘', '“']);
                let closes =
                    word.trim_end_matches([',', '.', ':', ';', ')']).ends_with(['"', '\'', '`', '’', '”']);
                let soft = (opens && closes) || is_file(word);
                if opens && !closes {
                    quote = word.chars().next();
                } else if closes {
                    quote = None;
                }
                let soft = soft && quote.is_none();
                for piece in word.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.')) {
                    add(&mut words, piece, soft);
                }
            }
        }
        Words(words)
    }

    fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().map(|(word, weight)| (word.as_str(), *weight))
    }
}

fn add(words: &mut Vec<(String, f64)>, piece: &str, soft: bool) {
    let piece = piece.trim_matches(['-', '.', '_']);
    if piece.chars().filter(|c| c.is_alphabetic()).count() < 2 {
        return;
    }
    let word = piece.to_lowercase();
    let weight = match (GENERIC_WORDS.contains(&word.as_str()), soft) {
        (true, _) => GENERIC,
        (false, true) => SOFT,
        (false, false) => 1.0,
    };
    match words.iter_mut().find(|(known, _)| *known == word) {
        Some((_, known)) => *known = known.max(weight),
        None => words.push((word, weight)),
    }
}

fn is_file(word: &str) -> bool {
    let word = word.trim_end_matches([':', ',', ';', ')']);
    word.rsplit_once('.').is_some_and(|(name, end)| {
        !name.is_empty() && (1..=5).contains(&end.len()) && end.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

/// How many failures of the memory have each word.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rarity {
    counts: HashMap<String, usize>,
    total: usize,
}

impl Rarity {
    /// Counts the words of different failures; the same signature counts once.
    pub(crate) fn of<'w>(all: impl IntoIterator<Item = &'w Words>) -> Rarity {
        let mut rarity = Rarity::default();
        for words in all {
            rarity.total += 1;
            for (word, _) in words.iter() {
                match rarity.counts.get_mut(word) {
                    Some(count) => *count += 1,
                    None => drop(rarity.counts.insert(word.to_owned(), 1)),
                }
            }
        }
        rarity
    }

    fn count(&self, word: &str) -> usize {
        self.counts.get(word).copied().unwrap_or(0)
    }

    fn weight(&self, word: &str, base: f64) -> f64 {
        let (total, count) = (self.total.max(10) as f64, self.count(word).max(1) as f64);
        // A word of one failure only may be a name that varies: beyond this, rarity says nothing.
        base * (1.0 + total / count).ln().clamp(0.7, 3.0)
    }

    fn is_particular(&self, word: &str, base: f64) -> bool {
        let share = self.total as f64 * RARE_SHARE;
        base > GENERIC && (self.count(word) <= FEW || self.count(word) as f64 <= share || self.total < 20)
    }

    /// Returns how alike two failures are, from 0 to 1; 0 if they share no particular word.
    pub(crate) fn likeness(&self, one: &Words, two: &Words) -> f64 {
        let norm = |words: &Words| {
            words.iter().map(|(word, base)| self.weight(word, base).powi(2)).sum::<f64>().sqrt()
        };
        let known: HashMap<&str, f64> = one.iter().collect();
        let (mut product, mut firm) = (0.0, HashSet::new());
        for (word, base) in two.iter() {
            if let Some(other) = known.get(word) {
                product += self.weight(word, base) * self.weight(word, *other);
                if self.is_particular(word, base.min(*other)) {
                    firm.insert(word);
                }
            }
        }
        let length = norm(one) * norm(two);
        if firm.is_empty() || length == 0.0 { 0.0 } else { product / length }
    }
}

#[cfg(test)]
mod tests;
