//! The examples of the RFC, exactly as it prints them.

use super::*;

#[track_caller]
fn check(text: &str, expect: Rule, problems: &Expect) {
    let loaded = load(text);
    assert_eq!(loaded.rules, [expect]);
    problems.assert_eq(&show(&loaded.problems));
}

fn tool(source: &str) -> Option<ToolFilter> {
    ToolFilter::new(source).ok()
}

fn file(glob: &str) -> Option<FileFilter> {
    FileFilter::new([glob]).ok()
}

fn content(source: &str, line: usize) -> Vec<Matcher> {
    vec![Matcher { field: Field::Content, pattern: pattern(source), part: None, line, column: 16 }]
}

/// What the rules of the examples have in common.
fn rule(name: &str, description: &str, message: &str) -> Rule {
    Rule {
        name: name.into(),
        description: Some(description.into()),
        place: FilePosition { file: "r.yaml".into(), line: 2, column: 5 },
        hook: Hook::PreToolUse,
        tool: None,
        file: None,
        matchers: vec![],
        exceptions: vec![],
        does: None,
        commands: None,
        excepted_commands: None,
        action: Action::Interrupt,
        message: message.into(),
        enabled: true,
        once_per_session: false,
        fails_closed: false,
        when: Conditions::default(),
        session: None,
        shadow: false,
        pack: None,
        examples: vec![],
    }
}

#[test]
fn block_todo_comments() {
    let text = r##"rules:
  - name: no-todos
    description: Don't allow TODO comments to be written
    on:
      hook: PreToolUse
      tool: Write|Edit
    match:
      content: "TODO|FIXME|XXX"
    action: interrupt
    message: |
      Resolve TODO/FIXME/XXX comments before committing.
      Found on lines: {{ lines }}
"##;
    let message = r##"Resolve TODO/FIXME/XXX comments before committing.
Found on lines: {{ lines }}
"##;
    let base = rule("no-todos", "Don't allow TODO comments to be written", message);
    let wanted = Rule { tool: tool("Write|Edit"), matchers: content("TODO|FIXME|XXX", 8), ..base };
    check(
        text,
        wanted,
        &expect![[r#"
            warning r.yaml:1:1: `version` is missing (add `version: 1` as the first line)
            note r.yaml:6:13: rule `no-todos`: `Edit` matches only that tool: MultiEdit and NotebookEdit are not covered (write `Edit|MultiEdit|NotebookEdit` to cover them)
        "#]],
    );
}

#[test]
fn remind_about_test_conventions() {
    let text = r##"rules:
  - name: test-naming
    description: Remind about test file naming
    on:
      hook: PreToolUse
      tool: Write
      file: "**/*_test.go"
    action: continue  # Soft reminder, don't block
    message: |
      Remember: Go test functions must be named TestXxx (capital T, capital X).
      Table-driven tests are preferred for multiple cases.
"##;
    let message = r##"Remember: Go test functions must be named TestXxx (capital T, capital X).
Table-driven tests are preferred for multiple cases.
"##;
    let base = rule("test-naming", "Remind about test file naming", message);
    let wanted = Rule { tool: tool("Write"), file: file("**/*_test.go"), action: Action::Continue, ..base };
    check(
        text,
        wanted,
        &expect![[r#"
        warning r.yaml:1:1: `version` is missing (add `version: 1` as the first line)
    "#]],
    );
}

#[test]
fn inject_context_on_user_keywords() {
    let text = r##"rules:
  - name: server-start-hint
    description: Help user start the dev server
    on:
      hook: UserPromptSubmit
    match:
      prompt: "start.*(server|dev)|run.*server"
      case_sensitive: false
    action: continue
    message: |
      To start the development server:
      ```
      npm run dev
      ```
      The server runs on http://localhost:3000
"##;
    let message = r##"To start the development server:
```
npm run dev
```
The server runs on http://localhost:3000
"##;
    let base = rule("server-start-hint", "Help user start the dev server", message);
    let wanted = Rule {
        hook: Hook::UserPromptSubmit,
        matchers: vec![Matcher {
            field: Field::Prompt,
            part: None,
            pattern: Pattern::new(
                "start.*(server|dev)|run.*server",
                PatternOptions { case_sensitive: false, multiline: true },
            )
            .unwrap(),
            line: 7,
            column: 15,
        }],
        action: Action::Continue,
        ..base
    };
    check(
        text,
        wanted,
        &expect![[r#"
        warning r.yaml:1:1: `version` is missing (add `version: 1` as the first line)
    "#]],
    );
}

#[test]
fn enforce_import_style() {
    let text = r##"rules:
  - name: no-relative-imports
    description: Use absolute imports, not relative
    on:
      hook: PreToolUse
      tool: Write|Edit
      file: "**/*.ts"
    match:
      content: "from ['\"]\\.\\./"
    action: interrupt
    message: |
      Use absolute imports instead of relative imports.
      Change `from '../...'` to `from '@/...'`
      Found on lines: {{ lines }}
"##;
    let message = r##"Use absolute imports instead of relative imports.
Change `from '../...'` to `from '@/...'`
Found on lines: {{ lines }}
"##;
    let base = rule("no-relative-imports", "Use absolute imports, not relative", message);
    let wanted = Rule {
        tool: tool("Write|Edit"),
        file: file("**/*.ts"),
        matchers: content("from ['\"]\\.\\./", 9),
        ..base
    };
    check(
        text,
        wanted,
        &expect![[r#"
            warning r.yaml:1:1: `version` is missing (add `version: 1` as the first line)
        "#]],
    );
}

#[test]
fn warn_on_large_files() {
    let text = r##"rules:
  - name: large-file-warning
    description: Warn when creating large files
    on:
      hook: PreToolUse
      tool: Write
    match:
      content: "(?s).{10000,}"  # More than 10k characters
    action: continue
    message: |
      This file is quite large (>10k chars). Consider splitting it into smaller modules.
"##;
    let message = r##"This file is quite large (>10k chars). Consider splitting it into smaller modules.
"##;
    let base = rule("large-file-warning", "Warn when creating large files", message);
    let wanted =
        Rule { tool: tool("Write"), matchers: content("(?s).{10000,}", 8), action: Action::Continue, ..base };
    check(
        text,
        wanted,
        &expect![[r#"
        warning r.yaml:1:1: `version` is missing (add `version: 1` as the first line)
    "#]],
    );
}

#[test]
fn single_rule_file() {
    let text = r##"# .nudge/no-console.yaml
version: 1

rules:
  - name: no-console-log
    description: Prevent console.log in production code
    on:
      hook: PreToolUse
      tool: Write|Edit
      file: "**/*.ts"
    match:
      content: "console\\.(log|debug|info)"
    action: interrupt
    message: |
      Remove console.log statements. Use a proper logger instead.
"##;
    let message = r##"Remove console.log statements. Use a proper logger instead.
"##;
    let base = rule("no-console-log", "Prevent console.log in production code", message);
    let wanted = Rule {
        place: FilePosition { line: 5, ..base.place },
        tool: tool("Write|Edit"),
        file: file("**/*.ts"),
        matchers: content("console\\.(log|debug|info)", 12),
        ..base
    };
    check(text, wanted, &expect![""]);
}
