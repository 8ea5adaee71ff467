//! The words of a prompt that name one thing: issues, pull requests, commits, branches, files, tests, identifiers.

use super::cues::is_of_complaint;
use super::likeness::is_generic;

/// A word of a prompt that may name earlier work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PromptName {
    pub(crate) text: String,
    /// The ways in which memory may have it; a `*` at the end stands for any ending, and a `#` at the beginning is meant.
    pub(crate) spellings: Vec<String>,
    /// How much it says about which work is meant: a reference names work by nature, an identifier names a thing that
    /// several works may touch.
    pub(crate) weight: usize,
}

/// The weight of an issue, a pull request, a commit or a branch, and of any other name.
const REFERENCE: usize = 2;
const THING: usize = 1;

/// A word of at least this many letters with an inner capital or `_` is an identifier.
const MIN_IDENTIFIER: usize = 5;
/// At most this many names of a prompt are looked up.
const MAX_NAMES: usize = 12;
/// At most this many ordinary words of a prompt are looked up.
const MAX_PLAIN_WORDS: usize = 30;
/// Only the beginning of a long prompt is read: the rest is usually pasted.
const MAX_PROMPT: usize = 4_000;

/// Nouns before the number of a request or an issue.
const NUMBERED: [&str; 12] =
    ["pr", "mr", "pull", "issue", "ticket", "request", "bug", "merge", "gh", "issues", "pulls", "bead"];
/// Words with capitals inside that name a product rather than a thing of this project.
#[rustfmt::skip]
const PRODUCTS: [&str; 20] = [
    "github", "gitlab", "javascript", "typescript", "postgresql", "mysql", "macos", "ios", "openai", "openapi",
    "graphql", "vscode", "youtube", "iphone", "mongodb", "nodejs", "webassembly", "devops", "readme.md", "node.js",
];

/// Returns the words of a prompt that name one thing, each once.
pub(crate) fn names(prompt: &str) -> Vec<PromptName> {
    let end = prompt.char_indices().nth(MAX_PROMPT).map_or(prompt.len(), |(end, _)| end);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '#' | '!');
    let mut found: Vec<PromptName> = Vec::new();
    let mut before = "";
    for chunk in prompt[..end].split(|c: char| !is_part(c)).filter(|chunk| !chunk.is_empty()) {
        let chunk_names = numbered(before, chunk).into_iter().chain(parse_chunk(chunk));
        for name in chunk_names {
            if !found.iter().any(|known| known.text.eq_ignore_ascii_case(&name.text)) {
                found.push(name);
            }
        }
        before = chunk;
        if found.len() >= MAX_NAMES {
            break;
        }
    }
    found.truncate(MAX_NAMES);
    found
}

/// Returns the words of a prompt that may be rare: long enough, and each once.
pub(crate) fn plain_words(prompt: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let text = prompt.chars().take(600).collect::<String>().to_lowercase();
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
        let is_word = word.chars().count() > 4 && !word.starts_with(|c: char| c.is_ascii_digit());
        if is_word && !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    }
    found.truncate(MAX_PLAIN_WORDS);
    found
}

/// Returns the ordinary words of a complaint that may say what it is about: not those that only complain.
pub(crate) fn words_of_complaint(prompt: &str) -> Vec<String> {
    let mut words = plain_words(prompt);
    words.retain(|word| !is_generic(word) && !is_of_complaint(word));
    words
}

/// Recognises the number of a request or an issue: `PR 175`, `#175`, `!12`, `issue 9`, `pull/188`.
fn numbered(before: &str, chunk: &str) -> Option<PromptName> {
    let chunk = chunk.trim_end_matches(['.', '/', '-']);
    let mut steps = chunk.rsplit('/');
    let last = steps.next().unwrap_or_default();
    let number = last.trim_start_matches(['#', '!']).split('#').next().unwrap_or_default();
    let is_number = (1..=6).contains(&number.len()) && number.bytes().all(|c| c.is_ascii_digit());
    let noun = steps.next().unwrap_or(before).trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let is_marked = last.starts_with(['#', '!']) && number.len() > 1;
    (is_number && (is_marked || NUMBERED.contains(&noun.as_str()))).then(|| PromptName {
        text: format!("#{number}"),
        spellings: ["pull", "pr", "issues", "issue", "merge_requests"]
            .iter()
            .map(|noun| format!("{noun} {number}"))
            .chain([format!("#{number}")])
            .collect(),
        weight: REFERENCE,
    })
}

fn parse_chunk(chunk: &str) -> Vec<PromptName> {
    let trimmed = chunk.trim_matches(|c: char| !c.is_alphanumeric());
    if is_branch(trimmed) {
        return vec![PromptName::new(trimmed, REFERENCE)];
    }
    let pieces =
        trimmed.split(['/', '#', '!']).map(|piece| piece.trim_matches(|c: char| !c.is_alphanumeric()));
    pieces.filter_map(parse_name).collect()
}

fn parse_name(word: &str) -> Option<PromptName> {
    let is_product = PRODUCTS.iter().any(|product| product.eq_ignore_ascii_case(word));
    if word.len() < 4 || word.len() > 80 || !word.contains(char::is_alphabetic) || is_product {
        return None;
    }
    if is_hash(word) {
        let short = &word[..7];
        return Some(PromptName { spellings: vec![format!("{short}*")], ..PromptName::new(word, REFERENCE) });
    }
    if is_issue(word) {
        return Some(PromptName::new(word, REFERENCE));
    }
    (is_file(word) || is_identifier(word) || is_error_code(word)).then(|| PromptName::new(word, THING))
}

impl PromptName {
    fn new(text: &str, weight: usize) -> PromptName {
        PromptName { text: text.to_owned(), spellings: vec![text.to_owned()], weight }
    }
}

/// Recognises `ENT-109`, `GH-12`, `spotter-4te`.
fn is_issue(word: &str) -> bool {
    word.rsplit_once('-').is_some_and(|(name, number)| {
        name.len() > 1
            && name.chars().all(|c| c.is_ascii_alphabetic())
            && (2..=6).contains(&number.len())
            && number.contains(|c: char| c.is_ascii_digit())
            && number.chars().all(|c| c.is_ascii_alphanumeric())
            && !STANDARDS.iter().any(|standard| standard.eq_ignore_ascii_case(name))
    })
}
/// Names before a hyphen and a number that are standards and products rather than issues.
const STANDARDS: [&str; 11] = ["utf", "sha", "aes", "rfc", "iso", "gpt", "http", "ipv", "base", "ed", "x"];

/// Recognises `feat/phase-12` and `victor/add-telemetry`: steps with a hyphen, and no file.
fn is_branch(word: &str) -> bool {
    let is_step =
        |step: &str| step.len() > 1 && step.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
    let last = word.rsplit('/').next().unwrap_or_default();
    (1..=2).contains(&word.matches('/').count())
        && word.split('/').all(is_step)
        && last.contains('-')
        && !last.contains('.')
        && last.len() > 5
}

/// Recognises the name of a commit: seven to forty hexadecimal digits, among them a letter and a digit.
fn is_hash(word: &str) -> bool {
    (7..=40).contains(&word.len())
        && word.bytes().all(|c| c.is_ascii_digit() || (b'a'..=b'f').contains(&c))
        && word.contains(|c: char| c.is_ascii_digit())
        && word.contains(|c: char| c.is_ascii_alphabetic())
}

fn is_file(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(name, end)| {
        name.len() > 2
            && name.contains(char::is_alphabetic)
            && (1..=5).contains(&end.len())
            && end.starts_with(|c: char| c.is_ascii_alphabetic())
            && end.chars().all(|c| c.is_ascii_alphanumeric())
            // "e.g" and "word.Next" are sentences, not files.
            && !end.starts_with(|c: char| c.is_ascii_uppercase())
            && !DOMAINS.contains(&end)
    })
}
/// The ends of hosts, which name no file.
const DOMAINS: [&str; 8] = ["com", "org", "net", "io", "dev", "app", "cloud", "ai"];

fn is_identifier(word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    let hump = letters.windows(2).any(|two| two[0].is_lowercase() && two[1].is_uppercase());
    let under = word.trim_matches('_').contains('_');
    word.len() >= MIN_IDENTIFIER && (hump || under)
}

/// Recognises `E0308`, `TS2352`, `MD040`.
fn is_error_code(word: &str) -> bool {
    let letters = word.chars().take_while(char::is_ascii_uppercase).count();
    (1..=6).contains(&letters)
        && (3..=5).contains(&(word.len() - letters))
        && word[letters..].bytes().all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{REFERENCE, names};

    fn check(prompt: &str, expected: &[&str]) {
        let found: Vec<String> = names(prompt)
            .into_iter()
            .map(|name| if name.weight == REFERENCE { format!("={}", name.text) } else { name.text })
            .collect();
        assert_eq!(found, expected, "{prompt}");
    }

    #[test]
    fn words_that_name_one_thing_are_found() {
        check(
            "see ENT-109, spotter-4te and fooBar in src/a_b.rs; e.g. this. Next: TestX, HTTP, well-known",
            &["=ENT-109", "=spotter-4te", "fooBar", "a_b.rs", "TestX"],
        );
        check("please push the e2e fixes up", &[]);
        check("rebase feat/phase-12-mfa onto 13d28cfcf", &["=feat/phase-12-mfa", "=13d28cfcf"]);
        check("error[E0308] and TS2352 in GitHub, with SHA-256 and UTF-8", &["E0308", "TS2352"]);
    }

    #[test]
    fn requests_and_issues_are_found_by_their_numbers() {
        check("there is a comment on pr 175", &["=#175"]);
        check("https://github.com/o/r/pull/188#discussion", &["=#188"]);
        check("fixes #12, and !34", &["=#12", "=#34"]);
        check("take option 3, phase 12 and line 197", &[]);
        assert_eq!(names("PR 175")[0].spellings[0], "pull 175");
    }
}
