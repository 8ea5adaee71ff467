//! Which outputs show a failure behind a pipe, and which lines sum up tests.

use super::formats::{FAILED, PASSED};
use super::{hidden_failure, is_summary};
use crate::shell;

fn fails(command: &str, output: &str) -> Option<String> {
    let parts = shell::parts(command);
    hidden_failure(&parts, command, output).and_then(shell::program)
}

#[test]
fn a_failure_behind_a_pipe_is_seen() {
    for (command, output, program) in [
        ("go test ./... 2>&1 | tail -80", "FAIL\nFAIL\tgithub.com/x\t0.3s\nFAIL", "go test"),
        ("go test ./... -v | grep -E '(PASS|FAIL)'", "--- FAIL: TestX (0.04s)", "go test"),
        (
            "npx playwright test a.ts 2>&1 | tail -60",
            "  1 failed\n    [chromium] › a.ts\n  9 passed (10.8s)",
            "playwright test",
        ),
        (
            "pnpm --filter api test 2>&1 | tail -20",
            " ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL  @x/api test",
            "pnpm api test",
        ),
        ("npx tsc --noEmit 2>&1 | head -50", "a.ts(1,33): error TS6133: 'Page' is declared", "tsc"),
        ("cd x && pytest -q | tail -3", "=== 2 failed, 10 passed in 0.12s ===", "pytest"),
        ("mix test 2>&1 | tail -5", "58 tests, 1 failure", "mix test"),
        ("cargo build 2>&1 | tail", "error[E0308]: mismatched types", "cargo build"),
        ("cargo clippy 2>&1 | tail; echo done", "error: could not compile `x`", "cargo clippy"),
        ("npx eslint . | tail -2", "✖ 3 problems (3 errors, 0 warnings)", "eslint"),
        ("mvn -q test | tail", "Tests run: 5, Failures: 1, Errors: 0, Skipped: 0", "mvn test"),
        ("dotnet test | tail -1", "Failed!  - Failed:     1, Passed:    12", "dotnet test"),
        ("bundle exec rspec | tail -2", "12 examples, 2 failures", "rspec"),
        ("vendor/bin/phpunit | tail", "FAILURES!\nTests: 3, Assertions: 3, Failures: 1.", "phpunit"),
        ("make 2>&1 | tail", "a.c:3:5: error: expected ';'", "make"),
        ("npm test || true", "Tests:       1 failed, 12 passed, 13 total", "npm test"),
        ("mise run lint 2>&1 | head -50", "[lint] ERROR task failed", "mise run lint"),
    ] {
        assert_eq!(fails(command, output).as_deref(), Some(program), "{command}");
    }
}

#[test]
fn printed_words_and_successes_are_no_failure() {
    for (command, output) in [
        ("cat build.log | grep FAIL", "--- FAIL: TestX"),
        ("git log --oneline | head", "FAIL: fix 3 failed tests"),
        ("gh run view 12 --log-failed | tail -50", "--- FAIL: TestX\n1 failed"),
        ("rg 'error TS' src | head", "a.md: error TS2304: x"),
        ("go test ./...", "--- FAIL: TestX"),
        ("go test ./... | tail", "ok  \tgithub.com/x\t0.3s"),
        ("npx playwright test | tail", "  12 passed (3s)\n  0 failed"),
        ("mix test | tail", "58 tests, 0 failures"),
        ("npm test | tail", "Tests:       13 passed, 13 total"),
        ("cargo test | tail", "test result: ok. 3 passed; 0 failed; 0 ignored"),
        ("eslint . | tail", "✖ 0 problems (0 errors, 0 warnings)"),
        (
            "pytest | tail",
            "a sentence about the 3 failed attempts that somebody made before they went home that evening, tired",
        ),
        ("ls; git add . && cat notes.txt", "1 failed"),
    ] {
        assert_eq!(fails(command, output), None, "{command}: {output}");
    }
}

#[test]
fn summaries_of_test_runners_are_recognised() {
    for line in [
        "test result: ok. 3 passed; 0 failed",
        "Tests:       13 passed, 13 total",
        "      Tests  3 passed (3)",
        "Test Suites: 2 passed, 2 total",
        "157 tests, 0 failures",
        "ok  \tgithub.com/x\t0.3s",
        "=== 12 passed in 0.1s ===",
        "Tests run: 5, Failures: 0, Errors: 0",
        "12 examples, 0 failures",
        "Passed!  - Failed:     0, Passed:    12",
        "OK (12 tests, 20 assertions)",
        "100% tests passed, 0 tests failed out of 12",
        "Executed 5 tests, with 0 failures (0 unexpected) in 0.01 seconds",
    ] {
        assert!(is_summary(line), "{line}");
    }
    assert!(!is_summary("the tests of this file"));
}

#[test]
fn formats_of_other_tools_are_understood() {
    for (form, end) in [("tail", " 2>&1 | tail -30"), ("or", " || true"), ("then", "; echo done")] {
        for (command, output) in FAILED {
            assert!(fails(&format!("{command}{end}"), output).is_some(), "{form}: {command}: {output}");
        }
        for (command, output) in PASSED {
            assert_eq!(fails(&format!("{command}{end}"), output), None, "{form}: {command}: {output}");
        }
    }
}

#[test]
fn a_short_output_that_begins_with_a_complaint_is_one() {
    for (command, output) in [
        ("systemd-analyze verify a.service | cat", "Unit a.service not found."),
        ("git commit -m x 2>&1 | tail -3", "commit message must start with a ticket (ABC-123)"),
        ("gunzip -c a | head", "\ngzip: a: not in gzip format\n"),
    ] {
        assert!(fails(command, output).is_some(), "{command}");
    }
    let talk = "users: 3\norders: 4\nskipped rows: 0\nnote: 2 were not found in the old export";
    assert_eq!(fails("make report | tail -20", talk), None);
    assert_eq!(fails("sqlite3 a.db 'select * from log' | head", "Error: boom\nlogin failed"), None);
    assert_eq!(
        fails("git commit -m x | tail", "[main 1a2b3c4] fix: error: 3 tests failed\n 1 file changed"),
        None
    );
}
