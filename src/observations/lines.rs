//! What a line of output says: the cause of a failure, the status of a runner, or nothing.
//!
//! A runner's status line ("FAIL", "ERROR task failed", "make: *** Error 1") is the same for every failure, so it says
//! nothing. The lists come from the runners of many ecosystems: cargo, go, npm, pnpm, yarn, turbo, nx, jest, vitest,
//! mocha, playwright, pytest, tox, ExUnit, Maven, Gradle, JUnit, dotnet, RSpec, Rake, PHPUnit, make, ninja, CMake,
//! husky, lint-staged, pre-commit, golangci-lint, ESLint, Terraform, Bazel, Stack, Ansible, docker and git.

mod prefix;
mod tables;

pub(super) use prefix::without_prefix;

use crate::model::beginning;

/// How much a line says about the cause of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Worth {
    /// A status, a progress bar, a frame of a stack or of code.
    Nothing,
    /// An ordinary line.
    Plain,
    /// It speaks of something that went wrong.
    Suspect,
    /// It names the cause: an error with its message, a place with a message, a failed test.
    Cause,
}

/// Words of runners; a line that has no other word is a status line.
#[rustfmt::skip]
const STATUS_WORDS: [&str; 151] = [
    "fail", "fails", "failed", "failing", "failure", "failures", "error", "errors", "err", "errored",
    "task", "tasks", "test", "tests", "testing", "suite", "suites", "build", "building", "built", "builds",
    "command", "commands", "script", "scripts", "exit", "exits", "exited", "code", "codes", "status",
    "step", "steps", "job", "jobs", "run", "runs", "running", "ran", "rerun", "pass", "passed", "passing",
    "skipped", "skip", "total", "due", "to", "previous", "with", "the", "an", "and", "or", "of", "in",
    "for", "on", "at", "by", "from", "is", "was", "were", "are", "there", "npm", "pnpm", "yarn", "make",
    "target", "targets", "recipe", "stopped", "aborted", "aborting", "process", "completed", "complete",
    "finished", "problem", "problems", "warning", "warnings", "issue", "issues", "found", "lint", "linting",
    "check", "checks", "hook", "hooks", "pre-commit", "pre-push", "time", "times", "seconds", "second",
    "ms", "min", "files", "file", "result", "results", "summary", "info", "executed", "ok", "not",
    "non-zero", "nonzero", "returned", "after", "all", "some", "one", "more", "did", "see", "above",
    "below", "doctest", "doctests", "property", "properties", "excluded", "example", "examples", "pending",
    "assertion", "assertions", "skips", "expectations", "offense", "offenses", "suggestion", "suggestions",
    "design", "generated", "detected", "inspected", "occurred", "scanned", "checked", "linted", "analyzed",
    "processed", "compiled", "success", "successes",
];

/// Beginnings of lines that carry a name or a path, and still say nothing about the cause. Lower case.
#[rustfmt::skip]
const STATUS_STARTS: [&str; 145] = [
    "exit status", "exit code", "exited with", "process exited", "process completed with exit code",
    "command failed with exit code", "error: command failed", "error command failed", "error task failed",
    "make: *** [", "gmake: *** [", "ninja: build stopped", "elifecycle",
    "err_pnpm_recursive_run_first_fail", "err_pnpm_recursive_exec_first_fail", "npm err! code elifecycle",
    "npm err! errno", "npm err! a complete log", "npm err! path", "npm err! command",
    "npm err! lifecycle script", "npm err! in workspace", "npm err! failed at the",
    "npm err! this is probably not", "npm error code", "npm error path", "npm error command",
    "npm error errno", "npm error lifecycle script", "npm error a complete log", "npm error in workspace",
    "npm warn", "lifecycle script", "info visit https", "husky - ", "husky > ", "lint-staged",
    "→ task failed", "error: script ", "lerna err!", "error: could not compile",
    "error: test failed, to rerun", "error: aborting due to", "error: build failed",
    "error: doctest failed", "error: bench failed", "for more information about",
    "some errors have detailed explanations", "warning: build failed", "test result:", "warning: unused",
    "failures:", "note: run with", "note: `rust_backtrace", "stack backtrace", "successes:", "fail\t",
    "ok  \t", "ok \t", "?   \t", "--- pass", "--- skip", "=== run", "=== pause", "=== cont", "=== name",
    "short test summary", "test suites:", "tests: ", "test files ", "snapshots:", "time: ", "duration ",
    "start at", "ran all test suites", "finished in ", "randomized with seed", "running exunit", "ran ",
    "run with ", "rake aborted", "tasks: top", "(see full trace", "bundler: failed to load",
    "[error] -> [help", "[error] to see the", "[error] re-run maven", "[error] for more information",
    "[error] after correcting", "[info]", "build failed", "build failure",
    "failure: build failed", "* what went wrong", "* try:", "* get more help", "> run with --",
    "execution failed for task", "> task :", "compilation failed", "collect2: error",
    "compilation terminated", "the command is terminated due to", "the command '/bin/sh",
    "error: failed to solve", "cmake error: ", "traceback (most recent", "determining projects to restore",
    "scope: ", "husky: ", "done in ", "task failed", "no tests found related", "[failed]", "[started]",
    "[completed]", "[skipped]", "404  note that", "404 note that", "404  tarball", "404 tarball", "note that you can", "tarball, folder",
    "-- configuring incomplete", "errors parsing", "a failure occurred while executing", "compilation error. see",
    "compilation failure", "importerror while importing test module", "error: fatalerror", "analysis of target",
    "stack failed to execute", "-- the ", "-- detecting ", "-- check for ", "the error appears to be in",
    "you intended to ", "you misspelled a ", "the command could not be loaded", "possible reasons for this",
    "the application '", "the above exception was the direct", "during handling of the above",
    "memcheck, a memory error", "for lists of detected and suppressed",
];

/// Beginnings of frames, of lines of code and of decoration.
#[rustfmt::skip]
const FRAME_STARTS: [&str; 32] = [
    "at ", "--> ", "file \"", "goroutine ", "created by ", "from /", "caused by frame", "in /", "^", "~~~",
    "---", "===", "___", "┃", "╷", "╵", "└", "├", "⎯", "...", "# /", "▸", "node:internal", "from ",
    "(elixir ", "(stdlib ", "(ex_unit ", "(mix ", "thrown in", "::: ", "= note:", "= help:",
];

/// Status lines that the cause follows.
const ANNOUNCING: [&str; 4] =
    ["Execution failed for task", "rake aborted!", "Uncaught exception", "CMake Error at "];

/// Marks of a test or a step that passed.
#[rustfmt::skip]
const PASSED_STARTS: [&str; 7] = ["✓ ", "✔ ", "√ ", "ok ", "PASS ", "PASS\t", "PASSED "];
const PASSED_ENDS: [&str; 4] = [" ... ok", " PASSED", " ok", " ... ignored"];

/// Beginnings of lines that are milder than an error, before the place they speak of.
const MILD_STARTS: [&str; 6] = ["warning", "note", "help", "info", "= ", "hint"];

/// Log levels at the beginning of a line that do not report an error.
#[rustfmt::skip]
const LOG_STARTS: [&str; 14] = [
    "info ", "info:", "[info", "debug ", "debug:", "[debug", "trace ", "warn ", "warn:", "warning:",
    "[warn", "log ", "downloading", "compiling ",
];

/// Words that mark a line as one that speaks of an error.
#[rustfmt::skip]
const ERROR_WORDS: [&str; 68] = [
    "error", "failed", "failure", "fatal", "panic", "exception", "not found", "no such", "cannot", "can't",
    "could not", "couldn't", "unable to", "denied", "undefined", "unexpected", "invalid", "missing",
    "mismatch", "must ", "does not", "doesn't", "do not", "unknown", "unrecognized", "timed out", "timeout",
    "refused", "rejected", "conflict", "already exists", "already in use", "not allowed", "not permitted",
    "unsupported", "forbidden", "unauthorized", "is ignored", "are ignored", "no matches", "no upstream",
    "not installed", "not a ", "is not", "expected", "exceeds", "illegal", "deprecated", "out of memory",
    "not staged", "attempt to", "file exists", "are not", "unbound", "unused", "unterminated", "unresolved", "not used",
    "no rule to make", "there is no", "has no ", "required by", "undeclared", "bad option",
    "bad substitution", "bad interpreter", "should not ", "no module ",
];

/// Beginnings that name an error with its message. Lower case.
#[rustfmt::skip]
const CAUSE_STARTS: [&str; 37] = [
    "error:", "error[", "error ", "fatal:", "fatal error", "panic:", "panicked at", "thread '", "** (",
    "caused by:", "uncaught", "unhandled", "assertionerror", "assert", "e   ", "--- fail:", "failed ",
    "fail:", "not ok ", "● ", "✗ ", "✘ ", "× ", "✖ ", "rspec ./", "cause:", "exception", "remote: error",
    "err!", "zsh:", "fail ", "while resolving", "symbol:", "diff in ", "php fatal", "php parse", ">> issue",
];

/// Returns the lines of a long text that may speak of an error, without judging the others.
pub(super) fn suspects(text: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let found = at + tables::ERROR_WORD.find_in(text.get(at..)?)?;
        let start = memchr::memrchr(b'\n', &text.as_bytes()[..found]).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', &text.as_bytes()[found..]).map_or(text.len(), |end| found + end);
        at = end + 1;
        Some(text[start..end].trim_end())
    })
}

/// Returns whether a text has a word that speaks of an error.
pub(super) fn speaks_of_error(text: &str) -> bool {
    tables::ERROR_WORD.are_in(text)
}

/// At most this many characters of a line are judged.
const MAX_JUDGED: usize = 300;

/// Returns how much a line says; `line` has no colour and no runner's prefix.
pub(super) fn worth(line: &str) -> Worth {
    let line = line.trim();
    if line.len() < 3 || is_frame(line) || is_passed(line) {
        return Worth::Nothing;
    }
    let head = beginning(line, MAX_JUDGED);
    let names_command = || {
        let lower = head.to_lowercase();
        lower.starts_with("err_pnpm") && lower.contains("not found")
    };
    if tables::STATUS_START.begin(head) && !names_command() || is_status(head) || is_status_of(line) {
        return Worth::Nothing;
    }
    if is_failed_test(line) {
        return Worth::Cause;
    }
    // `NoMethodError:`, below which RSpec writes the message.
    if is_exception_alone(line) {
        return Worth::Cause;
    }
    // A heading announces what the next lines say.
    if line.ends_with(':') && line.split_whitespace().nth(5).is_none() {
        return Worth::Plain;
    }
    if is_mild_at_place(line) {
        return Worth::Plain;
    }
    // `16:02:23.544 [warning] …`
    let without_time =
        head.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | '.' | '-' | 'T' | 'Z'));
    if tables::LOG_START.begin(without_time.trim_start()) {
        return Worth::Plain;
    }
    if is_cause(line, head) {
        return Worth::Cause;
    }
    if speaks_of_error(head) { Worth::Suspect } else { Worth::Plain }
}

/// Returns whether a line has only words of runners, numbers and signs.
pub(super) fn is_status(text: &str) -> bool {
    let mut has_word = false;
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|word| word.len() > 1) {
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        if !is_number && !tables::STATUS_WORD.contain(word) {
            return false;
        }
        has_word |= !is_number;
    }
    has_word || !text.contains(char::is_alphabetic)
}

/// Recognises `gmake[2]: *** [Makefile:97: shop] Error 1`, `Checking 30 source files ...`, and `ERROR tests/test_cart.py`,
/// by which pytest names a file.
fn is_status_of(line: &str) -> bool {
    let by_make = line.split_once(": *** [").is_some_and(|(name, _)| {
        let name = name.split('[').next().unwrap_or(name);
        name.ends_with("make") && !name.contains(' ')
    });
    let is_progress = line.ends_with("...")
        && line.split(' ').next().is_some_and(|word| word.ends_with("ing") && word.len() > 4)
        && !speaks_of_error(line);
    let names_file =
        line.strip_prefix("ERROR ").is_some_and(|path| !path.contains(' ') && path.contains('/'));
    by_make || is_progress || names_file
}

/// Recognises `a.c:1:2: note: …` and `1:2  warning  …`.
fn is_mild_at_place(line: &str) -> bool {
    let rest = message_behind_place(line)
        .unwrap_or_else(|| line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':').trim_start());
    // `a.py:2: UserWarning: …`, among the warnings of a test run.
    let is_python_warning = || rest.split(' ').next().is_some_and(|word| word.ends_with("Warning:"));
    rest.len() < line.len()
        && (["note", "warning", "info"].iter().any(|mild| rest.starts_with(mild)) || is_python_warning())
}

/// Returns whether a line reports a test or a step that passed.
fn is_passed(line: &str) -> bool {
    tables::PASSED_START.begin(line) || PASSED_ENDS.iter().any(|end| line.ends_with(end))
}

/// Recognises the lines by which runners name a test that failed: `1) Cart adds prices`, `CartTest#test_total […]:`,
/// `test a::b ... FAILED`, `thread 'a::b' panicked at …`.
fn is_failed_test(line: &str) -> bool {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_item = number.len() < line.len() && number.starts_with(") ");
    let first = line.split([' ', '[', '(']).next().unwrap_or_default();
    let names_test = || {
        let lower = first.to_lowercase();
        lower.contains("test") || lower.contains("spec")
    };
    let is_method = line.ends_with(':') && (first.contains('#') || first.contains("::")) && names_test();
    let heading = line.trim_end_matches('━');
    is_item
        || heading.len() < line.len() && heading.contains(char::is_alphabetic)
        || line.starts_with("(fail) ")
        || line.starts_with("Diff in ")
        || line.ends_with("... FAILED")
        || is_method
        || (line.starts_with("thread '") && line.contains(" panicked at "))
}

/// Returns whether a line announces that the next one says what went wrong.
pub(super) fn announces(line: &str) -> bool {
    let is_status = || ANNOUNCING.iter().any(|start| line.starts_with(start));
    line.ends_with(':') && worth(line) >= Worth::Suspect || is_status()
}

/// Recognises `ActiveRecord::PendingMigrationError:`.
fn is_exception_alone(line: &str) -> bool {
    let name = line.strip_suffix(':').filter(|name| !name.contains(' '));
    name.is_some_and(|name| {
        name.ends_with("Error") && name.len() > "Error".len() || name.ends_with("Exception")
    })
}

/// Returns the file of a line that points to the place of which the line before it speaks: `--> src/a.rs:1:2`.
pub(super) fn pointed_file(line: &str) -> Option<&str> {
    let place = line.trim_start().strip_prefix("--> ")?;
    Some(place.split(':').next().unwrap_or(place).trim())
}

/// Returns whether a line is milder than an error.
pub(super) fn is_mild(line: &str) -> bool {
    tables::MILD_START.begin(line.trim())
}

/// Returns whether a line only shows up where files are compared.
pub(super) fn begins_difference(line: &str) -> bool {
    line.starts_with("Diff in ")
        || line.starts_with("@@ ")
        || line.starts_with("+++ ")
        || line.starts_with("--- a/")
}

fn is_frame(line: &str) -> bool {
    // `^-- SC2086 (info): …` and `^ Tag must be paired (tag-pair)` point at code, and say why.
    let is_pointing = points_and_says(line);
    let names_failure = line.get(..8).is_some_and(|head| head.eq_ignore_ascii_case("--- fail"));
    if tables::FRAME_START.begin(line) && !names_failure && !is_pointing {
        return true;
    }
    // `#1 0x55 in main`, `#0 /app/x.php(12): run()`, `#0 {main}`, `#5 [2/4] COPY . .`
    let number = line.strip_prefix('#').and_then(|rest| rest.split_once(char::is_whitespace));
    let is_numbered = number
        .is_some_and(|(number, _)| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()));
    if is_numbered && prefix::of_docker_step(line).is_none() {
        return true;
    }
    if line.starts_with('│') && !line.contains(char::is_alphabetic) {
        return true;
    }
    // `/x/Rakefile:2:in `block in <top (required)>'`, `:hello FAILED`, by which gradle names a task.
    let message = message_behind_place(line).unwrap_or_default();
    let is_ruby_frame =
        (message.starts_with("in `") || message.starts_with("in '")) && message.ends_with('\'');
    if is_ruby_frame || is_python_frame(line) || line.starts_with(':') && line.ends_with(" FAILED") {
        return true;
    }
    // `5: core::panicking::panic_fmt`
    let frame = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if frame.len() < line.len()
        && frame.strip_prefix(": ").is_some_and(|name| name.contains("::") && !name.contains(' '))
    {
        return true;
    }
    // `# example.com/shop`, by which go names a package.
    if line.strip_prefix("# ").is_some_and(|name| !name.contains(' ')) {
        return true;
    }
    // `12 | code`, `> 12 | code`
    let rest = line.trim_start_matches('>').trim_start();
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    after.trim_start().starts_with('|') && (after.len() < rest.len() || rest.starts_with('|'))
}

/// Recognises `test_rates.py:3: in test_usd`, by which pytest names a function on the way to an error.
pub(super) fn is_python_frame(line: &str) -> bool {
    let name = message_behind_place(line).and_then(|message| message.strip_prefix("in "));
    name.is_some_and(|name| !name.is_empty() && !name.contains(' '))
}

fn points_and_says(line: &str) -> bool {
    let said = line.strip_prefix("^-- ").or_else(|| line.strip_prefix("^ "));
    said.is_some_and(|said| said.split_whitespace().nth(2).is_some())
}

fn is_cause(line: &str, head: &str) -> bool {
    let has_words = |count: usize| line.split_whitespace().nth(count - 1).is_some();
    if tables::CAUSE_START.begin(head) && has_words(2) || tables::NOT_FOUND.are_in(head) {
        return true;
    }
    is_exception(line)
        || is_perl_death(line)
        || points_and_says(line)
        || (message_behind_place(line).is_some_and(|message| message.contains(' ')) && has_words(3))
}

/// Recognises `ValueError: …`, `java.lang.IllegalStateException: …`, `Foo::BarError: …`, `(KeyError) …`.
pub(super) fn is_exception(line: &str) -> bool {
    let Some((name, message)) = split_at_colon(line) else { return false };
    let name = name.rsplit(['.', ':', ' ', '(']).next().unwrap_or(name).trim_end_matches(')');
    !message.trim().is_empty()
        && name.len() >= 5
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && (name.ends_with("Error") || name.ends_with("Exception") || name.ends_with("Warning"))
}

/// Splits a line at its first colon with a blank behind it.
fn split_at_colon(line: &str) -> Option<(&str, &str)> {
    let mut colons = memchr::memchr_iter(b':', line.as_bytes());
    let at = colons.find(|at| line.as_bytes().get(at + 1) == Some(&b' '))?;
    Some((&line[..at], &line[at + 2..]))
}

/// Returns the message of `path:12:3: message`, `path(12,3): message` and `path:12 message`.
pub(super) fn message_behind_place(line: &str) -> Option<&str> {
    // Most lines have neither.
    memchr::memchr2(b':', b'(', line.as_bytes())?;
    let first = line.split_whitespace().next()?;
    let path_end = first.find([':', '('])?;
    let path = &first[..path_end];
    let is_path = path.contains('.') || path.contains('/');
    let place = &first[path_end + 1..];
    if !is_path || path.len() < 3 || !place.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let after = &line[line.find(first)? + path_end..];
    let end = after.find(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '(' | ')' | ',' | '-'))?;
    Some(after[end..].trim_start_matches([':', ' ', '\t']))
}

/// Recognises `Can't locate X.pm in @INC … at a.pl line 3.`
pub(super) fn is_perl_death(line: &str) -> bool {
    let number = line.trim_end_matches('.');
    if !number.ends_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let end = number.rsplit_once(" line ");
    end.is_some_and(|(before, number)| {
        before.contains(" at ") && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}
