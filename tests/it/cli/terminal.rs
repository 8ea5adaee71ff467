//! What a person sees on a terminal: questions and their answers, the progress of a long action, and a screen that is refreshed.

#![expect(clippy::unwrap_used, reason = "what cannot be read is a failed test")]

use rusqlite::Connection;
use serde_json::{Map, json};

use crate::hints::scene::Scene;
use crate::memory::scene::remembered;
use crate::person::Terminal;
use crate::sandbox::Sandbox;

fn count(sandbox: &Sandbox) -> u64 {
    sandbox.run(["stats", "--all", "--json"]).json()["observations"].as_u64().unwrap()
}

#[test]
fn a_question_is_answered_with_yes_or_no() {
    let sandbox = remembered();
    let before = count(&sandbox);
    for answer in ["n\n", "\n", "nonsense\n", "\u{4}"] {
        let mut terminal = Terminal::run(&sandbox, &["forget", "4"]);
        terminal.shows("Forget them for good?", 1).shows("[y/N] ", 1).types(answer);
        let (code, seen) = terminal.end();
        assert_eq!(code, Some(1), "{answer:?}: {seen}");
        assert!(seen.contains("nothing was forgotten"), "{answer:?}: {seen}");
        assert_eq!(count(&sandbox), before);
    }
    let mut terminal = Terminal::run(&sandbox, &["forget", "4"]);
    terminal.shows("[y/N] ", 1).types("YES\n");
    let (code, seen) = terminal.end();
    assert_eq!(code, Some(0), "{seen}");
    assert!(seen.contains("1 observation"), "{seen}");
    assert_eq!(count(&sandbox), before - 1);
}

#[test]
fn a_long_import_shows_how_far_it_is_and_an_export_goes_past_the_screen() {
    let hints: Map<_, _> =
        (0..150).map(|n| (format!("k{n}"), json!({ "value": "x ".repeat(30_000) }))).collect();
    let large = json!({ "components": { "a": { "hints": hints } } }).to_string();
    let scene = Scene::with(Sandbox::new().file("large.json", &large), &[]);
    let (code, seen) = Terminal::run(&scene.sandbox, &["import", "large.json"]).end();
    assert_eq!(code, Some(0), "{seen}");
    assert!(seen.contains("MiB/8.") && seen.contains("imported 150 hints"), "{seen}");
    let (code, seen) = Terminal::run(&scene.sandbox, &["export", "-o", "out.json"]).end();
    assert_eq!((code, seen.as_str()), (Some(0), ""));
}

#[test]
fn lists_fit_the_window_and_a_pipe_gets_them_whole() {
    let sandbox = remembered().rule("a.yaml", crate::sandbox::BLOCK_TODO);
    let long = format!("explain {}", "日本語 and what comes behind it ".repeat(5));
    crate::memory::scene::play(&sandbox, vec![crate::payload::prompt(&long)]);
    sandbox.run(["task", "add", &long]).code(0);
    for args in [
        &["recent"][..],
        &["sessions"],
        &["search", "explain"],
        &["rules"],
        &["task"],
        &["log"],
        &["day"],
        &["failures"],
        &[],
    ] {
        let (code, seen) = Terminal::of_width(&sandbox, 40, args).end();
        assert_eq!(code, Some(0), "{args:?}: {seen}");
        let plain = anstream_free(&seen);
        let wide = plain.lines().filter(|line| !line.starts_with("more: ")).find(|line| columns(line) > 40);
        assert_eq!(wide, None, "{args:?}");
    }
    assert!(sandbox.run(["recent"]).stdout.lines().any(|line| columns(line) > 100));
}

#[test]
fn rules_say_where_they_come_from_in_every_window() {
    let long = "a-rule-with-a-long-name-that-leaves-little-room";
    let rule = format!(
        "version: 1\npacks: [git]\nrules:\n  - {{ name: {long}, on: {{ hook: PreToolUse, tool: 'Write|Edit|MultiEdit', file: 'src/**/*.ts' }}, action: continue, message: m }}\n"
    );
    let sandbox = Sandbox::new().file(".nudge.yaml", rule);
    let rows = |width: u16| {
        let (code, seen) = Terminal::of_width(&sandbox, width, &["rules"]).end();
        assert_eq!(code, Some(0), "{seen}");
        anstream_free(&seen).replace('\r', "")
    };
    for width in [160, 120, 80, 60, 40, 30] {
        let seen = rows(width);
        assert_eq!(seen.lines().find(|line| columns(line) > width.into()), None, "{width}");
        assert!(seen.matches("(.nudge.yaml:2:9)").count() >= 16, "{width}: {seen}");
        assert!(seen.contains(".nudge.yaml:4:5"), "{width}: {seen}");
    }
    assert!(rows(160).contains("src/**/*.ts") && rows(120).contains("PreToolUse"), "what fits is shown");
    let (_, packs) = Terminal::of_width(&sandbox, 80, &["rules", "packs"]).end();
    assert!(anstream_free(&packs).contains("used    git         16 rules  .nudge.yaml  "), "{packs}");
}

/// Returns a text without its colours.
fn anstream_free(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').map_or(part, |(_, rest)| rest))
}

/// Returns the columns of a line: the characters of this test that are not Latin take two.
fn columns(line: &str) -> usize {
    line.chars().map(|c| if ('\u{3040}'..='\u{9fff}').contains(&c) { 2 } else { 1 }).sum()
}

#[test]
fn a_watched_status_is_shown_again_and_again() {
    let scene = Scene::new();
    let mut terminal = Terminal::run(&scene.sandbox, &["status", "--watch"]);
    let fresh = "\u{1b}[2J\u{1b}[H";
    terminal.shows(fresh, 1).shows("0 hints in 0 components", 1);
    scene.done(&["set", "a", "k", "v"]);
    terminal.shows("1 hint in 1 component", 1);
    scene.done(&["stop"]);
    terminal.shows("none running; agents start one", 1).shows(fresh, 3);
    assert!(terminal.child.try_wait().unwrap().is_none(), "it still runs: {}", terminal.seen);
    terminal.types("q");
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn a_watched_status_ends_with_control_c_too_and_other_keys_do_nothing() {
    let scene = Scene::new();
    let mut terminal = Terminal::run(&scene.sandbox, &["status", "--watch"]);
    let fresh = "\u{1b}[2J\u{1b}[H";
    terminal.shows(fresh, 1).types("Z").shows(fresh, 3);
    assert!(terminal.child.try_wait().unwrap().is_none(), "it still runs: {}", terminal.seen);
    assert!(!terminal.seen.contains('Z'), "keys are not shown: {}", terminal.seen);
    terminal.types("\u{3}");
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn setup_shows_a_table_asks_once_and_ends_with_what_to_do() {
    let sandbox = Sandbox::new();
    sandbox.put("../home/.claude/settings.json", "{}\n");
    sandbox.put("../home/.codex/config.toml", "");
    sandbox.put("../home/.gemini/settings.json", "{}\n");
    let names = ["setup", "claude", "codex", "gemini"];
    let question = "Connect 3 agents? [Y/n/d=diff/c=choose]";
    let mut terminal = Terminal::run(&sandbox, &names);
    terminal.shows(question, 1);
    let table = anstream_free(&terminal.seen);
    for text in ["agent        hooks  server  files", "~/.claude/settings.json", "agents and skills"] {
        assert!(table.contains(text), "{text}: {table}");
    }
    assert!(!table.contains("+  \"hooks\""), "no diff unless asked: {table}");
    terminal.types("d\n").shows(question, 2);
    assert!(terminal.seen.contains("nudge hook --harness codex"), "{}", terminal.seen);
    terminal.types("c\n").shows("Connect Claude Code? [Y/n]", 1).types("\n");
    terminal.shows("Connect Codex? [Y/n]", 1).types("y\n");
    terminal.shows("Connect Gemini CLI? [Y/n]", 1).types("n\n");
    let (code, seen) = terminal.end();
    let seen = anstream_free(&seen);
    assert_eq!(code, Some(0), "{seen}");
    let at = |text: &str| seen.find(text).unwrap_or_else(|| panic!("{text}: {seen}"));
    assert!(
        at("Codex is connected") < at("next: Claude Code:") && at("next: Claude Code:") < at("next: Codex:")
    );
    assert!(seen.contains("nothing was written for Gemini CLI"), "{seen}");
    assert_eq!(std::fs::read_to_string(sandbox.beside("home/.gemini/settings.json")).unwrap(), "{}\n");
    assert!(std::fs::read_to_string(sandbox.beside("home/.claude/settings.json")).unwrap().contains("nudge"));
}

#[test]
fn undoing_the_setup_shows_a_table_and_asks_once() {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_nudge")).parent().unwrap();
    let path = format!("{}:/usr/bin:/bin", program.display());
    let sandbox = Sandbox::new().env("PATH", &path);
    sandbox.put("../home/.profile", format!("PATH={path}\n"));
    sandbox.put("../home/.claude/settings.json", "{}\n");
    sandbox.put("../home/.gemini/settings.json", "{}\n");
    sandbox.run(["setup", "claude", "gemini", "--yes"]).code(0);
    sandbox.run(["setup", "claude", "--project", "--yes"]).code(0);
    let question = "Disconnect 2 agents? [Y/n/d=diff/c=choose]";
    let mut terminal = Terminal::run(&sandbox, &["setup", "--undo"]);
    terminal.shows(question, 1);
    let table = anstream_free(&terminal.seen);
    for text in [
        "agent        connected        files",
        "Claude Code  in this project  .mcp.json, .claude/settings.json, 14 agents and skills",
        "for you",
    ] {
        assert!(table.contains(text), "{text}: {table}");
    }
    assert!(!table.contains("nudge hook"), "no diff unless asked: {table}");
    assert!(!table.contains("Cursor"), "only what is connected: {table}");
    terminal.types("d\n").shows(question, 2);
    assert!(terminal.seen.contains("nudge hook --harness gemini-cli"), "{}", terminal.seen);
    terminal.types("c\n").shows("Disconnect Claude Code for you? [Y/n]", 1).types("\n");
    terminal.shows("Disconnect Gemini CLI for you? [Y/n]", 1).types("n\n");
    terminal.shows("Disconnect Claude Code in this project? [Y/n]", 1).types("y\n");
    let (code, seen) = terminal.end();
    let seen = anstream_free(&seen);
    assert_eq!(code, Some(0), "{seen}");
    assert!(seen.contains("Claude Code is restored for you"), "{seen}");
    assert!(seen.contains("nothing was written for Gemini CLI"), "{seen}");
    assert_eq!(std::fs::read_to_string(sandbox.beside("home/.claude/settings.json")).unwrap(), "{}\n");
    assert!(std::fs::read_to_string(sandbox.beside("home/.gemini/settings.json")).unwrap().contains("nudge"));
    let ran = sandbox.run(["setup", "--undo"]);
    assert!(ran.stdout.contains("~/.gemini/settings.json (changed)"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("nudge hook"), "a script gets the names too: {}", ran.stdout);
    let (code, seen) = Terminal::run(&sandbox, &["setup", "--undo"]).end();
    assert_eq!(code, Some(0), "{seen}");
    assert_eq!(seen.trim(), "no agent has anything of nudge, for you or in this project");
}

#[test]
fn setup_writes_nothing_without_a_yes() {
    let sandbox = Sandbox::new();
    sandbox.put("../home/.claude/settings.json", "{}\n");
    for answer in ["n\n", "\u{4}"] {
        let mut terminal = Terminal::run(&sandbox, &["setup", "claude"]);
        terminal.shows("Connect 1 agent? [Y/n/d=diff/c=choose]", 1).types(answer);
        let (_, seen) = terminal.end();
        assert!(seen.contains("nothing was written for Claude Code"), "{answer:?}: {seen}");
    }
    let mut terminal = Terminal::run(&sandbox, &["setup", "claude", "--diff"]);
    terminal.shows("Write this for Claude Code?", 1).types("n\n");
    terminal.end();
    let (_, seen) = Terminal::run(&sandbox, &["setup", "claude", "--dry-run"]).end();
    assert!(anstream_free(&seen).contains("`--diff` shows every line"), "{seen}");
    assert_eq!(std::fs::read_to_string(sandbox.beside("home/.claude/settings.json")).unwrap(), "{}\n");
}

#[test]
fn what_is_for_programs_says_so_to_a_person() {
    let sandbox = Sandbox::new();
    let mut page = Terminal::run(&sandbox, &["man", "recent"]);
    page.shows("`nudge man recent | man -l -` shows it", 1);
    let mut hook = Terminal::run(&sandbox, &["hook", "--harness", "claude-code"]);
    hook.shows("waiting for an event as JSON", 1);
}

#[test]
fn a_person_who_waits_for_another_process_is_told_so() {
    let sandbox = remembered();
    let connection = Connection::open(sandbox.data_folder().join("nudge.db")).unwrap();
    connection.execute_batch("PRAGMA locking_mode = exclusive; BEGIN EXCLUSIVE").unwrap();
    let mut terminal = Terminal::run(&sandbox, &["search", "cargo"]);
    terminal.shows("waiting for the memory: another process is writing to it", 1);
    drop(connection);
    // On a slow machine it has given up by now, and says so.
    let (_, seen) = terminal.end();
    assert!(seen.contains("just now") || seen.contains("the database is busy"), "{seen}");
}

#[test]
fn a_narrow_window_shows_what_was_answered_and_what_settings_mean() {
    let sandbox = Sandbox::new().rule("a.yaml", crate::sandbox::BLOCK_TODO);
    sandbox.hook("claude-code", crate::payload::write("src/a/long/path/of/a/file.rs", "TODO"));
    let (_, seen) = Terminal::of_width(&sandbox, 70, &["log"]).end();
    assert!(anstream_free(&seen).contains("  BLOCK no-todo  Write src"), "{seen}");
    let (_, seen) = Terminal::of_width(&sandbox, 40, &["settings"]).end();
    let plain = anstream_free(&seen).replace('\r', "");
    assert!(
        plain.contains("\n  A regex for secrets of your own,\n  stored as [REDACTED:NAME]\n")
            && !plain.contains('…'),
        "{plain}"
    );
}
