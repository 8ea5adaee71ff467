//! Stops the PRIMARY: asks it to exit, resumes it first if it is stopped, and kills it only if it still does not answer
//! and has our lock open. A pid in a file is never enough reason.

use std::time::Duration;

use serde_json::{Map, Value};

use super::reach;
use crate::config::paths;
use crate::peers::{CallError, Folder, Membership, NoServer, ServerClient, ServerProcess};
use crate::system::clock;

/// How a server was stopped, and which server is PRIMARY now.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stopped {
    pub(crate) pid: Value,
    pub(crate) port: Value,
    pub(crate) manner: Manner,
    /// The next PRIMARY's description of itself, if there is one.
    pub(crate) next: Option<Value>,
    /// How many hints ended with the session, if it could be asked.
    pub(crate) lost_hints: Option<u64>,
}

/// What was necessary to stop it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    Asked,
    /// It was suspended by a signal, and was resumed to receive the request.
    Woken,
    Killed,
}

/// Why no server was stopped.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum StopError {
    #[error("{0}")]
    NoServer(NoServer),
    /// It does not answer, and cannot be proved to be a nudge server.
    #[error("{0}, and it is unknown whether that process is a server of this folder")]
    Unproved(NoServer),
    #[error("the server was not stopped: {0}")]
    Refused(String),
    /// The server did not answer the request, and is neither gone nor silent now.
    #[error("the server was not stopped: {0}")]
    Unanswered(String),
    #[error("the server (pid {0}) is still running")]
    StillThere(Value),
}

/// How long a server may take to identify itself, and how long to exit.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
const EXIT_TIMEOUT: Duration = Duration::from_secs(5);
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// How long another server may take to take over.
const TAKEOVER_TIMEOUT: Duration = Duration::from_millis(500);

/// Stops the server on this port, else the one in the address file.
pub(crate) fn stop(port: Option<u16>) -> Result<Stopped, StopError> {
    let none = match asked(port, Manner::Asked) {
        Ok(ended) => return ended,
        Err(none) => none,
    };
    let folder = Folder::find(&paths::runtime_dirs());
    let (NoServer::Silent { pid: Some(pid), port: silent, is_stopped, .. }, Some(folder)) = (&none, folder)
    else {
        return Err(StopError::NoServer(none));
    };
    let Some(holder) = ServerProcess::known(*pid, &folder) else { return Err(StopError::Unproved(none)) };
    if *is_stopped {
        holder.wake();
        if let Ok(ended) = asked(port, Manner::Woken) {
            return ended;
        }
    }
    holder.kill(&folder);
    let waited = clock::stopwatch();
    while ServerProcess::known(*pid, &folder).is_some() {
        if waited() > EXIT_TIMEOUT {
            return Err(StopError::StillThere((*pid).into()));
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    let next = successor(&Value::Null, &(*pid).into())?;
    if next.is_none() {
        // It could not remove its own files.
        drop(Membership::join(&folder).map(Membership::leave));
    }
    Ok(Stopped { pid: (*pid).into(), port: (*silent).into(), manner: Manner::Killed, next, lost_hints: None })
}

/// Finds the server and asks it to exit; fails if there is no server, or if it no longer answers.
///
/// A server may freeze at any time: after it has identified itself, and while it exits.
fn asked(port: Option<u16>, manner: Manner) -> Result<Result<Stopped, StopError>, NoServer> {
    let ended = ask(reach::primary(port, CONNECT_TIMEOUT)?, manner);
    if matches!(ended, Err(StopError::Unanswered(_) | StopError::StillThere(_)))
        && let Err(silent @ NoServer::Silent { .. }) = reach::primary(port, CONNECT_TIMEOUT)
    {
        return Err(silent);
    }
    Ok(ended)
}

fn ask(mut client: ServerClient, manner: Manner) -> Result<Stopped, StopError> {
    let health = client.health().clone();
    let status = client.call("nudge.status", &Map::new(), EXIT_TIMEOUT).unwrap_or_default();
    let lost_hints = status["hints"]["hints"].as_u64();
    client.call("nudge.stop", &Map::new(), EXIT_TIMEOUT).map_err(|error| match error {
        CallError::Unreachable(_) => StopError::Unanswered(error.to_string()),
        _ => StopError::Refused(error.to_string()),
    })?;
    drop(client);
    let next = successor(&health["instance"], &health["pid"])?;
    Ok(Stopped { pid: health["pid"].clone(), port: health["port"].clone(), manner, next, lost_hints })
}

/// Waits until this server is gone, and returns the server of the folder that comes after it. It is gone once its
/// address is gone, or is another server's.
fn successor(instance: &Value, pid: &Value) -> Result<Option<Value>, StopError> {
    let waited = clock::stopwatch();
    let mut is_gone = false;
    loop {
        match reach::written_down(EXIT_TIMEOUT) {
            Ok(next) if next.health()["instance"] == *instance => {}
            Ok(next) => return Ok(Some(next.health().clone())),
            // It has the lock, and may have been stopped while it leaves.
            Err(NoServer::Silent { pid: Some(silent), .. }) if *pid == silent => is_gone = false,
            Err(_) => is_gone = true,
        }
        // While others are running, one of them is about to take over.
        if is_gone && waited() > TAKEOVER_TIMEOUT && !reach::has_servers() {
            return Ok(None);
        }
        if waited() > EXIT_TIMEOUT {
            return if is_gone { Ok(None) } else { Err(StopError::StillThere(pid.clone())) };
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}
