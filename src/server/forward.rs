//! Forwards questions from a PROXY to the PRIMARY.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value};

use crate::api::hints::HintMethod;
use crate::peers::{CallError, ClientRole, Folder, ServerClient, ServerPlace};
use crate::system::clock;

/// The connections of a PROXY; each question uses one of them alone.
pub(super) struct Forward {
    folder: Folder,
    idle: Mutex<Vec<ServerClient>>,
}

/// How long to wait for the PRIMARY to identify itself.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// How long to wait for an ordinary answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(8);
/// How long to wait for a long answer; a full export takes longest.
const LONG_ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum number of idle connections.
const MAX_IDLE: usize = 4;

impl Forward {
    pub(super) fn new(folder: Folder) -> Forward {
        Forward { folder, idle: Mutex::new(Vec::new()) }
    }

    /// Forwards a question and waits for the answer.
    pub(super) fn call(&self, method: HintMethod, params: &Map<String, Value>) -> Result<Value, CallError> {
        let kept = self.idle().pop();
        let mut client = match kept {
            Some(client) => client,
            None => self.find()?,
        };
        let timeout = match method {
            HintMethod::Query | HintMethod::Export | HintMethod::Import => LONG_ANSWER_TIMEOUT,
            _ => ANSWER_TIMEOUT,
        };
        let answer = client.call(method.name(), params, timeout);
        match answer {
            // All of them go to a server that is gone.
            Err(CallError::Unreachable(_)) => self.idle().clear(),
            _ if self.idle().len() < MAX_IDLE => self.idle().push(client),
            _ => {}
        }
        answer
    }

    /// Asks the PRIMARY to identify itself, which also registers this PROXY.
    pub(super) fn greet(&self) -> Result<Value, CallError> {
        let client = self.find()?;
        let health = client.health().clone();
        self.idle().push(client);
        Ok(health)
    }

    fn find(&self) -> Result<ServerClient, CallError> {
        // If the folder has no address yet, the PRIMARY is about to write one. Any program could listen on the default
        // port.
        ServerClient::find(
            Some(&self.folder),
            ServerPlace::Folder,
            ClientRole::Proxy,
            CONNECT_TIMEOUT,
            clock::instant,
        )
        .map_err(|none| CallError::Unreachable(none.to_string()))
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<ServerClient>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
