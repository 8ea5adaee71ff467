//! Rules that load and would be dead, or mean something else: each is told.

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
fn tools_that_are_no_names_are_mended() {
    for (tool, expect) in [
        (
            "write",
            expect![[r#"
            warning r.yaml:4:35: rule `r`: no tool is called `write` (write `Write`)
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
            warning r.yaml:4:35: rule `r`: no tool is called `Write, Edit` (write `Write|Edit|Bash`)
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
fn a_field_that_the_tool_does_not_have_is_told() {
    noted(
        "on: { hook: PreToolUse, tool: Write }\nmatch: { new_string: x }",
        &expect![[r#"
        warning r.yaml:5:26: rule `r`: `new_string` is never there for this `tool` (use `content`, or name `Edit|MultiEdit|NotebookEdit` as its tool)
    "#]],
    );
    noted(
        "on: { hook: PreToolUse, tool: 'Bash.*' }\nmatch: { old_string: x }",
        &expect![[r#"
        warning r.yaml:5:26: rule `r`: `old_string` is never there for this `tool` (use `content`, or name `Edit|MultiEdit` as its tool)
    "#]],
    );
    noted(
        "on: { hook: PostToolUse, tool: NotebookEdit }\nmatch: { old_string: x }",
        &expect![[r#"
        warning r.yaml:5:26: rule `r`: `old_string` is never there for this `tool` (use `content`, or name `Edit|MultiEdit` as its tool)
    "#]],
    );
    noted(
        "on: { hook: PreToolUse, tool: Write }\nunless: { new_string: x }",
        &expect![[r#"
        warning r.yaml:5:27: rule `r`: `new_string` is never there for this `tool` (use `content`, or name `Edit|MultiEdit|NotebookEdit` as its tool)
    "#]],
    );
    sound("match: { new_string: x, old_string: y }");
    sound("on: { hook: PreToolUse, tool: 'Multi.*' }\nmatch: { new_string: x, old_string: y }");
}

#[test]
fn globs_that_match_nothing_are_told() {
    for (glob, expect) in [
        (
            "'../other/**'",
            expect![[r#"
            warning r.yaml:4:35: rule `r`: `../other/**` matches nothing: `..` is in no path (paths are relative to the project's root, and have no `..` in them)
        "#]],
        ),
        (
            "'src/../lib/*.ts'",
            expect![[r#"
            warning r.yaml:4:35: rule `r`: `src/../lib/*.ts` matches nothing: `..` is in no path (paths are relative to the project's root, and have no `..` in them)
        "#]],
        ),
        (
            "src/",
            expect![[r#"
            warning r.yaml:4:35: rule `r`: `src/` matches nothing: no file's path ends with `/` (write `src/**` for all that is in there)
        "#]],
        ),
        (
            "['**/*.ts', '!src/']",
            expect![[r#"
            warning r.yaml:4:47: rule `r`: `!src/` matches nothing: no file's path ends with `/` (write `!src/**` for all that is in there)
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
fn a_match_of_options_alone_is_noted() {
    noted(
        "match: { case_sensitive: false }",
        &expect![[r#"
        note r.yaml:4:12: rule `r`: `match` looks at nothing (name a field, as in `content: "…"`, or remove it)
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
        note r.yaml:4:35: rule `r`: `Edit` means that tool only: MultiEdit and NotebookEdit are not covered (write `Edit|MultiEdit|NotebookEdit` to cover them)
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
        note r.yaml:4:14: rule `r`: `{{ line }}` is left as it is (did you mean `lines`?)
        note r.yaml:4:14: rule `r`: `{{ lines | join }}` is left as it is (known are `lines`, `file_path`, `matched`, `tool_name`, `prompt`)
    "#]],
    );
}
