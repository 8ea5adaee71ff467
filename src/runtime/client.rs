//! Asks the PRIMARY, over HTTP on this machine and without a runtime: for commands, PROXYs and the hook.
//!
//! How a server is found and identified, before anything is sent to it, is in `find.rs`.

mod connection;
mod error;
mod find;

use std::io::{self, Read};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::folder::Folder;
use connection::{Connection, Reply};
pub(crate) use error::{CallError, NoServer};
pub(crate) use find::Place;

/// A server that was identified. The connection is kept; a broken one is replaced, and the server identified again.
pub(crate) struct Client {
    place: Place,
    /// Where servers meet; the server must be the one of this folder.
    folder: Option<Folder>,
    /// The token of the folder, once the server has proved to be its server; not sent over the Unix socket.
    token: Option<String>,
    health: Value,
    connection: Option<Connection>,
    now: fn() -> Instant,
    role: Role,
    /// How long the server had to say who it is.
    patience: Duration,
}

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A command, which wants to know whom it asks.
    Command,
    /// A PROXY says so: the PRIMARY counts them.
    Proxy,
    /// A hook has no time for pleasantries.
    Hook,
}

/// No refusal says more.
const MOST_REASON: u64 = 300;

impl Client {
    /// Finds the PRIMARY and identifies it.
    pub(crate) fn find(
        folder: Option<&Folder>,
        place: Place,
        role: Role,
        timeout: Duration,
        now: fn() -> Instant,
    ) -> Result<Client, NoServer> {
        let folder = folder.cloned();
        let mut client = Client {
            place,
            folder,
            token: None,
            health: Value::Null,
            connection: None,
            now,
            role,
            patience: timeout,
        };
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

    /// Returns what the server said of itself when it was found: pid, port, version and more. A hook does not ask for it.
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
        let proxy = (self.role == Role::Proxy).then(|| format!("Nudge-Proxy: {}\r\n", std::process::id()));
        [token, proxy].into_iter().flatten().collect()
    }

    fn keep(&mut self, connection: Connection, reply: Reply) -> Reply {
        if reply.is_kept_alive {
            self.connection = Some(connection);
        }
        reply
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
