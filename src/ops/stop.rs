//! Ends the PRIMARY: asks it to go, wakes it first if it is stopped, and kills it only if it still does not answer and
//! has our lock open. A number in a file is never reason enough.

use std::time::Duration;

use serde_json::{Map, Value};

use super::reach;
use crate::config::{clock, paths};
use crate::runtime::{Folder, Membership, NoServer, ServerClient, ServerProcess};

/// How a server went, and who leads now.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stopped {
    pub(crate) pid: Value,
    pub(crate) port: Value,
    pub(crate) manner: Manner,
    /// What the next PRIMARY says of itself, if there is one.
    pub(crate) next: Option<Value>,
}

/// What it took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    Asked,
    /// It was stopped by a signal, and had to go on to hear that it shall end.
    Woken,
    Killed,
}

/// Why no server was ended.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum StopError {
    #[error("{0}")]
    NoServer(NoServer),
    /// It does not answer, and cannot be proved to be ours.
    #[error("{0}, and it cannot be told whether that process is a server of this folder")]
    Unproved(NoServer),
    #[error("the server was not stopped: {0}")]
    Refused(String),
    #[error("the server (pid {0}) is still there")]
    StillThere(Value),
}

/// How long a server has to say who it is, and how long to go.
const HELLO: Duration = Duration::from_secs(3);
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(20);
/// A moment for another one to take over.
const SUCCESSION: Duration = Duration::from_millis(500);

/// Ends the server on this port, else the one that is written down.
pub(crate) fn stop(port: Option<u16>) -> Result<Stopped, StopError> {
    let none = match reach::primary(port, HELLO) {
        Ok(client) => return ask(client, Manner::Asked),
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
        if let Ok(client) = reach::primary(port, HELLO) {
            return ask(client, Manner::Woken);
        }
    }
    holder.kill(&folder);
    let waited = clock::stopwatch();
    while ServerProcess::known(*pid, &folder).is_some() {
        if waited() > PATIENCE {
            return Err(StopError::StillThere((*pid).into()));
        }
        std::thread::sleep(PAUSE);
    }
    let next = successor(&Value::Null, &(*pid).into())?;
    if next.is_none() {
        // It could not put its own things away.
        drop(Membership::join(&folder).map(Membership::leave));
    }
    Ok(Stopped { pid: (*pid).into(), port: (*silent).into(), manner: Manner::Killed, next })
}

fn ask(mut client: ServerClient, manner: Manner) -> Result<Stopped, StopError> {
    let health = client.health().clone();
    let asked = client.call("nudge.stop", &Map::new(), PATIENCE);
    asked.map_err(|error| StopError::Refused(error.to_string()))?;
    drop(client);
    let next = successor(&health["instance"], &health["pid"])?;
    Ok(Stopped { pid: health["pid"].clone(), port: health["port"].clone(), manner, next })
}

/// Waits until this one is gone, and says which server of the folder comes after it. Once its address is gone or another
/// one's, so is it.
fn successor(instance: &Value, pid: &Value) -> Result<Option<Value>, StopError> {
    let waited = clock::stopwatch();
    let mut is_gone = false;
    loop {
        match reach::written_down(PATIENCE) {
            Ok(next) if next.health()["instance"] == *instance => {}
            Ok(next) => return Ok(Some(next.health().clone())),
            Err(_) => is_gone = true,
        }
        // While others are there, one of them is about to take over.
        if is_gone && waited() > SUCCESSION && !reach::has_servers() {
            return Ok(None);
        }
        if waited() > PATIENCE {
            return if is_gone { Ok(None) } else { Err(StopError::StillThere(pid.clone())) };
        }
        std::thread::sleep(PAUSE);
    }
}
