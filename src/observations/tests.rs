//! Tests of this module: the small decisions behind an observation.

use std::path::{Path, PathBuf};

use super::{Circumstances, command, failure, gist, observe};
use crate::model::{
    Event, Hook, Project, Replacement, SessionId, Timestamp, ToolAction, ToolCall, ToolResult,
};
use crate::redact::OwnPatterns;

#[test]
fn a_command_line_runs_this_program() {
    let check =
        |line: &str, expect: Option<&str>| assert_eq!(command::program(line).as_deref(), expect, "{line}");
    check("cargo test -p a", Some("cargo test"));
    check("cd /x && RUST_LOG=debug cargo +nightly test", Some("cargo test"));
    check("sudo -E apt-get install x", Some("apt-get install"));
    check("timeout 60 npm run build 2>&1 | tail -5", Some("npm run"));
    check("./scripts/build.sh --fast", Some("build.sh"));
    check("python3 -m pytest tests", Some("python3 pytest"));
    check("/usr/bin/python3 tools/gen.py", Some("python3 gen.py"));
    check("FOO=1 BAR=2", None);
    check("# only a comment", None);
    check("", None);
    check("export A=1; make -j4 test", Some("make test"));
    check("ls", Some("ls"));
}

#[test]
fn the_same_failure_has_the_same_signature() {
    let same = |one: &str, other: &str| {
        let (one, other) = (failure::signature(one), failure::signature(other));
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
    let one = failure::signature("error: cannot find value `x`");
    assert_ne!(one, failure::signature("error: cannot find value `y`"));
    assert_eq!(failure::signature("Exit code 3"), None);
    assert_eq!(failure::signature(""), None);
}

#[test]
fn an_excerpt_keeps_the_beginning_and_more_of_the_end() {
    let output: String =
        std::iter::once("Exit code 2\n".to_owned()).chain((1..=40).map(|n| format!("line {n}\n"))).collect();
    let excerpt = failure::excerpt(&output);
    let lines: Vec<&str> = excerpt.lines().collect();
    assert_eq!(lines[..5], ["line 1", "line 2", "line 3", "line 4", "… 24 lines …"]);
    assert_eq!((lines.len(), *lines.last().unwrap()), (17, "line 40"));
    assert_eq!(failure::excerpt("Exit code 1\n\none\n\n"), "one");
}

#[test]
fn an_edit_is_told_by_the_line_that_differs() {
    let gist = |old: &str, new: &str| {
        gist::of_edits(&[Replacement { old: old.into(), new: new.into(), all: false }])
    };
    assert_eq!(gist("fn a() {\n  one();\n}", "fn a() {\n  two();\n}"), "one(); → two();");
    assert_eq!(gist("a\nb", "a\nc\nb"), "+ c");
    assert_eq!(gist("a\nc\nb", "a\nb"), "- c");
    assert_eq!(gist("a b", "a  b"), "a b → a  b");
    assert_eq!(gist("a\nb", "b\na"), "only spaces or order");
}

#[test]
fn only_output_that_says_something_is_kept() {
    let told = |command: &str, output: &str| gist::telling_output(command, output).map(|told| told.text);
    assert_eq!(told("ls", "a\nb"), None);
    assert_eq!(
        told("git commit -m x", "[main 1a2b3c4] say it\n 1 file changed"),
        Some("1a2b3c4 say it".into())
    );
    assert_eq!(
        told("cargo test", "running 2 tests\ntest result: ok. 2 passed; 0 failed"),
        Some("test result: ok. 2 passed; 0 failed".into())
    );
    assert_eq!(told("pytest", "===== 3 passed in 0.1s ====="), Some("===== 3 passed in 0.1s =====".into()));
    assert_eq!(told("echo", "the parcel has passed customs"), None);
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
        project: Some(Project { name: "p".into(), root: Some("/p".into()) }),
        root: Some(Path::new("/p")),
        ..Circumstances::default()
    }
}

#[test]
fn paths_are_told_from_the_root_and_texts_are_cut_after_redaction() {
    let own = OwnPatterns::default();
    let path = |path: &str| {
        let event = event(ToolAction::Read { path: path.into(), text: String::new() }, ToolResult::default());
        observe(&event, &circumstances(), &own).remove(0).file_path.unwrap()
    };
    assert_eq!(path("a.rs"), "sub/a.rs");
    assert_eq!(path("../b.rs"), "b.rs");
    assert_eq!(path("/p/c.rs"), "c.rs");
    assert_eq!(path("/elsewhere/d.rs"), "/elsewhere/d.rs");
    // The secret lies across the cut: redacting afterwards would have left half of it.
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
fn events_of_one_id_have_one_key_and_others_have_their_own() {
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
    // Everything that follows a prompt carries the prompt's id.
    assert_ne!(key(&ran(None, 1), 0), key(&ran(None, 2), 0));
    assert_eq!(key(&ran(None, 1), 0), key(&ran(None, 1), 5));
    assert_ne!(key(&ran(None, 1), 0), key(&ran(None, 1), 60));
}

#[test]
fn an_event_without_a_session_is_nobodys() {
    let nobody =
        Event { session: None, ..event(ToolAction::Command { command: "ls".into() }, ToolResult::default()) };
    assert_eq!(observe(&nobody, &circumstances(), &OwnPatterns::default()), []);
}
