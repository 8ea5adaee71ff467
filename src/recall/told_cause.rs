//! Which line of a signature is told as the cause: the error itself rather than the name of the test that met it.

use crate::model::Observation;

/// Beginnings by which runners name a test that failed, in a signature, where numbers are `#`: ExUnit, mocha and RSpec
/// (`1) name`), Go, pytest, jest, vitest, bun, TAP, RSpec's list of places, cargo.
#[rustfmt::skip]
const TEST_STARTS: [&str; 13] = [
    "#) ", "--- fail:", "failed tests/", "failed test", "● ", "✗ ", "× ", "✖ ", "(fail) ", "not ok ", "rspec ./", "fail ",
    "thread '",
];

/// Returns the cause of a failure in the words that were printed: in a signature, what varies is `#`.
pub(crate) fn shown_cause(failure: &Observation) -> &str {
    let cause = told_cause(failure.signature.as_deref().unwrap_or_default());
    if !cause.contains('#') {
        return cause;
    }
    failure.output().lines().find_map(|line| printed(cause, line)).unwrap_or(cause)
}

/// Returns the piece of a line that a masked text stands for: `:::3000` of `:::#`.
fn printed<'l>(masked: &str, line: &'l str) -> Option<&'l str> {
    let mut pieces = masked.split('#');
    let first = pieces.next()?.trim_start();
    let start = line.find(first)?;
    let mut end = start + first.len();
    for piece in pieces {
        let behind = &line[end..];
        let is_varying = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '#');
        let varying = behind.find(|c: char| !is_varying(c)).unwrap_or(behind.len());
        // The shortest text that the next piece follows.
        let at = (1..=varying).find(|at| behind.is_char_boundary(*at) && behind[*at..].starts_with(piece))?;
        let at = if piece.is_empty() { varying } else { at };
        end += at + piece.len();
    }
    Some(&line[start..end])
}

/// Returns the line of a signature that names the cause: the first that is not the name of a test.
pub(crate) fn told_cause(signature: &str) -> &str {
    let first = signature.lines().next().unwrap_or_default();
    signature.lines().find(|line| !names_test(line)).unwrap_or(first)
}

/// Returns whether a signature says only which tests failed, and what they expected: what is being written, rather than
/// what goes wrong here.
pub(crate) fn names_only_tests(signature: &str) -> bool {
    signature.lines().all(|line| names_test(line) || is_expectation(line))
}

/// Beginnings of what a test expected and did not get, in lower case.
const EXPECTATIONS: [&str; 9] = [
    "assertionerror",
    "assertion failed",
    "assertion `",
    "assertion error",
    "expected",
    "expect(",
    "assert ",
    "e assert",
    "error: expect(",
];

fn is_expectation(line: &str) -> bool {
    let lower = line.trim().to_lowercase();
    let begins = EXPECTATIONS.iter().any(|start| lower.starts_with(start));
    let compares = |one: &str, two: &str| lower.contains(one) && lower.contains(two);
    begins
        || compares("got ", "want ")
        || compares("expected", " to be ")
        || compares("expected", " to equal ")
}

fn names_test(line: &str) -> bool {
    let lower = line.trim().to_lowercase();
    // pytest writes the reason behind the name: `FAILED tests/a.py::b - ImportError: no module`.
    let says_why = lower.split_once(" - ").is_some_and(|(_, why)| !is_expectation(why));
    (TEST_STARTS.iter().any(|start| lower.starts_with(start)) && !says_why) || lower.ends_with("... failed")
}

#[cfg(test)]
mod tests {
    use super::{names_only_tests, printed, told_cause};

    #[test]
    fn the_error_is_told_and_not_the_name_of_the_test_that_met_it() {
        for (signature, cause, only_tests) in [
            (
                "#) test mount renders (A.LiveTest)\n** (RuntimeError) no key",
                "** (RuntimeError) no key",
                false,
            ),
            ("--- FAIL: TestOpen\nopen_test.go: got #, want #", "open_test.go: got #, want #", true),
            ("AssertionError: expected # to be #", "AssertionError: expected # to be #", true),
            ("--- FAIL: TestOpen\n--- FAIL: TestClose", "--- FAIL: TestOpen", true),
            ("● cart › adds prices", "● cart › adds prices", true),
            ("test cart::adds ... FAILED", "test cart::adds ... FAILED", true),
            (
                "thread 'cart::adds' panicked at cart.rs:#:#:\nassertion `left == right` failed",
                "assertion `left == right` failed",
                true,
            ),
            ("FAILED tests/a.py::b - assert # == #", "FAILED tests/a.py::b - assert # == #", true),
            (
                "FAILED tests/a.py::b - ImportError: no module",
                "FAILED tests/a.py::b - ImportError: no module",
                false,
            ),
            ("fatal: no upstream branch", "fatal: no upstream branch", false),
        ] {
            assert_eq!(told_cause(signature), cause);
            assert_eq!(names_only_tests(signature), only_tests, "{signature}");
        }
    }

    #[test]
    fn a_masked_cause_is_shown_as_it_was_printed() {
        for (masked, line, expected) in [
            (
                "address already in use :::#",
                "Error: listen EADDRINUSE: address already in use :::3000",
                Some(":::3000"),
            ),
            (
                "fatal: The current branch feat-# has no upstream branch.",
                "fatal: The current branch feat-3 has no upstream branch.",
                Some("feat-3 has no upstream branch."),
            ),
            (
                "connect ECONNREFUSED #.#.#.#:#",
                "Error: connect ECONNREFUSED 127.0.0.1:5432",
                Some("127.0.0.1:5432"),
            ),
            (
                "Timeout #ms exceeded while waiting for #pay",
                "Timeout 30000ms exceeded while waiting for #pay",
                Some("30000ms exceeded while waiting for #pay"),
            ),
            ("got #, want #", "nothing of it", None),
        ] {
            let found = printed(masked, line);
            assert_eq!(found.is_some(), expected.is_some(), "{masked}: {found:?}");
            assert!(
                expected.is_none_or(|end| found.is_some_and(|found| found.ends_with(end))),
                "{masked}: {found:?}"
            );
        }
    }
}
