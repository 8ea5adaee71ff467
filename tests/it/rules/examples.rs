//! The RFC's six examples, as they are printed there: five of them have no `version`.

use expect_test::expect;

use crate::payload::{edit, prompt, write};
use crate::sandbox::Sandbox;

pub(crate) const TODOS: &str = r#"rules:
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
"#;

pub(crate) const TEST_NAMING: &str = r#"rules:
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
"#;

pub(crate) const SERVER_START: &str = r#"rules:
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
"#;

pub(crate) const RELATIVE_IMPORTS: &str = r#"rules:
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
"#;

pub(crate) const LARGE_FILE: &str = r#"rules:
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
"#;

pub(crate) const NO_CONSOLE: &str = r#"# .nudge/no-console.yaml
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
"#;

/// The file that the RFC's output of `nudge validate` is about.
pub(crate) fn five_rules() -> String {
    let rule = |text: &str| text.split_once("rules:\n").expect("a rule file").1.to_owned();
    let all = [NO_CONSOLE, TEST_NAMING, SERVER_START, RELATIVE_IMPORTS, LARGE_FILE].map(rule);
    format!("version: 1\nrules:\n{}", all.concat())
}

#[test]
fn example_1_blocks_todo_comments() {
    let sandbox = Sandbox::new().rule("a.yaml", TODOS).file("b.rs", "fn b() {\n    // here\n}\n");
    sandbox.hook("claude-code", write("a.rs", "// TODO: a\nlet x;\n// FIXME\n")).reply(expect![[r#"
        deny: Resolve TODO/FIXME/XXX comments before committing.
        Found on lines: 1, 3"#]]);
    let into = edit("b.rs", "    // here\n", "    // XXX\n");
    sandbox.hook("claude-code", into).reply(expect![[r#"
        deny: Resolve TODO/FIXME/XXX comments before committing.
        Found on lines: 2"#]]);
    sandbox.hook("claude-code", write("a.rs", "// done\n")).reply(expect![["nothing"]]);
}

#[test]
fn example_2_reminds_without_a_match() {
    let sandbox = Sandbox::new().rule("a.yaml", TEST_NAMING);
    sandbox.hook("claude-code", write("pkg/a_test.go", "")).reply(expect![[r#"
        context: Remember: Go test functions must be named TestXxx (capital T, capital X).
        Table-driven tests are preferred for multiple cases."#]]);
    sandbox.hook("claude-code", write("pkg/a.go", "")).reply(expect![["nothing"]]);
}

#[test]
fn example_3_injects_context_on_keywords() {
    let sandbox = Sandbox::new().rule("a.yaml", SERVER_START);
    sandbox.hook("claude-code", prompt("How do I START the dev Server?")).reply(expect![[r#"
        context: To start the development server:
        ```
        npm run dev
        ```
        The server runs on http://localhost:3000"#]]);
    sandbox.hook("claude-code", prompt("What is a server?")).reply(expect![["nothing"]]);
}

#[test]
fn example_4_blocks_relative_imports() {
    let sandbox = Sandbox::new().rule("a.yaml", RELATIVE_IMPORTS);
    let text = "import a from '@/a'\nimport b from '../b'\nimport c from \"../../c\"\n";
    sandbox.hook("claude-code", write("src/x.ts", text)).reply(expect![[r#"
        deny: Use absolute imports instead of relative imports.
        Change `from '../...'` to `from '@/...'`
        Found on lines: 2, 3"#]]);
    sandbox.hook("claude-code", write("src/x.js", text)).reply(expect![["nothing"]]);
}

#[test]
fn example_5_warns_of_large_files() {
    let sandbox = Sandbox::new().rule("a.yaml", LARGE_FILE);
    let large = "a line of text\n".repeat(1_000);
    sandbox.hook("claude-code", write("a.txt", &large)).reply(expect![
        "context: This file is quite large (>10k chars). Consider splitting it into smaller modules."
    ]);
    sandbox.hook("claude-code", write("a.txt", &"é".repeat(10_000))).reply(expect![
        "context: This file is quite large (>10k chars). Consider splitting it into smaller modules."
    ]);
    sandbox.hook("claude-code", write("a.txt", &"é".repeat(9_999))).reply(expect![["nothing"]]);
}

#[test]
fn example_6_blocks_console_log() {
    let sandbox = Sandbox::new().rule("no-console.yaml", NO_CONSOLE);
    let bad = write("app.ts", "console.debug('x')");
    sandbox
        .hook("claude-code", bad)
        .reply(expect!["deny: Remove console.log statements. Use a proper logger instead."])
        .problem(expect![["nothing"]]);
}

#[test]
fn a_missing_version_is_reported_once_in_a_session() {
    let sandbox = Sandbox::new().rule("a.yaml", TODOS);
    sandbox
        .hook("claude-code", write("a.rs", "fine"))
        .reply(expect![["nothing"]])
        .problem(expect![".nudge/a.yaml:1:1: `version` is missing"]);
    sandbox.hook("claude-code", write("a.rs", "TODO")).problem(expect![["nothing"]]);
    sandbox
        .hook("claude-code", write("a.rs", "fine").session("session-2"))
        .problem(expect![".nudge/a.yaml:1:1: `version` is missing"]);
}
