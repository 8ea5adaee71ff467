//! A page as a browser would have it: a ticket, both halves, and questions.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::servers::{self, TIMEOUT, rpc};

/// An open page.
pub(crate) struct Page {
    pub(crate) port: u16,
    pub(crate) cookie: String,
    pub(crate) key: String,
}

/// A reply with its head.
pub(crate) struct PageReply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl PageReply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.body))
    }

    /// Returns a header, with its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// Sends a request as it is written, and returns the reply.
pub(crate) fn send(port: u16, request: &str) -> PageReply {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
    stream.set_read_timeout(Some(TIMEOUT)).expect("a time-out");
    drop(stream.write_all(request.as_bytes()));
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).expect("a reply");
    let reply = String::from_utf8(reply).expect("UTF-8");
    let (head, body) = reply.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no reply: {reply:?}"));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    PageReply { status, head: head.to_owned(), body: body.to_owned() }
}

/// Returns a ticket.
pub(crate) fn ticket(sandbox: &Sandbox, scope: &str) -> String {
    let answer = rpc(sandbox, "nudge.ui_ticket", &json!({ "scope": scope }));
    answer["result"]["ticket"].as_str().unwrap_or_else(|| panic!("no ticket: {answer}")).to_owned()
}

/// Posts to the page's own questions, as the page would, with these halves.
pub(crate) fn post(port: u16, path: &str, halves: &str, body: &Value) -> PageReply {
    let body = body.to_string();
    send(
        port,
        &format!(
            "POST /ui/api/{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n{halves}\r\n{body}",
            body.len()
        ),
    )
}

impl Page {
    /// Opens a page of the running server.
    pub(crate) fn open(sandbox: &Sandbox, scope: &str) -> Page {
        let port = servers::port(sandbox);
        let entered = post(port, "enter", "", &json!({ "ticket": ticket(sandbox, scope) }));
        assert_eq!(entered.status, 200, "{}", entered.body);
        let cookie = entered.header("set-cookie").expect("a cookie").split(';').next().expect("a value");
        let key = entered.json()["data"]["key"].as_str().expect("a key").to_owned();
        Page { port, cookie: cookie.to_owned(), key }
    }

    pub(crate) fn halves(&self) -> String {
        format!("Cookie: {}\r\nX-Nudge-Key: {}\r\n", self.cookie, self.key)
    }

    /// Asks a question with these headers besides `Host`.
    pub(crate) fn get_with(&self, question: &str, headers: &str) -> PageReply {
        let port = self.port;
        send(
            port,
            &format!(
                "GET /ui/api/{question} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n{headers}\r\n"
            ),
        )
    }

    /// Asks a question as the page would.
    pub(crate) fn get(&self, question: &str) -> PageReply {
        self.get_with(question, &format!("Sec-Fetch-Site: same-origin\r\n{}", self.halves()))
    }

    /// Returns the data of an answer.
    #[track_caller]
    pub(crate) fn data(&self, question: &str) -> Value {
        let reply = self.get(question);
        assert_eq!(reply.status, 200, "{question}: {}", reply.body);
        let answer = reply.json();
        assert_eq!(answer["v"], 1, "{question}");
        assert!(answer["now_ms"].as_i64().is_some_and(|now| now > 1_700_000_000_000), "{question}");
        answer["data"].clone()
    }
}

/// Asks a process to end, as Ctrl-C does.
pub(crate) fn terminate(pid: u32) {
    let done = std::process::Command::new("kill").args(["-TERM", &pid.to_string()]).status();
    assert!(done.is_ok_and(|status| status.success()));
}
