//! From YAML and an event to the outcome of each rule; `long` has the long texts.

mod long;

use super::*;
use crate::model::{Hook, Replacement, ToolAction, ToolCall};
use crate::rules::{Book, MissingVersion, calls, read};

/// The usual rule with these maps, on PreToolUse.
fn rule(matches: &str) -> String {
    format!(
        "{{ name: r, on: {{ hook: PreToolUse }}, {matches}, action: interrupt, message: \"{{{{ lines }}}}|{{{{ matched }}}}\" }}"
    )
}

fn event(hook: Hook, tool: Option<(&str, ToolAction)>) -> Event {
    Event {
        hook,
        cwd: "/p".into(),
        tool: tool.map(|(name, action)| ToolCall { name: name.into(), action }),
        ..Event::default()
    }
}

fn write(content: &str) -> Event {
    event(
        Hook::PreToolUse,
        Some(("Write", ToolAction::Write { path: "a.ts".into(), content: content.into() })),
    )
}

fn edit(replacements: &[(&str, &str)]) -> Event {
    let replacements = replacements.iter().map(|(old, new)| Replacement {
        old: (*old).into(),
        new: (*new).into(),
        all: false,
    });
    let action = ToolAction::Edit { path: "a.ts".into(), replacements: replacements.collect(), before: None };
    event(Hook::PreToolUse, Some(("Edit", action)))
}

fn trial(rules: &[String], event: Event, on_disk: Option<&str>) -> Trial {
    let text = format!(
        "version: 1\nrules:\n{}",
        rules.iter().map(|rule| format!("  - {rule}\n")).collect::<String>()
    );
    let loaded = read("r.yaml", &text, MissingVersion::Warn);
    assert_eq!(loaded.rules.len(), rules.len(), "{:?}", loaded.problems);
    let bytes = Book::pack(&loaded.rules, Vec::new());
    let mut calls = calls(&event);
    calls[0].on_disk = on_disk.map(str::to_owned);
    let candidates = Book::open(&bytes).unwrap().candidates(event.hook, &calls);
    Trial { event: Arc::new(event), calls, candidates }
}

/// The outcome of one rule, in one line.
fn outcome(rule: String, event: Event, on_disk: Option<&str>) -> String {
    let mut shown = "no candidate".to_owned();
    trial(&[rule], event, on_disk).run(|_, outcome| {
        shown = match outcome {
            RuleOutcome::Fired(fired) => format!("fired {}", fired.message),
            RuleOutcome::Unmatched(field) => format!("unmatched {}", field.name()),
            RuleOutcome::Unmet(condition) => format!("unmet {condition}"),
            RuleOutcome::Excepted => "excepted".to_owned(),
            RuleOutcome::Waits(why) => format!("waits: {why}"),
            RuleOutcome::Unevaluated(why) => format!("unevaluated: {why}"),
        };
    });
    shown
}

#[track_caller]
fn check(matches: &str, event: Event, expect: &str) {
    assert_eq!(outcome(rule(matches), event, None), expect, "{matches}");
}

#[track_caller]
fn check_edit(matches: &str, on_disk: &str, event: Event, expect: &str) {
    assert_eq!(outcome(rule(matches), event, Some(on_disk)), expect, "{matches} on {on_disk:?}");
}

#[test]
fn a_rule_without_match_fires_on_activation() {
    check("match: {}", write("x"), "fired |");
    check("match: { case_sensitive: false }", write("x"), "fired |");
}

#[test]
fn all_written_content_is_searched() {
    let text = "one\nTODO two\nthree\nTODO four TODO\n";
    check("match: { content: TODO }", write(text), "fired 2, 4|TODO");
    check("match: { content: todo }", write(text), "unmatched content");
    check("match: { content: todo, case_sensitive: false }", write(text), "fired 2, 4|TODO");
    check("match: { content: ^three }", write(text), "fired 3|three");
    check("match: { content: ^three, multiline: false }", write(text), "unmatched content");
    check("match: { content: 'TODO.*$' }", write(&text.replace('\n', "\r\n")), "fired 2, 4|TODO two");
    check("match: { content: x* }", write("abc"), "fired |");
    check("match: { content: '.' }", write(""), "unmatched content");
}

#[test]
fn all_fields_must_match() {
    let event = || edit(&[("old", "new")]);
    check("match: { new_string: new, old_string: old }", event(), "fired 1|new");
    check("match: { new_string: new, old_string: other }", event(), "unmatched old_string");
    check("match: { new_string: other, old_string: old }", event(), "unmatched new_string");
    check("match: { content: new, new_string: new, old_string: old }", event(), "fired 1|new");
}

#[test]
fn a_field_that_the_event_does_not_have_keeps_the_rule_quiet() {
    check("match: { new_string: '.*' }", write("x"), "unmatched new_string");
    check("match: { old_string: '.*' }", write("x"), "unmatched old_string");
    let bash = event(Hook::PreToolUse, Some(("Bash", ToolAction::Command { command: "ls".into() })));
    check("match: { new_string: '.*' }", bash, "unmatched new_string");
    check("match: { content: '.*' }", event(Hook::PreToolUse, None), "unmatched content");
}

#[test]
fn an_exception_keeps_the_rule_quiet_if_all_of_it_matches() {
    let text = "TODO\nallow\n";
    check("match: { content: TODO }, unless: { content: allow }", write(text), "excepted");
    check("match: { content: TODO }, unless: { content: never }", write(text), "fired 1|TODO");
    check("match: {}, unless: { content: allow }", write(text), "excepted");
    let both = "match: { content: new }, unless: { new_string: new, old_string: old }";
    check(both, edit(&[("old", "new")]), "excepted");
    check(both, edit(&[("other", "new")]), "fired 1|new");
    check("match: { content: TODO }, unless: { new_string: x }", write(text), "fired 1|TODO");
}

#[test]
fn an_exception_is_searched_in_the_whole_file() {
    let matches = "match: { content: TODO }, unless: { content: nolint }";
    check_edit(matches, "nolint\na\n", edit(&[("a", "TODO")]), "excepted");
    check_edit(matches, "lint\na\n", edit(&[("a", "TODO")]), "fired 2|TODO");
}

#[test]
fn an_edit_is_judged_by_what_it_adds_to_the_file() {
    let todo = "match: { content: TODO }";
    check_edit(todo, "x\ny\nold\n", edit(&[("old", "// TODO")]), "fired 3|TODO");
    check_edit(todo, "TODO\ny\nold\n", edit(&[("old", "new")]), "unmatched content");
    check_edit(todo, "TODO a\nold\n", edit(&[("TODO a", "TODO b")]), "unmatched content");
    check_edit(todo, "TO--DO\n", edit(&[("--", "")]), "fired 1|TODO");
    check_edit(todo, "TODO x\n", edit(&[(" x", "")]), "unmatched content");
    check_edit("match: { content: 'a\\nb' }", "a\nx\n", edit(&[("x", "b")]), "fired 1|a");
    check_edit("match: { content: '^b$' }", "a\nx\n", edit(&[("x", "b")]), "fired 2|b");
}

#[test]
fn an_edit_without_its_file_is_judged_by_the_new_text() {
    let todo = "match: { content: TODO }";
    check(todo, edit(&[("old", "one\nTODO")]), "fired 2|TODO");
    check(todo, edit(&[("TODO", "new")]), "unmatched content");
    check_edit(todo, "something else\n", edit(&[("old", "one\nTODO")]), "fired 2|TODO");
    check_edit(todo, "TODO\n", edit(&[("old", "new")]), "unmatched content");
}

#[test]
fn several_edits_are_applied_one_after_the_other() {
    let todo = "match: { content: TODO }";
    let file = "a\nb\nc\n";
    check_edit(todo, file, edit(&[("a", "x\ny"), ("c", "TODO")]), "fired 4|TODO");
    check_edit(todo, file, edit(&[("a", "TODO"), ("TODO", "x")]), "unmatched content");
    check_edit(todo, file, edit(&[("a", "TODO"), ("TODO", "TODO!")]), "fired 1|TODO");
    check("match: { new_string: TODO }", edit(&[("a", "x"), ("b", "\nTODO")]), "fired 2|TODO");
    check("match: { old_string: b }", edit(&[("a", "x"), ("b", "y")]), "fired |b");
}

#[test]
fn after_the_edit_the_file_is_the_result() {
    let rule = |matches: &str| rule(matches).replace("PreToolUse", "PostToolUse");
    let after = |before: Option<&str>| {
        let replacements = vec![Replacement { old: "old".into(), new: "TODO".into(), all: false }];
        let action =
            ToolAction::Edit { path: "a.ts".into(), replacements, before: before.map(str::to_owned) };
        event(Hook::PostToolUse, Some(("Edit", action)))
    };
    let todo = "match: { content: TODO }";
    assert_eq!(outcome(rule(todo), after(Some("TODO\n\nold\n")), None), "fired 3|TODO");
    assert_eq!(outcome(rule(todo), after(None), Some("x\nTODO\n")), "fired 2|TODO");
    assert_eq!(outcome(rule(todo), after(None), Some("changed since\n")), "fired 1|TODO");
    assert_eq!(outcome(rule("match: { content: x }"), after(None), Some("x\nTODO\n")), "unmatched content");
}

#[test]
fn notebooks_commands_and_other_tools_have_content_too() {
    let of = |name: &str, action: ToolAction| event(Hook::PreToolUse, Some((name, action)));
    let cell = |source: Option<&str>| {
        of(
            "NotebookEdit",
            ToolAction::EditNotebook { path: "a.ipynb".into(), source: source.map(str::to_owned) },
        )
    };
    check("match: { content: TODO }", cell(Some("x\nTODO")), "fired 2|TODO");
    check("match: { new_string: TODO }", cell(Some("x\nTODO")), "fired 2|TODO");
    check("match: { content: '.*' }", cell(None), "unmatched content");
    check("match: { new_string: '.*' }", cell(None), "unmatched new_string");
    check("match: {}", cell(None), "fired |");
    let command = of("Bash", ToolAction::Command { command: "git push --force".into() });
    check("match: { content: 'push.*--force' }", command, "fired 1|push --force");
    let other = of("mcp__a__b", ToolAction::Other { path: None, text: "query\nTODO".into() });
    check("match: { content: TODO }", other, "fired 2|TODO");
}

#[test]
fn prompts_and_closing_messages_are_searched() {
    let rule = |hook: &str, matches: &str| {
        format!(
            "{{ name: r, on: {{ hook: {hook} }}, match: {{ {matches} }}, action: continue, message: \"{{{{ prompt }}}}|{{{{ matched }}}}|{{{{ lines }}}}\" }}"
        )
    };
    let prompt =
        |text: Option<&str>| Event { prompt: text.map(str::to_owned), ..event(Hook::UserPromptSubmit, None) };
    let stop =
        |text: Option<&str>| Event { closing_message: text.map(str::to_owned), ..event(Hook::Stop, None) };
    let on_prompt = |text| outcome(rule("UserPromptSubmit", "prompt: 'run.*server'"), prompt(text), None);
    let on_stop = |text| outcome(rule("Stop", "message: done"), stop(text), None);
    assert_eq!(on_prompt(Some("please run the server")), "fired please run the server|run the server|");
    assert_eq!(on_prompt(Some("hello")), "unmatched prompt");
    assert_eq!(on_prompt(None), "unmatched prompt");
    assert_eq!(on_stop(Some("all done")), "fired |done|");
    assert_eq!(on_stop(None), "unmatched message");
}

#[test]
fn a_message_knows_the_tool_and_the_file() {
    let rule = "{ name: r, on: { hook: PreToolUse }, action: continue, message: \"{{ tool_name }} {{ file_path }}\" }";
    assert_eq!(outcome(rule.into(), write("x"), None), "fired Write a.ts");
    let bash = event(Hook::PreToolUse, Some(("Bash", ToolAction::Command { command: "ls".into() })));
    assert_eq!(outcome(rule.into(), bash, None), "fired Bash");
}

#[test]
fn fifty_matches_are_counted_and_twenty_lines_listed() {
    let twenty = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20";
    check("match: { content: x }", write(&"x\n".repeat(50)), &format!("fired {twenty} (+30 more)|x"));
    check("match: { content: x }", write(&"x\n".repeat(51)), &format!("fired {twenty} (+30 or more)|x"));
    check("match: { content: x }", write(&"x".repeat(60)), "fired 1 (+ more)|x");
}

#[test]
fn a_rule_that_cannot_be_evaluated_is_not_unmatched() {
    let text = "a".repeat(100_000);
    let expect = "unevaluated: look-around and back-references are limited to texts of 64 KB";
    check("match: { content: '(x)\\1' }", write(&text), expect);
    check("match: { content: b, new_string: '(x)\\1' }", write(&text), "unmatched content");
    check("match: { content: a }, unless: { content: '(x)\\1' }", write(&text), expect);
}

#[test]
fn patterns_that_backtrack_are_tried_last() {
    let rules = ["'(x)\\1'", "quick", "'(?<!a)b'", "'x*'"]
        .map(|pattern| rule(&format!("match: {{ content: {pattern} }}")));
    let trial = trial(&rules, write("quick xx b"), None);
    let mut order = Vec::new();
    trial.run(|index, _| order.push(index));
    assert_eq!((order, trial.may_take_long()), (vec![1, 3, 0, 2], true));
}

#[test]
fn only_long_texts_and_backtracking_need_a_deadline() {
    let check = |matches: &str, event: Event, on_disk: Option<&str>, expect: bool| {
        assert_eq!(trial(&[rule(matches)], event, on_disk).may_take_long(), expect, "{matches}");
    };
    let long = "x".repeat(LONG_TEXT + 1);
    check("match: { content: x }", write("short"), None, false);
    check("match: { content: x }", write(&long), None, true);
    check("match: {}", write(&long), None, false);
    check("match: { content: '(x)\\1' }", write("short"), None, true);
    check("match: {}, unless: { content: '(x)\\1' }", write("short"), None, true);
    check("match: { content: x }", edit(&[("a", "b")]), Some(&long), true);
    check("match: { new_string: x }", edit(&[("a", &long)]), None, true);
}
