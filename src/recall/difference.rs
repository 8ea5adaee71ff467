//! The difference between a command that failed and one that worked: what to write instead.

use std::collections::HashSet;

use crate::shell::{self, Doing, SimpleCommand};

/// More changed words than this are another command, which is shown as it is.
const MAX_CHANGED: usize = 8;
/// At most this many lines of a long text are shown.
const MAX_LINES: usize = 2;
/// Maximum length of the whole difference, in characters.
const MAX_LENGTH: usize = 200;

/// Options whose value is prose that somebody wrote: what is new in it made nothing work.
pub(crate) const PROSE_OPTIONS: [&str; 12] = [
    "-m",
    "-am",
    "--message",
    "--body",
    "-b",
    "--title",
    "-t",
    "--notes",
    "--description",
    "--comment",
    "--subject",
    "--reason",
];

/// Returns whether two commands do the same: whatever prepares them, and whatever shortens their output.
pub(crate) fn is_same_act(failed: &str, worked: &str) -> bool {
    let acts = |command: &str| -> Vec<Vec<String>> {
        acting(&shell::parts(command)).cloned().map(|part| part.words).collect()
    };
    let (one, two) = (acts(failed), acts(worked));
    let is_same = !one.is_empty() && one == two && assignments(failed) == assignments(worked);
    is_same || failed.trim() == worked.trim()
}

/// Returns what is different in a command that worked, such as `+ --set-upstream origin x`; `None` if nothing is, or if
/// the two have so little in common that the difference says nothing. The program is the one that failed.
pub(crate) fn difference(program: Option<&str>, failed: &str, worked: &str) -> Option<String> {
    if is_same_act(failed, worked) {
        return None;
    }
    let (all_failed, all_worked) = (shell::parts(failed), shell::parts(worked));
    let (one, two) =
        (matching(program, &all_failed, &all_worked)?, matching(program, &all_worked, &all_failed)?);
    let (one, two) = (without_prose(&one.words), without_prose(&two.words));
    let (gone, new) = (missing(&one, &two), missing(&two, &one));
    // The same part in other company: what was run beside it is the difference.
    let bare = |part: &SimpleCommand| without_prose(&part.words);
    let is_new = |part: &&SimpleCommand| !all_failed.iter().any(|known| bare(known) == bare(part));
    let beside = acting(&all_worked).filter(is_new).map(|part| part.words.join(" "));
    let known = assignments(failed);
    let set = assignments(worked).into_iter().filter(|one| !known.contains(one)).map(str::to_owned);
    let beside: Vec<String> = set.chain(beside).collect();
    if gone.is_empty() && new.is_empty() && !beside.is_empty() && !worked.contains('\n') {
        return Some(format!("+ {}", beside.join(" && ")).chars().take(MAX_LENGTH).collect());
    }
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

/// Returns the variables that a command sets for what it runs: `NODE_OPTIONS=--openssl-legacy-provider`.
fn assignments(command: &str) -> Vec<&str> {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
            && name.bytes().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == b'_')
    };
    let is_assignment = |word: &&str| word.split_once('=').is_some_and(|(name, _)| is_name(name));
    command.split_whitespace().filter(is_assignment).collect()
}

fn acting(parts: &[SimpleCommand]) -> impl Iterator<Item = &SimpleCommand> {
    parts.iter().filter(|part| shell::doing(part) == Doing::Acting)
}

/// Returns the part of a line that runs the program which failed, or else one that runs the same program as a part of
/// the other line.
fn matching<'p>(
    program: Option<&str>,
    parts: &'p [SimpleCommand],
    others: &[SimpleCommand],
) -> Option<&'p SimpleCommand> {
    let programs: Vec<_> = others.iter().filter_map(shell::program).collect();
    let is_shared = |part: &&SimpleCommand| shell::program(part).is_some_and(|name| programs.contains(&name));
    let mut shared = parts.iter().filter(|part| shell::doing(part) != Doing::Preparing).filter(is_shared);
    let first = shared.clone().next();
    shared.find(|part| shell::program(part).as_deref() == program).or(first)
}

/// Returns the words of a command without the texts that a person or an agent wrote for people.
fn without_prose(words: &[String]) -> Vec<String> {
    let is_prose = |at: usize| at > 0 && PROSE_OPTIONS.contains(&words[at - 1].as_str());
    (0..words.len()).filter(|at| !is_prose(*at)).map(|at| words[at].clone()).collect()
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
            ("mix test 2>&1 | tail -50", "mix test 2>&1 | tail -60", None),
            ("node build.js", "NODE_OPTIONS=--x node build.js", Some("+ NODE_OPTIONS=--x")),
            ("sh check.sh", "touch done && sh check.sh && echo passed", Some("+ touch done")),
            (
                "gh api graphql -f query='\n{ owner: \"a\" }'",
                "gh api graphql -f query='\n{ owner: \"FSM1\" }'",
                Some("+ { owner: \"FSM1\" }'"),
            ),
        ] {
            assert_eq!(difference(None, failed, worked).as_deref(), expected, "{failed} / {worked}");
        }
    }

    #[test]
    fn the_part_of_the_program_that_failed_is_compared_without_its_prose() {
        let check = |failed: &str, worked: &str, expected: Option<&str>| {
            assert_eq!(difference(Some("git commit"), failed, worked).as_deref(), expected, "{worked}");
        };
        check("git add -A && git commit -m one", "git add a b && git commit -m two", Some("+ git add a b"));
        check(
            "git add a && git commit -m one",
            "git add a && git commit --no-verify -m one",
            Some("+ --no-verify"),
        );
    }
}
