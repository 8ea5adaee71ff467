//! The seed's scenarios A to E, as an agent lives them: over MCP on stdio, alone and through a PROXY.

use serde_json::{Value, json};

use crate::mcp_client::Client;
use crate::sandbox::Sandbox;
use crate::servers::{Server, rpc};

fn ask(client: &mut Client, tool: &str, arguments: Value) -> Value {
    let mut params = json!({ "name": tool });
    params["arguments"] = arguments;
    client.ask("tools/call", params)
}

/// Calls a tool that must answer.
fn call(client: &mut Client, tool: &str, arguments: Value) -> Value {
    let answer = ask(client, tool, arguments);
    let result = &answer["result"];
    assert!(result["isError"] != true, "{answer}");
    let text: Value =
        serde_json::from_str(result["content"][0]["text"].as_str().expect("a text")).expect("JSON");
    assert_eq!(text, result["structuredContent"]);
    text
}

/// Calls a tool that must refuse, and returns the number of the error.
fn refused(client: &mut Client, tool: &str, arguments: Value) -> i64 {
    let answer = ask(client, tool, arguments);
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    answer["result"]["structuredContent"]["error"]["code"].as_i64().expect("a number")
}

fn command(output: &Value) -> &str {
    output["hint"]["value"]["cmd"].as_str().unwrap_or_default()
}

/// Plays the scenarios with two agents: one leaves hints, the other one uses them.
fn play(writer: &mut Client, reader: &mut Client) {
    let here = json!({ "cwd": "/work/minerva/http-proxy", "branch": "dev", "os": "linux" });
    let build = json!({
        "component": "http-proxy", "key": "build",
        "value": { "type": "command", "shell": "bash", "cmd": "docker compose build router" },
        "meta": {
            "reason": "custom router image", "tags": ["build", "docker"], "priority": 7, "confidence": 0.8,
            "scope": { "cwd_glob": ["**/http-proxy*"], "branch": ["dev", "main"], "os": ["linux", "darwin"] },
        },
    });
    call(writer, "nudge_set_hint", build);

    // A: the build command is there before anybody has looked for it, and use makes it rise.
    let question = json!({ "component": "http-proxy", "key": "build", "context": here });
    let output = call(reader, "nudge_get_hint", question.clone());
    assert_eq!(command(&output), "docker compose build router");
    let reasons = output["match_explain"]["reasons"].to_string();
    assert!(
        reasons.contains("cwd matched **/http-proxy*") && reasons.contains("branch=dev allowed"),
        "{reasons}"
    );
    let before = output["match_explain"]["score"].as_f64().expect("a score");
    let bumped = call(reader, "nudge_bump", json!({ "component": "http-proxy", "key": "build", "delta": 1 }));
    assert_eq!(bumped["hint"]["use_count"], 1);
    let after = call(reader, "nudge_get_hint", question)["match_explain"]["score"].as_f64().expect("a score");
    assert!(after > before, "{after} after {before}");

    // B: an error is looked up by its tag.
    let question = json!({ "component": "http-proxy", "tags": ["build"], "context": here, "limit": 3 });
    let found = call(reader, "nudge_query", question);
    assert_eq!(command(&found["hints"][0]), "docker compose build router");

    // C: each system has its own path, and a third one gets the answer that it has none.
    for (os, path) in [("windows", "c:\\code\\http-proxy"), ("darwin", "/Users/dev/code/http-proxy")] {
        let meta = json!({ "scope": { "os": [os] } });
        call(
            writer,
            "nudge_set_hint",
            json!({ "component": "http-proxy", "key": "directory", "value": path, "meta": meta }),
        );
    }
    let on = |os: &str| json!({ "component": "http-proxy", "key": "directory", "context": { "os": os } });
    assert_eq!(call(reader, "nudge_get_hint", on("windows"))["hint"]["value"], "c:\\code\\http-proxy");
    assert_eq!(call(reader, "nudge_get_hint", on("darwin"))["hint"]["value"], "/Users/dev/code/http-proxy");
    assert_eq!(refused(reader, "nudge_get_hint", on("linux")), 40401);

    // D: a toggle applies on its branches until it expires.
    let toggle = json!({
        "component": "api", "key": "env.FEATURE_X", "value": "1",
        "meta": { "ttl": "PT1S", "tags": ["env", "test"], "scope": { "branch": ["hotfix/*"] } },
    });
    call(writer, "nudge_set_hint", toggle);
    let on =
        |branch: &str| json!({ "component": "api", "key": "env.FEATURE_X", "context": { "branch": branch } });
    assert_eq!(refused(reader, "nudge_get_hint", on("main")), 40401);
    let output = call(reader, "nudge_get_hint", on("hotfix/login"));
    assert_eq!(output["hint"]["value"], "1");
    crate::servers::wait_until("it expires", || {
        let answer =
            reader.ask("tools/call", json!({ "name": "nudge_get_hint", "arguments": on("hotfix/login") }));
        answer["result"]["isError"] == true
    });

    // E: what was exported seeds another session.
    let payload = call(writer, "nudge_export", json!({ "format": "json" }))["payload"].clone();
    call(writer, "nudge_delete_hint", json!({ "component": "http-proxy", "key": "build" }));
    let imported = call(writer, "nudge_import", json!({ "payload": payload, "mode": "merge" }));
    assert_eq!((&imported["imported"], &imported["skipped"]), (&json!(1), &json!(2)), "{imported}");
    let question = json!({ "component": "http-proxy", "key": "build", "context": here });
    assert_eq!(command(&call(reader, "nudge_get_hint", question)), "docker compose build router");
}

#[test]
fn the_scenarios_of_the_seed_between_a_primary_and_a_proxy() {
    let sandbox = Sandbox::new();
    let mut primary = Client::new(&sandbox);
    // Asked once, it is there.
    call(&mut primary, "nudge_list_components", json!({}));
    let mut proxy = Client::new(&sandbox);
    play(&mut primary, &mut proxy);
}

#[test]
fn the_scenarios_of_the_seed_from_a_proxy_to_a_primary() {
    let sandbox = Sandbox::new();
    let mut primary = Client::new(&sandbox);
    call(&mut primary, "nudge_list_components", json!({}));
    let mut proxy = Client::new(&sandbox);
    play(&mut proxy, &mut primary);
}

/// Twenty writers count up one number, each by reading, adding and writing only what it has read.
#[test]
fn twenty_writers_lose_no_update() {
    const WRITERS: u64 = 20;
    const ROUNDS: u64 = 3;
    let sandbox = Sandbox::new();
    let _server = Server::start(&sandbox, &[]);
    let place = || json!({ "component": "counter", "key": "n" });
    let with = |more: Value| {
        let mut params = place();
        for (name, value) in more.as_object().expect("a map") {
            params[name] = value.clone();
        }
        params
    };
    rpc(&sandbox, "nudge.set_hint", &with(json!({ "value": "0" })));
    let add = || {
        loop {
            let read = rpc(&sandbox, "nudge.get_hint", &place())["result"]["hint"].take();
            let sum: u64 = read["value"].as_str().and_then(|text| text.parse().ok()).expect("a number");
            let next = json!({ "value": (sum + 1).to_string(), "if_match_version": read["version"] });
            let written = rpc(&sandbox, "nudge.set_hint", &with(next));
            match written["error"]["code"].as_i64() {
                None => return,
                Some(code) => assert_eq!(code, 40901, "{written}"),
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..WRITERS {
            scope.spawn(|| (0..ROUNDS).for_each(|_| add()));
        }
    });
    let hint = rpc(&sandbox, "nudge.get_hint", &place())["result"]["hint"].take();
    let sum = (WRITERS * ROUNDS).to_string();
    assert_eq!((&hint["value"], &hint["version"]), (&json!(sum), &json!(WRITERS * ROUNDS + 1)));
}
