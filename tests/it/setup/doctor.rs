//! `nudge doctor` and `nudge status`: each finding is provoked once, and what is safe to fix is fixed.

use std::fs;
use std::path::Path;

use expect_test::expect;
use serde_json::{Value, json};

use crate::payload::bash;
use crate::sandbox::{BLOCK_TODO, Sandbox};
use crate::servers::Server;

/// A sandbox in which the shell of an agent finds this program.
fn sandbox() -> Sandbox {
    let folder = Path::new(env!("CARGO_BIN_EXE_nudge")).parent().expect("a folder");
    let path = format!("{}:/usr/bin:/bin", folder.display());
    Sandbox::new().env("PATH", &path)
}

fn place<'v>(found: &'v Value, agent: &str, reach: &str) -> &'v Value {
    let agents = found["agents"].as_array().expect("a list");
    let agent = agents.iter().find(|one| one["agent"] == agent).unwrap_or(&Value::Null);
    let places = agent["places"].as_array().expect("the agent is listed");
    places.iter().find(|one| one["reach"] == reach).expect("both places are listed")
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the file is ours");
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).expect("a file").permissions().mode() & 0o777
}

#[cfg(unix)]
#[test]
fn what_others_can_look_into_is_found_and_closed() {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", bash("ls").after());
    sandbox.run(["doctor"]).code(0);
    let trace = sandbox.data_folder().join("nudge.trace.jsonl");
    set_mode(&sandbox.data_folder(), 0o755);
    set_mode(&trace, 0o644);
    let ran = sandbox.run(["doctor"]);
    for line in ["other users can access this folder (mode 755, not 700)", "this file (mode 644, not 600)"] {
        assert!(ran.code(1).stdout.contains(line), "{}", ran.stdout);
    }
    sandbox.run(["doctor", "--fix"]).code(0);
    assert_eq!((mode(&sandbox.data_folder()), mode(&trace)), (0o700, 0o600));
}

#[cfg(unix)]
#[test]
fn another_program_of_our_name_is_named() {
    let sandbox = Sandbox::new().env("PATH", "$BASE/bin:/usr/bin:/bin");
    let other = sandbox.beside("bin/nudge");
    fs::create_dir(sandbox.beside("bin")).expect("a folder");
    fs::write(&other, "#!/bin/sh\necho nudge 0.0.1\n").expect("a file");
    set_mode(&other, 0o755);
    let ran = sandbox.run(["doctor"]);
    assert!(
        ran.code(0).stdout.contains("the PATH leads to another nudge (0.0.1); this one is "),
        "{}",
        ran.stdout
    );
    assert_eq!(sandbox.run(["doctor", "--json"]).json()["others"][0]["version"], "0.0.1");
}

#[cfg(unix)]
#[test]
fn a_folder_of_servers_that_is_open_is_refused() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.runtime_folder()).expect("a folder");
    set_mode(&sandbox.runtime_folder(), 0o755);
    let said = sandbox.run(["doctor"]).code(0).stdout.clone();
    assert!(said.contains("this folder is open to others, so commands do not use it"), "{said}");
    fs::write(sandbox.runtime_folder().join("letter.txt"), "dear").expect("a file");
    let said = sandbox.run(["doctor"]).code(1).stdout.clone();
    assert!(said.contains("servers cannot share hints in this folder: it is open to others"), "{said}");
}

#[test]
fn a_server_is_shown_and_what_a_killed_one_left_removed() {
    let sandbox = Sandbox::new();
    let mut server = Server::start(&sandbox, &[]);
    let found = sandbox.run(["doctor", "--json"]).code(0).json();
    assert_eq!(found["server"]["health"]["pid"], server.child.id());
    crate::servers::rpc(&sandbox, "nudge.set_hint", &json!({ "component": "a", "key": "k", "value": "v" }));
    let snapshot = sandbox.runtime_folder().join("server.snapshot");
    crate::servers::wait_until("there is a snapshot", || snapshot.exists());
    server.child.kill().expect("it is ours");
    server.child.wait().expect("it ends");
    let ran = sandbox.run(["doctor"]);
    for line in ["is gone, but its address file is left", "hints of a killed server are left"] {
        assert!(ran.code(0).stdout.contains(line), "{line}: {}", ran.stdout);
    }
    sandbox.run(["doctor", "--fix"]).code(0);
    assert_eq!(fs::read_dir(sandbox.runtime_folder()).expect("a folder").count(), 0);
}

#[test]
fn an_agent_is_found_connected_proved_renewed() {
    let sandbox = sandbox();
    fs::create_dir(sandbox.beside("home/.claude")).expect("a folder of an agent");
    let said = sandbox.run(["doctor"]).code(0).stdout.clone();
    assert!(said.contains("found, not connected: `nudge setup claude`"), "{said}");
    sandbox.run(["setup", "claude", "--user"]).code(0);
    let found = sandbox.run(["doctor", "--json"]).code(0).json();
    let user = place(&found, "claude", "user");
    assert_eq!(
        (&user["hooks"], &user["server"], &user["answers"]),
        (&json!("complete"), &json!("complete"), &json!(true))
    );
    assert_eq!(found["hooks"]["latency"], json!([]), "the test event leaves no trace");
    let path = sandbox.beside("home/.claude/settings.json");
    let ours = fs::read_to_string(&path).expect("the file is there");
    fs::write(&path, ours.replace(env!("CARGO_BIN_EXE_nudge"), "/gone/nudge")).expect("a file");
    let ran = sandbox.run(["doctor"]);
    assert!(
        ran.stdout.contains("settings.json:8: error: this hook calls `/gone/nudge`, which does not exist"),
        "{}",
        ran.stdout
    );
    let ran = sandbox.run(["doctor", "--fix"]);
    assert!(ran.code(0).stderr.contains("the entries of Claude Code were renewed"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(&path).expect("the file is there"), ours);
}

#[test]
fn a_command_that_does_not_answer_is_an_error() {
    let sandbox = sandbox();
    sandbox.run(["setup", "claude", "--project"]).code(0);
    let sandbox = sandbox.env("PATH", "/usr/bin:/bin");
    let ran = sandbox.run(["doctor"]);
    assert!(ran.code(1).stdout.contains("calls `nudge`, which is not on the PATH"), "{}", ran.stdout);
}

#[test]
fn double_registration_is_said() {
    let sandbox = sandbox();
    sandbox.run(["setup", "claude", "--project"]).code(0);
    sandbox.run(["setup", "claude", "--user"]).code(0);
    let said = sandbox.run(["doctor"]).code(0).stdout.clone();
    assert!(said.contains("every event of Claude Code arrives 2 times: through `"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_disk_that_takes_no_more_is_said() {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", bash("ls").after());
    let mut command = sandbox.command("/bin/sh");
    command.args(["-c", "ulimit -f 0; exec \"$0\" doctor", env!("CARGO_BIN_EXE_nudge")]);
    let ran = sandbox.ran(&command.output().expect("the shell runs"));
    let said = "data/nudge: error: this folder cannot be written to: ";
    assert!(ran.code(1).stdout.contains(said) && ran.stdout.contains("hint: make room"), "{}", ran.stdout);
}

#[test]
fn a_home_that_is_not_there_is_said_and_not_made() {
    let sandbox = Sandbox::new().env("HOME", "$BASE/nowhere").env("XDG_DATA_HOME", "");
    let ran = sandbox.run(["doctor"]);
    let said = "nowhere: error: HOME names a folder that does not exist";
    assert!(ran.code(1).stdout.contains(said), "{}", ran.stdout);
    assert!(!sandbox.beside("nowhere").exists());
}

#[test]
fn without_git_a_project_with_notes_is_reported() {
    let sandbox = Sandbox::new().file(".nexus/memory/a-note.md", "text").env("PATH", "$BASE/nowhere");
    let ran = sandbox.run(["doctor"]);
    assert!(ran.code(0).stdout.contains("warning: `git` is not on the PATH"), "{}", ran.stdout);
}

#[test]
fn every_finding_says_what_to_do() {
    let sandbox =
        sandbox().rule("bad.yaml", "rules: [").file(".nudge/config.toml", "[context]\nrows = 'many'\n");
    sandbox.put(".nexus/state/plan.json.broken-1", "{");
    sandbox.hook_bytes("claude-code", b"no JSON");
    fs::create_dir_all(sandbox.beside("home/.claude")).expect("a folder");
    fs::write(sandbox.beside("home/.claude/settings.json"), "{").expect("a file");
    let found = sandbox.run(["doctor", "--json"]).code(1).json();
    let mut problems = Vec::new();
    gather(&found, &mut problems);
    assert!(problems.len() >= 5, "{problems:#?}");
    let silent: Vec<&&Value> = problems.iter().filter(|problem| !problem["hint"].is_string()).collect();
    assert!(silent.is_empty(), "{silent:#?}");
}

/// Finds every problem of any kind; those of the log are in the past.
fn gather<'v>(value: &'v Value, found: &mut Vec<&'v Value>) {
    match value {
        Value::Object(map) if map.contains_key("severity") => found.push(value),
        Value::Object(map) => {
            map.iter().filter(|(key, _)| *key != "log").for_each(|(_, value)| gather(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, found)),
        _ => {}
    }
}

#[test]
fn state_that_was_set_aside_is_named() {
    let sandbox = Sandbox::new().file(".nexus/state/plan.json.broken-20260102T030405678Z", "{");
    let said = sandbox.run(["doctor"]).code(0).stdout.clone();
    assert!(
        said.contains("plan.json.broken-20260102T030405678Z: warning: a file of plan and tasks"),
        "{said}"
    );
}

#[test]
fn the_last_hooks_are_timed() {
    let sandbox = Sandbox::new();
    for _ in 0..3 {
        sandbox.hook("claude-code", bash("ls"));
        sandbox.hook("claude-code", bash("ls").after());
    }
    let found = sandbox.run(["doctor", "--json"]).code(0).json();
    let counts: Vec<(&Value, &Value)> = found["hooks"]["latency"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (&one["hook"], &one["count"]))
        .collect();
    assert_eq!(
        counts,
        [(&Value::Null, &json!(6)), (&json!("PostToolUse"), &json!(3)), (&json!("PreToolUse"), &json!(3))]
    );
    let all = &found["hooks"]["latency"][0];
    assert!(
        all["p50_us"].as_u64() <= all["p95_us"].as_u64() && all["p95_us"].as_u64() <= all["max_us"].as_u64(),
        "{all}"
    );
}

#[test]
fn status_sums_up_what_is_here_even_without_a_server() {
    let plan = json!({ "id": 1, "topic": "Ship it", "issues": [], "created_at": "2026-01-01T00:00:00.000Z" });
    let tasks = json!({ "goal": "g", "decisions": [], "tasks": [
        { "id": 1, "title": "a", "context": "c", "status": "completed", "deps": [] },
        { "id": 2, "title": "b", "context": "c", "status": "pending", "deps": [] },
    ] });
    let sandbox = sandbox()
        .rule("a.yaml", BLOCK_TODO)
        .rule("bad.yaml", "rules: [")
        .file(".nexus/state/plan.json", plan.to_string())
        .file(".nexus/state/tasks.json", tasks.to_string());
    sandbox.run(["setup", "claude", "--user"]).code(0);
    sandbox.hook("claude-code", bash("ls").after());
    let ran = sandbox.run(["status"]);
    // Every line is indented, which an expectation alone would not show.
    expect![[r#"
        here
           server  none running; agents start one
            rules  1 rule here, 1 error: `nudge validate`
         observed  1 observation, 1 today
             cost  a new session costs up to 6140 tokens: `nudge context --tokens`
             plan  Ship it
            tasks  1 of 2 open
           agents  Claude Code
            hooks  PostToolUse just now; 95 of 100 within 4 ms (last 1)
    "#]]
    .assert_eq(&format!("here\n{}", crate::cli::why::timeless(&ran.code(0).stdout)));
    assert_eq!(ran.stderr, "");
    let here = &sandbox.run(["status", "--json"]).code(0).json()["here"];
    assert_eq!(
        (&here["rules"], &here["rule_problems"], &here["observations"], &here["agents"]),
        (&json!(1), &json!(1), &json!(1), &json!(["Claude Code"]))
    );
}

#[test]
fn disabled_rules_are_counted() {
    let rule = "version: 1\nrules:\n  - { name: a, on: { hook: Stop }, action: continue, message: m, enabled: false }\n";
    let sandbox = sandbox().rule("a.yaml", rule);
    assert!(sandbox.run(["status"]).stdout.contains("rules  1 rule here, 1 disabled\n"));
    assert!(sandbox.run(["doctor"]).stdout.contains("rules               1 loaded, 1 disabled, ok\n"));
    assert_eq!(sandbox.run(["doctor", "--json"]).json()["disabled_rules"], 1);
}

#[test]
fn hooks_that_codex_does_not_trust_are_reported() {
    let sandbox = sandbox();
    sandbox.run(["setup", "codex"]).code(0);
    let said = || place(&sandbox.run(["doctor", "--json"]).json(), "codex", "user")["problems"].clone();
    let problem = said()[0].clone();
    assert_eq!(problem["message"], "Codex does not run 8 hooks of nudge: not trusted yet");
    assert!(problem["hint"].as_str().unwrap().contains("choose `Trust all and continue`"), "{problem}");
    assert!(sandbox.run(["doctor"]).code(0).stdout.contains("not trusted yet"));
    // What Codex writes when the user trusts them, with hashes of its own kind and with others.
    let hooks = sandbox.beside("home/.codex/hooks.json");
    let config = sandbox.beside("home/.codex/config.toml");
    let before = fs::read_to_string(&config).unwrap();
    let events: Value = serde_json::from_str(&fs::read_to_string(&hooks).unwrap()).unwrap();
    let mut trusted = before.clone();
    for event in events["hooks"].as_object().unwrap().keys() {
        let label = event.chars().fold(String::new(), |label, c| match c.is_ascii_uppercase() {
            true if !label.is_empty() => format!("{label}_{}", c.to_ascii_lowercase()),
            _ => format!("{label}{}", c.to_ascii_lowercase()),
        });
        trusted +=
            &format!("\n[hooks.state.\"{}:{label}:0:0\"]\ntrusted_hash = \"sha256:00\"\n", hooks.display());
    }
    fs::write(&config, &trusted).unwrap();
    assert_eq!(said()[0]["message"], "Codex does not run 8 hooks of nudge: changed since they were trusted");
    fs::write(&config, trusted.replace("trusted_hash = \"sha256:00\"", "enabled = false")).unwrap();
    assert_eq!(said()[0]["message"], "Codex does not run 8 hooks of nudge: disabled in its settings");
}
