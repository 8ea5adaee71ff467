//! What happened: `nudge log`, `nudge day` and `nudge failures`.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use expect_test::expect;
use serde_json::{Value, json};

use crate::memory::scene::{failed, import, line, play, remembered, story};
use crate::payload::{bash, edit, event, prompt, write};
use crate::sandbox::{BLOCK_TODO, Sandbox};

/// Takes the clock and the milliseconds out of lines of the log.
fn timeless(text: &str) -> String {
    let line = |line: &str| {
        let (_, rest) = line.split_at(line.find("  ").unwrap_or(0));
        let rest = rest.trim_end_matches(" ms").trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let words: Vec<&str> = rest.split_whitespace().collect();
        format!("{}\n", words.join(" | "))
    };
    text.lines().map(line).collect()
}

fn with_calls() -> Sandbox {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO);
    sandbox.hook("claude-code", write("src/a.rs", "TODO"));
    sandbox.hook("claude-code", bash("ls -la").after());
    sandbox.hook("codex", prompt("hello").with("turn_id", "t").with("model", "m"));
    sandbox
}

#[test]
fn the_log_has_one_line_for_each_hook_call() {
    let sandbox = with_calls();
    let ran = sandbox.run(["log"]);
    expect![[r#"
        claude | PreToolUse | Write | src/a.rs | BLOCK | no-todo
        claude | PostToolUse | Bash | ls | -la | ok
        codex | UserPromptSubmit | ok
    "#]]
    .assert_eq(&timeless(&ran.code(0).stdout));
    let count = |args: &[&str]| {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
        let output = command.arg("log").args(args).arg("--json").output().unwrap();
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        value["items"].as_array().unwrap().len()
    };
    assert_eq!(count(&[]), 3);
    assert_eq!(count(&["--blocked"]), 1);
    assert_eq!(count(&["--rule", "no-todo"]), 1);
    assert_eq!(count(&["--rule", "other"]), 0);
    assert_eq!(count(&["--agent", "codex"]), 1);
    // Agents have a short name too.
    assert_eq!(count(&["--agent", "claude"]), 2);
    assert_eq!(count(&["--since", "1h"]), 3);
    assert_eq!(count(&["-n", "2"]), 2);
    let elsewhere = with_calls().from("../elsewhere/.git/..");
    elsewhere.run(["log"]).code(0).stdout(expect![[""]]).stderr(expect![[r#"
        nothing found here; 3 hook calls are kept: try `--all`
    "#]]);
    assert_eq!(elsewhere.run(["log", "--all"]).stdout.lines().count(), 3);
}

#[test]
fn a_followed_log_prints_new_calls() {
    let sandbox = with_calls();
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
    command.args(["log", "-f", "-n", "1", "--json"]).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["harness"], "codex");
    sandbox.hook("claude-code", write("src/b.rs", "TODO"));
    let new = next();
    assert_eq!((&new["verdict"], &new["fired"]), (&json!("block"), &json!(["no-todo"])));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_day_is_summed_up() {
    let sandbox = remembered();
    sandbox.hook("claude-code", write("a.rs", "x"));
    let today = sandbox.run(["day"]);
    for text in ["sessions  1: 1 prompt, 1 edit, 1 failure", "make the linker error go away", "cargo build"] {
        assert!(today.code(0).stdout.contains(text), "{text}: {}", today.stdout);
    }
    let value = sandbox.run(["day", "today", "--json"]).json();
    assert_eq!((&value["days"], &value["sessions"]["total"]), (&json!(1), &json!(1)));
    assert_eq!(value["sessions"]["items"][0]["harness"], "claude-code");
    let yesterday = sandbox.run(["day", "yesterday", "--json"]).json();
    assert_eq!((&yesterday["sessions"]["total"], &yesterday["failures"]), (&json!(0), &json!([])));
    let week = sandbox.run(["day", "week", "--json"]).json();
    assert_eq!((&week["days"], &week["sessions"]["total"]), (&json!(7), &json!(1)));
    for wrong in ["3d", "soon", "2026-13-01"] {
        assert!(sandbox.run(["day", wrong]).code(2).stderr.contains("write `today`, `yesterday`, `week`"));
    }
}

#[test]
fn a_day_as_markdown_is_only_text() {
    let sandbox = Sandbox::new();
    let mut events = story();
    events[1] = prompt("# <b>use `x`</b> [a](b)");
    play(&sandbox, events);
    let text = sandbox.run(["day", "--md"]).code(0).stdout.clone();
    let lines: Vec<&str> = text.lines().skip(1).collect();
    let shown = lines.join("\n");
    assert!(text.starts_with("# 20"), "{text}");
    assert!(shown.contains("1 session: 1 prompt, 1 edit, 1 failure."), "{text}");
    assert!(
        shown.contains(
            "- \\# \\<b>use \\`x\\`\\</b> \\[a\\](b) **project, Claude Code** (1 prompt, 1 edit, 1 failure)"
        ),
        "{text}"
    );
    assert!(shown.contains("## Failures\n\n- **project** cargo build ⏎ error: linking with"), "{text}");
}

#[test]
fn an_earlier_day_has_its_own_sessions() {
    let sandbox = Sandbox::new();
    let day = 1_760_000_000_i64;
    let rows = [
        line("a", json!({ "timestamp": day, "session_id": "s1", "content": "first" })),
        line("b", json!({ "timestamp": day + 3 * 86_400, "session_id": "s2", "content": "second" })),
    ];
    import(&sandbox, &rows);
    let sessions = |date: &str| sandbox.run(["day", date, "--json"]).json()["sessions"]["total"].clone();
    assert_eq!(["2025-10-09", "2025-10-10", "2025-10-12"].map(sessions), [json!(1), json!(0), json!(1)]);
}

#[test]
fn failures_are_grouped_by_cause_the_recurring_first() {
    let sandbox = Sandbox::new();
    let ssl = "Exit code 101\nerror: linking with `cc` failed: cannot find -lssl";
    for session in ["s1", "s2", "s3"] {
        play(
            &sandbox,
            vec![
                failed("cargo build", ssl).session(session),
                edit("build.rs", "fn main() {}", "fn main() { link(\"ssl\") }").after().session(session),
                bash("cargo build").after().session(session),
            ],
        );
    }
    play(
        &sandbox,
        vec![failed("pytest -q", "Exit code 4\nERROR: no answer from 127.0.0.1:5432").session("s4")],
    );
    sandbox.hook("claude-code", event("Stop").with("stop_hook_active", false));
    let found = sandbox.run(["failures", "--json"]).json();
    // What differs between runs is compared as `#`, and shown as it was printed.
    assert!(found["items"][1]["signature"].as_str().unwrap().contains('#'), "{found}");
    assert_eq!(found["items"][1]["error"], "no answer from 127.0.0.1:5432");
    let items = found["items"].as_array().unwrap();
    assert_eq!((items.len(), &found["total"], &found["failures"]), (2, &json!(2), &json!(4)), "{found}");
    assert_eq!(
        (&items[0]["program"], &items[0]["times"], &items[0]["sessions"]),
        (&json!("cargo build"), &json!(3), &json!(3))
    );
    assert!(items[0]["ended_by"]["text"].as_str().unwrap().contains("link(\"ssl\")"), "{found}");
    assert!(items[1]["ended_by"].is_null(), "{found}");
    let ran = sandbox.run(["failures"]);
    for text in [
        "cargo build  3 times in 3 sessions, last just now",
        "linking with `cc` failed: cannot find -lssl",
        "ended by: build.rs: ",
        "pytest  once, last just now",
        "nothing ended it yet",
    ] {
        assert!(ran.code(0).stdout.contains(text), "{text}: {}", ran.stdout);
    }
    assert_eq!(sandbox.run(["failures", "-n", "1"]).stderr, "1 more cause: try `-n 2`\n");
    // Also where the signature has a `#` of its own.
    let pay = "Exit code 1\nError: waited 30000ms for the selector #pay";
    play(&sandbox, vec![failed("npx playwright test", pay).session("s5")]);
    let shown = sandbox.run(["failures"]).stdout.clone();
    assert!(shown.contains("waited 30000ms for the selector #pay"), "{shown}");
    let later = sandbox.run(["failures", "--since", "2100-01-01"]);
    later.code(0).stdout(expect![[""]]).stderr(expect![[r#"
        no failure is remembered of this project: try `--all`
    "#]]);
}

/// What a new user types first, and what nothing must answer with silence.
#[test]
fn what_people_type_first_is_understood() {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", bash("cargo build").after());
    for (line, ran) in [
        ("-v", sandbox.run(["-v"])),
        ("help -h", sandbox.run(["help", "-h"])),
        ("help --help", sandbox.run(["help", "--help"])),
    ] {
        assert!(ran.code == Some(0) && ran.stdout.to_lowercase().contains("nudge"), "{line}: {}", ran.stdout);
    }
    let last = sandbox.run(["show", "last"]);
    assert!(last.code(0).stdout.starts_with("1  command"), "{}", last.stdout);
    let around = sandbox.run(["timeline"]);
    assert!(around.code(0).stdout.contains("▶ 1"), "{}", around.stdout);
    let added = sandbox.run(["task", "add", "write", "more", "tests", "--json"]);
    assert_eq!(added.code(0).json()["task"]["title"], "write more tests");
    sandbox.run(["recent", "--since", "2099-01-01"]).code(0).stdout(expect![""]).stderr(expect![[r"
        nothing found: `nudge recent` lists the latest, `--all` those of all projects
    "]]);
    let quiet = sandbox.run(["day", "2020-01-01"]);
    assert!(quiet.stdout.contains("agents    none active\n"), "{}", quiet.stdout);
    sandbox.run(["history", "search", "zzz"]).code(1).stderr(expect![[r"
        no closed cycle has `zzz` in its text
    "]]);
    sandbox.run_with(["artifact", "write", "notes/a.md"], b"# A\nb\n").code(0);
    sandbox.run(["artifact", "show", "notes/a.md"]).code(0).stdout(expect![[r"
        # A
        b
    "]]);
    for name in ["notes/b.md", "../state/tasks.json", "/etc/passwd", ""] {
        let refused = sandbox.run(["artifact", "show", name]);
        assert!(
            refused.code == Some(1) && refused.stderr.contains("there is no artifact"),
            "{name}: {}",
            refused.stderr
        );
    }
}

#[test]
fn hints_are_found_by_a_word_and_listed_by_their_component() {
    let sandbox = Sandbox::new();
    sandbox.run(["set", "web", "build", "make [all]"]).code(0);
    sandbox.run(["set", "web", "test", "make check"]).code(0);
    let keys = |ran: crate::sandbox::Ran| {
        let names = ran.stdout.lines().filter(|line| line.starts_with("web/"));
        names.filter_map(|line| line.split("  ").next()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(keys(sandbox.run(["query", "BUILD"])), "web/build");
    assert_eq!(keys(sandbox.run(["query", "[all]"])), "web/build");
    assert_eq!(keys(sandbox.run(["hint", "find", "check"])), "web/test");
    assert_eq!(keys(sandbox.run(["query", "zzz"])), "");
    let listed = sandbox.run(["get", "web"]);
    assert_eq!(listed.code(0).stdout, sandbox.run(["ls", "web"]).stdout);
    assert!(listed.stdout.starts_with("build\n"), "{}", listed.stdout);
}

#[test]
fn what_would_draw_forever_or_begin_too_early_says_so() {
    let page = Sandbox::new().run(["report", "--html", "-"]);
    page.code(2).stderr(expect![[r#"
        error: a page is written to a file, not to the screen
        hint: name one, as in `--html week.html`
    "#]]);
    let sandbox = Sandbox::new();
    sandbox.run(["status", "--watch"]).code(1).stderr(expect![[r"
        error: `--watch` draws on a terminal
        hint: `nudge log -f` follows hook calls, one line each
    "]]);
    sandbox.run(["task", "add", "first"]).code(0);
    sandbox.run(["task", "add", "second", "--deps", "1"]).code(0);
    sandbox.run(["task", "start", "2"]).code(0).stderr(expect![[r"
        in progress task 2: second
        note: it waits for 1, not completed yet: `nudge task graph`
    "]]);
    sandbox.run(["task", "done", "1"]).code(0);
    sandbox.run(["task", "start", "2"]).code(0).stderr(expect![[r"
        in progress task 2: second
    "]]);
}

#[test]
fn what_the_user_stopped_is_no_failure() {
    let sandbox = Sandbox::new();
    let stopped = failed("npm run dev", "Exit code 137\n[Request interrupted by user]");
    play(&sandbox, vec![stopped.with("is_interrupt", true).session("s1")]);
    sandbox.hook("claude-code", event("Stop").session("s1").with("stop_hook_active", false));
    let found = sandbox.run(["failures", "--json"]).json();
    assert_eq!(found["total"], json!(0), "{found}");
}
