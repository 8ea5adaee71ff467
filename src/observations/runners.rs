//! What runners print: the failure that a pipe hides, and the summary of a test run.
//!
//! Agents write `… 2>&1 | tail -30`, and the exit code is then that of `tail`. The lists of marks are in `marks.rs`.

use super::marks::{
    COUNTED, COUNTS_TESTS, CRASH_START, FAILED_START, FAILED_TEXT, LABEL, LABELLED, LOOSE_START, LOOSE_TEXT,
    NOTHING_COMMITTED, OWN_MARKS, PASSED_START, PASSED_TEXT, PLAIN_COMPLAINTS, REFUSED, SHELL_NAME,
    SUMMARY_START, TEST_SUMMARY_START,
};
use super::signature::is_code;
use super::{echo, lines};
use crate::model::Literals;
use crate::shell::{Connector, Doing, SimpleCommand, doing, program};

/// What a line of output says about the run that printed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// Only a failed run prints this.
    Failed,
    /// It reports an error; a run that succeeds may log such a line, too.
    Complaint,
    /// A number of failures alone: `3 failed`, `1 test failed`.
    Count,
    /// The summary of a run that succeeded.
    Passed,
    /// A number of tests that passed; there may be others.
    PassedInPart,
    Nothing,
}

/// Lines longer than this are data.
const MAX_LINE: usize = 2_000;
/// A program that crashed says so in its last lines.
const CRASH_LINES: usize = 4;
/// A program that only says why it could not do its work needs at most this many lines, and this many bytes for the first.
const MAX_COMPLAINT_LINES: usize = 3;
const MAX_COMPLAINT: usize = 200;
/// A summary has at most this many words; a sentence with such words in it is somebody's text.
const MAX_SUMMARY_WORDS: usize = 16;

/// Returns the part of a command that failed although the line ended with 0, as its output shows.
pub(super) fn hidden_failure<'p>(
    parts: &'p [SimpleCommand],
    command: &str,
    output: &str,
) -> Option<&'p SimpleCommand> {
    let masked = parts.iter().enumerate().filter(|(at, part)| {
        let next = parts.get(at + 1).map(|next| next.joint);
        matches!(next, Some(Connector::Pipe | Connector::Or | Connector::Then)) && can_fail(part)
    });
    let runner = masked.map(|(_, part)| part).next_back()?;
    // What a later part prints may be a file: only if it reads the runner's output are the lines the runner's.
    let prints = |part: &SimpleCommand| part.joint != Connector::Pipe && doing(part) == Doing::Looking;
    let others_print = parts.iter().any(|part| !std::ptr::eq(part, runner) && prints(part));
    if others_print && !parts.iter().any(|part| part.joint == Connector::Pipe) {
        return None;
    }
    shows_failure(runner, command, output).then_some(runner)
}

/// Returns whether the output of a command shows that it failed, if nobody says how it ended.
///
/// Most agents report only a run that did not succeed, so an error that was merely logged does not count: the last word
/// of the runner itself must be that it failed.
pub(super) fn says_failed(parts: &[SimpleCommand], command: &str, output: &str) -> bool {
    let Some(runner) = parts.iter().rev().find(|part| doing(part) == Doing::Acting) else { return false };
    let program = program(runner).unwrap_or_default();
    let name = program.split(' ').next().unwrap_or_default();
    !prints_what_it_reads(&program) && last_word(output, command, name) == Some(Mark::Failed)
}

/// Returns whether the lines that were kept of an output say that the run failed.
pub(crate) fn is_failed_summary(lines: &str) -> bool {
    last_word(lines, "", "") == Some(Mark::Failed)
}

/// Returns what the last line says that speaks of the whole run.
fn last_word(output: &str, command: &str, name: &str) -> Option<Mark> {
    let lines = output.lines().rev().filter(|line| line.len() <= MAX_LINE);
    let marks = lines.map(|line| (mark(line, name), line));
    let is_verdict = |(mark, line): &(Mark, &str)| {
        *mark == Mark::Passed || *mark == Mark::Failed && !echo::is_echo(line, command)
    };
    marks.into_iter().find(is_verdict).map(|(mark, _)| mark)
}

/// Returns whether the failure of a part matters: it does something, or asks a server.
fn can_fail(part: &SimpleCommand) -> bool {
    doing(part) == Doing::Acting || program(part).is_some_and(|name| name == "curl")
}

fn shows_failure(runner: &SimpleCommand, command: &str, output: &str) -> bool {
    let program = program(runner).unwrap_or_default();
    let name = program.split(' ').next().unwrap_or_default();
    // `node --test` and `python -m doctest` are runners, too.
    let runs_tests = || runner.words.iter().any(|word| word == "--test" || word == "doctest");
    if prints_what_it_reads(&program) && !runs_tests() {
        let complains = |line: &str| is_own_complaint(line, name) || is_shell_complaint(line);
        // What a database or a server sends may look like an exception.
        return output.lines().any(complains) || !prints_data(name) && crashed(output);
    }
    let mut complained = crashed(output) || is_one_complaint(output);
    let (mut counted, mut passed, mut passed_in_part) = (false, false, false);
    for line in output.lines().filter(|line| line.len() <= MAX_LINE) {
        match mark(line, name) {
            // What the command itself has in it, such as the message of a commit, its runner did not say.
            Mark::Failed | Mark::Complaint | Mark::Count if echo::is_echo(line, command) => {}
            Mark::Failed => return true,
            Mark::Complaint => complained = true,
            Mark::Count => counted = true,
            Mark::Passed => passed = true,
            Mark::PassedInPart => passed_in_part = true,
            Mark::Nothing => {}
        }
    }
    !passed && (counted || complained && !passed_in_part)
}

/// Programs that print what is stored somewhere else.
fn prints_data(name: &str) -> bool {
    matches!(name, "psql" | "sqlite3" | "mysql" | "mariadb" | "curl" | "wget" | "http")
}

/// Returns whether an output is short, and begins with what went wrong: `Unit x.service not found.`
///
/// A program that did its work says what it did, or nothing; one that could not says why, in its own words.
fn is_one_complaint(output: &str) -> bool {
    let mut lines = output.lines().filter(|line| !line.trim().is_empty());
    let Some(first) = lines.next() else { return false };
    if lines.nth(MAX_COMPLAINT_LINES - 1).is_some() || first.len() > MAX_COMPLAINT {
        return false;
    }
    let lower = first.to_lowercase();
    PLAIN_COMPLAINTS.iter().any(|text| lower.contains(text))
}

/// Programs that act, and print texts of others while they do: only what they say in their own name counts.
fn prints_what_it_reads(program: &str) -> bool {
    let name = program.split(' ').next().unwrap_or_default();
    let runs_tests = program.contains("test") || program.contains("spec");
    matches!(name, "node" | "python" | "python3" | "ruby" | "perl" | "php" | "tsx" | "ts-node") && !runs_tests
        || matches!(name, "ssh" | "scp" | "rsync" | "wget" | "http" | "curl" | "psql" | "sqlite3" | "mysql")
        || matches!(name, "cp" | "mv" | "rm" | "mkdir" | "touch" | "chmod" | "kill" | "pkill" | "open")
        || matches!(program, "git fetch" | "git stash" | "git clone" | "deno run")
}

/// Returns what a line says about its run.
fn mark(line: &str, name: &str) -> Mark {
    let plain = super::failure::without_colour(line);
    // turbo and nx write one space before their own lines.
    let is_indented = plain.starts_with('\t') || plain.starts_with("  ");
    let whole = plain.trim();
    let line = lines::without_prefix(whole);
    if line.is_empty() {
        return Mark::Nothing;
    }
    fn start<const N: usize>(marks: &Literals<N>, line: &str, whole: &str) -> bool {
        marks.begin(line) || line.len() < whole.len() && marks.begin(whole)
    }
    // `OK (expected failures=1)` counts, too; the words of a commit are somebody's text.
    if line == "OK" || line == "PASS" || line.starts_with("OK (") || is_commit(whole) {
        return Mark::Passed;
    }
    if line.starts_with("--- PASS:") {
        return Mark::PassedInPart;
    }
    match counted_failures(line) {
        FailureCount::Some => return Mark::Failed,
        FailureCount::Bare => return Mark::Count,
        FailureCount::Zero => return Mark::Passed,
        FailureCount::Unknown => {}
    }
    if line == "FAIL"
        || start(&FAILED_START, line, whole)
        || FAILED_TEXT.are_in(whole)
        || is_failed_item(line)
    {
        return Mark::Failed;
    }
    if start(&PASSED_START, line, whole) || PASSED_TEXT.are_in(whole) {
        return Mark::Passed;
    }
    if is_passed_count(line) {
        return Mark::PassedInPart;
    }
    let complains = !is_indented
        && (start(&LOOSE_START, line, whole) || is_error_sentence(line) || lines::is_exception(line))
        || LOOSE_TEXT.are_in(whole)
        || is_markdownlint(line)
        || is_diagnostic(line)
        || is_report(line)
        || name == "git"
            && NOTHING_COMMITTED.iter().any(|start| line.starts_with(start) || whole.starts_with(start))
        || is_own_complaint(whole, name)
        || is_shell_complaint(whole);
    if complains { Mark::Complaint } else { Mark::Nothing }
}

/// Recognises `[main 1a2b3c4] fix: the error`, by which git says that it has committed.
fn is_commit(line: &str) -> bool {
    let head = line.strip_prefix('[').and_then(|line| line.split_once("] ")).map(|(head, _)| head);
    head.and_then(|head| head.rsplit_once(' '))
        .is_some_and(|(_, hash)| hash.len() >= 7 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Recognises `FAIL src/a.test.ts`, `FAIL [ 0.1s] a::b` and `not ok 3 - name`.
fn is_failed_item(line: &str) -> bool {
    let is_todo = || line.contains("# TODO") || line.contains("# SKIP");
    if line.starts_with("not ok ") {
        return !is_todo();
    }
    let item = line.strip_prefix("FAIL ").map(str::trim_start);
    item.and_then(|item| item.split_whitespace().next())
        .is_some_and(|first| first.starts_with(['[', '"', '\'']) || first.contains(['/', '.', '|']))
}

/// Recognises what compilers and linters print: `path:12:3: message`, but no warning or note.
fn is_diagnostic(line: &str) -> bool {
    let Some(message) = lines::message_behind_place(line).filter(|message| message.contains(' ')) else {
        return false;
    };
    let first = message.split_whitespace().next().unwrap_or_default().to_lowercase();
    let is_mild = ["warn", "note", "info", "hint", "remark", "debug", "style", "deprecat"]
        .iter()
        .any(|word| first.starts_with(word))
        || first.contains("warning");
    let place = line.split_whitespace().next().unwrap_or_default();
    // A place without a column is in many logs, so the message must speak of an error.
    let has_column = place
        .trim_end_matches([':', ')'])
        .split([':', ','])
        .filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
        .count()
        > 1
        || place.contains(',');
    let has_code = is_code(message.split([' ', ':']).next().unwrap_or_default());
    !is_mild && (has_column || has_code || lines::speaks_of_error(message))
}

/// Recognises `12:3  error  message`, `In a.sh line 3:`, `[RuntimeException]`, `[UsageError]: message`, `a.sql FAIL`,
/// `trim spaces.....Failed` and `… solving failed.`
fn is_report(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_place = first.split_once(':').is_some_and(|(line, column)| is_number(line) && is_number(column));
    is_place && second == "error"
        || first == "In" && line.contains(" line ") && line.ends_with(':')
        || line.starts_with('[') && names_bracketed_error(line)
        || line.ends_with(" FAIL")
        || line.ends_with("....Failed")
        || line.ends_with("aborting.")
        || line.ends_with(" [E]")
        || line.split_once(" failed: ").is_some_and(|(_, why)| why.starts_with(char::is_alphabetic))
        || line.split_whitespace().any(|word| word.trim_end_matches([',', ':', '.', '!']) == "FAILED")
        || words.next().is_some() && (line.ends_with(" failed.") || line.ends_with(" was refused"))
        || REFUSED.are_in(line)
}

fn names_bracketed_error(line: &str) -> bool {
    let (name, _) = line.split_once("]: ").unwrap_or((line.trim_end_matches(']'), ""));
    let is_name = line.ends_with(']') || name.len() < line.len() && !name.contains(' ');
    is_name && (name.ends_with("Exception") || name.ends_with("Error"))
}

/// Recognises `Error response from daemon: …`, `Error in f(1)` and `Error loading x`, but not `Error handling works`.
fn is_error_sentence(line: &str) -> bool {
    let next = line.strip_prefix("Error ").and_then(|rest| rest.split_whitespace().next());
    next.is_some_and(|next| {
        matches!(
            next,
            "in" | "at" | "while" | "when" | "during" | "from" | "response" | "occurred" | "encountered"
        ) || next.ends_with("ing") && next != "handling"
    })
}

/// Recognises `9 passed (10.8s)` and `2 passing (5ms)`.
fn is_passed_count(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let number = words.next().is_some_and(|word| word.parse::<u64>().is_ok());
    number
        && matches!(words.next(), Some("passed" | "passing" | "pass"))
        && words.next().is_none_or(|word| word.starts_with('('))
}

/// Recognises `tar: cannot open …`: a program that speaks of an error in its own name.
fn is_own_complaint(line: &str, name: &str) -> bool {
    // `tar: …`, and `ESLint couldn't find …`
    let called = line.get(..name.len()).filter(|start| start.eq_ignore_ascii_case(name));
    let message = called.and_then(|_| {
        let rest = &line[name.len()..];
        rest.strip_prefix(": ").or_else(|| rest.strip_prefix(' ').filter(|_| !line.starts_with(name)))
    });
    let by_name = !name.is_empty() && message.is_some_and(lines::speaks_of_error);
    let marks = OWN_MARKS.iter().find(|(program, _)| *program == name).map_or(&[][..], |(_, marks)| marks);
    let by_wget = name == "wget" && (line.contains("... failed: ") || line.contains(" ERROR "));
    by_name || by_wget || marks.iter().any(|mark| line.starts_with(mark))
}

/// Recognises `zsh: no matches found: x` and `a.sh: line 3: X: unbound variable`.
fn is_shell_complaint(line: &str) -> bool {
    // Most lines have no colon.
    memchr::memchr(b':', line.as_bytes()).is_some()
        && (SHELL_NAME.begin(line) || line.contains(": line "))
        && line.contains(": ")
        && lines::speaks_of_error(line)
}

/// Returns whether a program ended by an exception that nobody caught.
fn crashed(output: &str) -> bool {
    let last = output.lines().rev().filter(|line| !line.trim().is_empty()).take(CRASH_LINES);
    let ends_by_exception = |line: &str| {
        !line.starts_with([' ', '\t'])
            && (lines::is_exception(line)
                || line.starts_with("Error: ")
                || line.starts_with("Node.js v")
                || lines::is_perl_death(line))
            || line.starts_with("  thrown in ")
    };
    last.into_iter().any(ends_by_exception)
        || output.lines().any(|line| CRASH_START.begin(line) || is_ruby_crash(line))
}

/// Recognises `a.rb:1:in `<main>': uninitialized constant Cart (NameError)`.
fn is_ruby_crash(line: &str) -> bool {
    let names_error = line.ends_with("Error)") || line.ends_with("Exception)");
    let is_syntax =
        || lines::message_behind_place(line).is_some_and(|message| message.starts_with("syntax error"));
    !line.starts_with([' ', '\t']) && (names_error && line.contains(":in ") || is_syntax())
}

/// What a line counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FailureCount {
    /// A summary with failures: `5 tests, 4 failures`.
    Some,
    /// A number of failures alone: `3 failed`, `1 test failed`.
    Bare,
    /// A summary without failures: `5 tests, 0 failures`.
    Zero,
    Unknown,
}

/// Reads `3 failed`, `5 tests, 4 failures`, `✖ 3 problems (1 error, …)`, `Failures: 2`.
fn counted_failures(line: &str) -> FailureCount {
    if !line.contains(|c: char| c.is_ascii_digit()) {
        return FailureCount::Unknown;
    }
    // `Found 2 errors (2 fixed, 0 remaining).`
    if line.contains(" 0 remaining") {
        return FailureCount::Zero;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    if words.len() > MAX_SUMMARY_WORDS || !is_summary_like(line, &words) {
        return labelled_failures(line, &words);
    }
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let mut counts: Vec<(u64, String)> = words
        .windows(2)
        .enumerate()
        .filter_map(|(at, two)| {
            let number = |word: Option<&&str>| word.and_then(|word| bare(word).parse::<u64>().ok());
            let count = number(two.first())?;
            // `succeeded 5, failed 0, ignored 0` has the number behind its name.
            let behind = number(words.get(at + 2)).filter(|_| two[0].ends_with(','));
            Some((behind.unwrap_or(count), bare(two[1]).to_lowercase()))
        })
        .collect();
    // `1 test failed`, `3 checks failed`
    let spaced = words.windows(3).filter_map(|three| {
        let name = bare(three[2]).to_lowercase();
        let is_failed = matches!(name.as_str(), "failed" | "failing" | "errored");
        let is_noun = bare(three[1]).parse::<u64>().is_err() && !three[1].ends_with(',');
        let count = bare(three[0]).parse().ok()?;
        (is_failed && is_noun && !COUNTED.contains(&three[1])).then_some((count, name))
    });
    counts.extend(spaced);
    let counted = |names: &[&str]| -> Option<u64> {
        let found: Vec<u64> = counts
            .iter()
            .filter(|(_, name)| names.contains(&name.as_str()))
            .map(|(count, _)| *count)
            .collect();
        (!found.is_empty()).then(|| found.iter().sum())
    };
    // `2 problems (0 errors, 2 warnings)` is no failure.
    let failures = counted(&COUNTED).or_else(|| counted(&["problem", "problems", "issue", "issues"]));
    let is_status = || lines::is_status(&line.to_lowercase());
    match failures {
        Some(0) => FailureCount::Zero,
        // `Errors  1 error`, which vitest writes below tests that passed.
        Some(_) if matches!(words[0], "Errors" | "Failed" | "Failures") => FailureCount::Some,
        // One number in a sentence with other words is somebody's text.
        Some(_) if counts.len() == 1 && !is_status() => FailureCount::Unknown,
        Some(_) if words.len() <= 3 && is_status() => FailureCount::Bare,
        Some(_) => FailureCount::Some,
        None => labelled_failures(line, &words),
    }
}

/// Reads `Failures: 1, Errors: 0` and `FAILED (failures=1)`.
fn labelled_failures(line: &str, words: &[&str]) -> FailureCount {
    if !LABEL.are_in(line) {
        return FailureCount::Unknown;
    }
    let counts = LABELLED.iter().filter_map(|label| {
        let after = line.split_once(label).map(|(_, after)| after.trim_start())?;
        after.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u64>().ok()
    });
    match counts.reduce(|one, two| one + two) {
        Some(0) if words.len() > 2 => FailureCount::Zero,
        Some(count) if count > 0 && words.len() <= 14 => FailureCount::Some,
        _ => FailureCount::Unknown,
    }
}

/// Returns whether a line counts things, rather than telling about them.
fn is_summary_like(line: &str, words: &[&str]) -> bool {
    let first = words[0].trim_matches(|c: char| !c.is_alphanumeric());
    let is_number = |at: usize| words.get(at).is_some_and(|word| word.parse::<u64>().is_ok());
    first.parse::<u64>().is_ok()
        || words[0].starts_with(['✖', '=', '✗', '×'])
        // `x 1 dependency violations (1 errors, 0 warnings)`, `Contracts: 0 kept, 1 broken.`
        || (words[0] == "x" || words[0].ends_with(':') && words.len() < 8) && is_number(1)
        // `3 files checked, found 2 errors`
        || words.windows(2).any(|two| {
            matches!(two[0], "found" | "Found" | "FOUND") && two[1].parse::<u64>().is_ok()
        })
        || SUMMARY_START.begin(line)
}

/// Recognises `a.md:12 MD040/fenced-code-language …` and `a.md:12 error MD040/…`.
fn is_markdownlint(line: &str) -> bool {
    line.contains(".md:")
        && line.split_once(" MD").is_some_and(|(place, rule)| {
            place.contains(".md:")
                && rule.get(..3).is_some_and(|code| code.bytes().all(|byte| byte.is_ascii_digit()))
        })
}

/// Recognises the summary lines of test runners.
pub(super) fn is_summary(line: &str) -> bool {
    let line = line.trim();
    let counts = |word: &str| {
        line.match_indices(word).any(|(at, _)| line[..at].trim_end().ends_with(|c: char| c.is_ascii_digit()))
    };
    if line.len() >= 200 {
        return false;
    }
    if TEST_SUMMARY_START.begin(line) || line.starts_with("Executed ") && line.contains(" tests") {
        return true;
    }
    COUNTS_TESTS.are_in(line)
        && (line.contains("% tests passed")
            || counts("passed")
            || counts("passing")
            || counts("tests run")
            || (line.contains("failure") && (counts("test") || counts("examples")))
            || (line.contains("assertions") && counts("runs")))
}

#[cfg(test)]
mod formats;
#[cfg(test)]
mod tests;
