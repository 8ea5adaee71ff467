//! Asks the PRIMARY over HTTP on this machine, without an async runtime: for commands, PROXYs and the hook.
//!
//! `find.rs` finds and identifies the server, before anything is sent to it.

mod connection;
mod error;
mod find;

use std::io::{self, Read};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::folder::Folder;
use connection::{HttpConnection, HttpReply};
pub(crate) use error::{CallError, NoServer};
pub(crate) use find::ServerPlace;

/// A client of an identified server. The connection is kept; a broken one is replaced, and the server identified again.
pub(crate) struct ServerClient {
    place: ServerPlace,
    /// The runtime folder; the server must be the one of this folder.
    folder: Option<Folder>,
    /// The folder's token, once the server has proved that it knows it; not sent over the Unix socket.
    token: Option<String>,
    health: Value,
    connection: Option<HttpConnection>,
    now: fn() -> Instant,
    role: ClientRole,
    /// How long the server had to identify itself.
    timeout: Duration,
}

/// What kind of program asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClientRole {
    /// A command, which needs to know which server it asks.
    Command,
    /// A PROXY, which says so because the PRIMARY counts them.
    Proxy,
    /// A hook, which has no time to ask for the server's details.
    Hook,
}

/// Maximum length of the reason of a refusal.
const MAX_REASON_BYTES: u64 = 300;

impl ServerClient {
    /// Finds the PRIMARY and identifies it.
    pub(crate) fn find(
        folder: Option<&Folder>,
        place: ServerPlace,
        role: ClientRole,
        timeout: Duration,
        now: fn() -> Instant,
    ) -> Result<ServerClient, NoServer> {
        let folder = folder.cloned();
        let mut client = ServerClient {
            place,
            folder,
            token: None,
            health: Value::Null,
            connection: None,
            now,
            role,
            timeout,
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
            200 => parse_answer(&reply.body),
            // It is shutting down, and another server is about to become PRIMARY.
            503 => Err(CallError::Unreachable("the server is shutting down".to_owned())),
            status => Err(CallError::TurnedAway { status, reason: reply.reason() }),
        }
    }

    /// Asks one question whose answer may be of any length, and passes the JSON-RPC text to `read` as it arrives.
    /// `timeout` applies to each part.
    pub(crate) fn stream<T>(
        &mut self,
        method: &str,
        params: &Map<String, Value>,
        timeout: Duration,
        read: impl FnOnce(&mut dyn Read) -> T,
    ) -> Result<T, CallError> {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let unreachable = |error: io::Error| CallError::Unreachable(error.to_string());
        let deadline = (self.now)() + timeout;
        if self.connection.is_none() {
            self.connect(deadline).map_err(|none| CallError::Unreachable(none.to_string()))?;
        }
        let headers = self.headers();
        // The connection is not kept: the caller may stop reading halfway.
        let mut connection =
            self.connection.take().ok_or_else(|| unreachable(io::ErrorKind::NotConnected.into()))?;
        let head =
            connection.ask("POST", "/rpc", &headers, request.as_bytes(), deadline).map_err(unreachable)?;
        let mut body = connection.body(&head, Some(timeout));
        if head.status == 200 {
            return Ok(read(&mut body));
        }
        let mut reason = String::new();
        drop(body.take(MAX_REASON_BYTES).read_to_string(&mut reason));
        Err(CallError::TurnedAway { status: head.status, reason: reason.trim().to_owned() })
    }

    /// Returns the server's own description from when it was found: pid, port, version and more. Null for a hook.
    pub(crate) fn health(&self) -> &Value {
        &self.health
    }

    /// Sends a request on the open connection. If the server has closed it meanwhile, a new one is opened: then the
    /// request was not read, or has an id by which the server recognizes it.
    fn send(&mut self, verb: &str, path: &str, body: &[u8], deadline: Instant) -> io::Result<HttpReply> {
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
        let proxy =
            (self.role == ClientRole::Proxy).then(|| format!("Nudge-Proxy: {}\r\n", std::process::id()));
        [token, proxy].into_iter().flatten().collect()
    }

    fn keep(&mut self, connection: HttpConnection, reply: HttpReply) -> HttpReply {
        if reply.is_kept_alive {
            self.connection = Some(connection);
        }
        reply
    }
}

fn parse_answer(body: &[u8]) -> Result<Value, CallError> {
    let answer: Value = serde_json::from_slice(body)
        .map_err(|error| CallError::Unreachable(format!("the answer cannot be read: {error}")))?;
    let Value::Object(mut answer) = answer else {
        return Err(CallError::Unreachable("the answer is not JSON-RPC".to_owned()));
    };
    match (answer.remove("result"), answer.remove("error")) {
        (_, Some(error)) => Err(CallError::Refused(error)),
        (Some(result), None) => Ok(result),
        (None, None) => Err(CallError::Unreachable("the answer is not JSON-RPC".to_owned())),
    }
}
