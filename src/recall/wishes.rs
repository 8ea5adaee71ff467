//! Which words of the user last: wishes about how to work, rather than answers to one question.

/// Words that make a wish out of a sentence, from the way people correct each other in English.
#[rustfmt::skip]
const WISHES: [&str; 22] = [
    "don't", "dont", "do not", "never", "always", "prefer", "instead of", "rather than", "avoid", "stop",
    "no need to", "must", "should", "shouldn't", "only", "use", "unless", "from now on", "in general",
    "every time", "whenever", "without",
];

/// A wish has this many words at least, and is not longer than this many characters.
const MIN_WORDS: usize = 3;
const MAX_CHARS: usize = 300;

/// Returns whether words of the user say how they want things done, beyond the call that they refused.
pub(crate) fn is_lasting_wish(words: &str) -> bool {
    let text = words.trim().to_lowercase().replace('\u{2019}', "'");
    let count = text.split_whitespace().count();
    if count < MIN_WORDS || text.chars().count() > MAX_CHARS || text.ends_with('?') {
        return false;
    }
    let parts = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let joined = format!(" {} ", parts.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "));
    WISHES.iter().any(|wish| joined.contains(&format!(" {wish} ")))
}

#[cfg(test)]
mod tests {
    use super::is_lasting_wish;

    #[test]
    fn a_wish_about_how_to_work_lasts_and_a_question_does_not() {
        for words in [
            "don\u{2019}t run the slow tests here",
            "use pnpm, not npm",
            "Never commit to main",
            "please do not touch generated files",
            "write it without a macro",
        ] {
            assert!(is_lasting_wish(words), "{words}");
        }
        for words in ["no", "", "same project and milestone?", "should this be here?", "wait a moment please"]
        {
            assert!(!is_lasting_wish(words), "{words}");
        }
        assert!(!is_lasting_wish(&"never ".repeat(100)));
    }
}
