//! A server of the page whose answers a check chooses: the sample, hostile texts, errors, garbage, silence.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// When the sample was made: Monday 16 November 2026, 12:24:04 UTC.
pub(crate) const NOW_MS: u64 = 1_794_831_844_000;

/// Stands for half of a pair of surrogates, which Rust's texts cannot have and JSON can.
pub(crate) const LONE_SURROGATE: char = '\u{e000}';

/// What the server does with a question.
#[derive(Clone)]
pub(crate) enum Reply {
    Data(Value),
    Error(u16, &'static str),
    Garbage,
    Slow(Duration, Value),
    /// Answers when the check has put another reply in its place, with that one.
    Held,
    /// A list without an end: the rows behind a cursor, which counts them.
    Endless(fn(u64) -> Value),
    /// Hangs up without a word.
    Gone,
}

#[derive(Default)]
struct State {
    answers: BTreeMap<String, Reply>,
    everything: Option<Reply>,
    asked: Vec<String>,
    events: Vec<String>,
    streams: usize,
}

/// A server on a port of its own, until the program ends.
pub(crate) struct Page {
    pub(crate) port: u16,
    state: Arc<Mutex<State>>,
}

fn assets() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/ui")
}

/// Returns the sample that the page comes with.
pub(crate) fn sample() -> Value {
    let text = fs::read_to_string(assets().join("sample.json")).expect("the sample");
    serde_json::from_str(&text).expect("JSON")
}

/// Joins the modules in the order of their imports, as the program does.
pub(crate) fn linked() -> String {
    fn visit(path: &Path, seen: &mut Vec<PathBuf>, out: &mut String) {
        if seen.iter().any(|one| one == path) {
            return;
        }
        seen.push(path.to_owned());
        let text = fs::read_to_string(assets().join(path)).expect("a module");
        let folder = path.parent().expect("a folder");
        let mut body = String::new();
        for line in text.lines() {
            if line.starts_with("import ") {
                let target = line.split('\'').nth(1).expect("a path");
                let target = match target.strip_prefix("../") {
                    Some(rest) => PathBuf::from(rest),
                    None => folder.join(target.trim_start_matches("./")),
                };
                visit(&target, seen, out);
            } else {
                body.push_str(line.strip_prefix("export ").unwrap_or(line));
                body.push('\n');
            }
        }
        out.push_str(&body);
    }
    let mut out = String::new();
    visit(Path::new("main.js"), &mut Vec::new(), &mut out);
    out
}

impl Page {
    /// Serves the sample.
    pub(crate) fn start() -> Page {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            let script = Arc::new(linked());
            for stream in listener.incoming().flatten() {
                let (state, script) = (Arc::clone(&shared), Arc::clone(&script));
                thread::spawn(move || serve(&stream, port, &state, &script));
            }
        });
        let page = Page { port, state };
        page.answer_all(&sample()["answers"]);
        page
    }

    /// Returns an address of the page with a ticket, as the program prints it.
    pub(crate) fn link(&self, route: &str) -> String {
        format!("http://127.0.0.1:{}/ui/#in=ticket{route}", self.port)
    }

    /// Answers with these from now on, and with nothing else.
    pub(crate) fn answer_all(&self, answers: &Value) {
        let mut state = self.state.lock().expect("no check panics here");
        state.everything = None;
        state.answers.clear();
        for (name, data) in answers.as_object().expect("an object") {
            state.answers.insert(name.clone(), Reply::Data(data.clone()));
        }
    }

    pub(crate) fn answer(&self, name: &str, reply: Reply) {
        self.state.lock().expect("no check panics here").answers.insert(name.to_owned(), reply);
    }

    /// Gives every question the same reply, until `answer_all`.
    pub(crate) fn answer_everything(&self, reply: Option<Reply>) {
        self.state.lock().expect("no check panics here").everything = reply;
    }

    /// Sends an event to every page that listens.
    pub(crate) fn send(&self, kind: &str, data: &Value) {
        self.state
            .lock()
            .expect("no check panics here")
            .events
            .push(format!("event: {kind}\ndata: {data}\n\n"));
    }

    /// Returns how many pages read the stream now.
    pub(crate) fn streams(&self) -> usize {
        self.state.lock().expect("no check panics here").streams
    }

    /// Returns what was asked for since the last call.
    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().expect("no check panics here").asked)
    }
}

/// The policy that the program sends; `way_in` holds the program against it.
pub(crate) fn policy(port: u16) -> String {
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src http://127.0.0.1:{port}/ui/api/; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
}

fn send(mut stream: &TcpStream, port: u16, status: u16, kind: &str, body: &[u8]) {
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\nContent-Security-Policy: {}\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        body.len(),
        policy(port)
    );
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
}

fn serve(stream: &TcpStream, port: u16, state: &Mutex<State>, script: &str) {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    if reader.read_line(&mut first).is_err() {
        return;
    }
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).is_err() || line.trim_end().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    let target = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let file = |name: &str| fs::read(assets().join(name)).expect("an asset");
    match target.as_str() {
        "/ui/" => send(stream, port, 200, "text/html; charset=utf-8", &file("index.html")),
        "/ui/app.css" => send(stream, port, 200, "text/css", &file("app.css")),
        "/ui/app.js" => send(stream, port, 200, "text/javascript", script.as_bytes()),
        "/empty.html" => {
            let page = b"<!doctype html><meta charset=utf-8><title>empty</title><p>Nothing is here.";
            send(stream, port, 200, "text/html; charset=utf-8", page);
        }
        "/ui/icon.svg" => send(stream, port, 200, "image/svg+xml", &file("icon.svg")),
        other => match other.strip_prefix("/ui/api/") {
            Some(question) => question_of(stream, port, state, question),
            None => send(stream, port, 404, "text/plain", b"not here"),
        },
    }
}

fn question_of(stream: &TcpStream, port: u16, state: &Mutex<State>, question: &str) {
    let json_type = "application/json";
    let frame = |data: &Value| {
        json!({"v": 1, "now_ms": NOW_MS, "data": data}).to_string().replace(LONE_SURROGATE, "\\ud800")
    };
    if question.starts_with("stream") {
        state.lock().expect("no check panics here").streams += 1;
        stream_of(stream, state);
        state.lock().expect("no check panics here").streams -= 1;
        return;
    }
    let path = question.split('?').next().unwrap_or_default();
    state.lock().expect("no check panics here").asked.push(question.to_owned());
    let known = || {
        let state = state.lock().expect("no check panics here");
        let own = ["q", "path"].iter().find_map(|name| parameter(question, name));
        let long = own.map(|own| format!("{path}?{own}"));
        let found =
            long.and_then(|long| state.answers.get(&long)).or_else(|| state.answers.get(path)).cloned();
        // What was not answered by its own name gets another of its kind, so that planted ids lead somewhere.
        let kind = path.split_once('/').map(|(kind, _)| format!("{kind}/"));
        let other = kind.and_then(|kind| state.answers.iter().find(|(name, _)| name.starts_with(&kind)));
        let other = other.map(|(_, reply)| reply.clone());
        state.everything.clone().or(found).or(other)
    };
    let mut reply = known();
    while matches!(reply, Some(Reply::Held)) {
        thread::sleep(Duration::from_millis(20));
        reply = known();
    }
    match reply {
        None if path == "enter" => {
            let granted = json!({"key": "key", "scope": "read", "until_ms": 0});
            send(stream, port, 200, json_type, frame(&granted).as_bytes());
        }
        _ if path == "sample" => send(stream, port, 200, json_type, sample().to_string().as_bytes()),
        Some(Reply::Data(data)) => send(stream, port, 200, json_type, frame(&data).as_bytes()),
        Some(Reply::Slow(time, data)) => {
            thread::sleep(time);
            send(stream, port, 200, json_type, frame(&data).as_bytes());
        }
        Some(Reply::Error(status, message)) => {
            let error = json!({"v": 1, "error": {"code": "test", "message": message, "hint": "a hint"}});
            send(stream, port, status, json_type, error.to_string().as_bytes());
        }
        Some(Reply::Garbage) => send(stream, port, 200, json_type, b"{\"v\":1,\"data\":"),
        Some(Reply::Endless(rows)) => {
            let from =
                parameter(question, "before").and_then(|at| at.split('=').nth(1)?.parse().ok()).unwrap_or(0);
            let data = rows(from);
            let next = from + data["rows"].as_array().map_or(0, Vec::len) as u64;
            let answer = json!({"v": 1, "now_ms": NOW_MS, "cursor": next.to_string(), "data": data});
            send(stream, port, 200, json_type, answer.to_string().as_bytes());
        }
        Some(Reply::Gone | Reply::Held) => {}
        None => {
            let error = json!({"v": 1, "error": {"code": "not_found", "message": "there is nothing here"}});
            send(stream, port, 404, json_type, error.to_string().as_bytes());
        }
    }
}

/// Returns one parameter as it was sent.
fn parameter(question: &str, name: &str) -> Option<String> {
    let query = question.split_once('?')?.1;
    query.split('&').find(|one| one.split('=').next() == Some(name)).map(ToOwned::to_owned)
}

fn stream_of(mut stream: &TcpStream, state: &Mutex<State>) {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n";
    let hello =
        format!("event: hello\nid: test\ndata: {}\n\n", json!({"instance": "test", "now_ms": NOW_MS}));
    let mut sent = state.lock().expect("no check panics here").events.len();
    if stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(hello.as_bytes())).is_err() {
        return;
    }
    loop {
        thread::sleep(Duration::from_millis(50));
        let fresh: Vec<String> = {
            let state = state.lock().expect("no check panics here");
            let fresh = state.events[sent.min(state.events.len())..].to_vec();
            sent = state.events.len();
            if matches!(state.everything, Some(Reply::Gone)) {
                return;
            }
            fresh
        };
        let text = if fresh.is_empty() { ":\n\n".to_owned() } else { fresh.concat() };
        if stream.write_all(text.as_bytes()).is_err() {
            return;
        }
    }
}
