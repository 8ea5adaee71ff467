//! A page that asks as a browser does, without one.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::home::Home;
use crate::{DAY_MS, DAYS, now_ms};

/// `nudge ui`, and a page that came in by its link.
pub(crate) struct OpenPage {
    pub(crate) server: Child,
    pub(crate) port: u16,
    pub(crate) halves: String,
    pub(crate) project: PathBuf,
}

impl OpenPage {
    pub(crate) fn new(home: &Home) -> OpenPage {
        // Another server of this machine may have the usual port.
        let free =
            TcpListener::bind(("127.0.0.1", 0)).and_then(|free| free.local_addr()).expect("a free port");
        let mut server = home
            .command(&["ui", "--no-open", "--json", "--port", &free.port().to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a server");
        let mut output = BufReader::new(server.stdout.take().expect("a pipe"));
        let mut text = String::new();
        let link: Value = loop {
            assert!(output.read_line(&mut text).expect("it writes") > 0, "no link: {text}");
            if let Ok(link) = serde_json::from_str(&text) {
                break link;
            }
        };
        let url = link["url"].as_str().unwrap_or_else(|| panic!("no link: {link}"));
        let (address, ticket) = url.split_once("/ui/#in=").expect("a ticket");
        let port = address.rsplit_once(':').and_then(|(_, port)| port.parse().ok()).expect("a port");
        let ticket = ticket.split('/').next().unwrap_or(ticket);
        let mut connection = Connection::new(port, String::new());
        let entered = connection.post("/ui/api/enter", &json!({ "ticket": ticket }));
        let (head, body) = entered.split_once("\r\n\r\n").expect("a reply");
        let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
        let cookie = cookie.split(';').next().unwrap_or_default();
        let body: Value = serde_json::from_str(body).expect("JSON");
        let key = body["data"]["key"].as_str().expect("a key");
        let halves = format!("Cookie: {cookie}\r\nX-Nudge-Key: {key}\r\nSec-Fetch-Site: same-origin\r\n");
        OpenPage { server, port, halves, project: home.project.clone() }
    }

    pub(crate) fn connection(&self) -> Connection {
        Connection::new(self.port, self.halves.clone())
    }

    /// Returns a question with project and range.
    pub(crate) fn asked(&self, question: &str, from_ms: u64) -> String {
        let separator = if question.contains('?') { '&' } else { '?' };
        let project = self.project.display().to_string().replace('/', "%2F");
        format!("{question}{separator}project={project}&from_ms={from_ms}&to_ms={}", now_ms())
    }

    /// Finds a session, an observation and a wall to ask about.
    pub(crate) fn names(&self, connection: &mut Connection) -> Names {
        let mut data = |question: &str, days: u64| {
            let answer = connection.reply(&self.asked(question, now_ms() - days * DAY_MS));
            let body = answer.split_once("\r\n\r\n").expect("a reply").1;
            serde_json::from_str::<Value>(body).expect("JSON")["data"].clone()
        };
        let sessions = data("sessions?limit=60", DAYS + 1);
        // Not one of the hooks of this run, which are short.
        let session = sessions["rows"].as_array().and_then(|rows| {
            rows.iter()
                .filter_map(|row| row["id"].as_str())
                .find(|id| id.starts_with("session-"))
                .map(str::to_owned)
        });
        let walls = data("walls", 6);
        // A small memory may have none in this range, and is not asked for one.
        let wall = walls["rows"][0]["key"].as_str().unwrap_or_default().to_owned();
        Names { session: session.expect("a session"), wall, id: 4_242 }
    }

    /// Opens the stream, and waits for its first event.
    pub(crate) fn follow(&self) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the server listens");
        let head =
            format!("GET /ui/api/stream HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}\r\n", self.port, self.halves);
        stream.write_all(head.as_bytes()).expect("it reads");
        let (mut seen, mut part) = (String::new(), [0; 4096]);
        while !seen.contains("event: hello") {
            let count = stream.read(&mut part).expect("a stream");
            assert!(count > 0, "{seen}");
            seen.push_str(&String::from_utf8_lossy(&part[..count]));
        }
        stream
    }

    /// Returns the RAM of the server in KB.
    pub(crate) fn resident(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.server.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().trim_end_matches(" kB").parse().ok()
    }
}

impl Drop for OpenPage {
    fn drop(&mut self) {
        let stopped = Command::new("kill").arg(self.server.id().to_string()).status();
        if !stopped.is_ok_and(|status| status.success()) {
            drop(self.server.kill());
        }
        drop(self.server.wait());
    }
}

/// What the questions are about.
pub(crate) struct Names {
    pub(crate) session: String,
    pub(crate) wall: String,
    pub(crate) id: u64,
}

impl Names {
    pub(crate) fn fill(&self, question: &str) -> String {
        let filled = question.replace("{session}", &self.session).replace("{wall}", &self.wall);
        filled.replace("{id}", &self.id.to_string())
    }
}

/// A connection that stays open.
pub(crate) struct Connection {
    pub(crate) stream: BufReader<TcpStream>,
    pub(crate) port: u16,
    pub(crate) halves: String,
}

impl Connection {
    pub(crate) fn new(port: u16, halves: String) -> Connection {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
        stream.set_nodelay(true).expect("a socket");
        Connection { stream: BufReader::new(stream), port, halves }
    }

    /// Asks a question of the page, which must have an answer.
    pub(crate) fn ask(&mut self, question: &str) -> Duration {
        let start = Instant::now();
        let reply = self.reply(question);
        let took = start.elapsed();
        assert!(reply.starts_with("HTTP/1.1 200"), "{question}: {reply}");
        took
    }

    /// Asks a question that may take longer than a page waits.
    pub(crate) fn try_ask(&mut self, question: &str) -> Option<()> {
        self.reply(question).starts_with("HTTP/1.1 200").then_some(())
    }

    pub(crate) fn get(&mut self, path: &str) -> Duration {
        let start = Instant::now();
        let reply = self.send(&format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", self.port));
        let took = start.elapsed();
        assert!(reply.starts_with("HTTP/1.1 200"), "{reply}");
        took
    }

    pub(crate) fn reply(&mut self, question: &str) -> String {
        self.send(&format!(
            "GET /ui/api/{question} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}\r\n",
            self.port, self.halves
        ))
    }

    pub(crate) fn post(&mut self, path: &str, body: &Value) -> String {
        let (port, body) = (self.port, body.to_string());
        self.send(&format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ))
    }

    pub(crate) fn send(&mut self, request: &str) -> String {
        self.stream.get_mut().write_all(request.as_bytes()).expect("it reads");
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let start = head.len();
            assert!(self.stream.read_line(&mut head).expect("a reply") > 0, "{request}: {head}");
            let line = head[start..].to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.trim().parse().expect("a number");
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).expect("a body");
        head + &String::from_utf8_lossy(&body)
    }
}
