//! Which callers are accepted, and what no caller can do to the server.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::json;

use crate::sandbox::Sandbox;
use crate::servers::{Server, TIMEOUT, http, port, rpc};

fn started() -> (Sandbox, Server, u16) {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let port = port(&sandbox);
    (sandbox, server, port)
}

#[track_caller]
fn assert_answers(sandbox: &Sandbox) {
    let listed = rpc(sandbox, "nudge.list_components", &json!({}));
    assert!(listed["result"]["components"].is_array(), "{listed}");
}

#[test]
fn pages_in_browsers_are_refused_on_every_path() {
    let (sandbox, _server, port) = started();
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"nudge.list_components"}"#;
    for (verb, path) in [
        ("GET", "/health"),
        ("POST", "/rpc"),
        ("POST", "/"),
        ("POST", "/mcp"),
        ("GET", "/mcp"),
        ("GET", "/none"),
    ] {
        for headers in [
            "Host: evil.example\r\n".to_owned(),
            format!("Host: evil.example:{port}\r\n"),
            "Host: 127.0.0.1\r\n".to_owned(),
            format!("Host: 127.0.0.1:{}\r\n", port + 1),
            format!("Host: 127.0.0.1:{port}\r\nHost: evil.example\r\n"),
            "Origin: http://evil.example\r\n".to_owned(),
            "Origin: null\r\n".to_owned(),
            format!("Origin: https://127.0.0.1:{port}\r\n"),
            format!("Origin: http://127.0.0.1:{port}.evil.example\r\n"),
            "Sec-Fetch-Site: cross-site\r\n".to_owned(),
            "Sec-Fetch-Site: same-site\r\n".to_owned(),
            "Sec-Fetch-Site: none\r\nSec-Fetch-Site: same-site\r\n".to_owned(),
            "Sec-Fetch-Site: same-origin\r\n".to_owned(),
            "Sec-Fetch-Site: none\r\n".to_owned(),
            "Sec-Fetch-Site: \r\n".to_owned(),
            "Sec-Fetch-Dest: empty\r\n".to_owned(),
            "Sec-Fetch-Mode: navigate\r\n".to_owned(),
            // The viewer's own page may not ask here either.
            format!("Origin: http://127.0.0.1:{port}\r\n"),
            format!("Origin: http://localhost:{port}\r\nSec-Fetch-Site: same-origin\r\n"),
            format!("Origin: http://127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"),
        ] {
            let (status, body) = http(port, verb, path, &headers, list.as_bytes());
            assert_eq!(status, 403, "{verb} {path} {headers}: {body}");
        }
    }
    for headers in [
        format!("Host: localhost:{port}\r\n"),
        format!("Host: [::1]:{port}\r\n"),
        // What `fetch` of Node sends.
        "Sec-Fetch-Mode: cors\r\n".to_owned(),
    ] {
        assert_eq!(http(port, "POST", "/rpc", &headers, list.as_bytes()).0, 200, "{headers}");
    }
    // The viewer sends browsers on to 127.0.0.1, so no page has this origin. Only MCP clients may send it.
    let own = format!("Origin: http://localhost:{port}\r\n");
    for (verb, path) in [("GET", "/health"), ("POST", "/rpc"), ("POST", "/"), ("GET", "/none")] {
        assert_eq!(http(port, verb, path, &own, list.as_bytes()).0, 403, "{verb} {path}");
    }
    let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": crate::mcp_client::initialize("2025-06-18") });
    let headers =
        format!("{own}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n");
    assert_eq!(http(port, "POST", "/mcp", &headers, initialize.to_string().as_bytes()).0, 200);
    let absolute = format!("http://evil.example:{port}/health");
    assert_eq!(http(port, "GET", &absolute, "", b"").0, 403);
    assert_answers(&sandbox);
}

/// Sends these bytes, and returns the status of each reply.
fn statuses(port: u16, requests: &[String]) -> Vec<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
    stream.set_read_timeout(Some(TIMEOUT)).expect("a time-out");
    let mut found = Vec::new();
    for request in requests {
        if stream.write_all(request.as_bytes()).is_err() {
            break;
        }
        let mut reply = vec![0; 64 << 10];
        let length = stream.read(&mut reply).unwrap_or(0);
        let text = String::from_utf8_lossy(&reply[..length]).into_owned();
        found.extend(text.split_whitespace().nth(1).map(str::to_owned));
    }
    found
}

#[test]
fn a_request_has_one_length_only() {
    let (sandbox, _server, port) = started();
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"nudge.list_components"}"#;
    let chunks = format!("{:x}\r\n{list}\r\n0\r\n\r\n", list.len());
    let request = |headers: &str, body: &str| {
        format!("POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{headers}\r\n{body}")
    };
    let length = format!("Content-Length: {}\r\n", list.len());
    let plain = request(&length, list);
    let chunked = request("Transfer-Encoding: chunked\r\n", &chunks);
    assert_eq!(statuses(port, &[plain.clone(), chunked.clone(), chunked.clone(), plain.clone()]), ["200"; 4]);
    let twice = request(&length.repeat(2), list);
    assert_eq!(statuses(port, &[twice.clone(), plain.clone()]), ["400"]);
    assert_eq!(
        statuses(port, &[plain.clone(), chunked.clone(), twice, plain.clone()]),
        ["200", "200", "400"]
    );
    for both in [
        format!("{length}Transfer-Encoding: chunked\r\n"),
        format!("Transfer-Encoding: chunked\r\n{length}"),
        "transfer-encoding: chunked\r\ncontent-length: 0\r\n".to_owned(),
    ] {
        let both = request(&both, &chunks);
        assert_eq!(statuses(port, &[both.clone(), plain.clone()]), ["400"], "{both}");
        assert_eq!(statuses(port, &[plain.clone(), both.clone(), plain.clone()]), ["200", "400"], "{both}");
    }
    assert_answers(&sandbox);
}

#[test]
fn nothing_invites_other_origins() {
    let (_sandbox, _server, port) = started();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let request = format!(
        "OPTIONS /rpc HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://localhost:{port}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    assert!(
        reply.starts_with("HTTP/1.1 403 ") && !reply.to_lowercase().contains("access-control"),
        "{reply}"
    );
}

/// Only root can call as another user.
#[test]
#[cfg(target_os = "linux")]
fn another_user_is_refused() {
    use crate::server::strangers;
    if !strangers::are_possible() {
        return;
    }
    let (sandbox, _server, port) = started();
    let script = "s = socket.socket()\ns.connect(('127.0.0.1', int(sys.argv[1])))\n\
         s.sendall(b'GET /health HTTP/1.1\\r\\nHost: 127.0.0.1:%s\\r\\n\\r\\n' % sys.argv[1].encode())\nprint(s.recv(4096).decode())";
    let asked = strangers::other_user(&sandbox, script, &[&port.to_string()]);
    let stranger = String::from_utf8(asked.wait_with_output().unwrap().stdout).unwrap();
    assert!(
        stranger.starts_with("HTTP/1.1 403 ") && stranger.contains("this server belongs to another user"),
        "{stranger}"
    );
    assert_eq!(http(port, "GET", "/health", "", b"").0, 200);
    assert_answers(&sandbox);
}

/// Other users' connections must not take the slots of ours.
#[test]
#[cfg(target_os = "linux")]
fn connections_of_another_user_take_no_places() {
    use crate::server::strangers;
    if !strangers::are_possible() {
        return;
    }
    let (sandbox, _server, port) = started();
    let script = "print('ready', flush=True)\nwhile True:\n  held = []\n  for _ in range(900):\n    s = socket.socket()\n    \
         s.settimeout(5)\n    try: s.connect(('127.0.0.1', int(sys.argv[1])))\n    except OSError: pass\n    held.append(s)\n  \
         time.sleep(0.2)";
    let mut stranger = strangers::other_user(&sandbox, script, &[&port.to_string()]);
    let mut ready = [0; 5];
    stranger.stdout.as_mut().unwrap().read_exact(&mut ready).unwrap();
    let statuses: Vec<u16> = (0..40)
        .map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            http(port, "GET", "/health", "", b"").0
        })
        .collect();
    stranger.kill().unwrap();
    stranger.wait().unwrap();
    assert_eq!(statuses, [200; 40]);
    sandbox.run(["status"]).code(0);
}

#[test]
fn the_token_is_wanted_where_it_is_asked_for() {
    let sandbox = Sandbox::new();
    let _server = Server::start(&sandbox, &["--token"]);
    let port = port(&sandbox);
    let token = std::fs::read_to_string(sandbox.runtime_folder().join("server.token")).unwrap();
    let status = |headers: &str| http(port, "GET", "/health", headers, b"").0;
    assert_eq!(status(""), 401);
    assert_eq!(status("Authorization: Bearer \r\n"), 401);
    assert_eq!(status(&format!("Authorization: Bearer {}0\r\n", &token[1..])), 401);
    assert_eq!(status(&format!("Authorization: Bearer {token}\r\n")), 200);
    // Commands and PROXYs send it by themselves.
    sandbox.run(["status"]).code(0);
    let mut proxy = crate::mcp_client::Client::new(&sandbox);
    assert_eq!(proxy.call_json("nudge_list_components", json!({})), json!({ "components": [] }));
}

#[test]
fn a_body_may_have_eight_mebibytes() {
    let (sandbox, _server, port) = started();
    let fits = format!(
        "{}{}",
        r#"{"jsonrpc":"2.0","id":1,"method":"nudge.list_components"}"#,
        " ".repeat((8 << 20) - 57)
    );
    assert_eq!(fits.len(), 8 << 20);
    assert_eq!(http(port, "POST", "/rpc", "", fits.as_bytes()).0, 200);
    let large = vec![b' '; 64 << 20];
    for body in [&large[..(8 << 20) + 1], &large[..]] {
        for path in ["/rpc", "/mcp"] {
            let (status, why) = http(port, "POST", path, "", body);
            assert_eq!(status, 413);
            assert!(why.contains("8 MiB") && why.contains("several parts"), "{why}");
        }
    }
    // And without a length that gives it away.
    let mut chunked = Vec::new();
    for chunk in large[..9 << 20].chunks(1 << 20) {
        chunked.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        chunked.extend_from_slice(chunk);
        chunked.extend_from_slice(b"\r\n");
    }
    chunked.extend_from_slice(b"0\r\n\r\n");
    assert_eq!(http(port, "POST", "/rpc", "Transfer-Encoding: chunked\r\n", &chunked).0, 413);
    assert_answers(&sandbox);
}

#[test]
fn slow_and_idle_clients_keep_nobody_waiting() {
    let (sandbox, _server, port) = started();
    let connect = || TcpStream::connect(("127.0.0.1", port)).unwrap();
    let idle: Vec<TcpStream> = (0..250).map(|_| connect()).collect();
    let slow: Vec<TcpStream> = (0..50)
        .map(|number| {
            let mut stream = connect();
            let body = if number % 2 == 0 { "" } else { "Content-Length: 8000000\r\n\r\n{" };
            write!(stream, "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{body}").unwrap();
            stream
        })
        .collect();
    for _ in 0..20 {
        assert_answers(&sandbox);
    }
    drop(idle);
    // A caller that does not continue is disconnected.
    for stream in slow.iter().take(2) {
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let mut rest = Vec::new();
        drop((&*stream).read_to_end(&mut rest));
        let rest = String::from_utf8_lossy(&rest);
        assert!(rest.is_empty() || rest.starts_with("HTTP/1.1 408 "), "{rest}");
    }
    assert_answers(&sandbox);
}

#[test]
fn an_open_stream_of_events_keeps_nobody_waiting() {
    let (sandbox, _server, port) = started();
    let headers = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": crate::mcp_client::initialize("2025-06-18") }).to_string();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{headers}Content-Length: {}\r\n\r\n{request}",
        request.len()
    )
    .unwrap();
    let mut seen = String::new();
    while !seen.contains("protocolVersion") {
        let mut buffer = [0; 4096];
        let read = stream.read(&mut buffer).unwrap();
        assert!(read > 0, "{seen}");
        seen.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
    let session =
        seen.lines().find_map(|line| line.to_lowercase().strip_prefix("mcp-session-id: ").map(str::to_owned));
    let session = session.expect("a session");
    let mut events = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(events, "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: text/event-stream\r\nMcp-Session-Id: {session}\r\n\r\n").unwrap();
    let mut buffer = [0; 12];
    events.read_exact(&mut buffer).unwrap();
    assert_eq!(&buffer, b"HTTP/1.1 200");
    assert_answers(&sandbox);
    // It does not keep the server from leaving either.
    sandbox.run(["stop"]).code(0);
}
