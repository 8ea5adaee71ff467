//! The difference between a command that failed and one that worked: what to write instead.

use std::collections::HashSet;

use crate::shell::{self, Doing, SimpleCommand};

/// More changed words than this are another command, which is shown as it is.
const MAX_CHANGED: usize = 8;
/// At most this many lines of a long text are shown.
const MAX_LINES: usize = 2;
/// Maximum length of the whole difference, in characters.
const MAX_LENGTH: usize = 200;

/// Returns what is different in a command that worked, such as `+ --set-upstream origin x`; `None` if nothing is, or if
/// the two have so little in common that the difference says nothing.
pub(crate) fn difference(failed: &str, worked: &str) -> Option<String> {
    if failed.trim() == worked.trim() {
        return None;
    }
    let (one, two) = (shell::parts(failed), shell::parts(worked));
    let (one, two) = (matching(&one, &two)?, matching(&two, &one)?);
    let (gone, new) = (missing(&one.words, &two.words), missing(&two.words, &one.words));
    let changed = gone.len() + new.len();
    let is_text = gone.iter().chain(&new).any(|word| word.contains('\n'));
    let text = if changed == 0 || changed > MAX_CHANGED || is_text {
        by_lines(failed, worked)?
    } else {
        let minus = (!gone.is_empty()).then(|| format!("- {}", gone.join(" ")));
        let plus = (!new.is_empty()).then(|| format!("+ {}", new.join(" ")));
        // What to write comes first: a long list of what to leave out may be cut.
        plus.into_iter().chain(minus).collect::<Vec<_>>().join(" ")
    };
    Some(text.chars().take(MAX_LENGTH).collect())
}

/// Returns the part of a line that runs the same program as a part of the other line.
fn matching<'p>(parts: &'p [SimpleCommand], others: &[SimpleCommand]) -> Option<&'p SimpleCommand> {
    let programs: Vec<_> = others.iter().filter_map(shell::program).collect();
    let acting = || parts.iter().filter(|part| shell::doing(part) != Doing::Preparing);
    acting().find(|part| shell::program(part).is_some_and(|program| programs.contains(&program)))
}

/// Returns the words of one command that the other does not have.
fn missing<'w>(words: &'w [String], others: &[String]) -> Vec<&'w str> {
    words.iter().map(String::as_str).filter(|word| !others.iter().any(|other| other == word)).collect()
}

/// Returns the first lines of a text that worked which the failed one does not have.
fn by_lines(failed: &str, worked: &str) -> Option<String> {
    let known: HashSet<&str> = failed.lines().map(str::trim).collect();
    let new = worked.lines().map(str::trim).filter(|line| !line.is_empty() && !known.contains(line));
    let lines: Vec<&str> = new.take(MAX_LINES).collect();
    (!lines.is_empty()).then(|| format!("+ {}", lines.join(" ⏎ ")))
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn the_words_that_made_it_work_are_shown() {
        for (failed, worked, expected) in [
            ("git push", "git push --set-upstream origin x", Some("+ --set-upstream origin x")),
            ("cd a && git add b", "git add -f b", Some("+ -f")),
            ("golangci-lint run --disable-all", "golangci-lint run", Some("- --disable-all")),
            ("gh pr diff 104 --stat", "gh pr diff 88 --name-only", Some("+ 88 --name-only - 104 --stat")),
            ("make", "make", None),
            ("make test", "ls", None),
            (
                "gh api graphql -f query='\n{ owner: \"a\" }'",
                "gh api graphql -f query='\n{ owner: \"FSM1\" }'",
                Some("+ { owner: \"FSM1\" }'"),
            ),
        ] {
            assert_eq!(difference(failed, worked).as_deref(), expected, "{failed} / {worked}");
        }
    }
}
