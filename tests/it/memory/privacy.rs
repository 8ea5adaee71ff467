//! Secrets of every kind are planted wherever an event has text, and are then found nowhere: not in any file that the
//! program keeps, and in nothing that it prints.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde_json::json;

use crate::payload::{Payload, bash, edit, event, prompt, silent_stop, tool};
use crate::sandbox::Sandbox;

#[path = "../../corpus/mod.rs"]
mod corpus;

/// A secret in the text that gives it away.
#[derive(Debug, Clone)]
struct Planted {
    carrier: String,
    secret: String,
    /// The secret is recognisable by itself, wherever it is.
    bare: bool,
}

fn planted() -> impl Strategy<Value = Planted> {
    let token = |prefix: &'static str, body: &'static str| {
        proptest::string::string_regex(body).expect("a pattern").prop_map(move |body| {
            let secret = format!("{prefix}{body}");
            Planted { carrier: format!("use {secret} here"), secret, bare: true }
        })
    };
    let named = |before: &'static str, body: &'static str, after: &'static str| {
        proptest::string::string_regex(body).expect("a pattern").prop_map(move |secret| Planted {
            carrier: format!("{before}{secret}{after}"),
            secret,
            bare: false,
        })
    };
    // Words that a person would choose cannot be searched for: they may be in any file.
    let password = "[A-Z][a-z0-9]{5}[0-9]{2}[A-Za-z0-9]{6}";
    prop_oneof![
        token("AKIA", "[A-Z2-7]{16}"),
        token("ghp_", "[A-Za-z0-9]{36}"),
        token("github_pat_", "[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
        token("glpat-", "[A-Za-z0-9]{20}"),
        token("xoxb-", "[0-9]{12}-[0-9]{12}-[A-Za-z0-9]{24}"),
        token("AIza", "[A-Za-z0-9]{35}"),
        token("sk_live_", "[A-Za-z0-9]{24}"),
        token("sk-proj-", "[A-Za-z0-9]{48}"),
        token("sk-ant-api03-", "[A-Za-z0-9]{90}AA"),
        token("npm_", "[A-Za-z0-9]{36}"),
        token("pypi-", "AgEIcHlwaS5vcmc[A-Za-z0-9]{70}"),
        token("SG.", "[A-Za-z0-9]{22}\\.[A-Za-z0-9]{43}"),
        token("eyJhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIx[A-Za-z0-9]{20}\\.[A-Za-z0-9]{43}"),
        named("aws_secret_access_key = ", "[A-Za-z0-9]{40}", "\n"),
        named("curl -H 'Authorization: Bearer ", "[A-Za-z0-9]{32}", "' https://x.test"),
        named("git clone https://me:", password, "@git.test/x.git"),
        named("export DB_PASSWORD=", password, " && run"),
        named("tool --password ", password, " --verbose"),
        named("mysql -u root -p", password, " db"),
        named("machine x.test login me password ", password, "\n"),
        named("{\"client_secret\": \"", "[A-Za-z0-9]{32}", "\"}"),
        named("-----BEGIN PRIVATE KEY-----\n", "MIIEvQ[A-Za-z0-9]{58}", "\n-----END PRIVATE KEY-----"),
        named("employee ", "EMP-[0-9]{9}", " asked"),
    ]
}

/// The events of a small session with the secret in every place that has room for it.
fn events(planted: &Planted) -> Vec<Payload> {
    let Planted { carrier, secret, bare } = planted;
    let done = |payload: Payload, id: &str| payload.after().with("tool_use_id", id);
    let mut events = vec![
        event("SessionStart").with("source", "startup"),
        prompt(&format!("please {carrier} now")).with("prompt_id", "p1"),
        prompt(&format!("<private>{secret}</private> is mine")).with("prompt_id", "p2"),
        done(bash(carrier), "t1")
            .with("tool_response", json!({ "stdout": format!("1 passed\n{carrier} passed") })),
        bash(&format!("deploy; {carrier}"))
            .with("hook_event_name", "PostToolUseFailure")
            .with("tool_use_id", "t2")
            .with("error", format!("Exit code 1\nerror: {carrier}")),
        done(edit("src/a.rs", "old", carrier), "t3"),
        done(tool("mcp__memory__store", json!({ "text": carrier, "n": { "deep": [carrier] } })), "t4"),
        done(tool("Grep", json!({ "pattern": carrier })), "t5"),
        // Only the argument's name gives it away.
        done(tool("mcp__db__connect", json!({ "host": "h", "password": secret })), "t10"),
        done(tool("WebFetch", json!({ "url": format!("https://x.test/?q={carrier}") })), "t6"),
        done(tool("Agent", json!({ "description": carrier, "prompt": carrier })), "t7"),
    ];
    if *bare {
        let path = format!("logs/{secret}/a.txt");
        events.push(done(tool("Read", json!({ "file_path": path })), "t8"));
        events.push(done(tool(secret, json!({})), "t9"));
    }
    events
}

/// Returns every file below a folder that has the secret in it.
fn leaks(folder: &Path, secret: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(leaks(&path, secret));
        } else if let Ok(bytes) = fs::read(&path)
            && (bytes.windows(secret.len()).any(|window| window == secret.as_bytes())
                || path.to_string_lossy().contains(secret))
        {
            found.push(path.display().to_string());
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_secret_is_nowhere(planted in planted()) {
        let sandbox = Sandbox::new().file(".nudge/config.toml", "[redact]\nemployee = \"EMP-[0-9]{9}\"\n");
        let home = sandbox.beside("home");
        for event in events(&planted) {
            let ran = sandbox.hook("claude-code", event);
            prop_assert!(!ran.stdout.contains(&planted.secret), "the hook said {}", ran.stdout);
        }
        // Once while everything waits in the spool, once when it is in the database.
        prop_assert_eq!(leaks(&home, &planted.secret), Vec::<String>::new());
        sandbox.hook("claude-code", silent_stop());
        prop_assert_eq!(leaks(&home, &planted.secret), Vec::<String>::new());
        let start = event("SessionStart").with("source", "compact").session("session-2");
        let failure = bash(&format!("deploy; {}", planted.carrier))
            .with("hook_event_name", "PostToolUseFailure")
            .with("tool_use_id", "t99")
            .with("error", format!("Exit code 1\nerror: {}", planted.carrier));
        let mut printed = vec![sandbox.hook("claude-code", start).stdout, sandbox.hook("claude-code", failure).stdout];
        for args in [["observations", "export", "--all"], ["recent", "--all", "--json"], ["search", "deploy OR passed", "--json"]] {
            printed.push(sandbox.run(args).stdout);
        }
        printed.push(sandbox.run(["doctor"]).stdout);
        for text in printed {
            prop_assert!(!text.contains(&planted.secret), "{}", text);
        }
    }
}

/// One kind of this many goes through the built program; the library's own test plants them all.
const STEP: usize = 9;

#[test]
fn a_sample_of_the_corpus_is_nowhere() {
    let sandbox = Sandbox::new();
    let mut secrets = Vec::new();
    for (index, kind) in corpus::kinds().filter(|kind| kind.announces).step_by(STEP).enumerate() {
        let plant = kind.plant(index as u64);
        let [first, second, third, fourth] = [1, 2, 8, 15].map(|place| {
            let place: &(&str, &str) = &corpus::PLACES[place];
            corpus::placed(place, kind, &plant)
        });
        let done = |payload: Payload, id: &str| payload.after().with("tool_use_id", format!("{id}{index}"));
        for event in [
            prompt(&first).with("prompt_id", format!("p{index}")),
            done(bash(&second), "b").with("tool_response", json!({ "stdout": format!("1 passed\n{third}") })),
            done(edit("src/a.rs", "old", &third), "e"),
            done(tool("mcp__memory__store", json!({ "note": fourth, "n": { "deep": [third] } })), "m"),
            done(tool("Grep", json!({ "pattern": plant.carrier })), "g"),
        ] {
            sandbox.hook("claude-code", event);
        }
        secrets.push((kind.name, plant.secret));
    }
    sandbox.hook("claude-code", silent_stop());
    assert_nowhere(&sandbox, &secrets);
}

/// Returns which secrets are in a file below the home or the project.
#[track_caller]
fn assert_nowhere(sandbox: &Sandbox, secrets: &[(&str, String)]) {
    let folders = [sandbox.beside("home"), sandbox.beside("project")];
    let found: Vec<_> = secrets
        .iter()
        .flat_map(|(name, secret)| {
            let files = folders.iter().flat_map(|folder| leaks(folder, secret));
            files.map(move |file| format!("{name}: {file}"))
        })
        .collect();
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn a_name_and_its_value_may_be_apart_in_arguments() {
    let sandbox = Sandbox::new();
    let secret = |index: usize| format!("Xk29fjQwZ{index}Tv84");
    let arguments = [
        json!({ "name": "DB_PASSWORD", "value": secret(0) }),
        json!({ "value": secret(1), "name": "DB_PASSWORD" }),
        json!({ "args": ["--host", "h", "--token", secret(2)] }),
        json!({ "secret": { "value": secret(3) } }),
        json!({ "credentials": { "pass": secret(4) } }),
        json!({ "element": "Password input", "ref": "e12", "text": secret(5) }),
        json!({ "selector": "#password", "value": secret(6) }),
        json!({ "env": [{ "name": "API_TOKEN", "value": secret(7) }, { "name": "PORT", "value": "80" }] }),
    ];
    let mut secrets = Vec::new();
    for (index, arguments) in arguments.into_iter().enumerate() {
        let event = tool("mcp__db__call", arguments).after().with("tool_use_id", format!("t{index}"));
        sandbox.hook("claude-code", event);
        secrets.push(("arguments", secret(index)));
    }
    sandbox.hook("claude-code", silent_stop());
    assert_nowhere(&sandbox, &secrets);
}

#[test]
fn a_private_part_with_attributes_is_not_stored() {
    let sandbox = Sandbox::new();
    for (index, text) in
        ["one <private reason=\"mine\">quokkahideout</private> kept", "two <PRIVATE level='2'>quokkahideout"]
            .into_iter()
            .enumerate()
    {
        sandbox.hook("claude-code", prompt(text).with("prompt_id", format!("p{index}")));
    }
    sandbox.hook("claude-code", silent_stop());
    assert_nowhere(&sandbox, &[("private", "quokkahideout".to_owned())]);
}
