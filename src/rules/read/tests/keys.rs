//! Each key of the schema, right and wrong.

use super::*;

#[test]
fn missing_required_keys_are_reported() {
    let check = |rule: &str, expect: Expect| {
        let loaded = load(&format!("version: 1\nrules:\n  - {rule}\n"));
        assert_eq!(loaded.rules, []);
        expect.assert_eq(&show(&loaded.problems));
    };
    check(
        "{}",
        expect![[r#"
            error r.yaml:3:5: `name` is missing (add `name: …`)
            error r.yaml:3:5: `on` is missing (add `on: …`)
            error r.yaml:3:5: `action` is missing (add `action: interrupt | ask | continue`)
            error r.yaml:3:5: `message` is missing (add `message: …`)
        "#]],
    );
    check(
        "{ name: r }",
        expect![[r#"
            error r.yaml:3:5: rule `r`: `on` is missing (add `on: …`)
            error r.yaml:3:5: rule `r`: `action` is missing (add `action: interrupt | ask | continue`)
            error r.yaml:3:5: rule `r`: `message` is missing (add `message: …`)
        "#]],
    );
    check(
        "{ name: r, on: {}, action: continue, message: m }",
        expect![[r#"
        error r.yaml:3:20: rule `r`: `hook` is missing (add `hook: PreToolUse | PostToolUse | UserPromptSubmit | Stop`)
    "#]],
    );
    check(
        "{ on: { hook: Stop }, action: continue, message: m }",
        expect![[r#"
        error r.yaml:3:5: `name` is missing (add `name: …`)
    "#]],
    );
    check(
        "{ name: r, on: { hook: Stop }, action: continue }",
        expect![[r#"
        error r.yaml:3:5: rule `r`: `message` is missing (add `message: …`)
    "#]],
    );
}

#[test]
fn unknown_keys_are_refused_with_the_nearest_word() {
    refused(
        "descripton: d",
        &expect![[r#"
        error r.yaml:4:5: rule `r`: unknown key `descripton` in a rule (did you mean `description`?)
    "#]],
    );
    refused(
        "severity: high",
        &expect![[r#"
            error r.yaml:4:5: rule `r`: unknown key `severity` in a rule (known are `name`, `description`, `on`, `match`, `unless`, `when`, `after`, `without`, `times`, `within`, `action`, `message`, `enabled`, `once`, `on_failure`, `shadow`, `examples`)
        "#]],
    );
    refused(
        "on: { hook: Stop, tools: Write }",
        &expect![[r#"
        error r.yaml:4:23: rule `r`: unknown key `tools` in `on` (did you mean `tool`?)
    "#]],
    );
    refused(
        "match: { contents: x }",
        &expect![[r#"
        error r.yaml:4:14: rule `r`: unknown key `contents` in `match` (did you mean `content`?)
    "#]],
    );
    refused(
        "match: { caseSensitive: true }",
        &expect![[r#"
        error r.yaml:4:14: rule `r`: unknown key `caseSensitive` in `match` (did you mean `case_sensitive`?)
    "#]],
    );
    refused(
        "unless: { glob: x }",
        &expect![[r#"
            error r.yaml:4:15: rule `r`: unknown key `glob` in `unless` (known are `content`, `command`, `new_string`, `old_string`, `prompt`, `message`, `output`, `in`, `case_sensitive`, `multiline`)
            error r.yaml:4:13: rule `r`: `unless` is empty (name a field, as in `content: "…"`, or remove it)
        "#]],
    );
    refused(
        "examples: { fire: [x] }",
        &expect![[r#"
        error r.yaml:4:17: rule `r`: unknown key `fire` in `examples` (did you mean `fires`?)
    "#]],
    );
    refused(
        "examples: { fires: [{ path: x }] }",
        &expect![[r#"
            error r.yaml:4:27: rule `r`: unknown key `path` in an example (known are `tool`, `file`, `content`, `command`, `new_string`, `old_string`, `prompt`, `message`, `output`, `after`)
        "#]],
    );
    refused(
        "1: one\ntrue: two\n~: three\n[a]: four",
        &expect![[r#"
            error r.yaml:4:5: rule `r`: a key in a rule must be a word, but is a number (its keys are `name`, `description`, `on`, `match`, `unless`, `when`, `after`, `without`, `times`, `within`, `action`, `message`, `enabled`, `once`, `on_failure`, `shadow`, `examples`)
            error r.yaml:5:5: rule `r`: a key in a rule must be a word, but is a boolean (its keys are `name`, `description`, `on`, `match`, `unless`, `when`, `after`, `without`, `times`, `within`, `action`, `message`, `enabled`, `once`, `on_failure`, `shadow`, `examples`)
            error r.yaml:6:5: rule `r`: a key in a rule must be a word, but is empty (its keys are `name`, `description`, `on`, `match`, `unless`, `when`, `after`, `without`, `times`, `within`, `action`, `message`, `enabled`, `once`, `on_failure`, `shadow`, `examples`)
            error r.yaml:7:5: rule `r`: a key in a rule must be a word, but is a list (its keys are `name`, `description`, `on`, `match`, `unless`, `when`, `after`, `without`, `times`, `within`, `action`, `message`, `enabled`, `once`, `on_failure`, `shadow`, `examples`)
        "#]],
    );
}

#[test]
fn texts_are_texts() {
    refused(
        "message: [x]",
        &expect![[r#"
        error r.yaml:4:14: rule `r`: `message` must be a text, but is a list (quote this if it is meant as one text)
    "#]],
    );
    refused(
        "description: [x]",
        &expect![[r#"
        error r.yaml:4:18: rule `r`: `description` must be a text, but is a list (quote this if it is meant as one text)
    "#]],
    );
    refused(
        "description: 12",
        &expect![[r#"
        error r.yaml:4:18: rule `r`: `description` must be a text, but is a number (quote this)
    "#]],
    );
    refused(
        "description: true",
        &expect![[r#"
        error r.yaml:4:18: rule `r`: `description` must be a text, but is a boolean (quote this)
    "#]],
    );
    refused(
        "description: \"\"",
        &expect![[r#"
        error r.yaml:4:18: rule `r`: `description` is empty (give it a value, or remove it)
    "#]],
    );
    refused(
        "description:",
        &expect![[r#"
        error r.yaml:4:16: rule `r`: `description` is empty (give it a value, or remove it)
    "#]],
    );
    refused(
        "description: { a: b }",
        &expect![[r#"
        error r.yaml:4:18: rule `r`: `description` must be a text, but is a map (quote this if it is meant as one text)
    "#]],
    );
    refused(
        "message: {{ lines }}",
        &expect![[r#"
        error r.yaml:4:14: rule `r`: `message` must be a text, but is a map (quote this if it is meant as one text)
    "#]],
    );
    assert_eq!(sound("description: 1.5").description.as_deref(), Some("1.5"));
    assert_eq!(sound("description: yes").description.as_deref(), Some("yes"));
}

#[test]
fn truth_values_are_true_or_false() {
    refused(
        "match: { content: x, case_sensitive: no }",
        &expect![[r#"
        error r.yaml:4:42: rule `r`: `case_sensitive` must be true or false, but is a text (write `case_sensitive: true` or `case_sensitive: false`, without quotes)
    "#]],
    );
    refused(
        "match: { content: x, multiline: \"true\" }",
        &expect![[r#"
        error r.yaml:4:37: rule `r`: `multiline` must be true or false, but is a text (write `multiline: true` or `multiline: false`, without quotes)
    "#]],
    );
    refused(
        "enabled: 0",
        &expect![[r#"
        error r.yaml:4:14: rule `r`: `enabled` must be true or false, but is a number (write `enabled: true` or `enabled: false`, without quotes)
    "#]],
    );
    refused(
        "enabled:",
        &expect![[r#"
        error r.yaml:4:12: rule `r`: `enabled` must be true or false, but is empty (write `enabled: true` or `enabled: false`, without quotes)
    "#]],
    );
}

#[test]
fn choices_are_among_their_words() {
    refused(
        "action: block",
        &expect![[r#"
            error r.yaml:4:13: rule `r`: `action` cannot be `block` (did you mean `interrupt`?)
        "#]],
    );
    refused(
        "action: Interrupt",
        &expect![[r#"
        error r.yaml:4:13: rule `r`: `action` cannot be `Interrupt` (did you mean `interrupt`?)
    "#]],
    );
    refused(
        "action: 1",
        &expect![[r#"
            error r.yaml:4:13: rule `r`: `action` cannot be a number (write `action: interrupt | ask | continue`)
        "#]],
    );
    refused(
        "once: turn",
        &expect![[r#"
        error r.yaml:4:11: rule `r`: `once` cannot be `turn` (known are `session`)
    "#]],
    );
    refused(
        "on_failure: close",
        &expect![[r#"
        error r.yaml:4:17: rule `r`: `on_failure` cannot be `close` (did you mean `closed`?)
    "#]],
    );
    refused(
        "on: { hook: pretooluse }",
        &expect![[r#"
        error r.yaml:4:17: rule `r`: `hook` cannot be `pretooluse` (did you mean `PreToolUse`?)
    "#]],
    );
    refused(
        "on: { hook: SessionStart }",
        &expect![[r#"
        error r.yaml:4:17: rule `r`: `hook` cannot be `SessionStart` (known are `PreToolUse`, `PostToolUse`, `UserPromptSubmit`, `Stop`)
    "#]],
    );
    refused(
        "on: PreToolUse",
        &expect![[r#"
        error r.yaml:4:9: rule `r`: `on` must be a map, but is a text (its keys are `hook`, `tool`, `file`, `does`)
    "#]],
    );
}

#[test]
fn tools_are_regexes() {
    assert_eq!(sound("on: { hook: PreToolUse, tool: mcp__.* }").tool, ToolFilter::new("mcp__.*").ok());
    refused(
        "on: { hook: PreToolUse, tool: \"Write(\" }",
        &expect![[r#"
        error r.yaml:4:35: rule `r`: `tool` is not a regex: unclosed group at character 6 (as in `Write|Edit` or `mcp__.*`)
    "#]],
    );
    refused(
        "on: { hook: PreToolUse, tool: [Write, Edit] }",
        &expect![[r#"
            error r.yaml:4:35: rule `r`: `tool` cannot be a list (write `Write|Edit`)
        "#]],
    );
    refused(
        "on: { hook: PreToolUse, tool: \"\" }",
        &expect![[r#"
        error r.yaml:4:35: rule `r`: `tool` is empty (give it a value, or remove it)
    "#]],
    );
}

#[test]
fn edit_alone_is_noted() {
    noted(
        "on: { hook: PreToolUse, tool: Write|Edit }",
        &expect![[r#"
            note r.yaml:4:35: rule `r`: `Edit` matches only that tool: MultiEdit and NotebookEdit are not covered (write `Edit|MultiEdit|NotebookEdit` to cover them)
        "#]],
    );
    noted(
        "on: { hook: PreToolUse, tool: Edit|MultiEdit }",
        &expect![[r#"
            note r.yaml:4:35: rule `r`: `Edit` matches only that tool: NotebookEdit is not covered (write `Edit|MultiEdit|NotebookEdit` to cover them)
        "#]],
    );
    sound("on: { hook: PreToolUse, tool: Edit|MultiEdit|NotebookEdit }");
    sound("on: { hook: PreToolUse, tool: \".*Edit\" }");
    sound("on: { hook: PreToolUse, tool: Write }");
}

#[test]
fn files_are_globs() {
    assert_eq!(sound("on: { hook: PreToolUse, file: \"!a\" }").file, FileFilter::new(["!a"]).ok());
    refused(
        "on: { hook: PreToolUse, file: \"[a\" }",
        &expect![[r#"
        error r.yaml:4:35: rule `r`: `file` is not a glob: unclosed character class; missing ']' (as in "src/**/*.ts")
    "#]],
    );
    refused(
        "on: { hook: PreToolUse, file: [] }",
        &expect![[r#"
        error r.yaml:4:35: rule `r`: `file` is an empty list (name at least one glob, or remove it)
    "#]],
    );
    refused(
        "on: { hook: PreToolUse, file: [a, 1] }",
        &expect![[r#"
        error r.yaml:4:39: rule `r`: `file` must be a text, but is a number (quote this)
    "#]],
    );
    refused(
        "on: { hook: PreToolUse, file: \"\" }",
        &expect![[r#"
        error r.yaml:4:35: rule `r`: `file` is empty (give it a value, or remove it)
    "#]],
    );
    refused(
        "on: { hook: PreToolUse, file: { a: b } }",
        &expect![[r#"
        error r.yaml:4:35: rule `r`: `file` must be a text, but is a map (quote this if it is meant as one text)
    "#]],
    );
}

#[test]
fn a_key_without_meaning_on_a_hook_is_an_error_or_a_note() {
    refused(
        "on: { hook: UserPromptSubmit, file: \"*.ts\" }",
        &expect![[r#"
        error r.yaml:4:41: rule `r`: `file` never applies on UserPromptSubmit (remove it, or use PreToolUse or PostToolUse)
    "#]],
    );
    refused(
        "match: { prompt: x }",
        &expect![[r#"
        error r.yaml:4:22: rule `r`: `prompt` does not exist on PreToolUse (use `content`, `command`, `new_string`, `old_string`)
    "#]],
    );
    refused(
        "on: { hook: PostToolUse }\nmatch: { message: x }",
        &expect![[r#"
            error r.yaml:5:23: rule `r`: `message` does not exist on PostToolUse (use `content`, `command`, `new_string`, `old_string`, `output`)
        "#]],
    );
    refused(
        "on: { hook: UserPromptSubmit }\nmatch: { content: x }",
        &expect![[r#"
        error r.yaml:5:23: rule `r`: `content` does not exist on UserPromptSubmit (use `prompt`)
    "#]],
    );
    refused(
        "on: { hook: Stop }\nunless: { prompt: x }",
        &expect![[r#"
        error r.yaml:5:23: rule `r`: `prompt` does not exist on Stop (use `message`)
    "#]],
    );
    noted(
        "on: { hook: Stop, tool: Write }",
        &expect![[r#"
            note r.yaml:4:29: rule `r`: `tool` is ignored on Stop (remove it)
        "#]],
    );
    assert_eq!(with("on: { hook: Stop, tool: Write }").rules[0].tool, None);
    sound("on: { hook: UserPromptSubmit }\nmatch: { prompt: x }");
    sound("on: { hook: Stop }\nmatch: { message: x }\nunless: { message: y }");
    sound("on: { hook: PostToolUse }\nmatch: { content: a, new_string: b, old_string: c }");
}

#[test]
fn patterns_are_regexes() {
    refused(
        "match: { content: \"(\" }",
        &expect![[r#"
        error r.yaml:4:23: rule `r`: `content` is not a regex: unclosed group at character 1 (to match such a character literally, put a backslash before it)
    "#]],
    );
    refused(
        "match: { content: \"a{2,1}\", new_string: \"[z-a]\" }",
        &expect![[r#"
            error r.yaml:4:23: rule `r`: `content` is not a regex: invalid repetition count range, the start must be <= the end at character 2 (see https://docs.rs/regex/latest/regex/#syntax for the syntax)
            error r.yaml:4:45: rule `r`: `new_string` is not a regex: invalid character class range, the start must be <= the end at character 2 (see https://docs.rs/regex/latest/regex/#syntax for the syntax)
        "#]],
    );
    refused(
        "match: { content: '(a)\\2' }",
        &expect![[r#"
            error r.yaml:4:23: rule `r`: `content` is not a regex: invalid back reference to group 2 (see https://docs.rs/regex/latest/regex/#syntax for the syntax)
        "#]],
    );
    refused(
        "match: { content: [a] }",
        &expect![[r#"
        error r.yaml:4:23: rule `r`: `content` must be a text, but is a list (quote this if it is meant as one text)
    "#]],
    );
    refused(
        "match:",
        &expect![[r#"
            error r.yaml:4:10: rule `r`: `match` must be a map, but is empty (its keys are `content`, `command`, `new_string`, `old_string`, `prompt`, `message`, `output`, `in`, `case_sensitive`, `multiline`)
        "#]],
    );
    refused(
        "match: TODO",
        &expect![[r#"
            error r.yaml:4:12: rule `r`: `match` must be a map, but is a text (its keys are `content`, `command`, `new_string`, `old_string`, `prompt`, `message`, `output`, `in`, `case_sensitive`, `multiline`)
        "#]],
    );
    refused(
        "unless: {}",
        &expect![[r#"
        error r.yaml:4:13: rule `r`: `unless` is empty (name a field, as in `content: "…"`, or remove it)
    "#]],
    );
    refused(
        "unless: { case_sensitive: false }",
        &expect![[r#"
        error r.yaml:4:13: rule `r`: `unless` is empty (name a field, as in `content: "…"`, or remove it)
    "#]],
    );
}

#[test]
fn examples_are_lists_of_texts_or_maps() {
    refused(
        "examples: [x]",
        &expect![[r#"
        error r.yaml:4:15: rule `r`: `examples` must be a map, but is a list (its keys are `fires`, `quiet`)
    "#]],
    );
    refused(
        "examples: { fires: x }",
        &expect![[r#"
        error r.yaml:4:24: rule `r`: `fires` must be a list (start each case with `- `)
    "#]],
    );
    refused(
        "examples: { quiet: [[x]] }",
        &expect![[r#"
        error r.yaml:4:25: rule `r`: `example` must be a text, but is a list (quote this if it is meant as one text)
    "#]],
    );
    refused(
        "examples: { quiet: [1] }",
        &expect![[r#"
        error r.yaml:4:25: rule `r`: `example` must be a text, but is a number (quote this)
    "#]],
    );
    sound("examples: { fires: [] }");
    sound("examples: { fires: [{ prompt: p, message: m }] }");
}

#[test]
fn an_unknown_variable_is_noted() {
    noted(
        "message: \"{{ line }} of {{ file_path }} {{ severity }}\"",
        &expect![[r#"
            note r.yaml:4:14: rule `r`: `{{ line }}` is not a variable and stays as written (did you mean `lines`?)
            note r.yaml:4:14: rule `r`: `{{ severity }}` is not a variable and stays as written (known are `lines`, `file_path`, `matched`, `tool_name`, `prompt`, `after`)
        "#]],
    );
}

#[test]
fn hints_name_what_was_probably_meant() {
    for (lines, expect) in [
        (
            "once: true",
            expect![[r#"
            error r.yaml:4:11: rule `r`: `once` cannot be a boolean (write `once: session`)
        "#]],
        ),
        (
            "on: { hook: [PreToolUse, PostToolUse] }",
            expect![[r#"
            error r.yaml:4:17: rule `r`: `hook` cannot be a list (write one rule for each hook)
        "#]],
        ),
        (
            "action: deny",
            expect![[r#"
            error r.yaml:4:13: rule `r`: `action` cannot be `deny` (did you mean `interrupt`?)
        "#]],
        ),
        (
            "action: warn",
            expect![[r#"
            error r.yaml:4:13: rule `r`: `action` cannot be `warn` (did you mean `continue`?)
        "#]],
        ),
        (
            "action: allow",
            expect![[r#"
            error r.yaml:4:13: rule `r`: `action` cannot be `allow` (did you mean `continue`?)
        "#]],
        ),
        (
            "action:",
            expect![[r#"
                error r.yaml:4:11: rule `r`: `action` cannot be empty (write `action: interrupt | ask | continue`)
            "#]],
        ),
        (
            "message: ''",
            expect![[r#"
            error r.yaml:4:14: rule `r`: `message` is empty (give it a value)
        "#]],
        ),
        (
            "description: ''",
            expect![[r#"
            error r.yaml:4:18: rule `r`: `description` is empty (give it a value, or remove it)
        "#]],
        ),
        (
            "match: { content: '(a' }",
            expect![[r#"
            error r.yaml:4:23: rule `r`: `content` is not a regex: unclosed group at character 1 (to match such a character literally, put a backslash before it)
        "#]],
        ),
        (
            "match: { content: 'a{2,1}' }",
            expect![[r#"
            error r.yaml:4:23: rule `r`: `content` is not a regex: invalid repetition count range, the start must be <= the end at character 2 (see https://docs.rs/regex/latest/regex/#syntax for the syntax)
        "#]],
        ),
    ] {
        refused(lines, &expect);
    }
}
