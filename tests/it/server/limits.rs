//! What no caller can make the server spend: batches, sessions, and answers that nobody reads.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::faults::rounds;
use crate::sandbox::Sandbox;
use crate::servers::{Server, TIMEOUT, http, port, rpc};

fn started() -> (Sandbox, Server, u16) {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let port = port(&sandbox);
    (sandbox, server, port)
}

/// Returns a figure of the server's RAM, in bytes.
fn memory(server: &Server, name: &str) -> u64 {
    let text = fs::read_to_string(format!("/proc/{}/status", server.child.id())).expect("a process");
    let line = text.lines().find_map(|line| line.strip_prefix(name)).expect("a figure");
    line.trim_matches([':', ' ', '\t']).trim_end_matches(" kB").trim().parse::<u64>().expect("a number") << 10
}

/// Puts hints of 1.2 MiB in all under one component.
fn fill(sandbox: &Sandbox) {
    for number in 0..20 {
        let hint = json!({ "component": "c", "key": format!("k{number}"), "value": "x".repeat(64_000) });
        assert!(rpc(sandbox, "nudge.set_hint", &hint)["error"].is_null());
    }
}

fn queries(count: usize) -> String {
    let query = |id| json!({ "jsonrpc": "2.0", "id": id, "method": "nudge.query", "params": { "component": "c", "limit": 20 } });
    json!((0..count).map(query).collect::<Vec<Value>>()).to_string()
}

#[test]
#[cfg(target_os = "linux")]
fn a_batch_has_a_limit_and_is_refused_in_few_words() {
    let (_sandbox, server, port) = started();
    let before = memory(&server, "VmHWM");
    let body = format!("[{}1]", "1,".repeat(4_000_000));
    let (status, said) = http(port, "POST", "/rpc", "", body.as_bytes());
    let said: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!((status, &said["error"]["code"]), (200, &json!(-32600)));
    assert_eq!(said["error"]["message"], "a batch may have up to 100 requests, this one has 4000001");
    let grown = memory(&server, "VmHWM") - before;
    assert!(grown < 64 << 20, "{grown} bytes for a body of {}", body.len());

    let list = |count: usize| {
        let one = json!({ "jsonrpc": "2.0", "id": 1, "method": "nudge.list_components" });
        let (_, said) = http(port, "POST", "/rpc", "", json!(vec![one; count]).to_string().as_bytes());
        serde_json::from_str::<Value>(&said).expect("JSON")
    };
    assert_eq!(list(100).as_array().map(Vec::len), Some(100));
    assert_eq!(list(101)["error"]["code"], -32600);
}

#[test]
fn the_answers_of_a_batch_have_the_limit_of_one_answer() {
    let (sandbox, _server, port) = started();
    fill(&sandbox);
    let mut batch: Vec<Value> = serde_json::from_str(&queries(30)).expect("JSON");
    let set = json!({ "component": "d", "key": "k", "value": "late" });
    batch.push(json!({ "jsonrpc": "2.0", "id": 30, "method": "nudge.set_hint", "params": set }));
    let (status, said) = http(port, "POST", "/rpc", "", json!(batch).to_string().as_bytes());
    assert!(status == 200 && said.len() <= (16 << 20) + 30 * 300, "{} bytes", said.len());
    let answers: Vec<Value> = serde_json::from_str(&said).expect("JSON");
    let ids: Vec<u64> = answers.iter().map(|answer| answer["id"].as_u64().expect("an id")).collect();
    assert_eq!(ids, (0..=30).collect::<Vec<u64>>(), "each request has its answer");
    let refused = |answer: &Value| answer["error"]["code"] == 42901;
    assert!(!refused(&answers[0]) && refused(&answers[29]), "the first have room, the last do not");
    // A request that was refused was not carried out.
    let known = rpc(&sandbox, "nudge.get_hint", &json!({ "component": "d", "key": "k" }));
    assert_eq!(known["error"].is_object(), refused(&answers[30]), "{known}");
}

#[test]
#[cfg(target_os = "linux")]
fn answers_that_nobody_reads_are_limited_together_and_given_back() {
    let (sandbox, server, port) = started();
    fill(&sandbox);
    let body = queries(12);
    let before = memory(&server, "VmRSS");
    let unread: Vec<TcpStream> = (0..rounds(16).max(16))
        .map(|_| {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
            stream.set_read_timeout(Some(TIMEOUT)).expect("a time-out");
            let head = format!(
                "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()).expect("a request");
            // The answer begins; the rest of it stays with the server.
            stream.read_exact(&mut [0; 12]).expect("a status");
            stream
        })
        .collect();
    let grown = memory(&server, "VmRSS").saturating_sub(before);
    assert!(grown < 200 << 20, "{grown} bytes for {} unread answers", unread.len());
    drop(unread);
    crate::servers::wait_until("there is room again", || {
        http(port, "POST", "/rpc", "", body.as_bytes()).0 == 200
    });
}

/// Many callers at once that read nothing: what the server builds for them is limited before it is built.
#[test]
#[cfg(target_os = "linux")]
fn many_batches_at_once_that_nobody_reads_take_limited_memory() {
    let (sandbox, server, port) = started();
    for number in 0..100 {
        let hint = json!({ "component": "c", "key": format!("k{number}"), "value": "x".repeat(3_600) });
        assert!(rpc(&sandbox, "nudge.set_hint", &hint)["error"].is_null());
    }
    let query = json!({ "jsonrpc": "2.0", "id": 1, "method": "nudge.query", "params": { "component": "c", "limit": 100 } });
    let body = json!(vec![query; 100]).to_string();
    let head =
        format!("POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {}\r\n\r\n", body.len());
    let unread: Vec<TcpStream> = (0..60)
        .map(|_| {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
            stream.set_read_timeout(Some(TIMEOUT)).expect("a time-out");
            stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()).expect("a request");
            stream
        })
        .collect();
    // Each gets an answer or a refusal; the rest of an answer stays with the server.
    let mut statuses = Vec::new();
    for mut stream in &unread {
        let mut status = [0; 12];
        stream.read_exact(&mut status).expect("a status");
        statuses.push(status[9..].to_vec());
    }
    assert!(statuses.contains(&b"200".to_vec()) && statuses.contains(&b"503".to_vec()), "{statuses:?}");
    let most = memory(&server, "VmHWM");
    assert!(most < 320 << 20, "{most} bytes for {} unread answers", unread.len());
    drop(unread);
    crate::servers::wait_until("there is room again", || {
        http(port, "POST", "/rpc", "", body.as_bytes()).0 == 200
    });
}

/// Begins a session of MCP over HTTP, and returns its id.
fn initialize(port: u16) -> String {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": crate::mcp_client::initialize("2025-06-18") }).to_string();
    let reply = post_mcp(port, "", &body);
    let id = reply
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("mcp-session-id: ").map(str::to_owned));
    id.unwrap_or_else(|| panic!("no session: {reply}"))
}

fn post_mcp(port: u16, headers: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
    stream.set_read_timeout(Some(TIMEOUT)).expect("a time-out");
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("a request");
    let mut reply = String::new();
    stream.read_to_string(&mut reply).expect("a reply");
    reply
}

#[test]
fn the_number_of_mcp_sessions_is_limited_and_the_oldest_ends() {
    let (sandbox, _server, port) = started();
    let (first, used) = (initialize(port), initialize(port));
    let ping = r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#;
    let ask = |id: &str| {
        let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        let headers = format!("Mcp-Session-Id: {id}\r\nMCP-Protocol-Version: 2025-06-18\r\n");
        post_mcp(port, &headers, initialized);
        post_mcp(port, &headers, ping)
    };
    let mut last = String::new();
    for number in 0..rounds(400).max(400) {
        last = initialize(port);
        if number % 50 == 0 {
            ask(&used);
        }
    }
    let sessions = || rpc(&sandbox, "nudge.status", &json!({}))["result"]["clients"]["mcp_sessions"].clone();
    crate::servers::wait_until("sessions have ended", || {
        sessions().as_u64().is_some_and(|count| count <= 128)
    });
    assert!(ask(&first).starts_with("HTTP/1.1 404 "), "the oldest has ended");
    assert!(ask(&last).starts_with("HTTP/1.1 200 "), "the newest is there");
    assert!(ask(&used).starts_with("HTTP/1.1 200 "), "one that is used stays");
}
