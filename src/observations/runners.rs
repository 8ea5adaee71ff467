//! What runners print: the failure that a pipe hides, and the summary of a test run.
//!
//! Agents write `… 2>&1 | tail -30`, and the exit code is then that of `tail`. The marks come from the runners' own
//! output formats: cargo, go, jest, vitest, mocha, playwright, tsc, ESLint, pnpm, pytest, mypy, ruff, ExUnit, Maven,
//! Gradle, dotnet, RSpec, minitest, RuboCop, PHPUnit, PHPStan, gcc, clang, make, ninja, CMake, ctest, XCTest, husky,
//! golangci-lint, markdownlint, docker, git.

use super::lines;
use crate::shell::{Connector, Doing, SimpleCommand, doing, program};

/// Beginnings of lines that only a failed run prints.
#[rustfmt::skip]
const FAILED_STARTS: [&str; 46] = [
    "--- FAIL:", "FAIL\t", "error[E", "test result: FAILED", "error: could not compile",
    "error: test failed", "error: aborting due to", "ELIFECYCLE", "ERR_PNPM_", "npm ERR!", "npm error code",
    "error Command failed", "Failed to compile", "error during build", "FAILED tests", "FAILED test",
    "ERROR collecting", "ERROR tests", "== Compilation error", "** (Mix)", "** (CompileError)",
    "BUILD FAILURE", "BUILD FAILED", "Build FAILED", "[ERROR] BUILD", "[ERROR] COMPILATION",
    "There were failing tests", "Failed! ", "rake aborted!", "FAILURES!", "ERRORS!", "ninja: build stopped",
    "CMake Error", "** TEST FAILED **", "** BUILD FAILED **", "fatal: ", "error: failed to push",
    "! [rejected]", "CONFLICT (", "husky - ", "ERROR: failed to solve", "Traceback (most recent",
    "error: command failed", "make: ***", "collect2: error", "[FAILED]",
];

/// Texts inside a line that only a failed run prints.
#[rustfmt::skip]
const FAILED_INSIDE: [&str; 14] = [
    "[build failed]", ": error: ", ": fatal error: ", ": error TS", "error TS", "error CS",
    "undefined reference to", "command not found", "ERROR task failed", "would reformat",
    "Code style issues found", " ... FAILED", "does not compile", "make[1]: ***",
];

/// A number greater than zero before one of these is a number of failures.
#[rustfmt::skip]
const COUNTED: [&str; 17] = [
    "failed", "failing", "failure", "failures", "failed,", "failures,", "failing,", "errors,", "error,",
    "offenses", "offense", "problems", "issues:", "tests failed", "errored", "error)", "errors)",
];

/// Labels before a number of failures.
const LABELLED: [&str; 5] = ["Failures:", "Errors:", "Failed:", "failures=", "errors="];

/// Returns the part of a command that failed although the line ended with 0, as its output shows.
pub(super) fn hidden_failure<'p>(parts: &'p [SimpleCommand], output: &str) -> Option<&'p SimpleCommand> {
    let masked = parts.iter().enumerate().filter(|(at, part)| {
        let next = parts.get(at + 1).map(|next| next.joint);
        let is_masked = matches!(next, Some(Connector::Pipe | Connector::Or | Connector::Then));
        is_masked && doing(part) == Doing::Acting && !prints_what_it_reads(part)
    });
    let runner = masked.map(|(_, part)| part).next_back()?;
    // What a later part prints may be a file: only if it reads the runner's output are the lines the runner's.
    let others_print =
        parts.iter().any(|part| part.joint != Connector::Pipe && doing(part) == Doing::Looking);
    if others_print && !parts.iter().any(|part| part.joint == Connector::Pipe) {
        return None;
    }
    output.lines().any(is_failure).then_some(runner)
}

/// Programs that act, and print texts of others while they do.
fn prints_what_it_reads(part: &SimpleCommand) -> bool {
    let program = program(part).unwrap_or_default();
    let name = program.split(' ').next().unwrap_or_default();
    matches!(
        name,
        "ssh"
            | "scp"
            | "wget"
            | "http"
            | "node"
            | "python"
            | "python3"
            | "ruby"
            | "psql"
            | "sqlite3"
            | "mysql"
    ) || matches!(program.as_str(), "git fetch" | "git stash" | "git clone")
        || matches!(name, "cp" | "mv" | "rm" | "mkdir" | "touch" | "chmod" | "kill" | "pkill" | "open")
}

/// Returns whether a line can only come from a run that failed.
fn is_failure(line: &str) -> bool {
    let plain = super::failure::without_colour(line);
    let line = lines::without_prefix(&plain);
    if line.is_empty() || line.len() > 2_000 {
        return false;
    }
    line == "FAIL"
        || FAILED_STARTS.iter().any(|start| line.starts_with(start) || plain.trim_start().starts_with(start))
        || FAILED_INSIDE.iter().any(|text| line.contains(text))
        || counts_failures(line)
        || is_markdownlint(line)
}

/// Recognises `3 failed`, `5 tests, 4 failures`, `✖ 3 problems (1 error, …)`, `Failures: 2`.
fn counts_failures(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    // A summary is short; a sentence with such words in it is somebody's text.
    if words.len() > 16 {
        return false;
    }
    let number = |word: &str| word.trim_matches(['(', '✖', '=', ',', '[']).parse::<u64>().ok();
    let counted = words.windows(2).any(|two| {
        number(two[0]).is_some_and(|count| count > 0)
            && COUNTED.contains(&two[1].trim_end_matches(['=', '.', ';']))
            && is_summary_like(line, &words)
    });
    let labelled = LABELLED.iter().any(|label| {
        let after = line.split_once(label).map(|(_, after)| after.trim_start());
        after.and_then(|after| after.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u64>().ok())
            > Some(0)
    });
    counted || (labelled && line.contains(|c: char| c.is_ascii_digit()) && words.len() <= 14)
}

/// Returns whether a line counts things, rather than telling about them.
fn is_summary_like(line: &str, words: &[&str]) -> bool {
    let first = words[0].trim_matches(|c: char| !c.is_alphanumeric());
    first.parse::<u64>().is_ok()
        || words[0].starts_with(['✖', '=', '✗', '×'])
        || ["Tests", "Test", "Suites", "Specs", "Ran", "Executed", "Found", "Files", "Results", "Summary"]
            .iter()
            .any(|name| line.starts_with(name))
}

/// Recognises `a.md:12 MD040/fenced-code-language …` and `a.md:12 error MD040/…`.
fn is_markdownlint(line: &str) -> bool {
    line.split_once(" MD").is_some_and(|(place, rule)| {
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
    let starts = |start: &str| line.starts_with(start);
    line.len() < 200
        && (starts("test result:")
            || starts("Tests:")
            || starts("Tests run:")
            || starts("Test Suites:")
            || starts("Test Files ")
            || starts("OK (")
            || starts("Passed! ")
            || starts("Failed! ")
            || starts("ok  \t")
            || starts("Success: no issues found")
            || starts("All checks passed")
            || starts("BUILD SUCCESS")
            || (starts("Executed ") && line.contains(" tests"))
            || (line.contains("% tests passed"))
            || counts("passed")
            || counts("passing")
            || counts("tests run")
            || (counts("tests") && line.contains("failure"))
            || (counts("test") && line.contains("failure"))
            || (counts("examples") && line.contains("failure"))
            || (counts("runs") && line.contains("assertions")))
}

#[cfg(test)]
mod tests;
