//! The protocol around the tools: both eras, what is offered, what is refused, and how it ends.

use expect_test::expect;
use serde_json::{Value, json};

use crate::mcp_client::{Client, initialize, meta};
use crate::payload::bash;
use crate::sandbox::Sandbox;

#[test]
fn a_handshake_agrees_on_a_version_with_a_handshake() {
    let sandbox = Sandbox::new();
    let agreed = |version: &str| {
        let mut client = Client::silent(&sandbox);
        let answer = client.ask("initialize", initialize(version));
        answer["result"]["protocolVersion"].as_str().expect("a version").to_owned()
    };
    assert_eq!(agreed("2025-06-18"), "2025-06-18");
    assert_eq!(agreed("2025-11-25"), "2025-11-25");
    assert_eq!(agreed("2024-11-05"), "2024-11-05");
    assert_eq!(agreed("2026-07-28"), "2025-11-25");
    assert_eq!(agreed("1999-01-01"), "2025-11-25");
}

#[test]
fn a_handshake_says_what_we_are() {
    let sandbox = Sandbox::new();
    let mut client = Client::silent(&sandbox);
    let mut result = client.ask("initialize", initialize("2025-11-25"))["result"].take();
    let instructions = result["instructions"].take();
    let instructions = instructions.as_str().expect("instructions");
    assert!(instructions.len() < 2048, "{} bytes", instructions.len());
    assert!(instructions.contains("search"));
    assert_eq!(
        result,
        json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "completions": {}, "prompts": {}, "resources": {}, "tools": {} },
            "serverInfo": { "name": "nudge", "version": env!("CARGO_PKG_VERSION") },
            "instructions": null,
        })
    );
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
}

#[test]
fn discovery_answers_and_leaves_both_ways_open() {
    let sandbox = Sandbox::new();
    let mut client = Client::modern(&sandbox);
    let mut result = client.ask("server/discover", json!({}))["result"].take();
    assert!(result["instructions"].take().as_str().is_some_and(|text| text.contains("search")));
    assert_eq!(
        result,
        json!({
            "resultType": "complete",
            "supportedVersions": ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"],
            "capabilities": { "completions": {}, "prompts": {}, "resources": {}, "tools": {} },
            "instructions": null,
            "ttlMs": 3_600_000,
            "cacheScope": "private",
            "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "nudge", "version": env!("CARGO_PKG_VERSION") } },
        })
    );
    let list = client.ask("tools/list", json!({}))["result"].take();
    assert_eq!((&list["ttlMs"], &list["cacheScope"]), (&json!(60_000), &json!("private")));
    assert_eq!(client.call_json("search", json!({ "query": "a" })), json!([]));

    let mut client = Client::silent(&sandbox);
    client.ask("server/discover", json!({ "_meta": meta("2026-07-28") }));
    let answer = client.ask("initialize", initialize("2025-11-25"));
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(client.call_json("recent_context", json!({})), json!([]));
}

#[test]
fn a_modern_request_says_its_version_and_capabilities() {
    let sandbox = Sandbox::new();
    let mut client = Client::silent(&sandbox);
    let answer = client.ask("tools/list", json!({ "_meta": meta("2027-01-01") }));
    assert_eq!(
        (&answer["error"]["code"], &answer["error"]["data"]["requested"]),
        (&json!(-32022), &json!("2027-01-01"))
    );
    let answer = client.ask("tools/list", json!({}));
    assert_eq!(answer["error"]["code"], -32602);
    let answer = client.ask("tools/list", json!({ "_meta": meta("2026-07-28") }));
    assert_eq!(answer["result"]["tools"].as_array().map(Vec::len), Some(10));
    let answer = client.ask("tools/call", json!({ "name": "recent_context" }));
    assert_eq!(answer["error"]["code"], -32602);
    let answer = client.ask("tools/call", json!({ "name": "recent_context", "_meta": meta("2026-07-28") }));
    assert_eq!(
        answer["result"],
        json!({
            "resultType": "complete",
            "content": [{ "type": "text", "text": "[]" }],
            "structuredContent": { "observations": [] },
            "isError": false,
            "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "nudge", "version": env!("CARGO_PKG_VERSION") } },
        })
    );
}

#[test]
fn the_tools_are_small_and_portable() {
    let sandbox = Sandbox::new();
    let mut client = Client::with_tools(&sandbox, Some("all"));
    let result = client.ask("tools/list", json!({}))["result"].take();
    let bytes = result.to_string().len();
    assert!(bytes < 26 * 1024, "tools/list has {bytes} bytes");
    assert_eq!(result.as_object().map(|map| map.keys().cloned().collect()), Some(vec!["tools".to_owned()]));
    let tools = result["tools"].as_array().expect("a list");
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(
        names,
        [
            "search",
            "get_observations",
            "timeline",
            "recent_context",
            "nx_plan_start",
            "nx_plan_status",
            "nx_plan_update",
            "nx_plan_decide",
            "nx_task_list",
            "nx_task_add",
            "nx_task_update",
            "nx_task_close",
            "nx_history_search",
            "nx_context",
            "nx_artifact_write",
            "nx_memory_store",
            "nx_memory_search",
            "nx_memory_gc",
            "nx_rule_store",
            "nudge_set_hint",
            "nudge_get_hint",
            "nudge_query",
            "nudge_delete_hint",
            "nudge_list_components",
            "nudge_bump",
            "nudge_export",
            "nudge_import",
        ]
    );
    assert!(names.iter().all(|name| name.len() <= 24));
    let changing: Vec<&str> = tools
        .iter()
        .filter(|tool| tool["annotations"]["readOnlyHint"] == false)
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    let changing: Vec<&str> = changing.into_iter().filter(|name| !name.starts_with("nx_")).collect();
    assert_eq!(changing, ["nudge_set_hint", "nudge_delete_hint", "nudge_bump", "nudge_import"]);
    for tool in tools {
        let looks = &tool["annotations"]["readOnlyHint"];
        let is_nexus = tool["name"].as_str().is_some_and(|name| name.starts_with("nx_"));
        assert!(
            tool["title"].is_string() && tool["description"].as_str().is_some_and(|text| text.len() < 1024)
        );
        assert_eq!(tool["annotations"]["openWorldHint"], false);
        if *looks == true && is_nexus {
            assert_eq!(
                tool["annotations"],
                json!({ "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false })
            );
        }
        let joins = |schema: &Value| {
            let text = schema.to_string();
            ["anyOf", "oneOf", "allOf"].into_iter().any(|word| text.contains(word))
        };
        assert_eq!((&tool["inputSchema"]["type"], joins(&tool["inputSchema"])), (&json!("object"), false));
        assert!(is_nexus || tool["outputSchema"]["type"] == "object");
        for (name, property) in tool["inputSchema"]["properties"].as_object().expect("properties") {
            // A value may be of any type; the seed says so.
            assert!(
                (property["type"].is_string() || name == "value") && property["description"].is_string(),
                "{name}: {property}"
            );
        }
    }
    let parameters = |tool: &Value| {
        let schema = &tool["inputSchema"];
        let required = |name: &str| {
            schema["required"].as_array().is_some_and(|names| names.iter().any(|one| one == name))
        };
        let names = schema["properties"].as_object().expect("properties").keys();
        let names = names.map(|name| format!(" {name}{}", if required(name) { "*" } else { "" }));
        format!("{}{}\n", tool["name"].as_str().expect("a name"), names.collect::<String>())
    };
    expect![[r#"
        search query* project obs_type limit offset order since until session harness
        get_observations ids*
        timeline anchor* before after
        recent_context project limit since until session harness
        nx_plan_start topic* issues* research_summary* previous
        nx_plan_status
        nx_plan_update action* issue_id title
        nx_plan_decide issue_id* decision* how_agents how_summary how_agent_ids plan_id
        nx_task_list status owner ready limit
        nx_task_add title* context* deps approach acceptance risk plan_issue goal decisions owner owner_agent_id owner_reuse_policy
        nx_task_update id* status expect title context approach acceptance risk deps plan_issue owner owner_agent_id owner_reuse_policy
        nx_task_close open_tasks
        nx_history_search query last_n
        nx_context
        nx_artifact_write filename* content*
        nx_memory_store content* name category tags new
        nx_memory_search query* limit
        nx_memory_gc confirm paths into
        nx_rule_store content* name overwrite new
        nudge_set_hint component* key* value* meta if_match_version replace
        nudge_get_hint component* key* context
        nudge_query component keys tags regex context limit
        nudge_delete_hint component* key* scope
        nudge_list_components
        nudge_bump component* key* delta context
        nudge_export format component include_secrets
        nudge_import payload* mode
    "#]].assert_eq(&tools.iter().map(parameters).collect::<String>());
    // A list of words would make clients answer in place of the contract.
    assert!(tools[4..19].iter().all(|tool| !tool.to_string().contains("\"enum\"")));
}

#[test]
fn answers_have_the_fields_that_their_schema_requires() {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", bash("cargo build").after());
    let mut client = Client::new(&sandbox);
    let tools = client.ask("tools/list", json!({}))["result"]["tools"].take();
    let required = |schema: &Value| -> Vec<String> {
        serde_json::from_value(schema["required"].clone()).expect("required names")
    };
    let keys = |row: &Value| row.as_object().expect("a map").keys().cloned().collect::<Vec<_>>();
    let found = client.call_json("search", json!({ "query": "cargo" }));
    assert_eq!(keys(&found[0]), required(&tools[0]["outputSchema"]["properties"]["observations"]["items"]));
    let whole = client.call_json("get_observations", json!({ "ids": [1] }));
    assert_eq!(keys(&whole[0]), required(&tools[1]["outputSchema"]["properties"]["observations"]["items"]));
    let timeline = client.call_json("timeline", json!({ "anchor": 1 }));
    assert_eq!(keys(&timeline), required(&tools[2]["outputSchema"]));
    assert_eq!(keys(&timeline["anchor"]), required(&tools[2]["outputSchema"]["$defs"]["observation"]));
}

#[test]
fn what_cannot_be_routed_is_a_protocol_error() {
    let sandbox = Sandbox::new();
    let mut client = Client::new(&sandbox);
    let mut error = |method: &str, params: Value| client.ask(method, params)["error"].take();
    expect![[r#"{"code":-32602,"message":"unknown tool `forget`"}"#]]
        .assert_eq(&error("tools/call", json!({ "name": "forget" })).to_string());
    for params in [json!({}), json!({ "name": 5 }), json!({ "name": "search", "arguments": [1] })] {
        let error = error("tools/call", params.clone());
        assert_eq!(
            error,
            json!({ "code": -32602, "message": "the params of `tools/call` are invalid" }),
            "{params}"
        );
    }
    let complete =
        json!({ "ref": { "type": "ref/prompt", "name": "a" }, "argument": { "name": "a", "value": "b" } });
    assert_eq!(error("prompts/get", json!({ "name": "a" }))["code"], -32602);
    assert_eq!(
        error("prompts/get", json!({ "name": "recall" }))["message"],
        "the argument `topic` is missing"
    );
    assert_eq!(error("resources/read", json!({ "uri": "a:b" }))["code"], -32002);
    assert_eq!(error("resources/read", json!({ "uri": "nudge://hints/none" }))["code"], -32002);
    assert_eq!(error("completion/complete", complete), json!(null));
    for (method, params) in [("memory/forget", json!({})), ("logging/setLevel", json!({ "level": "info" }))] {
        assert_eq!(error(method, params), json!({ "code": -32601, "message": method }));
    }
}

#[test]
fn hints_can_be_read_and_completed() {
    let sandbox = Sandbox::new();
    let mut client = Client::new(&sandbox);
    client.call_json("nudge_set_hint", json!({ "component": "http proxy", "key": "build", "value": "make" }));
    client.call_json("nudge_set_hint", json!({ "component": "api", "key": "build", "value": "make api" }));
    let listed = client.ask("resources/list", json!({}))["result"]["resources"].take();
    let uris: Vec<&str> =
        listed.as_array().expect("a list").iter().filter_map(|one| one["uri"].as_str()).collect();
    assert_eq!(uris, ["nudge://hints", "nudge://hints/api", "nudge://hints/http%20proxy"]);
    let templates = client.ask("resources/templates/list", json!({}))["result"].take();
    assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "nudge://hints/{component}");
    let mut read = |uri: &str| {
        let contents = client.ask("resources/read", json!({ "uri": uri }))["result"]["contents"][0].take();
        assert_eq!((&contents["uri"], &contents["mimeType"]), (&json!(uri), &json!("application/json")));
        serde_json::from_str::<Value>(contents["text"].as_str().expect("a text")).expect("JSON")
    };
    assert_eq!(read(uris[2])["hints"][0]["hint"]["value"], "make");
    assert_eq!(read(uris[0])["components"].as_array().map(Vec::len), Some(2));
    let prompts = client.ask("prompts/list", json!({}))["result"]["prompts"].take();
    assert_eq!((&prompts[0]["name"], &prompts[1]["name"]), (&json!("recall"), &json!("hints")));
    let prompt = client.ask("prompts/get", json!({ "name": "hints", "arguments": { "component": "api" } }));
    let text = prompt["result"]["messages"][0]["content"]["text"].as_str().expect("a text");
    assert!(text.contains("`api`") && text.contains("make api"), "{text}");
    let complete = json!({
        "ref": { "type": "ref/prompt", "name": "hints" }, "argument": { "name": "component", "value": "ht" },
    });
    let completion = client.ask("completion/complete", complete)["result"]["completion"].take();
    assert_eq!(completion, json!({ "values": ["http proxy"], "total": 1, "hasMore": false }));
}

#[test]
fn before_the_handshake_strangers_are_answered_and_noise_is_passed_over() {
    let sandbox = Sandbox::new();
    let mut client = Client::silent(&sandbox);
    assert_eq!(client.ask("memory/forget", json!({}))["error"]["code"], -32601);
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
    client.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }),
    );
    client.send(&json!({ "jsonrpc": "2.0", "id": 7, "result": {} }));
    assert_eq!(client.ask("initialize", initialize("2025-06-18"))["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(client.call_json("recent_context", json!({})), json!([]));
}

#[test]
fn garbage_is_survived() {
    let sandbox = Sandbox::new();
    let mut client = Client::silent(&sandbox);
    client.send_line("GET / HTTP/1.1");
    client.send_line("");
    client.send_line("{\"jsonrpc\":");
    client.send_bytes(b"\xff\xfe\x00\n");
    assert_eq!(client.ask("initialize", initialize("2025-06-18"))["result"]["protocolVersion"], "2025-06-18");
    client.send_line("garbage");
    client.send_line(&"x".repeat(1 << 20));
    client.send_line("{\"foo\":1}");
    assert_eq!(client.receive()["error"]["code"], -32600);
    client.send_line("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":[1]}");
    assert_eq!(client.receive()["error"]["code"], -32600);
    client.send_line("[]");
    assert_eq!(client.receive()["error"]["code"], -32600);
    assert_eq!(client.call_json("recent_context", json!({})), json!([]));
}

#[test]
fn ids_come_back_as_they_were_sent() {
    let sandbox = Sandbox::new();
    let mut client = Client::new(&sandbox);
    for id in [json!("call-1"), json!(0), json!(9_007_199_254_740_991_i64)] {
        client.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list" }));
        assert_eq!(client.receive()["id"], id);
    }
}

#[test]
fn many_questions_at_once_are_all_answered() {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", bash("cargo build").after());
    let mut client = Client::new(&sandbox);
    let calls = [
        ("search", json!({ "query": "cargo" })),
        ("get_observations", json!({ "ids": [1] })),
        ("timeline", json!({ "anchor": 1 })),
        ("recent_context", json!({})),
    ];
    let mut asked: Vec<i64> = (0..60)
        .map(|n| {
            let (tool, arguments) = &calls[n % calls.len()];
            client.request("tools/call", json!({ "name": tool, "arguments": arguments }))
        })
        .collect();
    for _ in 0..60 {
        let answer = client.receive();
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        assert!(
            answer["result"]["content"][0]["text"].as_str().is_some_and(|text| text.contains("cargo build"))
        );
        asked.retain(|id| answer["id"] != *id);
    }
    assert_eq!(asked, Vec::<i64>::new());
}

/// While another process writes to the database, only a question waits for what is in the spool.
#[test]
fn a_question_that_waits_keeps_no_other_message_waiting() {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", bash("cargo build").after());
    let mut client = Client::new(&sandbox);
    assert_eq!(client.call_json("recent_context", json!({})).as_array().map(Vec::len), Some(1));
    let database = rusqlite::Connection::open(sandbox.data_folder().join("nudge.db")).expect("the database");
    database.execute_batch("BEGIN IMMEDIATE").expect("the write lock");
    sandbox.hook("claude-code", bash("cargo test").after().with("tool_use_id", "t2"));

    let call = json!({ "name": "recent_context", "arguments": {} });
    let cancelled = client.request("tools/call", call.clone());
    let waiting = client.request("tools/call", call);
    client.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": cancelled },
    }));
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
    database.execute_batch("ROLLBACK").expect("the lock is given back");
    let answer = client.receive();
    assert_eq!(answer["id"], waiting, "{answer}");
    assert_eq!(answer["result"]["structuredContent"]["observations"].as_array().map(Vec::len), Some(2));
    let (_, rest, _) = client.end();
    assert_eq!(rest, Vec::<Value>::new());
}

#[test]
fn the_end_of_the_input_is_the_end() {
    let sandbox = Sandbox::new();
    let (status, rest, stderr) = Client::silent(&sandbox).end();
    assert_eq!((status.code(), rest, stderr.as_str()), (Some(0), vec![], ""));
    let (status, rest, stderr) = Client::new(&sandbox).end();
    assert_eq!((status.code(), rest, stderr.as_str()), (Some(0), vec![], ""));
    let mut client = Client::silent(&sandbox);
    client.send_bytes(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initi");
    let (status, rest, stderr) = client.end();
    assert_eq!((status.code(), rest, stderr.as_str()), (Some(0), vec![], ""));
}

#[test]
fn questions_before_the_end_are_answered() {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", bash("cargo build").after());
    let mut client = Client::new(&sandbox);
    let ids: Vec<i64> = (0..5)
        .map(|_| client.request("tools/call", json!({ "name": "recent_context", "arguments": {} })))
        .collect();
    let (status, rest, stderr) = client.end();
    assert_eq!((status.code(), stderr.as_str()), (Some(0), ""));
    let mut answered: Vec<i64> = rest.iter().filter_map(|answer| answer["id"].as_i64()).collect();
    answered.sort_unstable();
    assert_eq!(answered, ids);
}
