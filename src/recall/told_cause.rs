//! Which line of a signature is told as the cause: the error itself rather than the name of the test that met it.

/// Beginnings by which runners name a test that failed, in a signature, where numbers are `#`: ExUnit, mocha and RSpec
/// (`1) name`), Go, pytest, jest, vitest, bun, TAP, RSpec's list of places, cargo.
#[rustfmt::skip]
const TEST_STARTS: [&str; 12] = [
    "#) ", "--- fail:", "failed tests/", "failed test", "● ", "✗ ", "× ", "✖ ", "(fail) ", "not ok ", "rspec ./", "fail ",
];

/// Returns the line of a signature that names the cause: the first that is not the name of a test.
pub(crate) fn told_cause(signature: &str) -> &str {
    let first = signature.lines().next().unwrap_or_default();
    signature.lines().find(|line| !names_test(line)).unwrap_or(first)
}

/// Returns whether a signature says only which tests failed: what is being written, rather than what goes wrong here.
pub(crate) fn names_only_tests(signature: &str) -> bool {
    signature.lines().all(names_test)
}

fn names_test(line: &str) -> bool {
    let lower = line.trim().to_lowercase();
    // pytest writes the reason behind the name: `FAILED tests/a.py::b - ImportError: no module`.
    let says_why = lower.contains(" - ");
    (TEST_STARTS.iter().any(|start| lower.starts_with(start)) && !says_why) || lower.ends_with("... failed")
}

#[cfg(test)]
mod tests {
    use super::{names_only_tests, told_cause};

    #[test]
    fn the_error_is_told_and_not_the_name_of_the_test_that_met_it() {
        for (signature, cause, only_tests) in [
            (
                "#) test mount renders (A.LiveTest)\n** (RuntimeError) no key",
                "** (RuntimeError) no key",
                false,
            ),
            ("--- FAIL: TestOpen\nopen_test.go: got #, want #", "open_test.go: got #, want #", false),
            ("--- FAIL: TestOpen\n--- FAIL: TestClose", "--- FAIL: TestOpen", true),
            ("● cart › adds prices", "● cart › adds prices", true),
            ("test cart::adds ... FAILED", "test cart::adds ... FAILED", true),
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
}
