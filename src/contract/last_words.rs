//! Whether an agent's last message says that it gave up.
//!
//! A task follows its agent only if the user wants that, and then a wrong `completed` does harm that a wrong `in progress`
//! does not. So these phrases are read generously: they are what models write when a task is not done.

/// Phrases of giving up, in lower case.
const PHRASES: &[&str] = &[
    "i failed",
    "failed to",
    "has failed",
    "is failing",
    "still fail",
    "tests fail",
    "test fails",
    "does not compile",
    "doesn't compile",
    "could not",
    "couldn't",
    "cannot ",
    "can't ",
    "was not able",
    "wasn't able",
    "were not able",
    "weren't able",
    "am not able",
    "not able to",
    "unable to",
    "did not manage",
    "didn't manage",
    "did not finish",
    "didn't finish",
    "not finished",
    "not complete",
    "incomplete",
    "unfinished",
    "gave up",
    "giving up",
    "i am blocked",
    "i'm blocked",
    "blocked by",
    "is blocked",
    "need more information",
    "need your input",
    "out of turns",
    "ran out of",
    "permission denied",
    "was denied",
    "not implemented",
    "sorry",
];

/// Returns whether a last message sounds as if the work is not done; an empty one does.
pub(crate) fn sounds_failed(message: &str) -> bool {
    let message = message.to_lowercase().replace('’', "'");
    message.trim().is_empty() || PHRASES.iter().any(|phrase| message.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::sounds_failed;

    #[test]
    fn giving_up_is_recognised_and_success_is_not() {
        for (message, expected) in [
            ("I failed, sorry", true),
            ("I couldn’t reproduce it.", true),
            ("Two tests fail; the rest is done.", true),
            ("", true),
            ("Done: `src/a.rs` has the parser, all 12 tests pass.", false),
            ("Implemented and verified. No failures.", false),
        ] {
            assert_eq!(sounds_failed(message), expected, "{message}");
        }
    }
}
