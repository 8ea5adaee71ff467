//! Names of notes: lower-case words joined by `-`, without dates and versions; two to four words are best.
//!
//! A name says what a note is about; when something was learned belongs in the text and in git.

use std::fmt;
use std::ops::Range;

use super::latin::latin;
use super::terms::terms;
use crate::model::{Category, fnv1a};

/// Why a name is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Characters other than `a-z`, `0-9` and `-`, or no `.md`.
    Characters,
    Date(String),
    Version(String),
}

const MIN_WORDS: usize = 2;
const MAX_WORDS: usize = 4;
/// Maximum length of a file's name that every system accepts.
const MAX_BYTES: usize = 100;
/// Maximum length of a name that is made from a text, without its category.
const MAX_DERIVED: usize = 60;

/// Checks whether a new note may have this name.
pub(crate) fn check(name: &str) -> Result<(), Fault> {
    let stem = name.strip_suffix(".md").ok_or(Fault::Characters)?;
    let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if stem.is_empty() || stem.starts_with('-') || !stem.chars().all(legal) || name.len() > MAX_BYTES {
        return Err(Fault::Characters);
    }
    match find_date(&words(stem)) {
        Some((_, fault)) => Err(fault),
        None => Ok(()),
    }
}

/// Returns what would make a valid name better; the contract only recommends a number of words.
pub(crate) fn advice(name: &str) -> Option<String> {
    let words = words(name.strip_suffix(".md").unwrap_or(name));
    match topic(&words).len() {
        MIN_WORDS..=MAX_WORDS => None,
        0 | 1 => Some("one word says little: two to four say what the note is about".to_owned()),
        count => Some(format!("two to four words are easier to find than {count}")),
    }
}

/// Makes a valid name from an invalid one, with words from the text if it has too few.
pub(crate) fn propose(name: &str, text: &str) -> Option<String> {
    let lower = latin(name).to_lowercase();
    let stem = lower.strip_suffix(".md").unwrap_or(&lower);
    let plain: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let mut words = without_dates(words(&plain).into_iter().map(str::to_owned).collect());
    let prefix = words.first().and_then(|word| word.parse::<Category>().ok());
    let skipped = usize::from(prefix.is_some());
    if words.len() - skipped > MAX_WORDS {
        // Keep the first significant words.
        let significant: Vec<String> =
            words[skipped..].iter().filter(|word| !terms(word).is_empty()).cloned().collect();
        words.splice(skipped.., significant.into_iter().take(MAX_WORDS));
    }
    for word in title_words(text) {
        if words.len() - skipped >= MIN_WORDS {
            break;
        }
        if !words.contains(&word) {
            words.push(word);
        }
    }
    Some(format!("{}.md", words.join("-"))).filter(|name| check(name).is_ok())
}

/// Names a note after its heading, or after its first words; a text in a script that has no letters for a name gets a
/// few that no other text has.
pub(crate) fn from_text(text: &str, category: Option<Category>) -> Option<String> {
    let mut words = without_dates(title_words(text));
    words.truncate(MAX_WORDS);
    while words.len() > 1 && words.join("-").len() > MAX_DERIVED {
        words.pop();
    }
    if words.is_empty() || is_mostly_unnamed(text) {
        text.chars().find(|c| c.is_alphanumeric())?;
        words = vec!["note".to_owned(), letters(fnv1a(text.bytes()))];
    }
    let prefix = category.filter(|category| words.first().is_none_or(|first| first != category.name()));
    let prefix = prefix.map(|category| format!("{}-", category.name())).unwrap_or_default();
    Some(format!("{prefix}{}.md", words.join("-"))).filter(|name| check(name).is_ok())
}

/// Returns the significant words of the first line that has any, in lower case.
pub(super) fn title_words(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("<!--"));
    let mut titles = lines.map(|line| {
        let line = latin(line);
        let words = line.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_lowercase);
        let mut significant: Vec<String> = words.filter(|word| !terms(word).is_empty()).collect();
        significant.dedup();
        significant
    });
    titles.find(|words| !words.is_empty()).unwrap_or_default()
}

/// Returns whether most letters of a text's first line cannot be written in a name.
fn is_mostly_unnamed(text: &str) -> bool {
    let line = text.lines().find(|line| line.chars().any(char::is_alphanumeric)).unwrap_or_default();
    let letters = latin(line);
    let count =
        |is_plain: bool| letters.chars().filter(|c| c.is_alphabetic() && c.is_ascii() == is_plain).count();
    count(false) > count(true)
}

/// Writes the end of a number in letters: digits could be read as a date.
fn letters(number: u64) -> String {
    (0..6).map(|place| char::from(b'a' + ((number >> (place * 5)) % 26) as u8)).collect()
}

fn words(stem: &str) -> Vec<&str> {
    stem.split('-').filter(|word| !word.is_empty()).collect()
}

/// Returns the words after the category.
fn topic<'w, 's>(words: &'w [&'s str]) -> &'w [&'s str] {
    match words.first() {
        Some(first) if first.parse::<Category>().is_ok() => &words[1..],
        _ => words,
    }
}

/// Removes dates and versions.
pub(super) fn without_dates(mut words: Vec<String>) -> Vec<String> {
    loop {
        let borrowed: Vec<&str> = words.iter().map(String::as_str).collect();
        let Some((found, _)) = find_date(&borrowed) else { return words };
        words.drain(found);
    }
}

/// Finds the words of the first date or version.
fn find_date(words: &[&str]) -> Option<(Range<usize>, Fault)> {
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    for (at, word) in words.iter().enumerate() {
        let marked = is_version(word);
        let numbers = words[at + usize::from(marked)..].iter().take_while(|word| is_number(word)).count();
        let found = at..at + usize::from(marked) + numbers;
        let text = words[found.clone()].join("-");
        if words[found.clone()].iter().any(|word| is_year(word) || is_packed_date(word)) && !marked {
            return Some((found, Fault::Date(text)));
        }
        // `1-20-3` is a version; a single number (`exit-137`, `port-8080`) is not.
        if marked || numbers >= 2 {
            return Some((found, Fault::Version(text)));
        }
    }
    None
}

/// Only recent and near years: other numbers of four digits, like 8080, are more often a code or a port.
fn is_year(word: &str) -> bool {
    word.parse::<u32>().is_ok_and(|year| word.len() == 4 && (2010..2040).contains(&year))
}

/// `20260131`, `202601`
fn is_packed_date(word: &str) -> bool {
    let month = |text: &str| text.parse::<u32>().is_ok_and(|month| (1..=12).contains(&month));
    word.is_ascii() && matches!(word.len(), 6 | 8) && is_year(&word[..4]) && month(&word[4..6])
}

/// Names of things that look like a version: the engine of Chrome and Node, and a cipher.
const NAMES: [&str; 2] = ["v8", "rc4"];

/// `v2`, `rc1`, `beta3`; but `ipv6`, `oauth2` and `sha256` are names.
fn is_version(word: &str) -> bool {
    if NAMES.contains(&word) {
        return false;
    }
    let digits = |rest: &str| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit());
    ["v", "rc", "alpha", "beta"].iter().any(|mark| word.strip_prefix(mark).is_some_and(digits))
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Characters => out.write_str("write lower-case words with `-` between them, and `.md`"),
            Fault::Date(date) => write!(out, "`{date}` is a date, which belongs in the text"),
            Fault::Version(version) => write!(out, "`{version}` is a version, which belongs in the text"),
        }
    }
}

#[cfg(test)]
mod tests;
