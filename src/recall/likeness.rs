//! How alike two failures are: the words of their signatures, weighted by how rare they are in this memory.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use crate::model::Literals;

/// Two failures have the same cause if their likeness is at least this, and they share a particular word. Measured on
/// real sessions: below it, other causes of the same program creep in; above it, the same cause with another name in it
/// is missed.
pub(crate) const SAME_CAUSE: f64 = 0.62;

/// The weight of a word that is in quotation marks, or names a file: it often varies, and sometimes is the cause.
const SOFT: f64 = 0.45;
/// The weight of the thing that a message says is not there.
const OBJECT: f64 = 1.6;
/// The weight of a word that every failure may have.
const GENERIC: f64 = 0.25;
/// A word is particular if at most this share of the failures has it, or at most `FEW` of them.
const RARE_SHARE: f64 = 0.08;
const FEW: usize = 3;

/// Words of failures in general; to share them means nothing.
#[rustfmt::skip]
const GENERIC_WORDS: [&str; 151] = [
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
    "there", "one", "all", "following", "specified", "timeout", "timed", "timeouterror", "exceeded",
    "deadline", "ms", "assertion", "assertionerror", "assert", "equal", "equals", "received", "actual",
    "got", "want", "wanted", "left", "right", "match", "mismatch", "called", "times", "process", "exited",
    "syntax", "syntaxerror",
];

/// Messages about a thing that is not there, which is named behind the phrase: which thing it is, is the cause.
#[rustfmt::skip]
const OBJECT_BEHIND: [&str; 47] = [
    "could not resolve hostname", "could not resolve host:", "configuration file provided by", "failed opening required",
    "bad revision",
    "cannot find", "can't find", "not found:", "no module named", "undefined:", "undeclared name:", "unknown flag",
    "unknown option", "unknown command", "unrecognized", "no rule to make target", "unable to find", "cannot stat",
    "no such file or directory:", "undeclared identifier", "not in scope:", "unbound value",
    "uninitialized constant", "undefined method", "no member named", "unresolved reference", "undefined variable",
    "undefined function", "could not resolve", "unknown name", "no such module", "no such package", "no such service",
    "could not find", "couldn't find", "couldn't resolve", "undefined reference to", "undeclared variable",
    "no such table:", "no such column:", "no such function:", "no such container:", "no such image:", "no such option:",
    "no such host:", "undefined identifier", "undefined symbol",
];

/// The kind of thing that is missing comes before its name: `could not find artifact com.acme:money`.
#[rustfmt::skip]
const KINDS: [&str; 34] = [
    "artifact", "gem", "crate", "image", "class", "plugin", "table", "column", "library", "symbol", "provider",
    "version", "dependency", "dependencies", "resource", "repository", "repo", "task", "target", "project", "record",
    "relation", "database", "host", "role", "user", "extension", "chart", "compatible", "matching", "variable", "header",
    "member", "reference",
];

/// Messages about a thing that is not there, which is named before the phrase.
#[rustfmt::skip]
const OBJECT_BEFORE: [&str; 12] = [
    "no such file", "did not match any", "does not exist", "is not defined", "command not found", "could not be found",
    "is not recognized", ": not found", "undeclared (", "is undefined",
    "not found in ", "doesn't exist",
];

static KIND: Literals<{ KINDS.len() }> = Literals::exact(KINDS);
static GENERIC_WORD: Literals<{ GENERIC_WORDS.len() }> = Literals::exact(GENERIC_WORDS);
static PHRASE_BEFORE_OBJECT: Literals<{ OBJECT_BEHIND.len() }> = Literals::exact(OBJECT_BEHIND);
static PHRASE_BEHIND_OBJECT: Literals<{ OBJECT_BEFORE.len() }> = Literals::exact(OBJECT_BEFORE);

/// Returns whether every failure may have a word.
pub(super) fn is_generic(word: &str) -> bool {
    GENERIC_WORD.contain(word)
}

/// The words of one signature, each once.
#[derive(Debug, Clone, PartialEq, Default)]
struct SignatureWords(Vec<(String, f64)>);

impl SignatureWords {
    fn of(signature: &str) -> SignatureWords {
        let mut words: Vec<(String, f64)> = Vec::new();
        for line in signature.lines() {
            let mut quote: Option<char> = None;
            let lower = line.to_lowercase();
            let object = object(&lower);
            let names_object = object.is_some();
            // A line of JSON has quotation marks everywhere, and they mean nothing.
            let is_json = line.starts_with(['{', '[']);
            for word in line.split_whitespace() {
                let opens = word.starts_with(['"', '\'', '`', '‘', '“']);
                let closes =
                    word.trim_end_matches([',', '.', ':', ';', ')']).ends_with(['"', '\'', '`', '’', '”']);
                if opens && !closes {
                    quote = word.chars().next();
                }
                let quoted = (opens && closes) || quote.is_some();
                if closes {
                    quote = None;
                }
                let is_place = word.ends_with(':') && is_file(word);
                let soft = is_place || (!names_object && !is_json && (quoted || is_file(word)));
                for piece in pieces(word) {
                    add(&mut words, piece, soft, object);
                }
            }
        }
        SignatureWords(words)
    }

    fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().map(|(word, weight)| (word.as_str(), *weight))
    }
}

fn pieces(word: &str) -> impl DoubleEndedIterator<Item = &str> {
    word.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.'))
        .map(|piece| piece.trim_matches(['-', '.', '_']))
        .filter(|piece| piece.chars().filter(|c| c.is_alphabetic()).count() > 1)
}

/// Returns the thing that is not there, in a message that says so; the message may not name it in a word.
fn object(lower: &str) -> Option<&str> {
    let is_telling = |piece: &&str| !GENERIC_WORD.contain(piece) && !KIND.contain(piece);
    // Of `could not resolve dependencies of x: could not find y`, the last is the reason.
    let end = |phrase: &&str| lower.rfind(phrase).map(|at| at + phrase.len());
    let behind = || OBJECT_BEHIND.iter().filter_map(end).max();
    // A new failure is compared with thousands of others, and few of their lines have such a phrase.
    if let Some(end) = PHRASE_BEFORE_OBJECT.are_in(lower).then(behind).flatten() {
        let behind = &lower[end..];
        return Some(pieces(behind).find(is_telling).or_else(|| pieces(behind).next()).unwrap_or_default());
    }
    let before = || OBJECT_BEFORE.iter().find_map(|phrase| lower.split_once(phrase));
    let (before, _) = PHRASE_BEHIND_OBJECT.are_in(lower).then(before).flatten()?;
    Some(pieces(before).rfind(is_telling).unwrap_or_default())
}

fn add(words: &mut Vec<(String, f64)>, piece: &str, soft: bool, object: Option<&str>) {
    let word = piece.to_lowercase();
    let is_object = object == Some(word.as_str());
    let weight = match (GENERIC_WORD.contain(&word), soft) {
        _ if is_object => OBJECT,
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

/// The signatures of a memory, ready to be compared.
#[derive(Debug, Default)]
pub(crate) struct Corpus {
    /// The words of each signature by number, sorted, with their weights; the length of the whole is 1.
    signatures: Vec<WeighedSignature>,
}

#[derive(Debug, Clone)]
struct WeighedSignature {
    words: Vec<WeighedWord>,
    /// Whether it says that a thing is not there.
    names_object: bool,
}

#[derive(Debug, Clone, Copy)]
struct WeighedWord {
    word: usize,
    weight: f64,
    is_particular: bool,
    is_object: bool,
}

impl Corpus {
    /// Weighs the words of these signatures by how rare they are among them.
    pub(crate) fn new<'s>(signatures: impl IntoIterator<Item = &'s str>) -> Corpus {
        let signatures: Vec<&str> = signatures.into_iter().collect();
        let all: Vec<SignatureWords> =
            signatures.iter().map(|signature| SignatureWords::of(signature)).collect();
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut counts: Vec<usize> = Vec::new();
        // A cause that comes back often is not less particular for it: each signature counts once.
        let mut seen = HashSet::new();
        for (words, signature) in all.iter().zip(&signatures) {
            let is_new = seen.insert(*signature);
            for (word, _) in words.iter() {
                let number = *numbers.entry(word).or_insert(counts.len());
                if number == counts.len() {
                    counts.push(0);
                }
                counts[number] += usize::from(is_new);
            }
        }
        let total = seen.len();
        let weigh = |words: &SignatureWords| {
            let mut weighed: Vec<WeighedWord> = words
                .iter()
                .map(|(word, base)| {
                    let word = numbers[word];
                    let weight = base * rarity(counts[word], total);
                    let is_particular = is_particular(counts[word], total, base);
                    WeighedWord { word, weight, is_particular, is_object: base >= OBJECT }
                })
                .collect();
            weighed.sort_unstable_by_key(|weighed| weighed.word);
            let length = weighed.iter().map(|weighed| weighed.weight.powi(2)).sum::<f64>().sqrt();
            weighed.iter_mut().for_each(|weighed| weighed.weight /= length);
            let names_object = weighed.iter().any(|word| word.is_object);
            WeighedSignature { words: weighed, names_object }
        };
        Corpus { signatures: all.iter().map(weigh).collect() }
    }

    /// Returns how alike two signatures are, from 0 to 1; 0 if they share no particular word, or if each says that
    /// something else is not there.
    pub(crate) fn likeness(&self, one: usize, two: usize) -> f64 {
        let (one, two) = (&self.signatures[one], &self.signatures[two]);
        let name_objects = one.names_object && two.names_object;
        let (mut one, mut two) = (one.words.as_slice(), two.words.as_slice());
        let (mut product, mut is_firm, mut is_same_object) = (0.0, false, false);
        while let (Some((first, after_one)), Some((second, after_two))) =
            (one.split_first(), two.split_first())
        {
            match first.word.cmp(&second.word) {
                Ordering::Less => one = after_one,
                Ordering::Greater => two = after_two,
                Ordering::Equal => {
                    product += first.weight * second.weight;
                    is_firm |= first.is_particular && second.is_particular;
                    is_same_object |= first.is_object && second.is_object;
                    (one, two) = (after_one, after_two);
                }
            }
        }
        if is_firm && (is_same_object || !name_objects) { product } else { 0.0 }
    }
}

/// Returns how much a word counts that this many of all signatures have.
fn rarity(count: usize, total: usize) -> f64 {
    let (total, count) = (total.max(10) as f64, count.max(1) as f64);
    // A word of one signature only may be a name that varies: beyond this, rarity says nothing.
    (1.0 + total / count).ln().clamp(0.7, 3.0)
}

fn is_particular(count: usize, total: usize, base: f64) -> bool {
    base > SOFT && (count <= FEW || count as f64 <= total as f64 * RARE_SHARE || total < 20)
}

#[cfg(test)]
mod tests;
