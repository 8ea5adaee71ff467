//! Whether a prompt goes back to earlier work, and by which words.

/// Phrases with which people go back to earlier work; each stands as whole words. Collected from real prompts in
/// English; what they have in common is a definite thing that the sentence does not introduce.
#[rustfmt::skip]
const GOING_BACK: [&str; 60] = [
    "again", "still failing", "still fails", "still broken", "still not", "still some", "still getting",
    "continue", "go on with", "carry on", "pick up", "resume", "where were we", "where we left",
    "we left off", "lost track", "we were working", "we worked on", "we did", "we had", "we used",
    "we decided", "we discussed", "we talked", "you did", "you said", "you made", "you added",
    "you changed", "last time", "last session", "last week", "yesterday", "earlier", "previous",
    "previously", "prior", "before this", "already", "remember", "same error", "same issue", "same problem",
    "happened again", "it happened", "comes back", "came back", "not fixed", "the pr", "that pr", "this pr",
    "the pull request", "the comments", "new comments", "the comment", "the fixes", "the fix", "the review",
    "what was the", "how did we",
];

/// Nouns of work in progress; a prompt that speaks of `the fixes` takes for granted which ones.
#[rustfmt::skip]
const WORK: [&str; 22] = [
    "pr", "prs", "mr", "fix", "fixes", "comment", "comments", "review", "reviews", "changes", "commit",
    "commits", "branch", "failure", "failures", "work", "todo", "todos", "migration", "phase", "feedback",
    "refactoring",
];

/// Words that point at something known.
const POINTING: [&str; 6] = ["the", "that", "those", "these", "this", "our"];

/// A word of at least this many letters with an inner capital, a digit or `_` is an identifier.
const MIN_IDENTIFIER: usize = 5;
/// At most this many distinctive words of a prompt are looked up.
const MAX_WORDS: usize = 12;
/// At most this many ordinary words of a prompt are looked up.
const MAX_PLAIN_WORDS: usize = 30;
/// Only the beginning of a long prompt is read: the rest is usually pasted.
const MAX_PROMPT: usize = 4_000;

/// Returns whether a prompt speaks of earlier work as something known.
pub(crate) fn goes_back(prompt: &str) -> bool {
    let text: String = prompt.chars().take(400).collect::<String>().to_lowercase();
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect();
    let joined = format!(" {} ", words.join(" "));
    let points_at_work = words.iter().enumerate().any(|(at, word)| {
        POINTING.contains(word) && words.iter().skip(at + 1).take(3).any(|noun| WORK.contains(noun))
    });
    points_at_work || GOING_BACK.iter().any(|phrase| joined.contains(&format!(" {phrase} ")))
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

/// Returns the words of a prompt that name one thing: issues, files, tests, identifiers, hashes, codes of errors.
pub(crate) fn distinctive_words(prompt: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let end = prompt.char_indices().nth(MAX_PROMPT).map_or(prompt.len(), |(end, _)| end);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    for word in prompt[..end].split(|c: char| !is_part(c)) {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        if is_distinctive(word) && !found.iter().any(|known| known.eq_ignore_ascii_case(word)) {
            found.push(word.to_owned());
        }
        if found.len() == MAX_WORDS {
            break;
        }
    }
    found
}

fn is_distinctive(word: &str) -> bool {
    if word.len() < 4 || word.len() > 80 || !word.contains(char::is_alphabetic) {
        return false;
    }
    is_issue(word) || is_file(word) || is_identifier(word)
}

/// Recognises `ENT-109`, `GH-12`, `spotter-4te`.
fn is_issue(word: &str) -> bool {
    word.rsplit_once('-').is_some_and(|(name, number)| {
        name.len() > 1
            && name.chars().all(|c| c.is_ascii_alphabetic())
            && number.len() <= 6
            && number.contains(|c: char| c.is_ascii_digit())
            && number.chars().all(|c| c.is_ascii_alphanumeric())
    })
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
    })
}

fn is_identifier(word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    let hump = letters.windows(2).any(|two| two[0].is_lowercase() && two[1].is_uppercase());
    let under = word.trim_matches('_').contains('_');
    word.len() >= MIN_IDENTIFIER && (hump || under)
}

#[cfg(test)]
mod tests {
    use super::{distinctive_words, goes_back};

    #[test]
    fn prompts_that_go_back_are_recognised() {
        for prompt in [
            "okay, so we were working on ENT-109, I have lost track",
            "uh oh - it just happened again",
            "theres a comment on the PR from coderabbit",
            "the e2e tests are still failing",
            "continue implementation",
            "please push the e2e fixes up",
            "we used yesterday the test-repo skill",
        ] {
            assert!(goes_back(prompt), "{prompt}");
        }
        for prompt in [
            "add a button to the page",
            "please push the button",
            "prepare the release",
            "write against the api",
            "yes",
            "against",
        ] {
            assert!(!goes_back(prompt), "{prompt}");
        }
    }

    #[test]
    fn words_that_name_one_thing_are_found() {
        assert_eq!(
            distinctive_words(
                "see ENT-109, spotter-4te and fooBar in src/a_b.rs; e.g. this. Next: TestX, HTTP, well-known"
            ),
            ["ENT-109", "spotter-4te", "fooBar", "a_b.rs", "TestX"]
        );
        assert_eq!(distinctive_words("please push the e2e fixes up"), Vec::<String>::new());
    }
}
