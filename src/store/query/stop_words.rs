//! Words that are in every question and say nothing about the answer.

/// Returns whether a search is better without the word.
pub(super) fn is_stop_word(word: &str) -> bool {
    let word = word.to_lowercase().replace('’', "'");
    word.chars().count() == 1 && word.is_ascii() && !word.chars().all(|c| c.is_ascii_digit())
        || STOP_WORDS.contains(&word.as_str())
}

const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be",
    "because", "been", "before", "being", "both", "but", "by", "can", "can't", "cannot", "could", "did",
    "didn't", "do", "does", "doesn't", "doing", "don't", "done", "during", "each", "ever", "few", "for",
    "from", "further", "get", "got", "had", "has", "have", "having", "he", "her", "here", "him", "his",
    "how", "i", "i'm", "i've", "if", "in", "into", "is", "isn't", "it", "it's", "its", "just", "last", "let",
    "let's", "like", "me", "more", "most", "my", "need", "no", "nor", "not", "now", "of", "off", "on",
    "once", "only", "or", "other", "our", "out", "over", "own", "please", "same", "see", "she", "should",
    "so", "some", "such", "tell", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "those", "through", "to", "too", "under", "until", "up", "us", "very", "want", "was", "we",
    "were", "what", "what's", "when", "where", "which", "while", "who", "whom", "why", "will", "with",
    "would", "you", "your",
];
