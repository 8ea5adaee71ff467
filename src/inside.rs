//! The inner doors for fuzz targets: whatever the bytes are, none of these may panic or take forever.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::harness;
use crate::model::{Filter, Order, Search, Timestamp};
use crate::observations::{Circumstances, observe};
use crate::ops::rules::try_out::try_rules;
use crate::redact::OwnPatterns;
use crate::rules::{Book, MissingVersion, read};
use crate::shell::{CommandPattern, CommandPatterns, Dialect, follow, touches};
use crate::store::{Store, StoreError};

/// Reads bytes as a rule file, packs what loads, opens it again, and tries it on an event that concerns every rule.
pub fn rule_file(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let loaded = read("fuzz.yaml", &text, MissingVersion::Warn);
    let packed = Book::pack(&loaded.rules, loaded.problems);
    let book = Book::open(&packed).expect("a packed book opens");
    event_with(&book, br#"{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"a.ts","content":"x TODO\ny"}}"#);
}

/// Reads bytes as an event, and answers it with a few rules of every kind.
pub fn event(bytes: &[u8]) {
    let rules = read("fuzz.yaml", RULES, MissingVersion::Warn);
    assert!(rules.problems.iter().all(|problem| !problem.is_error()), "{:?}", rules.problems);
    let packed = Book::pack(&rules.rules, rules.problems);
    event_with(&Book::open(&packed).expect("a packed book opens"), bytes);
}

/// Reads bytes as an event, and makes of it what would be remembered.
pub fn extraction(bytes: &[u8]) {
    let own = OwnPatterns::default();
    for agent in harness::AGENTS {
        if let Ok(Some(event)) = (agent.parse)(bytes, None) {
            for observation in observe(&event, &Circumstances::default(), &own) {
                assert!(observation.content.len() <= 2_100, "content is bounded");
            }
        }
    }
}

/// Reads bytes as a command line in every dialect, and looks for a pattern and for touched files in it.
pub fn shell(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let pattern = CommandPattern::new("git push --force").expect("a pattern");
    let patterns = CommandPatterns { patterns: vec![pattern] };
    for dialect in [Dialect::Posix, Dialect::PowerShell, Dialect::Cmd] {
        let run = follow(&text, dialect);
        drop(patterns.find(&run));
        drop(touches(&run));
    }
    drop(CommandPattern::new(&text));
}

/// Asks the memory anything: whatever the words, they are never an error of SQL.
pub fn question(bytes: &[u8]) {
    thread_local! {
        static MEMORY: (tempfile::TempDir, Store) = {
            let folder = tempfile::tempdir().expect("a folder");
            let store = Store::open(&folder.path().join("nudge.db"), Duration::from_secs(5)).expect("a store");
            (folder, store)
        };
    }
    let text = String::from_utf8_lossy(bytes).into_owned();
    let search = Search {
        text,
        filter: Filter::default(),
        order: Order::Relevance,
        limit: 20,
        offset: 0,
        excerpts: true,
    };
    MEMORY.with(|(_, store)| match store.search(&search, Timestamp(0)) {
        Ok(_) | Err(StoreError::Query(_)) => {}
        Err(other) => panic!("{other}: {}", search.text),
    });
}

fn event_with(book: &Book<'_>, bytes: &[u8]) {
    for agent in harness::AGENTS.iter().map(|named| harness::caller(named, bytes)) {
        if let Ok(Some(mut event)) = (agent.parse)(bytes, None) {
            (agent.complete)(&mut event, &String::from_utf8_lossy(bytes));
            let event = Arc::new(event);
            drop(try_rules(book, &event, Path::new("/nowhere"), Duration::from_millis(200)));
            (agent.render)(&event, &crate::model::Verdict::default());
        }
        drop(agent.last_message(&String::from_utf8_lossy(bytes)));
    }
}

const RULES: &str = r#"
version: 1
rules:
  - { name: literal, on: { hook: PreToolUse, tool: Write|Edit, file: "**/*.ts" }, match: { content: "TODO|FIXME" }, action: interrupt, message: "{{ lines }} {{ matched }}" }
  - { name: edit, on: { hook: PreToolUse }, match: { new_string: "\\bx\\b" }, unless: { content: "(?i)allow" }, action: continue, message: m }
  - { name: all, on: { hook: PreToolUse }, match: { content: "(?=.*a)(?!.*b)" }, action: continue, message: "{{ matched }}" }
  - { name: back, on: { hook: PreToolUse }, match: { content: "(a)\\1" }, action: continue, message: m }
  - { name: post, on: { hook: PostToolUse, file: "!src/**" }, match: { content: "." }, action: continue, message: m }
  - { name: prompt, on: { hook: UserPromptSubmit }, match: { prompt: "run" }, action: continue, message: "{{ prompt }}" }
  - { name: stop, on: { hook: Stop }, match: { message: "done" }, action: interrupt, message: m }
"#;
