//! What is installed where, written out for every agent.

use std::borrow::Borrow;
use std::path::Path;

use expect_test::{Expect, expect};

use super::{AGENTS, Agent, Place, agent};
use crate::model::{Content, Entry, Reach};

/// Paths are written out as on Unix.
fn slashes(path: &Path) -> String {
    path.display().to_string().replace('\\', "/")
}

fn place(reach: Reach, program: &str) -> Place<'_> {
    let (home, project) = (Path::new("/home/me"), Path::new("/project"));
    Place { reach, program, home, project, moved: |_| None, exists: |_| false }
}

/// Lists the files with their entries, each in one line; events with the same value stand together.
fn listed(agent: &Agent, place: &Place<'_>) -> String {
    let mut lines = Vec::new();
    for file in (agent.connection)(place).files {
        lines.push(slashes(&file.path));
        match file.content {
            Content::Own(text) => lines.extend(text.lines().take(1).map(|line| format!("  {line}"))),
            Content::Toml { table, values } => lines.push(format!("  {}: {values}", table.join("."))),
            Content::Json(entries) => lines.extend(entries.iter().map(|entry| match entry {
                Entry::Item { path, value } => format!("  {}[]: {value}", path.join(".")),
                Entry::Key { path, value } | Entry::Preset { path, value } => {
                    format!("  {}: {value}", path.join("."))
                }
            })),
        }
    }
    lines.join("\n") + "\n"
}

#[track_caller]
fn check(name: &str, reach: Reach, program: &str, expected: impl Borrow<Expect>) {
    let agent = agent(name).expect("a known agent");
    expected.borrow().assert_eq(&listed(agent, &place(reach, program)));
}

#[test]
fn in_a_project_the_program_is_found_on_the_path() {
    check(
        "claude",
        Reach::Project,
        "nudge",
        expect![[r#"
        /project/.claude/settings.json
          hooks.SessionStart[]: {"hooks":[{"type":"command","command":"nudge hook --harness claude-code","timeout":10}]}
          hooks.UserPromptSubmit[]: {"hooks":[{"type":"command","command":"nudge hook --harness claude-code","timeout":10}]}
          hooks.PreToolUse[]: {"hooks":[{"type":"command","command":"nudge hook --harness claude-code","timeout":10}]}
          hooks.PostToolUse[]: {"hooks":[{"type":"command","command":"nudge hook --harness claude-code","timeout":10}]}
          hooks.PostToolUseFailure[]: {"hooks":[{"type":"command","command":"nudge hook --harness claude-code","timeout":10}]}
          hooks.Stop[]: {"hooks":[{"type":"command","command":"nudge hook --harness claude-code","timeout":10}]}
          hooks.SubagentStart[]: {"hooks":[{"type":"command","command":"nudge hook --harness claude-code","timeout":10}]}
          hooks.SubagentStop[]: {"hooks":[{"type":"command","command":"nudge hook --harness claude-code","timeout":10}]}
          hooks.SessionEnd[]: {"hooks":[{"type":"command","command":"nudge hook --harness claude-code","timeout":10}]}
        /project/.mcp.json
          mcpServers.nudge: {"type":"stdio","command":"nudge","args":["serve"]}
    "#]],
    );
    check(
        "codex",
        Reach::Project,
        "nudge",
        expect![[r#"
        /project/.codex/hooks.json
          hooks.SessionStart[]: {"hooks":[{"type":"command","command":"nudge hook --harness codex","timeout":10}]}
          hooks.UserPromptSubmit[]: {"hooks":[{"type":"command","command":"nudge hook --harness codex","timeout":10}]}
          hooks.PreToolUse[]: {"hooks":[{"type":"command","command":"nudge hook --harness codex","timeout":10}]}
          hooks.PostToolUse[]: {"hooks":[{"type":"command","command":"nudge hook --harness codex","timeout":10}]}
          hooks.Stop[]: {"hooks":[{"type":"command","command":"nudge hook --harness codex","timeout":10}]}
          hooks.SubagentStart[]: {"hooks":[{"type":"command","command":"nudge hook --harness codex","timeout":10}]}
          hooks.SubagentStop[]: {"hooks":[{"type":"command","command":"nudge hook --harness codex","timeout":10}]}
          hooks.SessionEnd[]: {"hooks":[{"type":"command","command":"nudge hook --harness codex","timeout":3}]}
        /project/.codex/config.toml
          mcp_servers.nudge: {"command":"nudge","args":["serve"]}
    "#]],
    );
    check(
        "gemini",
        Reach::Project,
        "nudge",
        expect![[r#"
        /project/.gemini/settings.json
          hooks.SessionStart[]: {"hooks":[{"type":"command","name":"nudge","command":"command -v nudge >/dev/null 2>&1 || exit 0; nudge hook --harness gemini-cli","timeout":10000}]}
          hooks.BeforeAgent[]: {"hooks":[{"type":"command","name":"nudge","command":"command -v nudge >/dev/null 2>&1 || exit 0; nudge hook --harness gemini-cli","timeout":10000}]}
          hooks.BeforeTool[]: {"hooks":[{"type":"command","name":"nudge","command":"command -v nudge >/dev/null 2>&1 || exit 0; nudge hook --harness gemini-cli","timeout":10000}]}
          hooks.AfterTool[]: {"hooks":[{"type":"command","name":"nudge","command":"command -v nudge >/dev/null 2>&1 || exit 0; nudge hook --harness gemini-cli","timeout":10000}]}
          hooks.AfterAgent[]: {"hooks":[{"type":"command","name":"nudge","command":"command -v nudge >/dev/null 2>&1 || exit 0; nudge hook --harness gemini-cli","timeout":10000}]}
          hooks.SessionEnd[]: {"hooks":[{"type":"command","name":"nudge","command":"command -v nudge >/dev/null 2>&1 || exit 0; nudge hook --harness gemini-cli","timeout":10000}]}
          mcpServers.nudge: {"command":"nudge","args":["serve"]}
    "#]],
    );
    check(
        "cursor",
        Reach::Project,
        "nudge",
        expect![[r#"
        /project/.cursor/hooks.json
          version: 1
          hooks.sessionStart[]: {"command":"nudge hook --harness cursor","timeout":10}
          hooks.beforeSubmitPrompt[]: {"command":"nudge hook --harness cursor","timeout":10}
          hooks.preToolUse[]: {"command":"nudge hook --harness cursor","timeout":10}
          hooks.postToolUse[]: {"command":"nudge hook --harness cursor","timeout":10}
          hooks.postToolUseFailure[]: {"command":"nudge hook --harness cursor","timeout":10}
          hooks.subagentStart[]: {"command":"nudge hook --harness cursor","timeout":10}
          hooks.subagentStop[]: {"command":"nudge hook --harness cursor","timeout":10}
          hooks.stop[]: {"command":"nudge hook --harness cursor","timeout":10}
          hooks.sessionEnd[]: {"command":"nudge hook --harness cursor","timeout":10}
        /project/.cursor/mcp.json
          mcpServers.nudge: {"command":"nudge","args":["serve"]}
    "#]],
    );
    check(
        "opencode",
        Reach::Project,
        "nudge",
        expect![[r#"
        /project/.opencode/plugins/nudge.js
          // Nudge for OpenCode: asks `nudge hook` about what happens, and passes its answers on.
        /project/opencode.json
          $schema: "https://opencode.ai/config.json"
          mcp.nudge: {"type":"local","command":["nudge","serve"],"enabled":true}
    "#]],
    );
    check(
        "copilot",
        Reach::Project,
        "nudge",
        expect![[r#"
        /project/.github/hooks/nudge.json
          version: 1
          hooks.sessionStart[]: {"type":"command","bash":"command -v nudge >/dev/null 2>&1 || exit 0; nudge hook --harness copilot sessionStart","timeoutSec":10}
          hooks.userPromptSubmitted[]: {"type":"command","bash":"command -v nudge >/dev/null 2>&1 || exit 0; nudge hook --harness copilot userPromptSubmitted","timeoutSec":10}
          hooks.preToolUse[]: {"type":"command","bash":"command -v nudge >/dev/null 2>&1 || exit 0; nudge hook --harness copilot preToolUse","timeoutSec":10}
          hooks.postToolUse[]: {"type":"command","bash":"command -v nudge >/dev/null 2>&1 || exit 0; nudge hook --harness copilot postToolUse","timeoutSec":10}
          hooks.postToolUseFailure[]: {"type":"command","bash":"command -v nudge >/dev/null 2>&1 || exit 0; nudge hook --harness copilot postToolUseFailure","timeoutSec":10}
          hooks.agentStop[]: {"type":"command","bash":"command -v nudge >/dev/null 2>&1 || exit 0; nudge hook --harness copilot agentStop","timeoutSec":10}
          hooks.subagentStart[]: {"type":"command","bash":"command -v nudge >/dev/null 2>&1 || exit 0; nudge hook --harness copilot subagentStart","timeoutSec":10}
          hooks.subagentStop[]: {"type":"command","bash":"command -v nudge >/dev/null 2>&1 || exit 0; nudge hook --harness copilot subagentStop","timeoutSec":10}
          hooks.sessionEnd[]: {"type":"command","bash":"command -v nudge >/dev/null 2>&1 || exit 0; nudge hook --harness copilot sessionEnd","timeoutSec":10}
        /project/.github/mcp.json
          mcpServers.nudge: {"type":"local","command":"nudge","args":["serve"],"tools":["*"]}
    "#]],
    );
}

#[test]
fn for_the_user_the_program_is_named_with_its_place() {
    let files = |agent: &Agent| {
        let connection = (agent.connection)(&place(Reach::User, "/opt/my tools/nudge"));
        let paths = connection.files.iter().map(|file| slashes(&file.path));
        // Windows has other quotes.
        let command = connection.proof.command.replace('"', "'");
        format!("{command}\n  {}\n", paths.collect::<Vec<_>>().join("\n  "))
    };
    expect![[r#"
        '/opt/my tools/nudge' hook --harness claude-code
          /home/me/.claude/settings.json
          /home/me/.claude.json
        '/opt/my tools/nudge' hook --harness codex
          /home/me/.codex/hooks.json
          /home/me/.codex/config.toml
        '/opt/my tools/nudge' hook --harness gemini-cli
          /home/me/.gemini/settings.json
        '/opt/my tools/nudge' hook --harness cursor
          /home/me/.cursor/hooks.json
          /home/me/.cursor/mcp.json
        '/opt/my tools/nudge' hook --harness opencode
          /home/me/.config/opencode/plugins/nudge.js
          /home/me/.config/opencode/opencode.json
        '/opt/my tools/nudge' hook --harness copilot preToolUse
          /home/me/.copilot/hooks/nudge.json
          /home/me/.copilot/mcp-config.json
    "#]]
    .assert_eq(&AGENTS.iter().map(files).collect::<String>());
}

#[test]
fn folders_that_were_moved_are_found() {
    let moved = |name: &str| Some(Path::new("/moved").join(name));
    let files = |agent: &Agent| {
        let place =
            Place { moved, exists: |path| path.ends_with("opencode.jsonc"), ..place(Reach::User, "nudge") };
        let files = (agent.connection)(&place).files;
        files.iter().map(|file| format!("{}\n", slashes(&file.path))).collect::<String>()
    };
    expect![[r#"
        /moved/CLAUDE_CONFIG_DIR/settings.json
        /moved/CLAUDE_CONFIG_DIR/.claude.json
        /moved/CODEX_HOME/hooks.json
        /moved/CODEX_HOME/config.toml
        /moved/GEMINI_CLI_HOME/.gemini/settings.json
        /home/me/.cursor/hooks.json
        /home/me/.cursor/mcp.json
        /moved/XDG_CONFIG_HOME/opencode/plugins/nudge.js
        /moved/XDG_CONFIG_HOME/opencode/opencode.jsonc
        /moved/COPILOT_HOME/hooks/nudge.json
        /moved/COPILOT_HOME/mcp-config.json
    "#]]
    .assert_eq(&AGENTS.iter().map(files).collect::<String>());
}

#[test]
fn the_plugin_of_opencode_calls_the_program_by_its_place() {
    let connection =
        (agent("opencode").expect("a known agent").connection)(&place(Reach::User, "/opt/my tools/nudge"));
    let Content::Own(plugin) = &connection.files[0].content else { panic!("the plugin is a file of ours") };
    assert!(plugin.contains("const PROGRAM = \"/opt/my tools/nudge\"\n"), "{plugin}");
}

#[test]
#[cfg(not(windows))]
fn a_place_that_a_shell_would_misread_is_quoted() {
    for (program, word) in [
        ("/opt/nudge", "/opt/nudge"),
        ("/opt/my tools/nudge", "'/opt/my tools/nudge'"),
        ("/opt/a\\b/nudge", "'/opt/a\\b/nudge'"),
        ("/opt/it's/nudge", "'/opt/it'\\''s/nudge'"),
    ] {
        assert_eq!(place(Reach::User, program).shell_word(), word);
    }
}
