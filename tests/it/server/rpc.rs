//! JSON-RPC over HTTP, and that all servers give the same answers.

use serde_json::{Value, json};

use crate::mcp_client::Client;
use crate::sandbox::Sandbox;
use crate::servers::{Server, http, port, rpc};

fn post(sandbox: &Sandbox, path: &str, body: &Value) -> (u16, Value) {
    let (status, body) = http(port(sandbox), "POST", path, "", body.to_string().as_bytes());
    (status, serde_json::from_str(&body).unwrap_or(Value::String(body)))
}

#[test]
fn both_spellings_and_any_id_are_answered() {
    let sandbox = Sandbox::new();
    let _server = Server::start(&sandbox, &[]);
    let set = json!({ "component": "api", "key": "build", "value": "make" });
    let answer = rpc(&sandbox, "nudge.set_hint", &set);
    assert_eq!(answer["result"]["hint"]["version"], 1, "{answer}");
    assert_eq!(rpc(&sandbox, "nudge_set_hint", &set)["result"]["hint"]["version"], 2);
    for id in [json!("a"), json!(7), json!(1.5), json!(null)] {
        for path in ["/", "/rpc"] {
            let request = json!({ "jsonrpc": "2.0", "id": id, "method": "nudge.list_components" });
            let (status, answer) = post(&sandbox, path, &request);
            let components = json!({ "components": [{ "name": "api", "hint_count": 1 }] });
            assert_eq!(status, 200);
            assert_eq!(answer, json!({ "jsonrpc": "2.0", "id": id, "result": components }));
        }
    }
}

#[test]
fn an_invalid_request_gets_an_error() {
    let sandbox = Sandbox::new();
    let _server = Server::start(&sandbox, &[]);
    let code = |body: &str| {
        let (status, answer) = http(port(&sandbox), "POST", "/rpc", "", body.as_bytes());
        let answer: Value = serde_json::from_str(&answer).unwrap();
        (status, answer["id"].clone(), answer["error"]["code"].as_i64().unwrap())
    };
    let request = |rest: &str| format!("{{\"jsonrpc\":\"2.0\",\"id\":4,{rest}}}");
    assert_eq!(code("{"), (200, json!(null), -32700));
    assert_eq!(code(""), (200, json!(null), -32700));
    assert_eq!(code("[]"), (200, json!(null), -32600));
    assert_eq!(code("5"), (200, json!(null), -32600));
    assert_eq!(code("{\"id\":4,\"method\":\"nudge.bump\"}"), (200, json!(4), -32600));
    assert_eq!(code(&request("\"method\":5")), (200, json!(4), -32600));
    assert_eq!(code(&request("\"method\":\"nudge.fly\"")), (200, json!(4), -32601));
    assert_eq!(code(&request("\"method\":\"set_hint\"")), (200, json!(4), -32601));
    assert_eq!(code(&request("\"method\":\"nudge.bump\",\"params\":[1]")), (200, json!(4), -32602));
    assert_eq!(code(&request("\"method\":\"nudge.bump\",\"params\":null")), (200, json!(4), -32602));
    assert_eq!(code(&request("\"method\":\"nudge.bump\",\"params\":{}")), (200, json!(4), 40001));
    let missing = rpc(&sandbox, "nudge.get_hint", &json!({ "component": "a", "key": "b" }));
    assert_eq!(
        (&missing["error"]["code"], &missing["error"]["data"]["reason"]),
        (&json!(40401), &json!("E_NOT_FOUND"))
    );
}

#[test]
fn batches_are_answered_in_order_and_notifications_are_not() {
    let sandbox = Sandbox::new();
    let _server = Server::start(&sandbox, &[]);
    let set = |id: Option<i64>, key: &str| {
        let mut request = json!({
            "jsonrpc": "2.0", "method": "nudge.set_hint", "params": { "component": "a", "key": key, "value": "x" },
        });
        if let Some(id) = id {
            request["id"] = id.into();
        }
        request
    };
    let (status, answers) =
        post(&sandbox, "/rpc", &json!([set(Some(1), "k1"), set(None, "k2"), 5, set(Some(2), "k3")]));
    let output: Vec<(&Value, bool)> =
        answers.as_array().unwrap().iter().map(|answer| (&answer["id"], answer["error"].is_null())).collect();
    assert_eq!((status, output), (200, vec![(&json!(1), true), (&json!(null), false), (&json!(2), true)]));
    assert_eq!(post(&sandbox, "/rpc", &set(None, "k4")), (204, json!("")));
    assert_eq!(post(&sandbox, "/rpc", &json!([set(None, "k5")])), (204, json!("")));
    let unknown = json!({ "jsonrpc": "2.0", "method": "nudge.fly" });
    assert_eq!(post(&sandbox, "/rpc", &unknown), (204, json!("")));
    let listed = rpc(&sandbox, "nudge.list_components", &json!({}));
    assert_eq!(listed["result"]["components"], json!([{ "name": "a", "hint_count": 5 }]));
}

#[test]
fn each_path_has_its_methods() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let ask = |verb: &str, path: &str| http(port(&sandbox), verb, path, "", b"");
    let (status, health) = ask("GET", "/health");
    let health: Value = serde_json::from_str(&health).unwrap();
    assert_eq!(
        (status, &health["status"], &health["pid"], &health["mode"]),
        (200, &json!("ok"), &json!(server.child.id()), &json!("PRIMARY"))
    );
    for (verb, path, status) in [
        ("GET", "/", 405),
        ("GET", "/rpc", 405),
        ("OPTIONS", "/rpc", 405),
        ("DELETE", "/rpc", 405),
        ("POST", "/health", 405),
        ("GET", "/etc/passwd", 404),
    ] {
        assert_eq!(ask(verb, path).0, status, "{verb} {path}");
    }
}

/// Times differ from one call to the next.
fn without_times(mut value: Value) -> Value {
    match &mut value {
        Value::Object(map) => {
            map.retain(|key, _| !key.ends_with("_at") && key != "score" && key != "reasons");
            map.values_mut().for_each(|value| *value = without_times(value.take()));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| *value = without_times(value.take())),
        _ => {}
    }
    value
}

#[test]
fn a_proxy_answers_as_the_primary_does() {
    let calls = [
        (
            "nudge_set_hint",
            json!({ "component": "api", "key": "build", "value": { "type": "command", "cmd": "make" }, "meta": { "priority": 7, "confidence": 0.1 } }),
        ),
        (
            "nudge_set_hint",
            json!({ "component": "api", "key": "dir", "value": { "type": "path", "abs": "/srv/api" }, "meta": { "scope": { "os": ["windows"] } } }),
        ),
        (
            "nudge_set_hint",
            json!({ "component": "api", "key": "build", "value": "x", "if_match_version": 9 }),
        ),
        (
            "nudge_set_hint",
            json!({ "component": "api", "key": "token", "value": "ghp_0123456789abcdefghijABCDEFGHIJ012345" }),
        ),
        (
            "nudge_set_hint",
            json!({ "component": "api", "key": "up", "value": { "type": "path", "abs": "/srv/../etc" } }),
        ),
        ("nudge_set_hint", json!({ "component": "", "key": 5 })),
        ("nudge_get_hint", json!({ "component": "api", "key": "build" })),
        ("nudge_get_hint", json!({ "component": "api", "key": "dir" })),
        ("nudge_get_hint", json!({ "component": "none", "key": "build" })),
        ("nudge_query", json!({ "component": "api", "regex": "ma.e", "limit": 5 })),
        ("nudge_query", json!({ "regex": "(" })),
        ("nudge_bump", json!({ "component": "api", "key": "build", "delta": 2 })),
        ("nudge_list_components", json!({})),
        ("nudge_export", json!({ "format": "json" })),
        ("nudge_import", json!({ "payload": { "schema_version": "9.0" } })),
        ("nudge_delete_hint", json!({ "component": "api", "key": "build" })),
        ("nudge_delete_hint", json!({ "component": "api", "key": "build" })),
    ];
    let asked = |through_proxy: bool, modern: bool| -> Vec<Value> {
        let sandbox = Sandbox::new();
        let new = if modern { Client::modern } else { Client::new };
        let mut client = new(&sandbox);
        // The server that is called first becomes primary.
        client.call("nudge_list_components", json!({}));
        if through_proxy {
            let primary = client;
            client = new(&sandbox);
            let results =
                calls.iter().map(|(tool, arguments)| client.call(tool, arguments.clone())).collect();
            assert_eq!(primary.end().2, "");
            return results;
        }
        calls.iter().map(|(tool, arguments)| client.call(tool, arguments.clone())).collect()
    };
    let output = |results: Vec<Value>| -> Vec<(Value, Value)> {
        let one = |result: Value| {
            let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
            assert_eq!(text, result["structuredContent"], "text and structured content are the same");
            let mut structured = without_times(result["structuredContent"].clone());
            // Each session has its own name.
            structured["payload"].as_object_mut().map(|payload| payload.remove("session_id"));
            (structured, result["isError"].clone())
        };
        results.into_iter().map(one).collect()
    };
    let direct = output(asked(false, false));
    let errors: Vec<&Value> =
        direct.iter().map(|(output, _)| &output["error"]["code"]).filter(|code| !code.is_null()).collect();
    assert_eq!(json!(errors), json!([40901, 40002, 40003, 40001, 40401, 40401, 40001, 40001, 40401]));
    assert_eq!(output(asked(true, false)), direct);
    assert_eq!(output(asked(true, true)), direct);

    // And the same over JSON-RPC.
    let sandbox = Sandbox::new();
    let _server = Server::start(&sandbox, &[]);
    for ((tool, arguments), (output, is_error)) in calls.iter().zip(&direct) {
        let mut answer = rpc(&sandbox, tool, arguments);
        let answer = match answer["result"].take() {
            Value::Null => json!({ "error": answer["error"].take() }),
            result => result,
        };
        let mut answer = without_times(answer);
        answer["payload"].as_object_mut().map(|payload| payload.remove("session_id"));
        // On stdio the server knows where it is, and says so where it did not help.
        if answer["error"]["data"]["candidates"].is_null() {
            assert_eq!(
                (&answer, &json!(answer["error"].is_object())),
                (output, is_error),
                "{tool} {arguments}"
            );
        }
    }
}

#[test]
fn on_stdio_the_place_is_inferred() {
    let sandbox = Sandbox::new();
    sandbox.put(".git/HEAD", "ref: refs/heads/dev\n");
    sandbox.put(".git/config", "[remote \"origin\"]\n\turl = https://user:pw@example.org/team/api.git\n");
    // A PROXY knows where its own client is, and the PRIMARY is somewhere else.
    let server = Server::start(&sandbox, &[]);
    let mut client = Client::new(&sandbox);
    let cwd = sandbox.path("").to_str().unwrap().trim_end_matches('/').to_owned();
    let scope = json!({ "cwd_glob": [cwd], "branch": ["dev"], "repo": ["git:team/api"] });
    let set = json!({ "component": "a", "key": "k", "value": "here", "meta": { "scope": scope } });
    client.call_json("nudge_set_hint", set);
    let asked = json!({ "component": "a", "key": "k" });
    let got = client.call_json("nudge_get_hint", asked.clone());
    assert_eq!(got["hint"]["value"], "here", "{got}");
    assert!(got["match_explain"]["reasons"].to_string().contains("(inferred)"), "{got}");
    // What the caller says wins, and over HTTP nothing is inferred.
    let elsewhere = json!({ "component": "a", "key": "k", "context": { "branch": "main" } });
    assert_eq!(client.call("nudge_get_hint", elsewhere)["isError"], true);
    assert_eq!(rpc(&sandbox, "nudge.get_hint", &asked)["error"]["code"], 40401);
    drop(server);
}

#[test]
fn mcp_over_http_has_the_same_tools_and_wants_a_project() {
    let sandbox = Sandbox::new();
    let mut client = Client::new(&sandbox);
    let tools = client.ask("tools/list", json!({}))["result"].take();
    let headers = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n";
    let ask = |method: &str, name: Option<&str>, mut params: Value| {
        params["_meta"] = crate::mcp_client::meta("2026-07-28");
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let name = name.map(|name| format!("Mcp-Name: {name}\r\n")).unwrap_or_default();
        let headers = format!("{headers}Mcp-Method: {method}\r\n{name}");
        let (status, body) = http(port(&sandbox), "POST", "/mcp", &headers, request.to_string().as_bytes());
        assert_eq!(status, 200, "{body}");
        let data =
            body.lines().find_map(|line| line.strip_prefix("data: {")).unwrap_or_else(|| panic!("{body}"));
        serde_json::from_str::<Value>(&format!("{{{data}")).unwrap()["result"].take()
    };
    // Tools that work on the caller's project are not offered over HTTP.
    let tools = tools["tools"].as_array().expect("a list").iter();
    let tools: Vec<&Value> =
        tools.filter(|tool| tool["name"].as_str().is_some_and(|name| !name.starts_with("nx_"))).collect();
    assert_eq!(ask("tools/list", None, json!({}))["tools"], json!(tools));
    let call = |name: &str, arguments: Value| {
        ask("tools/call", Some(name), json!({ "name": name, "arguments": arguments }))
    };
    let refused = call("search", json!({ "query": "a" }));
    assert_eq!(
        refused["content"][0]["text"],
        "over HTTP there is no current project: name one in `project`, or null for all"
    );
    assert_eq!(
        call("search", json!({ "query": "a", "project": null }))["structuredContent"],
        json!({ "observations": [] })
    );
    let set = call("nudge_set_hint", json!({ "component": "a", "key": "k", "value": "v" }));
    assert_eq!(set["structuredContent"]["hint"]["version"], 1);
    assert_eq!(
        client.call_json("nudge_get_hint", json!({ "component": "a", "key": "k" }))["hint"]["value"],
        "v"
    );
}

#[test]
fn a_change_with_a_parameter_that_is_none_changes_nothing() {
    let sandbox = Sandbox::new();
    let _server = Server::start(&sandbox, &[]);
    let refused = |method: &str, params: Value| {
        let error = rpc(&sandbox, method, &params)["error"].take();
        assert_eq!(error["code"], 40001, "{error}");
        error["message"].as_str().expect("a message").to_owned()
    };
    let strayed = json!({ "component": "c", "key": "k", "value": "v", "scope": { "os": ["windows"] } });
    assert_eq!(refused("nudge.set_hint", strayed), "`scope` belongs in `meta`");
    rpc(&sandbox, "nudge.set_hint", &json!({ "component": "c", "key": "k", "value": "v" }));
    let strayed = json!({ "component": "c", "key": "k", "scopes": { "os": ["linux"] } });
    let message = refused("nudge.delete_hint", strayed);
    assert_eq!(message, "unknown parameter `scopes`; known are component, key, scope");
    let components = rpc(&sandbox, "nudge.list_components", &json!({}))["result"]["components"].take();
    assert_eq!(components, json!([{ "name": "c", "hint_count": 1 }]));
}

#[test]
fn a_bump_from_nowhere_means_the_latest_variant() {
    let sandbox = Sandbox::new();
    let _server = Server::start(&sandbox, &[]);
    rpc(&sandbox, "nudge.set_hint", &json!({ "component": "b", "key": "k", "value": "anywhere" }));
    std::thread::sleep(std::time::Duration::from_millis(5));
    let meta = json!({ "scope": { "os": ["linux"] } });
    rpc(&sandbox, "nudge.set_hint", &json!({ "component": "b", "key": "k", "value": "linux", "meta": meta }));
    let bumped = rpc(&sandbox, "nudge.bump", &json!({ "component": "b", "key": "k" }));
    assert_eq!(bumped["result"]["hint"]["value"], "linux", "{bumped}");
}

/// An id is a string, a number or null; anything else cannot be matched by a client.
#[test]
fn an_id_that_is_not_an_id_is_an_invalid_request() {
    let sandbox = Sandbox::new();
    let _server = Server::start(&sandbox, &[]);
    for id in [json!({}), json!([1]), json!(true)] {
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": "nudge.list_components" }).to_string();
        let (_, answer) = http(port(&sandbox), "POST", "/rpc", "", body.as_bytes());
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32600)), "{answer}");
    }
}
