//! Finds the PRIMARY of a folder, and makes sure that it is the one before anything is sent to it.
//!
//! First the Unix socket in the private folder. Else TCP: the kernel says which user listens there, and the server proves
//! that it knows the folder's token, before anything but the challenge is sent. Then it says which server it is, and must
//! be the one of this folder.

use std::io;
use std::time::Instant;

use serde_json::Value;

use super::connection::{Connection, Reply};
use super::{Client, NoServer};
use crate::files::{self, Process};
use crate::runtime::owner::{self, Listener};
#[cfg(unix)]
use crate::runtime::socket;
use crate::runtime::{Address, DEFAULT_PORT, Folder, Primacy, id, is_same_secret, proof};

/// Where a server is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// On the port that the user names.
    Port(u16),
    /// Where the folder says, else on the default port.
    FolderOrDefault,
    /// Where the folder says, and nowhere else.
    Folder,
}

impl Client {
    /// Connects to the server of the folder, or says why there is none.
    pub(super) fn connect(&mut self, deadline: Instant) -> Result<(), NoServer> {
        self.token = None;
        self.patience = deadline.saturating_duration_since((self.now)());
        let address = self.folder.as_ref().and_then(Address::read);
        let written = address.as_ref().map(|address| address.port);
        if matches!(self.place, Place::Port(port) if Some(port) != written) {
            return self.connect_over_tcp(None, deadline);
        }
        #[cfg(unix)]
        if let Some(folder) = &self.folder {
            match socket::connect(folder, deadline, self.now) {
                Ok(stream) => {
                    let port = written.unwrap_or(DEFAULT_PORT);
                    let connection = Connection::over_unix(stream, port, deadline, self.now);
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

    /// Asks for the name of a server that the kernel has identified already.
    #[cfg(unix)]
    fn greet(
        &mut self,
        mut connection: Connection,
        address: Option<&Address>,
        deadline: Instant,
    ) -> Result<(), NoServer> {
        if self.role == super::Role::Hook {
            self.connection = Some(connection);
            return Ok(());
        }
        let port = address.map(|address| address.port);
        let reply = connection.exchange("GET", "/health", &self.headers(), b"", deadline);
        let reply = reply.map_err(|error| match error.kind() {
            io::ErrorKind::TimedOut => self.silent(address),
            _ => NoServer::NotRunning { port },
        })?;
        let health = self.read_health(&reply, port.unwrap_or(DEFAULT_PORT))?;
        self.keep_identified(connection, &reply, health)
    }

    /// Connects over TCP. The address is that of the server which is expected on this port.
    fn connect_over_tcp(&mut self, address: Option<&Address>, deadline: Instant) -> Result<(), NoServer> {
        let port = match (self.place, address) {
            (Place::Port(port), _) => port,
            (_, Some(address)) => address.port,
            (Place::FolderOrDefault, None) if self.folder.is_some() => DEFAULT_PORT,
            _ => return Err(NoServer::NotRunning { port: None }),
        };
        let none = |client: &Client, error: &io::Error, otherwise: NoServer| match error.kind() {
            // A server that is stopped for long has no more room for connections.
            io::ErrorKind::TimedOut => client.silent_on(port, address),
            _ => otherwise,
        };
        let mut connection = Connection::open(port, deadline, self.now)
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
        // The token goes only to a server that knows it.
        self.token = token;
        if reply.status == 401 && reply.is_kept_alive {
            let asked = connection.exchange("GET", "/health", &self.headers(), b"", deadline);
            reply = asked.map_err(|error| none(self, &error, NoServer::Stranger { port }))?;
        }
        let health = self.read_health(&reply, port)?;
        self.check_folder(&health, port, address)?;
        self.keep_identified(connection, &reply, health)
    }

    /// Says why a listener without a proof is not our server. What a program of ours says only words the message.
    fn unproved(&self, listener: Listener, reply: &Reply, port: u16) -> NoServer {
        if listener != Listener::Us {
            return NoServer::Stranger { port };
        }
        let checked = self.read_health(reply, port).and_then(|health| self.check_folder(&health, port, None));
        checked.err().unwrap_or(NoServer::Stranger { port })
    }

    /// Reads what a server says of itself.
    fn read_health(&self, reply: &Reply, port: u16) -> Result<Value, NoServer> {
        if matches!(reply.status, 401 | 403 | 503) {
            return Err(NoServer::Refused { port, reason: reply.reason() });
        }
        let health: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
        let is_server = health["status"] == "ok" && health["instance"].is_string();
        if is_server { Ok(health) } else { Err(NoServer::Stranger { port }) }
    }

    /// Makes sure that a server of this user is the one of this folder.
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
        connection: Connection,
        reply: &Reply,
        health: Value,
    ) -> Result<(), NoServer> {
        // A server that closes the connection is about to leave; a new connection may lead elsewhere.
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

    /// Says who it is that says nothing.
    fn silent_on(&self, port: u16, address: Option<&Address>) -> NoServer {
        let is_led = self.folder.as_ref().is_some_and(Primacy::is_taken);
        let pid = address.filter(|_| is_led).map(|address| address.pid);
        let is_stopped = pid.and_then(Process::with_pid).is_some_and(|process| process.is_stopped);
        NoServer::Silent { port, pid, is_stopped, waited: self.patience }
    }
}
