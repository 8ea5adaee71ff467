//! Tests of this module.

use proptest::prelude::*;

use super::*;
use crate::model::{Event, FilePosition, Severity, Target, ToolAction, ToolCall};
use crate::rules::{MissingVersion, calls, read};

const RULES: &str = r#"
version: 1
rules:
  - { name: any, on: { hook: PreToolUse }, action: continue, message: m }
  - { name: write, on: { hook: PreToolUse, tool: Write }, action: continue, message: m }
  - { name: bash, on: { hook: PreToolUse, tool: Bash }, action: continue, message: m }
  - { name: ts, on: { hook: PreToolUse, file: "**/*.ts" }, action: continue, message: m }
  - { name: write-ts, on: { hook: PreToolUse, tool: Write, file: "**/*.ts" }, match: { content: TODO }, action: interrupt, message: m }
  - { name: not-ts, on: { hook: PreToolUse, file: "!**/*.ts" }, action: continue, message: m }
  - { name: off, on: { hook: PreToolUse }, enabled: false, action: continue, message: m }
  - { name: after, on: { hook: PostToolUse, tool: Write }, action: continue, message: m }
  - { name: prompt, on: { hook: UserPromptSubmit }, action: continue, message: m }
  - { name: stop, on: { hook: Stop }, action: continue, message: m }
"#;

fn rules(text: &str) -> Vec<Rule> {
    let loaded = read("r.yaml", text, MissingVersion::Warn);
    assert_eq!(loaded.problems, []);
    loaded.rules
}

fn event(hook: Hook, action: Option<(&str, ToolAction)>) -> Event {
    Event {
        hook,
        cwd: "/p".into(),
        tool: action.map(|(name, action)| ToolCall { name: name.into(), action }),
        ..Event::default()
    }
}

fn write(path: &str) -> ToolAction {
    ToolAction::Write { path: path.into(), content: String::new() }
}

#[track_caller]
fn check(hook: Hook, action: Option<(&str, ToolAction)>, expect: &[&str]) {
    let bytes = Book::pack(&rules(RULES), Vec::new());
    let book = Book::open(&bytes).unwrap();
    let event = event(hook, action);
    let mut calls = calls(&event);
    for call in &mut calls {
        let target = |path: &str| Target { absolute: format!("/p/{path}"), relative: Some(path.into()) };
        call.paths = call.path(&event).map(target).into_iter().collect();
    }
    let candidates = book.candidates(hook, &calls);
    assert_eq!(candidates.iter().map(|one| one.rule.name.as_str()).collect::<Vec<_>>(), expect);
}

#[test]
fn an_event_selects_the_rules_for_its_hook_tool_and_file() {
    let bash = || ToolAction::Command { command: "ls".into() };
    check(Hook::PreToolUse, Some(("Write", write("a.ts"))), &["any", "write", "ts", "write-ts"]);
    check(Hook::PreToolUse, Some(("Write", write("a.rs"))), &["any", "write", "not-ts"]);
    check(Hook::PreToolUse, Some(("Other", write("a.ts"))), &["any", "ts"]);
    check(Hook::PreToolUse, Some(("Bash", bash())), &["any", "bash"]);
    check(Hook::PostToolUse, Some(("Write", write("a.ts"))), &["after"]);
    check(Hook::UserPromptSubmit, None, &["prompt"]);
    check(Hook::Stop, None, &["stop"]);
    check(Hook::SessionStart, None, &[]);
    check(Hook::PreToolUse, None, &["any"]);
}

#[test]
fn a_rule_for_commands_is_unpacked_only_where_its_program_may_run() {
    let text = r#"
version: 1
rules:
  - { name: push, on: { hook: PreToolUse }, match: { command: ["git push --force", "{curl,wget} | sh"] }, action: interrupt, message: m }
  - { name: not-git, on: { hook: PreToolUse }, unless: { command: git }, action: continue, message: m }
  - { name: any, on: { hook: PreToolUse }, match: { command: "* --force" }, action: continue, message: m }
"#;
    let bytes = Book::pack(&rules(text), Vec::new());
    let book = Book::open(&bytes).unwrap();
    let names = |tool: &str, action: ToolAction| {
        let calls = calls(&event(Hook::PreToolUse, Some((tool, action))));
        let candidates = book.candidates(Hook::PreToolUse, &calls);
        candidates.iter().map(|one| one.rule.name.clone()).collect::<Vec<_>>()
    };
    let run = |tool: &str, command: &str| names(tool, ToolAction::Command { command: command.to_owned() });
    assert_eq!(names("Write", write("git")), ["not-git"]);
    assert_eq!(run("Bash", "ls git"), ["not-git", "any"]);
    for command in
        ["git status", "ls; sudo /usr/bin/git log", "bash -c 'GIT log'", "git.exe log", "wget x | sh"]
    {
        assert_eq!(run("Bash", command), ["push", "not-git", "any"], "{command}");
    }
    assert_eq!(run("PowerShell", "Git.exe status"), ["push", "not-git", "any"]);
    assert_eq!(run("PowerShell", "iwr x | iex"), ["push", "not-git", "any"]);
    // It cannot be read, so nobody knows what it runs.
    assert_eq!(run("Bash", "ls 'git push"), ["push", "not-git", "any"]);
}

#[test]
fn rules_are_unpacked_as_they_were_packed_except_for_their_filters() {
    let rules = rules(RULES);
    let problem = Problem::warning("w").at("r.yaml", 1, 2).of_rule("any").hint("h");
    let bytes = Book::pack(&rules, vec![problem.clone()]);
    let book = Book::open(&bytes).unwrap();
    assert_eq!(book.problems, [problem]);
    let unpacked = book.entries.iter().map(|entry| postcard::from_bytes::<Rule>(entry.rule).unwrap());
    let enabled = rules.into_iter().filter(|rule| rule.enabled);
    let enabled: Vec<Rule> =
        enabled.map(|rule| Rule { tool: None, file: None, description: None, ..rule }).collect();
    assert_eq!(unpacked.collect::<Vec<_>>(), enabled);
}

#[test]
fn every_plan_of_a_pattern_can_be_packed() {
    let patterns = ["TODO|FIXME", "\\bx\\b", "(?s).{1000,}", "(?=.*a)(?!.*b)", "(a)\\1"];
    let text: String = patterns.iter().map(|pattern| {
        format!("  - {{ name: r, on: {{ hook: Stop }}, match: {{ message: '{pattern}' }}, action: continue, message: m }}\n")
    }).collect();
    let rules = rules(&format!("version: 1\nrules:\n{text}"));
    let bytes = Book::pack(&rules, Vec::new());
    let candidates = Book::open(&bytes).unwrap().candidates(Hook::Stop, &[Call::default()]);
    assert_eq!(candidates.into_iter().map(|one| (*one.rule).clone()).collect::<Vec<_>>(), rules);
}

#[test]
fn an_empty_book_is_valid() {
    let bytes = Book::pack(&[], Vec::new());
    let book = Book::open(&bytes).unwrap();
    assert_eq!((book.is_empty(), book.candidates(Hook::Stop, &[Call::default()]).len()), (true, 0));
}

#[test]
fn only_rules_with_a_file_filter_need_files() {
    let bytes = Book::pack(&rules(RULES), Vec::new());
    let book = Book::open(&bytes).unwrap();
    let asks = [Hook::PreToolUse, Hook::PostToolUse, Hook::Stop].map(|hook| book.asks_for_files(hook));
    assert_eq!(asks, [true, false, false]);
}

#[test]
fn filters_that_rules_share_are_stored_once() {
    let bytes = Book::pack(&rules(RULES), Vec::new());
    let book = Book::open(&bytes).unwrap();
    assert_eq!((book.tools.len(), book.files.len()), (2, 2));
}

#[test]
fn bytes_that_are_not_a_book_are_refused() {
    let bytes = Book::pack(&rules(RULES), Vec::new());
    assert!(Book::open(&[]).is_none());
    assert!(Book::open(&bytes[..bytes.len() / 2]).is_none());
    assert!(Book::open(&bytes[..bytes.len() - 1]).is_none());
    assert!(Book::open(b"garbage garbage garbage").is_none());
    assert!(Book::open(&[0xff; 64]).is_none());
    let entry = PackedRule {
        hook: Hook::Stop,
        tool: Some(7),
        file: None,
        programs: None,
        does: None,
        rule: &[],
        unpacked: OnceLock::new(),
    };
    let dangling = Book {
        tools: vec![],
        files: vec![],
        programs: &[],
        entries: vec![entry],
        watched: vec![],
        problems: vec![],
        sources: &[],
    };
    assert!(Book::open(&postcard::to_stdvec(&dangling).unwrap()).is_none());
}

#[test]
fn a_duplicate_name_is_a_warning() {
    let rule =
        |name: &str| format!("  - {{ name: {name}, on: {{ hook: Stop }}, action: continue, message: m }}\n");
    let text = format!("version: 1\nrules:\n{}{}{}{}", rule("a"), rule("b"), rule("a"), rule("a"));
    let warning = |line: usize| Problem {
        severity: Severity::Warning,
        place: Some(FilePosition { file: "r.yaml".into(), line, column: 5 }),
        rule: Some("a".into()),
        message: "the name is used twice, first at r.yaml:3:5".into(),
        hint: Some("both fire; rename one of them".into()),
        origin: crate::model::Origin::File,
        topic: crate::model::Topic::Rules,
    };
    assert_eq!(duplicates(&rules(&text)), [warning(5), warning(6)]);
    assert_eq!(duplicates(&[]), []);
}

proptest! {
    #[test]
    fn broken_bytes_never_panic(at in any::<proptest::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = Book::pack(&rules(RULES), Vec::new());
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Some(book) = Book::open(&bytes) {
            let event = event(Hook::PreToolUse, Some(("Write", write("a.ts"))));
            drop(book.candidates(Hook::PreToolUse, &calls(&event)));
        }
    }
}
