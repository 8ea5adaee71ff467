//! The marks of runs that failed and that passed, as the tools of many ecosystems print them.
//!
//! They come from the output of real runs, kept in `tests/fixtures/runners`, and from the tools' own formats: cargo, go,
//! jest, vitest, mocha, playwright, tsc, ESLint, npm, pnpm, pytest, unittest, mypy, ruff, ExUnit, Maven, Gradle, dotnet,
//! RSpec, minitest, RuboCop, PHPUnit, PHPStan, gcc, clang, make, ninja, CMake, ctest, XCTest, husky, golangci-lint,
//! markdownlint, docker, git.

use crate::model::Literals;

/// Beginnings of lines that only a failed run prints.
#[rustfmt::skip]
const FAILED_STARTS: [&str; 53] = [
    "--- FAIL:", "FAIL\t", "error[E", "test result: FAILED", "error: could not compile",
    "error: test failed", "error: aborting due to", "ELIFECYCLE", "ERR_PNPM_", "npm ERR!", "npm error ",
    "error Command failed", "Failed to compile", "error during build", "FAILED tests", "FAILED test", "FAILED (", "FAILED: ",
    "ERROR collecting", "ERROR tests", "== Compilation error", "** (Mix)", "** (CompileError)",
    "BUILD FAILURE", "BUILD FAILED", "Build FAILED", "[ERROR] ", "Diff in ",
    "There were failing tests", "Failed! ", "rake aborted!", "FAILURES!", "ERRORS!", "ninja: build stopped",
    "CMake Error", "** TEST FAILED **", "** BUILD FAILED **", "error: failed to push",
    "! [rejected]", "CONFLICT (", "ERROR: failed to solve", "make: *** ", "gmake: *** ",
    "collect2: error", "[FAILED]", "error: command failed", "*** Error code ", "Execution halted", "Tests failed", "Some tests failed",
    "no tests ran in ", "● Validation Error", "***Test Failed***",
];

/// Texts inside a line that only a failed run prints.
#[rustfmt::skip]
const FAILED_INSIDE: [&str; 21] = [
    "[build failed]", "[setup failed]", "ERROR task failed", "would reformat", "would be reformatted",
    "Code style issues found", " ... FAILED", "]: *** ", " script failed (code ", "==ABORTING", "*** FAILED ***", "TestsFailedException",
    ", exiting with code 1", "build worker exited with code", "(with warnings treated as errors)", "= no tests ran in ",
    // Too little is covered, although every test passed: jest, nyc and c8, pytest-cov, coverage.py, SimpleCov.
    "coverage threshold for ", "does not meet global threshold", "FAIL Required test coverage", "Coverage failure: total of",
    "below the expected minimum coverage",
];

/// Beginnings of lines that report an error, at the beginning of the line and in a run that does not pass.
#[rustfmt::skip]
const LOOSE_STARTS: [&str; 69] = [
    "error: ", "Error: ", "ERROR: ", "ERROR ", "error ", "error[", "fatal: ", "FATAL", "Fatal error", "fatal error",
    "panic: ", "thread '", "Traceback (most recent", "Exception in thread", "Unhandled", "Uncaught", "PHP Fatal",
    "PHP Parse", "Parse error", "** (", "Failed to ", "failed to ", "Could not ", "could not ", "Cannot ", "cannot ",
    "Unable to ", "unable to ", "Errors parsing",
    "Automatic merge failed", "Unknown ", "unknown ", "Command not found", "Invalid ", "invalid ", "No such ",
    "Missing ", "An error ", "E: ", ">> Issue: ", "To get started with GitHub CLI", "Errors while running", "NX   ",
    "Compilation failed", "compilation failed", "Build failed", "build failed", "Aborting", "Caused by:", "Failed: ",
    "abort: ", "Couldn't ", "couldn't ", "Can't ", "can't ", "[error] ", "You need to ", "You must ",
    "Oops! Something went wrong", "❌ ", "⨯ ", "[!] ", "ERR! ", "%Error",
    "Unused files (", "Unused dependencies (", "Unused exports (", "Unlisted dependencies (", "Unresolved imports (",
];

/// What git says when there is nothing to commit; `git stash pop` says it, too, when it has worked.
pub(super) const NOTHING_COMMITTED: [&str; 2] = ["nothing to commit", "no changes added to commit"];

/// Texts inside a line that report an error, in a run that does not pass.
#[rustfmt::skip]
const LOOSE_INSIDE: [&str; 18] = [
    "connection refused", "Connection refused",
    ": error: ", ": fatal error: ", "error TS", "error CS", "undefined reference to", "command not found",
    "does not compile", "is not recognized as ", " hook exited with code ", "Command failed with exit code",
    "level=fatal", "level=error", ": runtime error: ", " exited with code 1", " ERR! ",
    "import cycle not allowed",
];

/// Beginnings of the summary of a run that passed.
#[rustfmt::skip]
pub(super) const PASSED_STARTS: [&str; 16] = [
    "test result: ok", "ok  \t", "ok \t", "OK (", "Passed! ", "All checks passed", "Success: no issues found",
    "BUILD SUCCESS", "Finished `", "All matched files use Prettier", "Everything up-to-date", "Already up to date",
    "Test Files ", "Tests: ", "Apply complete!", "[success] ",
];

/// Texts inside the summary of a run that passed.
#[rustfmt::skip]
const PASSED_INSIDE: [&str; 8] = [
    "no offenses detected", "100% tests passed", "compiled successfully", "✓ built in", " passed in ",
    "no issues found", " (ignored)", "Successfully ran ",
];

/// What an interpreter prints when a program cannot be read or ends by an error.
#[rustfmt::skip]
const INTERPRETER_CRASHES: [&str; 5] = [
    "PHP Fatal error:", "PHP Parse error:", "Fatal error: Uncaught", "Segmentation fault", "Parse error: ",
];

/// How programs that print texts of others report an error of their own, beside `NAME: `.
pub(super) const OWN_MARKS: [(&str, &[&str]); 11] = [
    ("gh", &["X "]),
    ("git", &["fatal: ", "error: ", "CONFLICT (", "The stash entry is kept"]),
    ("psql", &["ERROR:  ", "FATAL:  "]),
    ("mysql", &["ERROR "]),
    ("mariadb", &["ERROR "]),
    ("latex", &["! "]),
    ("pdflatex", &["! "]),
    ("xelatex", &["! "]),
    ("lualatex", &["! "]),
    ("latexmk", &["! "]),
    (
        "sqlite3",
        &["Error: in ", "Error: near ", "Error: stepping", "Error: unable", "Parse error ", "Runtime error "],
    ),
];

/// How shells call themselves at the beginning of a message.
const SHELL_NAMES: [&str; 14] = [
    "zsh:",
    "bash:",
    "sh:",
    "dash:",
    "fish:",
    "(eval):",
    "/bin/sh:",
    "/bin/bash:",
    "env:",
    "sudo:",
    "timeout:",
    "xargs:",
    "nohup:",
    "ssh:",
];

/// A number before one of these is a number of failures.
#[rustfmt::skip]
pub(super) const COUNTED: [&str; 13] = [
    "failed", "failing", "failure", "failures", "fail", "error", "errors", "errored", "offense", "offenses", "violation",
    "violations", "broken",
];

/// Labels before a number of failures.
pub(super) const LABELLED: [&str; 9] = [
    "Failures:",
    "Errors:",
    "Failed:",
    "failures=",
    "errors=",
    "failed=",
    "unreachable=",
    "# fail ",
    "ℹ fail ",
];

/// First words of lines that count.
#[rustfmt::skip]
const SUMMARY_STARTS: [&str; 24] = [
    "Tests", "Test", "Suites", "Specs", "Ran", "Executed", "Found", "Files", "Results", "Summary", "test result",
    "Errors ", "Failed ", "Scanned", "Checked", "Linted", "Analyzed", "Analysed", "Processed", "Inspected",
    "Compiled", "Finished", "Completed", "Status:",
];

/// What a short output says when its first line is all that went wrong, in any program.
#[rustfmt::skip]
pub(super) const PLAIN_COMPLAINTS: [&str; 28] = [
    "not found", "no such", "cannot ", "can't ", "could not", "couldn't", "unable to", "permission denied", "access denied",
    "refused", "already exists", "does not ", "doesn't ", "is not a ", "not in ", "unrecognized", "unknown ", "no idea ",
    "failed to ", "not installed", "not supported", "not allowed", "not permitted", "must ", "is required", "timed out",
    "undefined ", "is lower than ",
];

// The lists as tables: a hook holds every line of an output against all of them.
pub(super) static FAILED_START: Literals<{ FAILED_STARTS.len() }> = Literals::exact(FAILED_STARTS);
pub(super) static FAILED_TEXT: Literals<{ FAILED_INSIDE.len() }> = Literals::exact(FAILED_INSIDE);
pub(super) static LOOSE_START: Literals<{ LOOSE_STARTS.len() }> = Literals::exact(LOOSE_STARTS);
pub(super) static LOOSE_TEXT: Literals<{ LOOSE_INSIDE.len() }> = Literals::exact(LOOSE_INSIDE);
pub(super) static PASSED_START: Literals<{ PASSED_STARTS.len() }> = Literals::exact(PASSED_STARTS);
pub(super) static PASSED_TEXT: Literals<{ PASSED_INSIDE.len() }> = Literals::exact(PASSED_INSIDE);
pub(super) static CRASH_START: Literals<{ INTERPRETER_CRASHES.len() }> = Literals::exact(INTERPRETER_CRASHES);
pub(super) static SHELL_NAME: Literals<{ SHELL_NAMES.len() }> = Literals::exact(SHELL_NAMES);
pub(super) static LABEL: Literals<{ LABELLED.len() }> = Literals::exact(LABELLED);
pub(super) static SUMMARY_START: Literals<{ SUMMARY_STARTS.len() }> = Literals::exact(SUMMARY_STARTS);

/// Beginnings of the lines that sum up a test run.
#[rustfmt::skip]
pub(super) static TEST_SUMMARY_START: Literals<12> = Literals::exact([
    "test result:", "Tests:", "Tests run:", "Test Suites:", "Test Files ", "OK (", "Passed! ", "Failed! ", "ok  \t",
    "Success: no issues found", "All checks passed", "BUILD SUCCESS",
]);

/// Without one of these, a line does not count tests.
pub(super) static COUNTS_TESTS: Literals<5> =
    Literals::exact(["passed", "passing", "tests run", "failure", "assertions"]);

/// How a hook or a server says no, in the middle of a line.
pub(super) static REFUSED: Literals<1> = Literals::exact([" was refused - "]);
