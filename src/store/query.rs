//! Turns what a user typed into a full-text expression: operators as written, anything else as plain words.
//!
//! This is a pure function, and the expression is well-formed for any text. Refused are only a quote that is never
//! closed and an operator without words, because they are ambiguous: `NOT x` would find what has `x`.

mod grammar;
mod stop_words;

use super::words;
use crate::model::beginning;

/// Why a query cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum QueryError {
    #[error(
        "malformed query: the quote at character {position} is never closed; add a `\"` after the phrase, or leave it out"
    )]
    UnbalancedQuotes { position: usize },
    #[error(
        "malformed query: `{operator}` has nothing {side} it; add a word there, or put the words in quotes to search for them"
    )]
    LoneOperator { operator: &'static str, side: &'static str },
}

/// A parsed query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Query {
    /// Nothing in it can be searched for.
    Nothing,
    /// An expression as the user wrote it, in the syntax of FTS5.
    Written(String),
    /// Plain words: a row with any of them matches, and more are better.
    Plain(Vec<Word>),
}

/// One plain word, as two FTS5 expressions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// Matches a row that has the word itself, whole or in the parts of another spelling.
    pub(super) whole: String,
    /// Also matches a row that has a part of it: for a path, one of its names.
    pub(super) any: String,
}

/// Words after this many are ignored; the rest of a long text adds cost and little meaning.
const MAX_WORDS: usize = 16;

pub(super) fn parse_query(text: &str) -> Result<Query, QueryError> {
    let text = text.replace('\0', " ");
    check_quotes(&text)?;
    if let Some(written) = grammar::parse_expression(&text) {
        return Ok(Query::Written(written));
    }
    if let Some((operator, side)) = grammar::lone_operator(&text) {
        return Err(QueryError::LoneOperator { operator, side });
    }
    let words = plain_words(&text);
    Ok(if words.is_empty() { Query::Nothing } else { Query::Plain(words) })
}

impl Query {
    /// Returns the expression that matches a row only if it has every word.
    pub(super) fn every(&self) -> Option<String> {
        match self {
            Query::Nothing => None,
            Query::Written(expression) => Some(expression.clone()),
            Query::Plain(words) => Some(join(words.iter().map(|word| &word.whole), " AND ")),
        }
    }
}

/// Joins expressions by an operator.
pub(super) fn join<'e>(expressions: impl IntoIterator<Item = &'e String>, operator: &str) -> String {
    let all: Vec<String> = expressions.into_iter().map(|expression| format!("({expression})")).collect();
    all.join(operator)
}

/// Returns the text as an FTS5 string.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// Returns the query for what begins with the words of a text, so that `oauth` finds `OAuth2` and `python3` finds
/// `python`; `None` if the text is not of plain words, or they are too short to mean something.
pub(crate) fn widened(text: &str) -> Option<String> {
    if !matches!(parse_query(text), Ok(Query::Plain(_))) {
        return None;
    }
    let chunks = text.split_whitespace().filter(|chunk| !stop_words::is_stop_word(chunk)).take(MAX_WORDS);
    let begin = |chunk: &str| {
        let word = chunk.trim_matches(|c| !words::is_word(c));
        let bare = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_word = bare.chars().count() >= MIN_WIDENED && word.chars().all(words::is_word);
        is_word.then(|| format!("{bare}*"))
    };
    let all = chunks.map(begin).collect::<Option<Vec<_>>>()?;
    (!all.is_empty()).then(|| all.join(" AND "))
}

/// Shorter words begin too many others.
const MIN_WIDENED: usize = 3;

/// A word that a search looks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LookedFor {
    pub(crate) word: String,
    /// stem, exact, prefix or phrase.
    pub(crate) form: &'static str,
}

/// Returns the words that a search looks for and in which form, and those that it leaves out as too common.
pub(crate) fn explain_query(text: &str) -> (Vec<LookedFor>, Vec<String>) {
    let (mut looked_for, mut left_out) = (Vec::new(), Vec::new());
    for (index, part) in text.split('"').enumerate() {
        if index % 2 == 1 {
            let word = part.trim();
            looked_for
                .extend((!word.is_empty()).then(|| LookedFor { word: word.to_owned(), form: "phrase" }));
            continue;
        }
        let chunks = part.split_whitespace().filter(|chunk| chunk.chars().any(char::is_alphanumeric));
        for chunk in chunks.filter(|chunk| !matches!(*chunk, "AND" | "OR" | "NOT" | "NEAR")) {
            let bare = chunk.trim_matches(|c| !words::is_word(c) && c != '*');
            if stop_words::is_stop_word(bare) {
                left_out.push(bare.to_owned());
                continue;
            }
            // The index has stems of words; names and numbers have none.
            let is_plain = bare.chars().all(|c| c.is_lowercase() || c == '\'');
            let form = match () {
                () if bare.ends_with('*') => "prefix",
                () if is_plain => "stem",
                () => "exact",
            };
            looked_for.push(LookedFor { word: bare.to_owned(), form });
        }
    }
    // A question of stop words only is a search for them.
    if looked_for.is_empty() {
        looked_for.extend(left_out.drain(..).map(|word| LookedFor { word, form: "exact" }));
    }
    (looked_for, left_out)
}

/// Returns the words of a text in their order, without stop words.
pub(super) fn significant_words(text: &str) -> Vec<String> {
    words::identifiers(text).filter(|word| !stop_words::is_stop_word(word)).map(str::to_lowercase).collect()
}

fn check_quotes(text: &str) -> Result<(), QueryError> {
    let mut open = None;
    for (index, c) in text.chars().enumerate() {
        if c == '"' {
            open = if open.is_some() { None } else { Some(index + 1) };
        }
    }
    open.map_or(Ok(()), |position| Err(QueryError::UnbalancedQuotes { position }))
}

fn plain_words(text: &str) -> Vec<Word> {
    let chunks: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || c == '"')
        .map(|chunk| chunk.trim_matches(|c| !words::is_word(c)))
        .filter(|chunk| chunk.chars().any(char::is_alphanumeric))
        .collect();
    let significant: Vec<&str> =
        chunks.iter().copied().filter(|chunk| !stop_words::is_stop_word(chunk)).collect();
    // "What is it?" consists of stop words only, so they are what is searched for.
    let chosen = if significant.is_empty() { chunks } else { significant };
    let mut words: Vec<Word> = Vec::new();
    for word in chosen.into_iter().map(word) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.truncate(MAX_WORDS);
    words
}

fn word(chunk: &str) -> Word {
    let chunk = bounded(chunk);
    let parts: Vec<String> = words::identifiers(chunk).flat_map(words::split).collect();
    let mut whole = vec![quoted(chunk)];
    if !parts.is_empty() {
        whole.push(quoted(&parts.join(" ")));
    }
    let mut any = whole.clone();
    let names: Vec<&str> = words::identifiers(chunk).collect();
    if names.len() > 1 {
        any.extend(names.into_iter().filter(|name| !stop_words::is_stop_word(name)).take(8).map(quoted));
    }
    if let [c] = chunk.chars().collect::<Vec<_>>()[..]
        && words::is_unspaced(c)
    {
        // The index has such scripts as pairs of characters, and a single character is the start of many pairs.
        any.push(format!("{} *", quoted(chunk)));
        whole.clone_from(&any);
    }
    Word { whole: whole.join(" OR "), any: any.join(" OR ") }
}

/// Cuts a long word: nobody types hundreds of characters, and a pasted word is found by its beginning.
fn bounded(chunk: &str) -> &str {
    beginning(chunk, 200)
}

#[cfg(test)]
mod tests;
