//! The small decisions behind an observation.

use std::path::{Path, PathBuf};

use super::notes::Notes;
use super::signature::Varying;
use super::{Circumstances, cleaned, command, failure, gist, observe};
use crate::model::{
    Event, Hook, NewObservation, Project, Replacement, SessionId, Timestamp, ToolAction, ToolCall, ToolResult,
};
use crate::redact::OwnPatterns;
use crate::shell;

#[test]
fn the_program_of_a_command_line_is_found() {
    let check = |line: &str, expect: Option<&str>| {
        assert_eq!(command::program(&shell::parts(line)).as_deref(), expect, "{line}");
    };
    check("cargo test -p a", Some("cargo test"));
    check("cd /x && RUST_LOG=debug cargo +nightly test", Some("cargo test"));
    check("sudo -E apt-get install x", Some("apt-get install"));
    check("timeout 60 npm run build 2>&1 | tail -5", Some("npm run build"));
    check("./scripts/build.sh --fast", Some("build.sh"));
    check("python3 -m pytest tests", Some("pytest"));
    check("/usr/bin/python3 tools/gen.py", Some("python3 gen.py"));
    check("FOO=1 BAR=2", None);
    check("# only a comment", None);
    check("", None);
    check("export A=1; make -j4 test", Some("make test"));
    check("ls", Some("ls"));
}

#[test]
fn the_part_of_a_line_that_failed_is_found_by_what_it_printed() {
    for (line, output, expected) in [
        ("cargo build && git push", "error[E0425]: cannot find value", "cargo build"),
        ("git add a && git commit -m x && git push", "husky - pre-commit hook exited with 1", "git commit"),
        ("npm run lint && npm test", "[lint] ERROR task failed", "npm run lint"),
        ("cd x && make && git push", "fatal: no upstream branch", "git push"),
        ("docker start db; psql -c x; make seed", "psql: error: connection refused", "psql"),
        ("make a && make b", "no line says whose it is", "make b"),
    ] {
        assert_eq!(command::failed_program(line, output).as_deref(), Some(expected), "{line}");
    }
}

fn read(output: &str) -> failure::FailureOutput {
    failure::parse_failure(output, Varying::default(), &mut Notes::default(), &OwnPatterns::default())
}

fn signature(output: &str) -> Option<String> {
    read(output).signature
}

#[test]
fn a_signature_is_derived_from_redacted_text() {
    let check =
        |output: &str, expect: &str| assert_eq!(signature(output).as_deref(), Some(expect), "{output}");
    check(
        "error: cannot connect to postgres://admin:Sup3rS3cret@db.internal/app",
        "error: cannot connect to db.internal",
    );
    check("error: cannot connect to amqps://bob:gani874TVksu@mq.test", "error: cannot connect to mq.test");
    check("error: password=abc/Zx9kQ2def123 is wrong", "error: password=[REDACTED:password] is wrong");
    let own = OwnPatterns::new(&[("badge", r"badge-\d+")]).unwrap();
    let read = failure::parse_failure(
        "error: badge-12345 is unknown",
        Varying::default(),
        &mut Notes::default(),
        &own,
    );
    assert_eq!(read.signature.as_deref(), Some("error: [REDACTED:badge] is unknown"));
}

#[test]
fn a_long_output_gives_the_line_that_a_short_one_gives() {
    let noise = |n: usize| (0..n).map(|n| format!("step {n} is done, and all is well\n")).collect::<String>();
    let line = "src/a.rs: ERROR: amqps://bob:gani874TVksu@mq.test is not reachable";
    let expect = "a.rs: ERROR: mq.test is not reachable";
    for (before, after) in [(0, 0), (0, 20_000), (20_000, 0), (20_000, 20_000), (3, 3)] {
        let output = format!("Exit code 1\n{}{line}\n{}", noise(before), noise(after));
        let read = read(&output);
        assert_eq!(read.signature.as_deref(), Some(expect), "{before} {after}");
        let lines = read.excerpt.lines().count();
        assert_eq!(lines, (before + after + 1).min(17), "{}", read.excerpt);
        if before + after > 16 {
            let gap = format!("… {} lines …", before + after + 1 - 16);
            assert_eq!(read.excerpt.lines().nth(4), Some(gap.as_str()));
        }
        assert!(!read.excerpt.contains("gani874TVksu"));
    }
    let quiet = format!("Exit code 1\n{}the end", noise(20_000));
    // The line that names the cause is between the beginning and the end.
    let (before, after) = (20, 20);
    let read = read(&format!("{}** (RuntimeError) no key is configured\n{}", noise(before), noise(after)));
    assert_eq!(
        read.excerpt.lines().skip(4).take(2).collect::<Vec<_>>(),
        ["… 24 lines …", "** (RuntimeError) no key is configured"]
    );
    // Of a long output in which nothing speaks of an error, no line is the cause.
    assert_eq!(signature(&quiet), None);
    let one_line = format!("{} error", "x".repeat(100_000));
    assert_eq!(signature(&one_line).map(|text| text.len()), Some(160));
}

#[test]
fn an_old_signature_is_derived_again_from_the_redacted_text() {
    let stored = |signature: &str, content: &str| {
        let event = event(
            ToolAction::Command { command: "./migrate".into() },
            ToolResult { failed: true, output: "error: x".into(), ..ToolResult::default() },
        );
        let new = observe(&event, &circumstances(), &OwnPatterns::default()).remove(0);
        let old = NewObservation { signature: Some(signature.into()), content: content.into(), ..new };
        cleaned(old, &OwnPatterns::default()).signature
    };
    let content = "./migrate\nerror: cannot connect to postgres://admin:[REDACTED:url-password]@db.internal";
    let clean = "error: cannot connect to db.internal";
    assert_eq!(
        stored("error: cannot connect to admin:Sup3rS3cret@db.internal", content).as_deref(),
        Some(clean)
    );
    assert_eq!(stored(clean, content).as_deref(), Some(clean));
    assert_eq!(stored("abc", "./migrate"), None);
}

#[test]
fn the_same_failure_has_the_same_signature() {
    let same = |one: &str, other: &str| {
        let (one, other) = (signature(one), signature(other));
        assert!(one.is_some());
        assert_eq!(one, other);
    };
    same(
        "Exit code 101\nerror[E0425]: cannot find value `x`\n --> src/a.rs:1:2",
        "Exit code 101\n   Compiling a v0.1.0\nerror[E0425]: cannot find value `x`\n --> src/b.rs:9:9",
    );
    same(
        "Exit code 1\nENOENT: no such file, open '/tmp/a1/x.json'",
        "Exit code 1\nENOENT: no such file, open '/var/b2/x.json'",
    );
    same("\u{1b}[31merror\u{1b}[0m: port 3000 in use", "error: port 3001 in use");
    let one = signature("error: cannot find value `x`");
    assert_ne!(one, signature("error: cannot find value `y`"));
    assert_eq!(signature("Exit code 3"), None);
    assert_eq!(signature(""), None);
}

#[test]
fn an_excerpt_keeps_the_beginning_and_more_of_the_end() {
    let output: String =
        std::iter::once("Exit code 2\n".to_owned()).chain((1..=40).map(|n| format!("line {n}\n"))).collect();
    let excerpt = read(&output).excerpt;
    let lines: Vec<&str> = excerpt.lines().collect();
    assert_eq!(lines[..5], ["line 1", "line 2", "line 3", "line 4", "… 24 lines …"]);
    assert_eq!((lines.len(), *lines.last().unwrap()), (17, "line 40"));
    assert_eq!(read("Exit code 1\n\none\n\n").excerpt, "one");
}

#[test]
fn an_edit_is_described_by_the_lines_that_carry_its_meaning() {
    let gist = |old: &str, new: &str| {
        let edit = Replacement { old: old.into(), new: new.into(), all: false };
        gist::of_edits("src/a.rs", &[edit], &mut Notes::default(), &OwnPatterns::default())
    };
    assert_eq!(gist("fn a() {\n  one();\n}", "fn a() {\n  two();\n}"), "one(); → two();");
    assert_eq!(gist("a\nb", "a\nc\nb"), "+ c");
    assert_eq!(gist("a\nc\nb", "a\nb"), "- c");
    assert_eq!(gist("a b", "a  b"), "a b → a  b");
    assert_eq!(gist("a\nb", "b\na"), "only whitespace or order");
    assert_eq!(gist("use a;", "use a;\nuse b;\n\n// why\nfn c() {\n    d();\n}"), "+ fn c() {");
    assert_eq!(
        gist("// one\nif a > 3 {\n    x();", "// two\nuse b;\nif a >= 3 {\n    x();"),
        "if a > 3 { → if a >= 3 {"
    );
    assert_eq!(gist("// one", "fn a() {\n}\nfn b() {\n}"), "+ fn a() {; fn b() {");
    assert_eq!(gist("// one", "// two"), "// one → // two");
    let secret = |line: &str| format!("password=Zx9kQ2def123\n{line}");
    assert_eq!(gist(&secret("one"), &secret("two")), "one → two");
    assert_eq!(
        gist("password=Zx9kQ2def123", "password=Yw8jP1cde012"),
        "password=[REDACTED:password] → password=[REDACTED:password]"
    );
}

#[test]
fn a_written_file_is_described_by_its_size_and_the_names_it_defines() {
    let gist = |path: &str, content: &str| {
        gist::of_content(path, content, &mut Notes::default(), &OwnPatterns::default())
    };
    assert_eq!(gist("a.go", "package a\n\nfunc Cut(s string) string {\n}\n"), "4 lines: Cut");
    assert_eq!(gist("a.txt", "func Cut()"), "1 line");
    assert_eq!(
        gist("a.rs", "const TOKEN: &str = \"ghp_0123456789abcdefghijABCDEFGHIJ012345\";"),
        "1 line: TOKEN"
    );
}

#[test]
fn only_meaningful_output_is_kept() {
    let summary = |command: &str, output: &str| {
        let (mut notes, own) = (Notes::default(), OwnPatterns::default());
        gist::summarize_output(command, output, &mut notes, &own).map(|summary| summary.text)
    };
    assert_eq!(summary("ls", "a\nb"), None);
    assert_eq!(
        summary("git commit -m x", "[main 1a2b3c4] say it\n 1 file changed"),
        Some("1a2b3c4 say it".into())
    );
    assert_eq!(
        summary("cargo test", "running 2 tests\ntest result: ok. 2 passed; 0 failed"),
        Some("test result: ok. 2 passed; 0 failed".into())
    );
    assert_eq!(
        summary("pytest", "===== 3 passed in 0.1s ====="),
        Some("===== 3 passed in 0.1s =====".into())
    );
    assert_eq!(summary("echo", "the parcel has passed customs"), None);
}

#[test]
fn the_address_of_a_pull_request_or_an_issue_is_kept() {
    let url = |command: &str, output: &str| {
        let (mut notes, own) = (Notes::default(), OwnPatterns::default());
        let found = gist::summarize_output(command, output, &mut notes, &own)?;
        found.metadata.into_iter().find(|(name, _)| *name == "url").map(|(_, url)| url.to_string())
    };
    for (command, output, expected) in [
        (
            "gh pr create --fill",
            "Creating pull request\nhttps://github.com/o/r/pull/183\n",
            Some("https://github.com/o/r/pull/183"),
        ),
        (
            "gh pr comment 7 -b x",
            "https://github.com/o/r/pull/7#issuecomment-12",
            Some("https://github.com/o/r/pull/7"),
        ),
        ("gh issue create -t x", "https://github.com/o/r/issues/5", Some("https://github.com/o/r/issues/5")),
        (
            "git push -u origin x",
            "remote: View merge request for x:\nremote:   https://gitlab.com/o/r/-/merge_requests/9",
            Some("https://gitlab.com/o/r/-/merge_requests/9"),
        ),
        // A page to make one is none yet, and what is printed of a file is not made here.
        ("git push", "remote: Create a pull request by visiting https://github.com/o/r/pull/new/x", None),
        ("cat notes.md", "https://github.com/o/r/pull/183", None),
    ] {
        let expected = expected.map(|url| format!("{url:?}"));
        assert_eq!(url(command, output), expected, "{command}");
    }
}

#[test]
fn a_commit_that_prints_nothing_has_the_subject_of_its_command() {
    let facts = |command: &str, unfinished: bool| {
        let result = ToolResult { unfinished, ..ToolResult::default() };
        let event = event(ToolAction::Command { command: command.into() }, result);
        let metadata = observe(&event, &circumstances(), &OwnPatterns::default()).remove(0).metadata;
        let facts = metadata.expect("facts").0;
        ["kind", "subject"].map(|name| facts.get(name).and_then(|fact| fact.as_str().map(str::to_owned)))
    };
    let some = |text: &str| Some(text.to_owned());
    let quoted = "git add a && git commit -m \"$(cat <<'EOF'\nfix the login\n\nWhy.\nEOF\n)\"";
    assert_eq!(facts(quoted, false), [some("git_commit"), some("fix the login")]);
    // What runs in the background may still fail.
    assert_eq!(facts(quoted, true), [None, some("fix the login")]);
    assert_eq!(
        facts("git commit -qm 'use ghp_0123456789abcdefghijABCDEFGHIJ012345'", false)[1],
        some("use [REDACTED:github-token]")
    );
    assert_eq!(facts("git commit --amend --no-edit", false), [None, None]);
}

fn event(action: ToolAction, result: ToolResult) -> Event {
    Event {
        hook: if result.failed { Hook::PostToolUseFailure } else { Hook::PostToolUse },
        session: Some(SessionId("s".into())),
        cwd: PathBuf::from("/p/sub"),
        tool: Some(ToolCall { name: "T".into(), action }),
        result: Some(result),
        tool_use_id: Some("t1".into()),
        ..Event::default()
    }
}

fn circumstances() -> Circumstances<'static> {
    Circumstances {
        now: Timestamp(1_000),
        project: Some(Project { name: "p".into(), root: Some("/p".into()), ..Project::default() }),
        root: Some(Path::new("/p")),
        ..Circumstances::default()
    }
}

#[test]
fn paths_are_relative_to_the_root_and_texts_are_cut_after_redaction() {
    let own = OwnPatterns::default();
    let path = |path: &str| {
        let event = event(ToolAction::Read { path: path.into(), text: String::new() }, ToolResult::default());
        observe(&event, &circumstances(), &own).remove(0).file_path.unwrap()
    };
    assert_eq!(path("a.rs"), "sub/a.rs");
    assert_eq!(path("../b.rs"), "b.rs");
    assert_eq!(path("/p/c.rs"), "c.rs");
    assert_eq!(path("/elsewhere/d.rs"), "/elsewhere/d.rs");
    // The secret crosses the cut: redacting after cutting would have left half of it.
    let secret = format!("ghp_{}", "Ab3dEf9hIj".repeat(4).chars().take(36).collect::<String>());
    let command = format!("{} {secret}", "x".repeat(1_985));
    let observed =
        observe(&event(ToolAction::Command { command }, ToolResult::default()), &circumstances(), &own);
    let content = &observed[0].content;
    assert!(
        content.len() <= 2_010 && content.ends_with('…') && !content.contains("ghp_"),
        "{}",
        &content[1_980..]
    );
    let facts = &observed[0].metadata.as_ref().unwrap().0;
    assert_eq!(facts["truncated"], true);
}

#[test]
fn events_with_the_same_id_have_the_same_key() {
    let own = OwnPatterns::default();
    let key = |event: &Event, at: i64| {
        let at = Circumstances { now: Timestamp(at), ..circumstances() };
        observe(event, &at, &own).remove(0).event_key
    };
    let ran = |id: Option<&str>, fingerprint| Event {
        tool_use_id: id.map(str::to_owned),
        prompt_id: Some("p".into()),
        fingerprint,
        ..event(ToolAction::Command { command: "ls".into() }, ToolResult::default())
    };
    assert_eq!(key(&ran(Some("t1"), 1), 0), key(&ran(Some("t1"), 2), 999));
    assert_ne!(key(&ran(Some("t1"), 1), 0), key(&ran(Some("t2"), 1), 0));
    // All events that follow a prompt carry the prompt's id.
    assert_ne!(key(&ran(None, 1), 0), key(&ran(None, 2), 0));
    assert_eq!(key(&ran(None, 1), 0), key(&ran(None, 1), 5));
    assert_ne!(key(&ran(None, 1), 0), key(&ran(None, 1), 60));
}

#[test]
fn an_event_without_a_session_is_not_observed() {
    let nobody =
        Event { session: None, ..event(ToolAction::Command { command: "ls".into() }, ToolResult::default()) };
    assert_eq!(observe(&nobody, &circumstances(), &OwnPatterns::default()), []);
}
