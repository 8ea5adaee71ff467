//! Asks the PRIMARY, over HTTP on this machine and without a runtime: for commands, PROXYs and the hook.

mod connection;

use std::fmt;
use std::io::{self, Read};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::address::Address;
use super::folder::Folder;
use super::lock::Primacy;
use crate::files::Process;
use connection::{Connection, Reply};

/// A server that said who it is. The connection is kept; one that has grown old is made anew.
pub(crate) struct Client {
    port: u16,
    /// Whom we expect, where the address says so.
    expected: Option<Address>,
    /// Where servers meet; its lock says whether one leads.
    folder: Option<Folder>,
    token: Option<String>,
    health: Value,
    connection: Option<Connection>,
    now: fn() -> Instant,
    /// A PROXY says so: the PRIMARY counts them.
    is_proxy: bool,
}

/// Why there is nobody to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoServer {
    /// No address, and nobody on the port.
    NotRunning { port: u16 },
    /// Somebody listens there who is no server of ours, or not the one that the address names.
    Stranger { port: u16 },
    /// Somebody listens there who says nothing.
    Silent {
        port: u16,
        /// Who it is, where the address says so and somebody leads.
        pid: Option<u32>,
        /// It was stopped, by Ctrl-Z or a signal; else it is busy.
        is_stopped: bool,
        waited: Duration,
    },
    /// Our server does not want us: another user's, or one that wants the token of another folder.
    Refused { port: u16, reason: String },
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CallError {
    /// The server refuses: the error of JSON-RPC, with code, message and data.
    Refused(Value),
    /// Nobody answers any more, or not in time.
    Unreachable(String),
    /// The request itself was turned away: too large, or not allowed.
    TurnedAway { status: u16, reason: String },
}

/// No refusal says more.
const MOST_REASON: u64 = 300;

impl Client {
    /// Finds the PRIMARY: on the port that is named, else where the address says, else on the default port.
    pub(crate) fn find(
        folder: Option<&Folder>,
        port: Option<u16>,
        timeout: Duration,
        now: fn() -> Instant,
    ) -> Result<Client, NoServer> {
        Client::found(folder, port, timeout, now, false)
    }

    /// Finds the PRIMARY for a PROXY.
    pub(crate) fn of_proxy(
        folder: &Folder,
        timeout: Duration,
        now: fn() -> Instant,
    ) -> Result<Client, NoServer> {
        Client::found(Some(folder), None, timeout, now, true)
    }

    fn found(
        folder: Option<&Folder>,
        port: Option<u16>,
        timeout: Duration,
        now: fn() -> Instant,
        is_proxy: bool,
    ) -> Result<Client, NoServer> {
        let address = folder.and_then(Address::read);
        let port = port.or(address.as_ref().map(|address| address.port)).unwrap_or(super::DEFAULT_PORT);
        let expected = address.filter(|address| address.port == port);
        // A token goes only to the port that its server wrote down.
        let token = expected.as_ref().and_then(|_| folder?.token());
        let folder = folder.cloned();
        let mut client =
            Client { port, expected, folder, token, health: Value::Null, connection: None, now, is_proxy };
        client.connect(now() + timeout)?;
        Ok(client)
    }

    /// Asks one question.
    pub(crate) fn call(
        &mut self,
        method: &str,
        params: &Map<String, Value>,
        timeout: Duration,
    ) -> Result<Value, CallError> {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let reply = self.send("POST", "/rpc", request.to_string().as_bytes(), (self.now)() + timeout);
        let reply = reply.map_err(|error| CallError::Unreachable(error.to_string()))?;
        match reply.status {
            200 => read_answer(&reply.body),
            // It is about to leave, and somebody else is about to lead.
            503 => Err(CallError::Unreachable("the server is leaving".to_owned())),
            status => Err(CallError::TurnedAway { status, reason: reply.reason() }),
        }
    }

    /// Asks one question whose answer may be of any length, and hands it on as it comes: JSON-RPC, as it was sent. Each
    /// piece may take so long.
    pub(crate) fn stream<T>(
        &mut self,
        method: &str,
        params: &Map<String, Value>,
        patience: Duration,
        read: impl FnOnce(&mut dyn Read) -> T,
    ) -> Result<T, CallError> {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let unreachable = |error: io::Error| CallError::Unreachable(error.to_string());
        let deadline = (self.now)() + patience;
        if self.connection.is_none() {
            self.connect(deadline).map_err(|none| CallError::Unreachable(none.to_string()))?;
        }
        let headers = self.headers();
        // It is not kept: who reads may stop halfway.
        let mut connection =
            self.connection.take().ok_or_else(|| unreachable(io::ErrorKind::NotConnected.into()))?;
        let head =
            connection.ask("POST", "/rpc", &headers, request.as_bytes(), deadline).map_err(unreachable)?;
        let mut body = connection.body(&head, Some(patience));
        if head.status == 200 {
            return Ok(read(&mut body));
        }
        let mut reason = String::new();
        drop(body.take(MOST_REASON).read_to_string(&mut reason));
        Err(CallError::TurnedAway { status: head.status, reason: reason.trim().to_owned() })
    }

    /// Returns what the server said of itself when it was found: pid, port, version and more.
    pub(crate) fn health(&self) -> &Value {
        &self.health
    }

    /// Sends a request on the connection that there is. One that the server has closed meanwhile is made anew: the
    /// request was not read then, or carries an id by which the server knows it again.
    fn send(&mut self, verb: &str, path: &str, body: &[u8], deadline: Instant) -> io::Result<Reply> {
        let kept = self.connection.take();
        if let Some(mut connection) = kept {
            match connection.exchange(verb, path, &self.headers(), body, deadline) {
                Ok(reply) => return Ok(self.keep(connection, reply)),
                Err(error) if error.kind() == io::ErrorKind::TimedOut => return Err(error),
                Err(_) => {}
            }
        }
        self.connect(deadline)
            .map_err(|none| io::Error::new(io::ErrorKind::NotConnected, none.to_string()))?;
        let mut connection = self.connection.take().ok_or(io::ErrorKind::NotConnected)?;
        let reply = connection.exchange(verb, path, &self.headers(), body, deadline)?;
        Ok(self.keep(connection, reply))
    }

    fn headers(&self) -> String {
        let token = self.token.as_ref().map(|token| format!("Authorization: Bearer {token}\r\n"));
        let proxy = self.is_proxy.then(|| format!("Nudge-Proxy: {}\r\n", std::process::id()));
        [token, proxy].into_iter().flatten().collect()
    }

    fn keep(&mut self, connection: Connection, reply: Reply) -> Reply {
        if reply.is_kept_alive {
            self.connection = Some(connection);
        }
        reply
    }

    /// Connects, and makes sure who is there before anything is told.
    fn connect(&mut self, deadline: Instant) -> Result<(), NoServer> {
        let port = self.port;
        let patience = deadline.saturating_duration_since((self.now)());
        // One that is stopped for long has no more room for who waits.
        let none = |error: &io::Error, otherwise: NoServer| match error.kind() {
            io::ErrorKind::TimedOut => self.silent(patience),
            _ => otherwise,
        };
        let mut connection = Connection::open(port, deadline, self.now)
            .map_err(|error| none(&error, NoServer::NotRunning { port }))?;
        let reply = connection.exchange("GET", "/health", &self.headers(), b"", deadline);
        let reply = reply.map_err(|error| none(&error, NoServer::Stranger { port }))?;
        if reply.status == 403 || reply.status == 401 {
            return Err(NoServer::Refused { port, reason: reply.reason() });
        }
        let health: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
        let is_server = health["status"] == "ok" && health["instance"].is_string();
        let is_expected = self.expected.as_ref().is_none_or(|address| {
            health["pid"] == address.pid && health["instance"] == address.instance.as_str()
        });
        if !is_server || !is_expected {
            return Err(NoServer::Stranger { port });
        }
        self.health = health;
        self.connection = reply.is_kept_alive.then_some(connection);
        if self.connection.is_none() {
            self.connection = Connection::open(port, deadline, self.now).ok();
        }
        Ok(())
    }

    /// Says who it is that says nothing.
    fn silent(&self, waited: Duration) -> NoServer {
        let leads = self.folder.as_ref().is_some_and(Primacy::is_taken);
        let pid = self.expected.as_ref().filter(|_| leads).map(|address| address.pid);
        let is_stopped = pid.and_then(Process::with_pid).is_some_and(|process| process.is_stopped);
        NoServer::Silent { port: self.port, pid, is_stopped, waited }
    }
}

impl NoServer {
    /// Says what can be done about a server that is there and does not answer.
    pub(crate) fn advice(&self) -> Option<String> {
        let NoServer::Silent { pid, is_stopped, .. } = self else { return None };
        Some(match (pid, is_stopped) {
            (Some(pid), true) => format!("`kill -CONT {pid}` lets it go on, `nudge stop` ends it"),
            (Some(_), false) => "ask again in a moment; if it stays so, `nudge stop` ends it".to_owned(),
            (None, _) => {
                "it may be another program: `nudge serve` starts a server on the next free port".to_owned()
            }
        })
    }
}

/// Writes a time for a person: `3 s`, or `30 ms` where it is short.
fn shown(time: Duration) -> String {
    match time.as_millis() {
        short @ 0..1_000 => format!("{short} ms"),
        long => format!("{} s", (long + 500) / 1_000),
    }
}

fn read_answer(body: &[u8]) -> Result<Value, CallError> {
    let answer: Value = serde_json::from_slice(body)
        .map_err(|error| CallError::Unreachable(format!("the answer cannot be read: {error}")))?;
    let Value::Object(mut answer) = answer else {
        return Err(CallError::Unreachable("the answer is none of JSON-RPC".to_owned()));
    };
    match (answer.remove("result"), answer.remove("error")) {
        (_, Some(error)) => Err(CallError::Refused(error)),
        (Some(result), None) => Ok(result),
        (None, None) => Err(CallError::Unreachable("the answer is none of JSON-RPC".to_owned())),
    }
}

impl fmt::Display for NoServer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoServer::NotRunning { port } => {
                write!(out, "no server is running (nobody listens on port {port})")
            }
            NoServer::Stranger { port } => {
                write!(
                    out,
                    "no server is running (who listens on port {port} is not the one that is written down)"
                )
            }
            NoServer::Silent { port, pid: Some(pid), is_stopped, waited } => {
                let why = if *is_stopped { "it is stopped" } else { "it is busy or stuck" };
                let waited = shown(*waited);
                write!(out, "the server with pid {pid} does not answer on port {port} within {waited}: {why}")
            }
            NoServer::Silent { port, pid: None, waited, .. } => {
                write!(out, "who listens on port {port} does not answer within {}", shown(*waited))
            }
            NoServer::Refused { port, reason } => write!(out, "the server on port {port} refuses: {reason}"),
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::Refused(error) => {
                out.write_str(error["message"].as_str().unwrap_or("the server refuses"))
            }
            CallError::Unreachable(reason) => write!(out, "the server does not answer: {reason}"),
            CallError::TurnedAway { status, reason } => {
                write!(out, "the server refuses ({status}): {reason}")
            }
        }
    }
}
