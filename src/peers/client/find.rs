//! Finds the PRIMARY of a folder, and identifies it before anything is sent to it.
//!
//! It tries the Unix socket in the private folder first, then TCP. Over TCP, the kernel says which user listens, and
//! the server proves that it knows the folder's token, before anything but the challenge is sent. Then the server says
//! which one it is, and must be the one of this folder.

use std::io;
use std::time::Instant;

use serde_json::Value;

use super::connection::{HttpConnection, HttpReply};
use super::{NoServer, ServerClient};
use crate::files::{self, Process};
use crate::peers::owner::{self, Listener};
#[cfg(unix)]
use crate::peers::socket;
use crate::peers::{Address, DEFAULT_PORT, Folder, Primacy, id, is_same_secret, proof};

/// Where to look for a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerPlace {
    /// On the port that the user gives.
    Port(u16),
    /// At the address in the folder, else on the default port.
    FolderOrDefault,
    /// At the address in the folder, and nowhere else.
    Folder,
}

impl ServerClient {
    /// Connects to the server of the folder.
    pub(super) fn connect(&mut self, deadline: Instant) -> Result<(), NoServer> {
        self.token = None;
        self.timeout = deadline.saturating_duration_since((self.now)());
        let address = self.folder.as_ref().and_then(Address::read);
        let written = address.as_ref().map(|address| address.port);
        if matches!(self.place, ServerPlace::Port(port) if Some(port) != written) {
            return self.connect_over_tcp(None, deadline);
        }
        #[cfg(unix)]
        if let Some(folder) = &self.folder {
            match socket::connect(folder, deadline, self.now) {
                Ok(stream) => {
                    let port = written.unwrap_or(DEFAULT_PORT);
                    let connection = HttpConnection::over_unix(stream, port, deadline, self.now);
                    return self.greet(connection, address.as_ref(), deadline);
                }
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                    return Err(self.silent(address.as_ref()));
                }
                // No server, an older one, or one that could not make its socket.
                Err(_) => {}
            }
        }
        self.connect_over_tcp(address.as_ref(), deadline)
    }

    /// Asks a server for its details; the kernel has identified it already.
    #[cfg(unix)]
    fn greet(
        &mut self,
        mut connection: HttpConnection,
        address: Option<&Address>,
        deadline: Instant,
    ) -> Result<(), NoServer> {
        if self.role == super::ClientRole::Hook {
            self.connection = Some(connection);
            return Ok(());
        }
        let port = address.map(|address| address.port);
        let reply = connection.exchange("GET", "/health", &self.headers(), b"", deadline);
        let reply = reply.map_err(|error| match error.kind() {
            io::ErrorKind::TimedOut => self.silent(address),
            _ => NoServer::NotRunning { port },
        })?;
        let health = self.parse_health(&reply, port.unwrap_or(DEFAULT_PORT))?;
        self.keep_identified(connection, &reply, health)
    }

    /// Connects over TCP. `address` is that of the server expected on this port.
    fn connect_over_tcp(&mut self, address: Option<&Address>, deadline: Instant) -> Result<(), NoServer> {
        let port = match (self.place, address) {
            (ServerPlace::Port(port), _) => port,
            (_, Some(address)) => address.port,
            (ServerPlace::FolderOrDefault, None) if self.folder.is_some() => DEFAULT_PORT,
            _ => return Err(NoServer::NotRunning { port: None }),
        };
        let none = |client: &ServerClient, error: &io::Error, otherwise: NoServer| match error.kind() {
            // A server that has been stopped for long accepts no more connections.
            io::ErrorKind::TimedOut => client.silent_on(port, address),
            _ => otherwise,
        };
        let mut connection = HttpConnection::open(port, deadline, self.now)
            .map_err(|error| none(self, &error, NoServer::NotRunning { port: Some(port) }))?;
        let Some((listener, client_port)) = connection
            .tcp()
            .and_then(|stream| Some((owner::listener(stream), stream.local_addr().ok()?.port())))
        else {
            return Err(NoServer::NotRunning { port: Some(port) });
        };
        if let Listener::Other(uid) = listener {
            return Err(NoServer::OtherUser { port, uid });
        }
        let challenge = id();
        let ask = format!("Nudge-Challenge: {challenge}\r\n");
        let reply = connection.exchange("GET", "/health", &ask, b"", deadline);
        let mut reply = reply.map_err(|error| none(self, &error, NoServer::Stranger { port }))?;
        let token = self.folder.as_ref().and_then(Folder::token);
        let right = token.as_ref().and_then(|token| proof(token, &challenge, port, client_port));
        // Any program of this user can name the folder; only its server can prove that it knows the token.
        let is_proved =
            right.zip(reply.proof.as_deref()).is_some_and(|(right, given)| is_same_secret(given, &right));
        if !is_proved {
            return Err(self.unproved(listener, &reply, port));
        }
        // The token is sent only to a server that knows it.
        self.token = token;
        if reply.status == 401 && reply.is_kept_alive {
            let asked = connection.exchange("GET", "/health", &self.headers(), b"", deadline);
            reply = asked.map_err(|error| none(self, &error, NoServer::Stranger { port }))?;
        }
        let health = self.parse_health(&reply, port)?;
        self.check_folder(&health, port, address)?;
        self.keep_identified(connection, &reply, health)
    }

    /// Returns why a listener without a proof is not our server. What it says about itself only affects the message.
    fn unproved(&self, listener: Listener, reply: &HttpReply, port: u16) -> NoServer {
        if listener != Listener::Us {
            return NoServer::Stranger { port };
        }
        let checked =
            self.parse_health(reply, port).and_then(|health| self.check_folder(&health, port, None));
        checked.err().unwrap_or(NoServer::Stranger { port })
    }

    /// Parses a server's description of itself.
    fn parse_health(&self, reply: &HttpReply, port: u16) -> Result<Value, NoServer> {
        if matches!(reply.status, 401 | 403 | 503) {
            return Err(NoServer::Refused { port, reason: reply.reason() });
        }
        let health: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
        let is_server = health["status"] == "ok" && health["instance"].is_string();
        if is_server { Ok(health) } else { Err(NoServer::Stranger { port }) }
    }

    /// Checks that a server of this user is the one of this folder.
    fn check_folder(&self, health: &Value, port: u16, address: Option<&Address>) -> Result<(), NoServer> {
        let is_expected = |address: &Address| {
            health["pid"] == address.pid && health["instance"] == address.instance.as_str()
        };
        if address.is_some_and(is_expected) {
            return Ok(());
        }
        let Some(theirs) = health["runtime_dir"].as_str() else { return Err(NoServer::Stranger { port }) };
        let is_same = |folder: &Folder| {
            let same_path = theirs == folder.path().to_string_lossy()
                || files::canonical(folder.path()).is_ok_and(|path| theirs == path.to_string_lossy());
            same_path && health["runtime_id"] == folder.identity().as_str()
        };
        if self.folder.as_ref().is_some_and(is_same) {
            return Ok(());
        }
        Err(NoServer::OtherFolder { port, pid: health["pid"].as_u64(), folder: theirs.to_owned() })
    }

    fn keep_identified(
        &mut self,
        connection: HttpConnection,
        reply: &HttpReply,
        health: Value,
    ) -> Result<(), NoServer> {
        // A server that closes the connection is shutting down; a new connection may reach another one.
        if !reply.is_kept_alive {
            return Err(NoServer::NotRunning { port: None });
        }
        self.health = health;
        self.connection = Some(connection);
        Ok(())
    }

    #[cfg(unix)]
    fn silent(&self, address: Option<&Address>) -> NoServer {
        self.silent_on(address.map_or(DEFAULT_PORT, |address| address.port), address)
    }

    /// Describes a server that does not answer.
    fn silent_on(&self, port: u16, address: Option<&Address>) -> NoServer {
        let has_primary = self.folder.as_ref().is_some_and(Primacy::is_taken);
        let pid = address.filter(|_| has_primary).map(|address| address.pid);
        let is_stopped = pid.and_then(Process::with_pid).is_some_and(|process| process.is_stopped);
        NoServer::Silent { port, pid, is_stopped, waited: self.timeout }
    }
}
