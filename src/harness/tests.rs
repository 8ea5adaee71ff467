//! What applies to every harness: its payloads become their events, its replies are unchanged, and no input can break
//! it.

mod install;
mod team;

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;
use crate::model::{Event, Hook, Outcome, Verdict};

/// Returns the folder with the recorded payloads of an agent, and the expected results.
fn fixtures(agent: &Agent) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(agent.name)
}

pub(super) fn payloads(agent: &Agent) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(fixtures(agent)).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect();
    paths.sort();
    paths
}

#[test]
fn every_payload_becomes_its_event() {
    for agent in AGENTS {
        for path in payloads(agent) {
            let input = std::fs::read(&path).unwrap();
            let caller = caller(agent, &input);
            // Copilot's hooks name their event on the command line; for the others the payload's name wins.
            let name = path.file_name().unwrap().to_str().unwrap().split('.').next();
            let event = (caller.parse)(&input, name).unwrap();
            let event = event.unwrap_or_else(|| panic!("{} is not known", path.display()));
            expect_test::expect_file![path.with_extension("event")].assert_eq(&format!("{event:#?}\n"));
        }
    }
}

const HOOKS: [Hook; 8] = [
    Hook::PreToolUse,
    Hook::PostToolUse,
    Hook::PostToolUseFailure,
    Hook::UserPromptSubmit,
    Hook::Stop,
    Hook::SessionStart,
    Hook::SessionEnd,
    Hook::Other,
];

/// Returns every possible reply, one per line.
fn replies(agent: &Agent) -> String {
    let mut table = String::new();
    for hook in HOOKS {
        let ask = Outcome::Ask { reason: "M".into(), context: Some("C".into()) };
        for outcome in [Outcome::Pass, Outcome::Guide("M".into()), ask, Outcome::Block("M".into())] {
            for notice in [None, Some("N".to_owned())] {
                let suffix = if notice.is_some() { " + notice" } else { "" };
                let what = match outcome {
                    Outcome::Pass => "pass",
                    Outcome::Guide(_) => "guide",
                    Outcome::Ask { .. } => "ask",
                    Outcome::Block(_) => "block",
                };
                let event = Event { hook, ..Event::default() };
                let reply = (agent.render)(&event, &Verdict { outcome: outcome.clone(), notice });
                assert!(reply.is_empty() || reply.ends_with('\n') && reply.lines().count() == 1, "{reply}");
                for word in ["null", "allow", "\"continue\":true", "Other"] {
                    assert!(!reply.contains(word), "{reply}");
                }
                table.push_str(&format!("{} {what}{suffix}: {}\n", hook.name(), reply.trim_end()));
            }
        }
    }
    table
}

#[test]
fn every_reply_is_unchanged() {
    for agent in AGENTS {
        let file = fixtures(agent).join("replies.txt");
        expect_test::expect_file![file].assert_eq(&replies(agent));
    }
    let file = fixtures(&copilot::COMPATIBLE).join("replies.compatible.txt");
    expect_test::expect_file![file].assert_eq(&replies(&copilot::COMPATIBLE));
}

/// A reply must do what the table says, because degrading relies on it.
#[test]
fn what_the_table_promises_is_rendered() {
    for agent in AGENTS {
        for hook in HOOKS {
            let ability = agent.abilities.at(hook);
            let event = Event { hook, ..Event::default() };
            let says = |outcome: Outcome, notice: Option<&str>| {
                let verdict = Verdict { outcome, notice: notice.map(str::to_owned) };
                (agent.render)(&event, &verdict)
            };
            let place = format!("{} {}", agent.id, hook.name());
            let (guide, block) =
                (says(Outcome::Guide("M".into()), None), says(Outcome::Block("M".into()), None));
            assert!(!ability.guide || guide.contains("\"M\""), "{place} guide: {guide}");
            assert!(!ability.block || block.contains("\"M\""), "{place} block: {block}");
            assert!(!(ability.block && ability.guide) || guide != block, "{place}: {guide}");
            assert!(!ability.tell_user || says(Outcome::Pass, Some("N")).contains("\"N\""), "{place} notice");
        }
    }
}

#[test]
fn the_page_of_agents_matches_the_table() {
    let page = include_str!("../../docs/harnesses/README.md");
    let shown = [
        Hook::PreToolUse,
        Hook::PostToolUse,
        Hook::PostToolUseFailure,
        Hook::UserPromptSubmit,
        Hook::Stop,
        Hook::SessionStart,
    ];
    for agent in AGENTS {
        let cells = shown.map(|hook| {
            let ability = agent.abilities.at(hook);
            let words = [(ability.block, "block"), (ability.guide, "guide"), (ability.tell_user, "tell")];
            let words: Vec<&str> = words.iter().filter(|(can, _)| *can).map(|(_, word)| *word).collect();
            if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
        });
        let row = format!("({}.md) | {} |", agent.id, cells.join(" | "));
        assert!(page.contains(&row), "missing: {row}");
    }
}

#[test]
fn unknown_or_broken_input_is_not_an_event() {
    for agent in AGENTS {
        for input in ["", "[]", "null", "{\"hook_event_name\":", "\u{feff}"] {
            assert!((agent.parse)(input.as_bytes(), None).is_err(), "{} {input}", agent.id);
        }
        for input in ["{}", r#"{"hook_event_name":"Nope","event":"nope"}"#, r#"{"hook_event_name":5}"#] {
            assert_eq!((agent.parse)(input.as_bytes(), None), Ok(None), "{} {input}", agent.id);
        }
    }
}

proptest! {
    /// Every field of every payload may have any other type.
    #[test]
    fn fields_of_another_type_cost_only_themselves(
        which in any::<prop::sample::Index>(),
        field in any::<prop::sample::Index>(),
        shape in prop_oneof![
            Just("null"), Just("5"), Just("true"), Just("\"\""), Just("\"x\""), Just("[]"), Just("[{\"a\":[1]}]"), Just("{}"),
        ],
    ) {
        let all: Vec<_> = AGENTS.iter().flat_map(|agent| payloads(agent).into_iter().map(move |path| (path, *agent))).collect();
        let (path, agent) = &all[which.index(all.len())];
        let mut payload: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let map = payload.as_object_mut().unwrap();
        let key = map.keys().nth(field.index(map.len())).unwrap().clone();
        map.insert(key.clone(), serde_json::from_str(shape).unwrap());
        let input = payload.to_string();
        let caller = caller(agent, input.as_bytes());
        let parsed = (caller.parse)(input.as_bytes(), None);
        prop_assert!(parsed.is_ok(), "{} with {key} = {shape}", path.display());
        if let Ok(Some(mut event)) = parsed {
            (caller.complete)(&mut event, &input);
            (caller.render)(&event, &Verdict { outcome: Outcome::Block("M".into()), notice: None });
        }
    }
}
