//! What is derived from a text (signatures, programs, gists, traces, problems, logs) contains no piece of a secret:
//! secrets whose last part alone cannot be recognised are planted, and are then found in no file and no output.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::mcp_client::Client;
use crate::payload::{Payload, bash, edit, event, prompt, silent_stop, tool, write};
use crate::sandbox::Sandbox;

/// Texts that contain a secret, and the part of it that must be found nowhere.
const PLANTED: [(&str, &str); 8] = [
    ("amqps://bob:gani874TVksu@mq.test", "gani874TVksu"),
    ("postgres://admin:Sup3rS3cret@db.internal", "Sup3rS3cret"),
    ("https://me:Kp4wZt8xQd2m@git.test/x/y", "Kp4wZt8xQd2m"),
    (
        "https://hooks.slack.com/services/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",
        "Zx9kQ2def123Lm4NpQrS5tUv",
    ),
    (
        "https://discord.com/api/webhooks/123456789012345678/aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9fG1hJ3kL5mN7pQ9rS1tU3vW5x",
        "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z",
    ),
    ("aws_secret_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzX9kQ2defA3", "bPxRfiCYzX9kQ2defA3"),
    ("password=abc/Zx9kQ2def123", "Zx9kQ2def123"),
    ("badge-7139402", "7139402"),
];

const SETTINGS: &str = "[redact]\nbadge = 'badge-\\d+'\n";

fn failed(id: &str, command: &str, error: &str) -> Payload {
    bash(command)
        .with("hook_event_name", "PostToolUseFailure")
        .with("tool_use_id", id)
        .with("error", format!("Exit code 1\n{error}"))
}

fn done(id: &str, payload: Payload) -> Payload {
    payload.after().with("tool_use_id", id)
}

/// Lines that say nothing.
fn noise(lines: usize) -> String {
    (0..lines).map(|n| format!("step {n} is done, and all is well\n")).collect()
}

/// The events of a small session with the text in every place from which something is derived.
fn events(text: &str) -> Vec<Payload> {
    let straddling = |most: usize| format!("{} {text}", "x".repeat(most.saturating_sub(20)));
    let output = |text: String| json!({ "stdout": text, "stderr": "", "interrupted": false });
    vec![
        event("SessionStart").with("source", "startup"),
        prompt(&format!("connect to {text}")).with("prompt_id", "p1"),
        failed("f1", "./migrate", &format!("error: cannot connect to {text}")),
        failed("f2", "./migrate", &format!("it ended with {text}")),
        failed("f3", "./migrate", &format!("{}error: {text}\n{}", noise(2_000), noise(2_000))),
        failed("f4", "./migrate", &format!("{}{text}", noise(2_000))),
        failed("f5", "./migrate", &straddling(240)),
        failed("f6", &format!("{text} --verbose"), &format!("{text}: command not found")),
        failed("f7", &format!("cd x && {text}"), &format!("fatal: {}", straddling(160))),
        done("t1", bash(&format!("{text} --verbose"))),
        done("t2", bash("make test")).with("tool_response", output(format!("{} 3 passed", straddling(200)))),
        done("t3", bash("git commit -m x"))
            .with("tool_response", output(format!("[main 1a2b3c4] {}", straddling(200)))),
        done("t4", edit("src/a.rs", "old", &straddling(100))),
        done("t5", edit("src/a.rs", text, "new")),
        done("t6", tool("Agent", json!({ "description": "d", "prompt": straddling(500) }))),
        done("t7", tool("Grep", json!({ "pattern": text }))),
        done("t8", tool("mcp__db__connect", json!({ "address": text }))),
        // Rules block the first and say something to the second.
        bash(&format!("forbidden {}", straddling(200))),
        write("src/b.rs", &format!("guided {text}")),
    ]
}

/// Returns every file below a folder that contains a text, in its name or its bytes.
fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if let Ok(bytes) = fs::read(&path)
            && (memchr::memmem::find(&bytes, text.as_bytes()).is_some()
                || path.to_string_lossy().contains(text))
        {
            found.push(path.display().to_string());
        }
    }
    found
}

/// Everything that the program prints of what it remembers.
fn printed(sandbox: &Sandbox) -> Vec<String> {
    let mut printed = Vec::new();
    for args in [
        ["observations", "export", "--all"],
        ["recent", "--all", "--json"],
        ["why", "--all", "--json"],
        ["why", "--all", "--last=100"],
        ["sessions", "--all", "--json"],
        ["search", "migrate OR connect", "--all"],
    ] {
        let ran = sandbox.run(args);
        // Not every sandbox here has what the search looks for.
        let is_search_for_nothing = args[0] == "search" && ran.code == Some(1);
        assert!(ran.code == Some(0) || is_search_for_nothing, "{args:?}: {}", ran.stderr);
        printed.extend([ran.stdout, ran.stderr]);
    }
    for args in [["doctor"], ["status"], ["stats"]] {
        let ran = sandbox.run(args);
        printed.extend([ran.stdout, ran.stderr]);
    }
    let mut client = Client::new(sandbox);
    for (name, arguments) in [
        ("search", json!({ "query": "migrate" })),
        ("recent", json!({ "limit": 50 })),
        ("sessions", json!({})),
    ] {
        let answer = client.ask("tools/call", json!({ "name": name, "arguments": arguments }));
        printed.push(answer.to_string());
    }
    printed
}

const RULES: &str = "\
version: 1
rules:
  - name: no-forbidden
    on: { hook: PreToolUse, tool: Bash }
    match: { content: forbidden }
    action: interrupt
    message: 'no'
  - name: guided
    on: { hook: PreToolUse, tool: Write }
    match: { content: guided }
    action: continue
    message: '{{ matched }}'
";

#[test]
fn what_is_derived_from_a_text_has_no_piece_of_its_secret() {
    for (text, secret) in PLANTED {
        let sandbox = Sandbox::new().file(".nudge/config.toml", SETTINGS).rule("a.yaml", RULES);
        fs::create_dir_all(sandbox.path(".nexus")).expect("a folder");
        for event in events(text) {
            let ran = sandbox.hook("claude-code", event.clone());
            assert!(!ran.stdout.contains(secret), "{}: {}", event.0, ran.stdout);
        }
        let base = sandbox.beside("");
        assert_eq!(files_with(&base, secret), Vec::<String>::new(), "{text}, in the spool");
        sandbox.hook("claude-code", silent_stop());
        assert_eq!(files_with(&base, secret), Vec::<String>::new(), "{text}, in the database");
        for output in printed(&sandbox) {
            assert!(!output.contains(secret), "{text}: {output}");
        }
    }
}

#[test]
fn a_pattern_of_the_user_is_applied_before_digits_are_taken_out() {
    let sandbox = Sandbox::new().file(".nudge/config.toml", SETTINGS);
    sandbox.hook("claude-code", failed("f1", "./open-door", "error: badge-7139402 is unknown"));
    let row: Value = sandbox.run(["observations", "export", "--all"]).json();
    assert_eq!(row["signature"], "error: [REDACTED:badge] is unknown");
    assert_eq!(row["metadata"]["redacted"], json!(["[REDACTED:badge]"]));
}

#[test]
fn names_are_kept_without_secrets() {
    let token = "ghp_Ab3dEf9hIjAb3dEf9hIjAb3dEf9hIjAb3dEf";
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path(".nexus")).expect("a folder");
    let named = |payload: Payload| payload.session(token).with("agent_id", token).with("agent_type", token);
    for payload in [
        event("SessionStart").with("source", "startup").session(token),
        prompt("[plan] a login").session(token),
        named(event("SubagentStart")),
        named(done("t1", tool(token, json!({})))),
        named(done("t2", write("a.rs", "x"))),
        named(event("SubagentStop")).with("last_assistant_message", format!("it is {token}")),
        named(done("t3", tool("Read", json!({ "file_path": format!("{token}.txt") })))),
        silent_stop().session(token),
    ] {
        sandbox.hook("claude-code", payload);
    }
    // The agent is unknown, and so is the option.
    sandbox.run(["hook", "--harness", token]);
    sandbox.run(["hook", &format!("--{token}")]);
    assert_eq!(files_with(&sandbox.beside(""), token), Vec::<String>::new());
    for output in printed(&sandbox) {
        assert!(!output.contains(token), "{output}");
    }
}

#[test]
fn a_problem_is_kept_without_the_secrets_it_quotes() {
    let token = "ghp_Ab3dEf9hIjAb3dEf9hIjAb3dEf9hIjAb3dEf";
    let rules = format!(
        "version: 1\nrules:\n  - name: {token}\n    on: {{ hook: PreToolUse, tool: Bash }}\n    \
         match: {{ content: '(?<!{token}' }}\n    {token}: 1\n    action: interrupt\n    message: no\n"
    );
    let sandbox = Sandbox::new().rule("a.yaml", &rules);
    let ran = sandbox.hook("claude-code", bash("ls"));
    assert!(ran.stdout.contains("systemMessage") && !ran.stdout.contains(token), "{}", ran.stdout);
    // The cache of rules is a copy of the user's own file; everything else is ours.
    assert_eq!(files_with(&sandbox.data_folder(), token), Vec::<String>::new());
    let doctor = sandbox.run(["doctor"]);
    assert!(!doctor.stdout.contains(token) && !doctor.stderr.contains(token), "{}", doctor.stdout);
}

/// Makes a database as version 1 of the schema has it, with one failure whose signature is a piece of the secret.
fn old_database(path: &Path, rows: usize) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let connection = Connection::open(path).expect("a database");
    connection
        .execute_batch(
            "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON",
        )
        .expect("pragmas");
    connection.execute_batch(include_str!("../../../migrations/0001_observations.sql")).expect("the schema");
    connection
        .execute_batch("PRAGMA application_id = 0x4e756467; PRAGMA user_version = 1")
        .expect("the version");
    let insert =
        "INSERT INTO observations (timestamp, session_id, obs_type, source_event, tool_name, content,
            metadata, program, signature)
        VALUES (?1, 's', 'command_error', 'PostToolUseFailure', 'Bash', ?2, ?3, ?4, ?5)";
    let content = "./migrate\nerror: cannot connect to amqps://bob:[REDACTED:url-password]@mq.test";
    let index = "INSERT INTO observations_fts (rowid, content, file_path, parts, tags)
        SELECT id, content, file_path, parts, tags FROM observations WHERE id = last_insert_rowid()";
    for n in 0..rows {
        let now = 1_900_000_000_i64 + i64::try_from(n).expect("few rows");
        let facts = json!({ "command": "./migrate" }).to_string();
        let leaked = "error: cannot connect to bob:gani874TVksu@mq.test";
        connection.execute(insert, (now, content, facts, "gani874TVksu@mq.test", leaked)).expect("a row");
        connection.execute_batch(index).expect("its words");
    }
}

#[test]
fn what_an_older_version_has_left_is_cleaned() {
    let secret = "gani874TVksu";
    let token = "ghp_Ab3dEf9hIjAb3dEf9hIjAb3dEf9hIjAb3dEf";
    // A trace and a problem as they are written, but for the secret in them.
    let other = Sandbox::new().rule("a.yaml", "rules: [");
    other.hook("claude-code", bash("ls"));
    let sandbox = Sandbox::new();
    let data = sandbox.data_folder();
    let database = data.join("nudge.db");
    old_database(&database, 3);
    for name in ["nudge.trace.jsonl", "problems.jsonl"] {
        let text = fs::read_to_string(other.data_folder().join(name)).expect("a line");
        let text = text
            .replace("\"claude-code\"", &format!("\"{token}\""))
            .replace("a.yaml", &format!("{token}.yaml"));
        assert!(text.contains(token), "{text}");
        fs::write(data.join(name), text).expect("a file of nudge");
    }
    fs::create_dir_all(data.join("nudge.spool")).expect("a folder");
    let torn =
        format!("00000000 {{\"content\":\"x\",\"signature\":\"error: {secret}@mq\",\"pinned\":false\n");
    fs::write(data.join("nudge.spool/rejected.jsonl"), torn).expect("a file of nudge");
    assert_ne!(files_with(&data, secret), Vec::<String>::new());
    // What waits when the new version comes is cleaned as well, so one turn is enough.
    sandbox.hook("claude-code", event("SessionStart").with("source", "startup"));
    sandbox.hook("claude-code", silent_stop());
    assert_eq!(files_with(&sandbox.beside(""), secret), Vec::<String>::new());
    assert_eq!(files_with(&sandbox.beside(""), token), Vec::<String>::new());
    let export = sandbox.run(["observations", "export", "--all"]).stdout;
    let rows: Vec<Value> = export.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let derived: Vec<_> = rows.iter().take(3).map(|row| [&row["program"], &row["signature"]]).collect();
    let clean = "error: cannot connect to mq.test";
    assert_eq!(derived, [[&json!("migrate"), &json!(clean)]; 3]);
}

#[test]
fn a_large_memory_is_cleaned_by_a_command_and_in_steps_by_hooks() {
    let (sandbox, secret) = (Sandbox::new(), "gani874TVksu");
    let database = sandbox.data_folder().join("nudge.db");
    old_database(&database, 2_000);
    let uncleaned = || {
        let connection = Connection::open(&database).expect("the database");
        let count = "SELECT count(*) FROM observations WHERE instr(signature, 'gani874TVksu')";
        connection.query_row(count, [], |row| row.get::<_, i64>(0)).expect("a count")
    };
    sandbox.hook("claude-code", done("t1", bash("ls")));
    sandbox.hook("claude-code", silent_stop());
    let left = uncleaned();
    assert!((1..2_000).contains(&left), "{left}");
    let export = sandbox.run(["observations", "export", "--all"]);
    assert_eq!((export.stdout.contains(secret), export.stdout.lines().count()), (false, 2_001));
    assert_eq!(files_with(&sandbox.data_folder(), secret), Vec::<String>::new());
}

/// A failure with a long output costs about as much as a success with the same output: reading it.
#[test]
#[expect(clippy::disallowed_methods, reason = "two runs are compared with each other")]
fn a_failure_with_a_long_output_is_read_quickly() {
    let sandbox = Sandbox::new();
    let text = noise(100_000);
    let took = |payload: Payload| {
        let bytes = sandbox.place(payload).to_string();
        let runs = (0..3).map(|_| {
            let start = Instant::now();
            sandbox.hook_bytes("claude-code", bytes.as_bytes());
            start.elapsed()
        });
        runs.min().unwrap_or(Duration::MAX)
    };
    let output = json!({ "stdout": text, "stderr": "", "interrupted": false });
    let success = took(done("t1", bash("make")).with("tool_response", output));
    let failure = took(failed("f1", "make", &text));
    assert!(failure < success * 4, "a failure took {failure:?}, a success {success:?}");
}

/// Nothing but the name says that these are secrets, so only the listing around them gives them away.
#[test]
fn the_environment_that_a_script_prints_keeps_its_secrets_to_itself() {
    for printed in [
        "{\n  PATH: '/usr/bin',\n  HOME: '/home/me',\n  LANG: 'C',\n  SESSION_SECRET: 'correct-horse-battery',\n  PGPASSWORD: 'oak-Tree-42'\n}",
        "environ({'PATH': '/usr/bin', 'HOME': '/home/me', 'LANG': 'C', 'SESSION_SECRET': 'correct-horse-battery', 'PGPASSWORD': 'oak-Tree-42'})",
        "Name          Value\n----          -----\nHOME          /home/me\nLANG          C\nPATH          /usr/bin\nPGPASSWORD    oak-Tree-42\nSESSION_SECRET  correct-horse-battery",
        "\"Env\": [\n  \"PATH=/usr/bin\",\n  \"HOME=/home/me\",\n  \"LANG=C\",\n  \"SESSION_SECRET=correct-horse-battery\",\n  \"PGPASSWORD=oak-Tree-42\"\n]",
    ] {
        let sandbox = Sandbox::new();
        sandbox.hook(
            "claude-code",
            crate::memory::scene::failed("node dump.js", &format!("Exit code 1\n{printed}")),
        );
        let none: [String; 0] = [];
        for secret in ["correct-horse-battery", "oak-Tree-42"] {
            assert_eq!(files_with(&sandbox.data_folder(), secret), none, "spool: {printed}");
        }
        let stored = sandbox.run(["recent", "--json"]).stdout.clone();
        assert!(stored.contains("[REDACTED:"), "it is remembered: {stored}");
        for secret in ["correct-horse-battery", "oak-Tree-42"] {
            assert_eq!(files_with(&sandbox.data_folder(), secret), none, "database: {printed}");
        }
    }
}
