//! Whether a prompt takes back what the agent just did.

use super::correction_phrases::{HARMLESS, OPENING, TAKING_BACK};
use super::cues::{Sentence, is_by_machine, is_cjk_letter, own_words, sentences};

/// A correction comes first: further on, a prompt describes.
const MAX_SENTENCES: usize = 2;
/// A longer sentence explains a task.
const MAX_WORDS: usize = 40;
/// A bare "no" answers a question.
const MIN_WORDS: usize = 3;

/// Returns whether a prompt takes back what the agent just did, rather than asking for something new.
pub(crate) fn takes_back(prompt: &str) -> bool {
    if is_by_machine(prompt) {
        return false;
    }
    let all = sentences(own_words(prompt));
    let words: usize = all.iter().map(Sentence::len).sum();
    // In scripts without spaces a sentence is one word.
    let is_dense = prompt.chars().any(is_cjk_letter);
    if words < MIN_WORDS && !is_dense {
        return false;
    }
    let Some(first) = all.first() else { return false };
    if HARMLESS.iter().any(|phrase| first.begins(phrase)) {
        return false;
    }
    let opens = first.len() <= MAX_WORDS && OPENING.iter().any(|phrase| first.begins(phrase));
    let mut near = all.iter().take(MAX_SENTENCES).filter(|sentence| sentence.len() <= MAX_WORDS);
    opens || near.any(|sentence| TAKING_BACK.iter().any(|phrase| sentence.has(phrase)))
}

#[cfg(test)]
mod tests {
    use super::takes_back;

    #[test]
    fn prompts_that_take_something_back() {
        for prompt in [
            "no, use pnpm",
            "No. We use pnpm here, not npm",
            "don't touch the generated files",
            "I said no mocks in these tests",
            "that's not what I asked for, put it back",
            "please stop adding comments everywhere",
            "why did you delete the lock file?",
            "Nein, nimm pnpm",
            "ich habe gesagt keine Mocks verwenden",
            "non, utilise pnpm ici",
            "te dije que uses pnpm",
            "não, use pnpm aqui",
            "ti ho detto di usare pnpm",
            "nee, gebruik pnpm hier",
            "nie, użyj pnpm tutaj",
            "нет, используй pnpm тут",
            "不对，用 pnpm",
            "違う、pnpm を使って",
            "아니, pnpm을 써",
        ] {
            assert!(takes_back(prompt), "{prompt}");
        }
    }

    #[test]
    fn prompts_that_ask_for_something() {
        for prompt in [
            "no",
            "nope",
            "no problem, go on",
            "never mind, that works",
            "add a test for the parser",
            "yes please, and push it",
            "fix the failing tests",
            "what does this function do?",
            "1",
            "weiter",
            "<command-name>/clear</command-name> no, use pnpm",
            "",
        ] {
            assert!(!takes_back(prompt), "{prompt}");
        }
    }
}
