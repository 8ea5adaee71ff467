//! Finds the significant words of a text.

use std::collections::HashSet;

/// Returns the significant words of a text, each once, in the order of their first appearance.
pub(crate) fn terms(text: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let words = text.split(|c: char| !c.is_alphanumeric()).flat_map(parts);
    words.filter(|word| is_significant(word) && seen.insert(word.clone())).collect()
}

/// Splits a word of a script without spaces into pairs of characters.
///
/// `camelCase` stays whole: prose has more of `GitHub` than of identifiers.
fn parts(word: &str) -> Vec<String> {
    let chars: Vec<char> = word.chars().collect();
    if chars.len() > 1 && chars.iter().any(|c| is_spaceless(*c)) {
        return chars.windows(2).map(|pair| pair.iter().collect()).collect();
    }
    vec![singular(&word.to_lowercase())]
}

/// Singular and plural are the same topic: `limits` and `limit`, `retries` and `retry`.
fn singular(word: &str) -> String {
    if word.len() > 4 && word.ends_with("ies") {
        return format!("{}y", &word[..word.len() - 3]);
    }
    let plural =
        word.len() > 3 && word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    word[..word.len() - usize::from(plural)].to_owned()
}

fn is_significant(word: &str) -> bool {
    word.chars().nth(1).is_some() && !STOP_WORDS.contains(&word)
}

fn is_spaceless(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// Common words without meaning for the topic, in the form that `singular` returns.
const STOP_WORDS: &[&str] = &[
    "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "because", "been",
    "before", "but", "by", "can", "could", "do", "does", "doe", "each", "for", "from", "has", "have", "he",
    "her", "how", "if", "in", "into", "is", "it", "its", "more", "most", "must", "no", "not", "note", "of",
    "off", "on", "one", "only", "or", "other", "our", "out", "over", "should", "so", "some", "such", "than",
    "that", "the", "their", "them", "then", "there", "these", "they", "this", "thi", "those", "to", "too",
    "up", "use", "used", "using", "very", "was", "we", "were", "what", "when", "where", "which", "while",
    "who", "why", "will", "with", "would", "you", "your",
];

#[cfg(test)]
mod tests {
    use super::terms;

    #[test]
    fn terms_are_the_significant_words() {
        let check = |text: &str, expected: &[&str]| assert_eq!(terms(text), expected, "{text}");
        check("The retries of an upload", &["retry", "upload"]);
        check("Rate limits: the limit is 5000 per hour", &["rate", "limit", "5000", "per", "hour"]);
        check("GitHub, and tool_log.rs", &["github", "tool", "log", "rs"]);
        check("a bus, a class, an axis", &["bus", "class", "axis"]);
        check("메모리 정책", &["메모", "모리", "정책"]);
        check("- ** !", &[]);
    }
}
