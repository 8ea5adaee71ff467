//! Which lines make the signature of a failure.

use super::{Varying, signature};

fn of(output: &str) -> Option<String> {
    signature(output.lines(), Varying { branch: Some("spotter-gqc"), ..Varying::default() })
        .map(|(_, signature)| signature)
}

#[test]
fn status_lines_say_nothing() {
    for output in [
        "FAIL",
        "[lint] ERROR task failed",
        "make: *** [Makefile:12: test] Error 1",
        " ELIFECYCLE  Command failed with exit code 1.",
        "npm ERR! code ELIFECYCLE\nnpm ERR! errno 1",
        "husky - pre-commit script failed (code 1)",
        "5 tests, 4 failures\nFinished in 1.2 seconds (0.00s async, 1.2s sync)",
        "FAIL\tgithub.com/a/b\t0.320s\nFAIL",
        "Tests:       1 failed, 12 passed, 13 total\nTime:        3.2 s",
        "error: could not compile `x` (lib) due to 2 previous errors",
        "✖ 3 problems (3 errors, 0 warnings)",
        "exit status 1",
        "BUILD FAILED in 3s",
        "gmake[2]: *** [CMakeFiles/shop.dir/build.make:97: shop] Error 1",
        "ERROR tests/test_cart.py",
        "Checking 30 source files ...",
        "[ERROR] Failed to execute goal x:compile (default) on project shop: Compilation failure -> [Help 1]",
        "#5 [2/4] COPY package.json ./",
        "│ Warning: Unable to open CLI configuration file\n│ The file does not exist.\n╵",
        "==== 1 failed in 0.12s ====",
        "",
    ] {
        assert_eq!(of(output), None, "{output}");
    }
}

#[test]
fn an_answer_in_json_and_a_name_above_its_message_are_read() {
    let answer = r#"{"data":null,"errors":[{"type":"NOT_FOUND","message":"Could not resolve to a Repository with the name 'acme'."}]}gh: no"#;
    assert_eq!(of(answer).as_deref(), Some("Could not resolve to a Repository with the name 'acme'."));
    let rspec = "Failure/Error: load\n\nActiveRecord::PendingMigrationError:\n  Migrations are pending.";
    assert!(of(rspec).is_some_and(|text| {
        text.contains("PendingMigrationError") && text.contains("Migrations are pending.")
    }));
}

#[test]
fn the_particular_lines_are_kept_without_what_varies() {
    for (output, expected) in [
        (
            "fatal: The current branch spotter-gqc has no upstream branch.\nTo push the current branch and set the remote as upstream, use\n\n    git push --set-upstream origin spotter-gqc\n",
            "fatal: The current branch # has no upstream branch.",
        ),
        (
            "[lint] $ golangci-lint run ./...\n[lint] cmd/a/b.go:488:15: call variadic function (nilnesserr)\n[lint] ERROR task failed\n1 issues:\n* nilnesserr: 1",
            "b.go: call variadic function (nilnesserr)",
        ),
        (
            "--- FAIL: TestX (0.16s)\n    mid_test.go:95: should have trailer\nFAIL\nFAIL\tgithub.com/x\t67.6s",
            "--- FAIL: TestX (#.#s)\nmid_test.go: should have trailer",
        ),
        ("(eval):1: command not found: docker", "(eval):#: command not found: docker"),
        (
            "src/a/Dialog.tsx(222,29): error TS2352: Conversion of type 'void' may be a mistake",
            "Dialog.tsx: error TS2352: Conversion of type 'void' may be a mistake",
        ),
        (
            "thread 'a::b' panicked at src/a.rs:12:5:\nindex out of bounds\nnote: run with `RUST_BACKTRACE=1`",
            "thread 'a::b' panicked at a.rs:#:#:",
        ),
        (
            "invalid checkpoint ID \"attr12345678\": must be 12 lowercase hex",
            "invalid checkpoint ID \"attr#\": must be # lowercase hex",
        ),
        (
            "/x/y/README.md:371 error MD040/fenced-code-language Fenced code",
            "README.md: error MD040/fenced-code-language Fenced code",
        ),
        (
            "[ERROR] Failed to execute goal x:compile (default) on project shop: Fatal error compiling: error: release version 21 not supported -> [Help 1]",
            "Fatal error compiling: error: release version # not supported",
        ),
        ("│ Error: Inconsistent dependency lock file\n│ \n╵", "Error: Inconsistent dependency lock file"),
        ("#3 ERROR: docker.io/library/node:99: not found", "node: not found"),
        ("#12 0.345 sh: foo: not found", "sh: foo: not found"),
        (
            "16:02:23.544 [warning] Failed to parse path.jsonl\n** (RuntimeError) no key",
            "** (RuntimeError) no key",
        ),
        (
            "e: file:///home/dev/shop/Cart.kt:12:9 Unresolved reference 'runBlocking'.",
            "Cart.kt: Unresolved reference 'runBlocking'.",
        ),
        (
            "CMake Error at CMakeLists.txt:14 (find_package):\n  By not providing \"FindFmt.cmake\" in CMAKE_MODULE_PATH this project has\n  asked for a file provided by \"fmt\".",
            "By not providing \"FindFmt.cmake\" in CMAKE_MODULE_PATH this project has asked for a file provided by \"fmt\".",
        ),
    ] {
        let found = of(output).unwrap_or_default();
        assert!(found.starts_with(expected), "{output}\n→ {found}");
    }
}

#[test]
fn a_long_output_is_judged_in_bounded_time() {
    let line = "some ordinary line of a log that says nothing in particular\n";
    let output = format!("{}error: it broke here\n{}", line.repeat(900), line.repeat(50_000));
    assert_eq!(of(&output).as_deref(), Some("error: it broke here"));
}
