//! Tests of this module.

use super::*;
use crate::rules::{MissingVersion, read};

fn rule(on: &str, matches: &str) -> Rule {
    let text = format!(
        "version: 1\nrules:\n  - {{ name: r, on: {{ {on} }}, match: {{ {matches} }}, action: continue, message: m }}\n"
    );
    let mut loaded = read("r.yaml", &text, MissingVersion::Warn);
    loaded.rules.pop().unwrap_or_else(|| panic!("{:?}", loaded.problems))
}

fn bare(text: &str) -> Sample {
    Sample { content: Some(text.into()), ..Sample::default() }
}

fn event(hook: Hook, tool: Option<(&str, ToolAction)>) -> Event {
    Event {
        hook,
        cwd: PathBuf::from("/"),
        tool: tool.map(|(name, action)| ToolCall { name: name.into(), action }),
        ..Event::default()
    }
}

#[track_caller]
fn check(rule: &Rule, sample: &Sample, name: &str, action: ToolAction) {
    assert_eq!(describe(rule, sample), Ok(event(rule.hook, Some((name, action)))));
}

fn write(path: &str, content: &str) -> ToolAction {
    ToolAction::Write { path: path.into(), content: content.into() }
}

fn edit(path: &str, old: &str, new: &str) -> ToolAction {
    let replacements = vec![Replacement { old: old.into(), new: new.into(), all: false }];
    ToolAction::Edit { path: path.into(), replacements, before: None }
}

#[test]
fn a_bare_text_is_for_the_field_that_the_rule_checks() {
    check(&rule("hook: PreToolUse", "content: x"), &bare("t"), "Write", write("example.txt", "t"));
    check(&rule("hook: PostToolUse", "content: x"), &bare("t"), "Write", write("example.txt", "t"));
    check(&rule("hook: PreToolUse", "new_string: x"), &bare("t"), "Edit", edit("example.txt", "", "t"));
    check(&rule("hook: PreToolUse", "old_string: x"), &bare("t"), "Edit", edit("example.txt", "t", "t"));
    let prompt = Event { prompt: Some("t".into()), ..event(Hook::UserPromptSubmit, None) };
    assert_eq!(describe(&rule("hook: UserPromptSubmit", "prompt: x"), &bare("t")), Ok(prompt));
    let stop = Event { closing_message: Some("t".into()), ..event(Hook::Stop, None) };
    assert_eq!(describe(&rule("hook: Stop", "message: x"), &bare("t")), Ok(stop));
}

#[test]
fn the_tool_is_one_that_the_rule_is_for() {
    let rule = |tool: &str| rule(&format!("hook: PreToolUse, tool: \"{tool}\""), "");
    check(&rule("Edit|NotebookEdit"), &bare("t"), "Edit", edit("example.txt", "", "t"));
    check(&rule("Bash.*"), &bare("t"), "Bash", ToolAction::Command { command: "t".into() });
    let notebook = ToolAction::EditNotebook { path: "example.txt".into(), source: Some("t".into()) };
    check(&rule("NotebookEdit"), &bare("t"), "NotebookEdit", notebook);
    check(&rule("WebFetch"), &bare("t"), "WebFetch", ToolAction::Other { path: None, text: "t".into() });
    assert_eq!(describe(&rule("mcp__.*"), &bare("t")), Err("name a `tool` that the rule is for".into()));
    let named = Sample { tool: Some("mcp__a__b".into()), ..bare("t") };
    check(&rule("mcp__.*"), &named, "mcp__a__b", ToolAction::Other { path: None, text: "t".into() });
}

#[test]
fn the_file_is_one_that_the_rule_is_for() {
    let rule = |file: &str| rule(&format!("hook: PreToolUse, file: {file}"), "");
    check(&rule("\"**/*.ts\""), &bare("t"), "Write", write("example.ts", "t"));
    check(&rule("\"src/**/*.{ts,tsx}\""), &bare("t"), "Write", write("src/example.ts", "t"));
    check(&rule("\"!**/test/**\""), &bare("t"), "Write", write("example.txt", "t"));
    check(&rule("[\"**/*.ts\", \"!**/*.d.ts\"]"), &bare("t"), "Write", write("example.ts", "t"));
    let unlikely = rule("\"[0-9][0-9].sql\"");
    assert_eq!(describe(&unlikely, &bare("t")), Err("name a `file` that the rule is for".into()));
    let named = Sample { file: Some("12.sql".into()), ..bare("t") };
    check(&unlikely, &named, "Write", write("12.sql", "t"));
}

#[test]
fn explicit_values_of_a_sample_are_used_unchanged() {
    let any = rule("hook: PreToolUse", "");
    let strings = Sample { old_string: Some("o".into()), new_string: Some("n".into()), ..Sample::default() };
    check(&any, &strings, "Edit", edit("example.txt", "o", "n"));
    let written = Sample { tool: Some("Write".into()), file: Some("a.rs".into()), ..strings.clone() };
    check(&any, &written, "Write", write("a.rs", "n"));
    let multi = Sample { tool: Some("MultiEdit".into()), ..strings };
    check(&any, &multi, "MultiEdit", edit("example.txt", "o", "n"));
    let prompt = Sample { prompt: Some("p".into()), ..bare("t") };
    let asked = Event { prompt: Some("p".into()), ..event(Hook::UserPromptSubmit, None) };
    assert_eq!(describe(&rule("hook: UserPromptSubmit", ""), &prompt), Ok(asked));
}
