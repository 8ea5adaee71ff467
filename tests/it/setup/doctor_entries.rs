//! `nudge doctor` tries the entries in agents' files, whoever wrote them: a broken entry is reported with its line.

use std::fs;
use std::path::Path;

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// A sandbox in which the shell of an agent finds this program.
fn sandbox() -> Sandbox {
    let folder = Path::new(env!("CARGO_BIN_EXE_nudge")).parent().expect("a folder");
    Sandbox::new().env("PATH", &format!("{}:/usr/bin:/bin", folder.display()))
}

fn put(sandbox: &Sandbox, path: &str, text: &str) {
    let path = sandbox.beside(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

/// Creates a program with our name there that does this.
#[cfg(unix)]
fn program(sandbox: &Sandbox, path: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    put(sandbox, path, &format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(sandbox.beside(path), fs::Permissions::from_mode(0o755)).expect("the file is ours");
}

fn hooks(event: &str, command: &str) -> String {
    let hooks = json!({ "hooks": { event: [{ "hooks": [{ "type": "command", "command": command }] }] } });
    serde_json::to_string_pretty(&hooks).expect("JSON")
}

/// Lists what is wrong with the entries of all agents, each with its place and what to do.
fn off(sandbox: &Sandbox) -> String {
    let found = sandbox.run(["doctor", "--json"]).json();
    let agents = found["agents"].as_array().expect("a list");
    let entries = agents.iter().flat_map(|agent| agent["entries"].as_array().expect("a list"));
    let problems = entries.flat_map(|entry| entry["problems"].as_array().expect("a list"));
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let lines = problems.map(|one| {
        let place = format!("{}:{}", word(&one["place"]["file"]), one["place"]["line"]);
        format!("{place}: {}: {}\n  {}\n", word(&one["severity"]), word(&one["message"]), word(&one["hint"]))
    });
    lines.collect()
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "an expectation is written where it is used")]
fn finds(sandbox: &Sandbox, expected: Expect) {
    expected.assert_eq(&off(sandbox));
}

#[test]
fn what_setup_wrote_is_named_by_its_line_and_fixed() {
    let sandbox = sandbox();
    sandbox.run(["setup", "claude", "--user"]).code(0);
    finds(&sandbox, expect![""]);
    let files = ["home/.claude/settings.json", "home/.claude.json"].map(|path| sandbox.beside(path));
    let ours = files.clone().map(|path| fs::read_to_string(path).expect("the file is there"));
    for (path, text) in files.iter().zip(&ours) {
        fs::write(path, text.replace(env!("CARGO_BIN_EXE_nudge"), "/gone/nudge")).expect("a file");
    }
    finds(
        &sandbox,
        expect![[r#"
            $BASE/home/.claude/settings.json:8: error: this hook calls `/gone/nudge`, which does not exist
              run `nudge setup claude --user`, or `nudge doctor --fix`
            $BASE/home/.claude.json:3: error: this server calls `/gone/nudge`, which does not exist
              run `nudge setup claude --user`, or `nudge doctor --fix`
        "#]],
    );
    sandbox.run(["doctor"]).code(1);
    sandbox.run(["doctor", "--fix"]).code(0);
    assert_eq!(files.map(|path| fs::read_to_string(path).expect("the file is there")), ours);
    finds(&sandbox, expect![""]);
}

#[test]
fn what_was_written_by_hand_is_named_and_left_to_its_author() {
    let sandbox = sandbox();
    put(&sandbox, "home/.claude/settings.json", &hooks("Stop", "/gone/nudge hook"));
    put(&sandbox, "project/.claude/settings.local.json", &hooks("PreToolUse", "/away/nudge hook"));
    put(
        &sandbox,
        "home/.codex/config.toml",
        "model = 'x'\n\n[mcp_servers.mem]\ncommand = '/gone/nudge'\nargs = ['serve']\n",
    );
    put(
        &sandbox,
        "home/.cursor/mcp.json",
        "{\n  \"mcpServers\": {\n    \"n\": {\"command\": \"/gone/nudge\", \"args\": [\"serve\"]}\n  }\n}\n",
    );
    finds(
        &sandbox,
        expect![[r#"
            $BASE/home/.claude/settings.json:8: error: this hook calls `/gone/nudge`, which does not exist
              run `nudge setup claude --user`, which replaces it
            $BASE/project/.claude/settings.local.json:8: error: this hook calls `/away/nudge`, which does not exist
              setup does not change this entry: fix it or remove it; `nudge setup claude` connects the agent
            $BASE/home/.codex/config.toml:3: error: this server calls `/gone/nudge`, which does not exist
              setup does not change this entry: fix it or remove it; `nudge setup codex` connects the agent
            $BASE/home/.cursor/mcp.json:3: error: this server calls `/gone/nudge`, which does not exist
              setup does not change this entry: fix it or remove it; `nudge setup cursor` connects the agent
        "#]],
    );
    let before = fs::read(sandbox.beside("home/.claude/settings.json")).expect("a file");
    sandbox.run(["doctor", "--fix"]).code(1);
    assert_eq!(fs::read(sandbox.beside("home/.claude/settings.json")).expect("a file"), before);
}

#[cfg(unix)]
#[test]
fn programs_that_fail_hang_or_are_old_are_distinguished() {
    let sandbox = sandbox();
    program(&sandbox, "broken/nudge", "echo 'no such library' >&2; exit 3");
    program(&sandbox, "silent/nudge", "exit 0");
    // A process that it leaves in the background makes nobody wait.
    program(&sandbox, "slow/nudge", "sleep 60 & sleep 60");
    program(
        &sandbox,
        "old/nudge",
        &format!(
            "[ \"$1\" = --version ] && exec echo nudge 0.0.1\nexec {} \"$@\"",
            env!("CARGO_BIN_EXE_nudge")
        ),
    );
    for (name, event) in
        [("broken", "PreToolUse"), ("silent", "PostToolUse"), ("slow", "Stop"), ("old", "SessionEnd")]
    {
        let path = sandbox.beside(&format!("{name}/nudge"));
        let agent = match name {
            "broken" => "home/.claude/settings.json",
            "silent" => "home/.gemini/settings.json",
            "slow" => "home/.cursor/hooks.json",
            _ => "home/.codex/hooks.json",
        };
        let event = if name == "silent" { "BeforeTool" } else { event };
        put(&sandbox, agent, &hooks(event, &format!("{} hook", path.display())));
    }
    let shown =
        off(&sandbox).replace(sandbox.beside("").to_str().expect("UTF-8").trim_end_matches('/'), "$BASE");
    expect![[r#"
        $BASE/home/.claude/settings.json:8: error: this hook did not answer a test event: exit status: 3; no such library (`$BASE/broken/nudge hook`)
          run `nudge setup claude --user`, which replaces it
        $BASE/home/.codex/hooks.json:8: warning: this calls nudge 0.0.1 (`$BASE/old/nudge`); this one is 0.1.0
          run `nudge setup codex --user`, which replaces it
        $BASE/home/.gemini/settings.json:8: error: this hook did not answer a test event: the reply of a rule is missing (`$BASE/silent/nudge hook`)
          run `nudge setup gemini --user`, which replaces it
        $BASE/home/.cursor/hooks.json:8: error: this hook did not answer a test event: it did not answer in time (`$BASE/slow/nudge hook`)
          setup does not change this entry: fix it or remove it; `nudge setup cursor` connects the agent
    "#]].assert_eq(&shown);
}

#[cfg(unix)]
#[test]
fn a_repository_does_not_get_its_own_lines_run() {
    let sandbox = sandbox();
    program(&sandbox, "project/tools/nudge", "touch \"$HOME/ran\"");
    let own = sandbox.path("tools/nudge").display().to_string();
    put(&sandbox, "project/.claude/settings.json", &hooks("PreToolUse", &format!("{own} hook")));
    put(&sandbox, "project/.claude/settings.local.json", &hooks("PreToolUse", "nudge hook; touch $HOME/ran"));
    // A link to a program of the system does as its arguments say, and a name on the PATH may be another than is found.
    std::os::unix::fs::symlink("/usr/bin/touch", sandbox.path("nudge")).expect("a link");
    let (link, ran) = (sandbox.path("nudge"), sandbox.beside("home/ran"));
    let line = format!("{} hook {}", link.display(), ran.display());
    put(&sandbox, "project/.gemini/settings.json", &hooks("BeforeTool", &line));
    program(&sandbox, "project/tools/nudge.exe", "touch \"$HOME/ran\"");
    put(&sandbox, "project/.codex/hooks.json", &hooks("PreToolUse", "nudge.exe hook"));
    put(
        &sandbox,
        "project/.mcp.json",
        &json!({ "mcpServers": { "n": { "command": link, "args": ["serve", ran] } } }).to_string(),
    );
    finds(
        &sandbox,
        expect![[r#"
        $BASE/project/.claude/settings.json:8: warning: this hook was not tried: it comes with the repository, and calls a program other than this one
          check it; `nudge setup claude --project` replaces it
        $BASE/project/.mcp.json:1: warning: this server was not tried: it comes with the repository, and calls a program other than this one
          check it; `nudge setup claude --project` replaces it
        $BASE/project/.claude/settings.local.json:8: warning: this hook was not tried: it comes with the repository, and does more than call nudge
          check it; `nudge setup claude --project` replaces it
        $BASE/project/.gemini/settings.json:8: warning: this hook was not tried: it comes with the repository, and calls a program other than this one
          check it; `nudge setup gemini --project` replaces it
    "#]],
    );
    assert!(!sandbox.beside("home/ran").exists());
}

#[test]
fn a_plugin_that_finds_no_program_is_said() {
    let settings = json!({ "enabledPlugins": { "nudge@nudge": true } }).to_string();
    let sandbox = Sandbox::new().env("PATH", "/usr/bin:/bin");
    put(&sandbox, "home/.claude/settings.json", &settings);
    finds(
        &sandbox,
        expect![[r#"
            $BASE/home/.claude/settings.json:1: error: this plugin calls `nudge`, which is not on the PATH
              put `nudge` on the PATH of the agent's shell, or connect it by its path: `nudge setup claude --user`
        "#]],
    );
    put(&sandbox, "home/.claude/settings.json", &settings.replace("true", "false"));
    finds(&sandbox, expect![""]);
}

#[test]
fn settings_that_are_not_json_are_an_error() {
    let sandbox = sandbox();
    put(&sandbox, "home/.claude/settings.json", "{\"hooks\": {");
    let ran = sandbox.run(["doctor"]);
    let said = "home/.claude/settings.json: error: this is not valid JSON";
    assert!(ran.code(1).stdout.contains(said) && ran.stdout.contains("hint: fix the file"), "{}", ran.stdout);
}
