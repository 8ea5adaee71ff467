//! Names of guidance files in `.nexus/rules`: lower-case words joined by `-`, as in a tag `[rule:name]`; one word is
//! enough.

use std::fmt;

use super::name::{title_words, without_dates};

/// Why a name is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RuleFault {
    /// Characters other than `a-z`, `0-9` and `-`, or no `.md`.
    Characters,
    TooLong,
    /// On Windows it is the name of a device, and not allowed for a file.
    Reserved,
}

/// Maximum number of words in a generated name.
const MAX_WORDS: usize = 4;
/// Maximum length of a file's name that every system accepts.
const MAX_BYTES: usize = 100;

/// Checks whether a new rule may have this name.
pub(crate) fn check(name: &str) -> Result<(), RuleFault> {
    let stem = name.strip_suffix(".md").ok_or(RuleFault::Characters)?;
    let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if stem.is_empty() || stem.starts_with('-') || !stem.chars().all(legal) {
        return Err(RuleFault::Characters);
    }
    if name.len() > MAX_BYTES {
        return Err(RuleFault::TooLong);
    }
    if is_device(stem) { Err(RuleFault::Reserved) } else { Ok(()) }
}

/// Makes a valid name from an invalid one.
pub(crate) fn propose(name: &str) -> Option<String> {
    let lower = name.to_lowercase();
    let stem = lower.strip_suffix(".md").unwrap_or(&lower);
    let words = stem.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut stem = words.take(MAX_WORDS).collect::<Vec<_>>().join("-");
    if is_device(&stem) {
        stem.push_str("-rule");
    }
    Some(format!("{stem}.md")).filter(|name| check(name).is_ok())
}

/// Names a rule after its heading, or after its first words.
pub(crate) fn from_text(text: &str) -> Option<String> {
    let words = without_dates(title_words(text));
    propose(&words.join("-"))
}

fn is_device(stem: &str) -> bool {
    let numbered = |name: &str| {
        stem.strip_prefix(name)
            .is_some_and(|rest| matches!(rest.as_bytes(), [digit] if digit.is_ascii_digit()))
    };
    matches!(stem, "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
}

impl fmt::Display for RuleFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            RuleFault::Characters => "write lower-case words with `-` between them, and `.md`",
            RuleFault::TooLong => "it is too long",
            RuleFault::Reserved => "it is a reserved name on Windows",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{RuleFault, check, from_text, propose};

    #[test]
    fn rule_names_are_valid_in_tags() {
        for name in ["testing.md", "no-sleeps-in-tests.md", "python3.md", "2fa.md", "v2.md", "a-.md"] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
        let long = format!("{}.md", "a".repeat(98));
        for (name, fault, proposal) in [
            ("testing", RuleFault::Characters, Some("testing.md")),
            (".md", RuleFault::Characters, None),
            ("-a.md", RuleFault::Characters, Some("a.md")),
            ("../context/design.md", RuleFault::Characters, Some("context-design.md")),
            ("a\\b.md", RuleFault::Characters, Some("a-b.md")),
            (".hidden.md", RuleFault::Characters, Some("hidden.md")),
            ("My Rules_2.md", RuleFault::Characters, Some("my-rules-2.md")),
            ("a\0.md", RuleFault::Characters, Some("a.md")),
            ("규칙.md", RuleFault::Characters, None),
            ("nul.md", RuleFault::Reserved, Some("nul-rule.md")),
            ("com1.md", RuleFault::Reserved, Some("com1-rule.md")),
            (&long, RuleFault::TooLong, None),
        ] {
            assert_eq!(check(name), Err(fault), "{name:?}");
            assert_eq!(propose(name).as_deref(), proposal, "{name:?}");
        }
    }

    #[test]
    fn a_rule_is_named_after_its_text() {
        let check =
            |text: &str, expected: Option<&str>| assert_eq!(from_text(text).as_deref(), expected, "{text}");
        check("# Testing\n\nNo sleeps.", Some("testing.md"));
        check("Never sleep in tests: wait for a condition.", Some("never-sleep-tests-wait.md"));
        check("Since 2026-01-05 commits are signed", Some("since-commits-signed.md"));
        check("Con", Some("con-rule.md"));
        check("테스트에서 기다리지 않는다", Some("teseuteueseo-gidariji-anneunda.md"));
        check("等待条件", None);
        check("- **", None);
    }
}
