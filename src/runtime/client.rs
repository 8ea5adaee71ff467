//! Asks the PRIMARY, over HTTP on this machine and without a runtime: for commands, PROXYs and the hook.

mod connection;

use std::fmt;
use std::io;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::address::Address;
use super::folder::Folder;
use connection::{Connection, Reply};

/// A server that said who it is. The connection is kept; one that has grown old is made anew.
pub(crate) struct Client {
    port: u16,
    /// Whom we expect, where the address says so.
    expected: Option<Address>,
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
        let mut client =
            Client { port, expected, token, health: Value::Null, connection: None, now, is_proxy };
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
        let mut connection =
            Connection::open(port, deadline, self.now).map_err(|_| NoServer::NotRunning { port })?;
        let reply = connection.exchange("GET", "/health", &self.headers(), b"", deadline);
        let reply = reply.map_err(|_| NoServer::Stranger { port })?;
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
