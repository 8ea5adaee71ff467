//! Rules that load but cannot fire or mean something else: each one is reported.

use super::*;

#[test]
fn control_characters_are_mostly_backslashes_that_yaml_took() {
    noted(
        r#"match: { content: "\bfoo\b" }"#,
        &expect![[r#"
        warning r.yaml:4:23: rule `r`: `content` contains the control character U+0008 (write `\\b`, or use single quotes)
    "#]],
    );
    noted(
        r#"unless: { content: "a\0" }"#,
        &expect![[r#"
        warning r.yaml:4:24: rule `r`: `content` contains the control character U+0000 (write `\\0`, or use single quotes)
    "#]],
    );
    noted(
        r#"on: { hook: PreToolUse, tool: "\eX", file: ["a", "\x01"] }"#,
        &expect![[r#"
        warning r.yaml:4:35: rule `r`: `tool` contains the control character U+001B (write `\\e`, or use single quotes)
        warning r.yaml:4:54: rule `r`: `file` contains the control character U+0001 (double the backslash, or use single quotes)
    "#]],
    );
    sound(r#"match: { content: "\\bfoo\\b" }"#);
    sound(r"match: { content: '\bfoo\b' }");
    sound(r#"match: { content: "a\tb\nc\r" }"#);
}

#[test]
fn a_correction_is_proposed_for_wrong_tool_names() {
    for (tool, expect) in [
        (
            "writefile",
            expect![[r#"
                warning r.yaml:4:35: rule `r`: no tool is called `writefile` (write `write_file`)
            "#]],
        ),
        (
            "'Write | Edit'",
            expect![[r#"
            warning r.yaml:4:35: rule `r`: no tool is called `Write ` (write `Write|Edit`)
        "#]],
        ),
        (
            "'Write,Edit'",
            expect![[r#"
            warning r.yaml:4:35: rule `r`: no tool is called `Write,Edit` (write `Write|Edit`)
        "#]],
        ),
        (
            "'Write, Edit|bash'",
            expect![[r#"
                warning r.yaml:4:35: rule `r`: no tool is called `Write, Edit` (write `Write|Edit|bash`)
            "#]],
        ),
        (
            "'mcp__*'",
            expect![[r#"
            warning r.yaml:4:35: rule `r`: no tool is called `mcp__*` (write `mcp__.*`)
        "#]],
        ),
        (
            "'Notebook*'",
            expect![[r#"
            warning r.yaml:4:35: rule `r`: no tool is called `Notebook*` (write `Notebook.*`)
        "#]],
        ),
    ] {
        noted(&format!("on: {{ hook: PreToolUse, tool: {tool} }}"), &expect);
    }
    for tool in ["Write", "'Write|Bash'", "'mcp__.*'", "'(?i)write'", "'.*'", "my_tool", "'Bash(Output)?'"] {
        sound(&format!("on: {{ hook: PreToolUse, tool: {tool} }}"));
    }
}

#[test]
fn a_field_that_the_tool_does_not_have_is_reported() {
    noted(
        "on: { hook: PreToolUse, tool: Write }\nmatch: { new_string: x }",
        &expect![[r#"
        warning r.yaml:5:26: rule `r`: calls of this `tool` never have `new_string` (use `content`, or set `tool` to `Edit|MultiEdit|NotebookEdit`)
    "#]],
    );
    noted(
        "on: { hook: PreToolUse, tool: 'Bash.*' }\nmatch: { old_string: x }",
        &expect![[r#"
        warning r.yaml:5:26: rule `r`: calls of this `tool` never have `old_string` (use `content`, or set `tool` to `Edit|MultiEdit`)
    "#]],
    );
    noted(
        "on: { hook: PostToolUse, tool: NotebookEdit }\nmatch: { old_string: x }",
        &expect![[r#"
        warning r.yaml:5:26: rule `r`: calls of this `tool` never have `old_string` (use `content`, or set `tool` to `Edit|MultiEdit`)
    "#]],
    );
    noted(
        "on: { hook: PreToolUse, tool: Write }\nunless: { new_string: x }",
        &expect![[r#"
        warning r.yaml:5:27: rule `r`: calls of this `tool` never have `new_string` (use `content`, or set `tool` to `Edit|MultiEdit|NotebookEdit`)
    "#]],
    );
    sound("match: { new_string: x, old_string: y }");
    sound("on: { hook: PreToolUse, tool: 'Multi.*' }\nmatch: { new_string: x, old_string: y }");
}

#[test]
fn globs_that_match_nothing_are_reported() {
    for (glob, expect) in [
        (
            "'../other/**'",
            expect![[r#"
            warning r.yaml:4:35: rule `r`: `../other/**` matches nothing: paths never contain `..` (paths are relative to the project's root)
        "#]],
        ),
        (
            "'src/../lib/*.ts'",
            expect![[r#"
            warning r.yaml:4:35: rule `r`: `src/../lib/*.ts` matches nothing: paths never contain `..` (paths are relative to the project's root)
        "#]],
        ),
        (
            "src/",
            expect![[r#"
            warning r.yaml:4:35: rule `r`: `src/` matches nothing: no file's path ends with `/` (write `src/**` for everything in it)
        "#]],
        ),
        (
            "['**/*.ts', '!src/']",
            expect![[r#"
            warning r.yaml:4:47: rule `r`: `!src/` matches nothing: no file's path ends with `/` (write `!src/**` for everything in it)
        "#]],
        ),
        (
            r"'src\lib\*.ts'",
            expect![[r#"
            warning r.yaml:4:35: rule `r`: `src\lib\*.ts` matches nothing: folders are separated by `/` (write `src/lib/*.ts`)
        "#]],
        ),
        (
            r"'src\**\*.ts'",
            expect![[r#"
            warning r.yaml:4:35: rule `r`: `src\**\*.ts` matches nothing: folders are separated by `/` (write `src/**/*.ts`)
        "#]],
        ),
    ] {
        noted(&format!("on: {{ hook: PreToolUse, file: {glob} }}"), &expect);
    }
    for glob in ["'./src/**'", r"'\!important.ts'", r"'app/\[id\]/*.tsx'", "'a..b/*'", "'**/...'"] {
        sound(&format!("on: {{ hook: PreToolUse, file: {glob} }}"));
    }
}

#[test]
fn a_match_with_only_options_is_noted() {
    noted(
        "match: { case_sensitive: false }",
        &expect![[r#"
        note r.yaml:4:12: rule `r`: `match` names no field (name a field, as in `content: "…"`, or remove it)
    "#]],
    );
    sound("match: {}");
}

#[test]
fn notebooks_are_noted_once_in_a_file_and_where_they_may_be_meant() {
    for file in ["'**/*.ts'", "[src/*.rs, '!**/*.ipynb']"] {
        sound(&format!("on: {{ hook: PreToolUse, tool: Write|Edit, file: {file} }}"));
    }
    noted(
        "on: { hook: PreToolUse, tool: Write|Edit, file: 'src/**' }",
        &expect![[r#"
        note r.yaml:4:35: rule `r`: `Edit` matches only that tool: MultiEdit and NotebookEdit are not covered (write `Edit|MultiEdit|NotebookEdit` to cover them)
    "#]],
    );
    let rule = RULE.replace("hook: PreToolUse", "hook: PreToolUse, tool: Edit");
    let loaded = load(&format!("version: 1\nrules:\n{rule}{rule}"));
    assert_eq!(loaded.problems.len(), 1, "{}", show(&loaded.problems));
}

#[test]
fn every_unknown_variable_is_noted() {
    noted(
        "message: '{{ line }} {{ lines | join }} {{ lines }}'",
        &expect![[r#"
            note r.yaml:4:14: rule `r`: `{{ line }}` is not a variable and stays as written (did you mean `lines`?)
            note r.yaml:4:14: rule `r`: `{{ lines | join }}` is not a variable and stays as written (known are `lines`, `file_path`, `matched`, `tool_name`, `prompt`, `after`)
        "#]],
    );
}
