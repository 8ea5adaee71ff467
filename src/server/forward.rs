//! The way from a PROXY to the PRIMARY.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value};

use crate::api::HintMethod;
use crate::config::clock;
use crate::runtime::{CallError, Client, Folder, Place, Role};

/// The connections of a PROXY; each question takes one for itself.
pub(super) struct Forward {
    folder: Folder,
    idle: Mutex<Vec<Client>>,
}

/// How long the PRIMARY has to say who it is.
const TO_CONNECT: Duration = Duration::from_secs(2);
/// How long it has to answer what it answers at once.
const TO_ANSWER: Duration = Duration::from_secs(8);
/// The longest question is a full export.
const TO_ANSWER_AT_LENGTH: Duration = Duration::from_secs(60);
/// So many connections are kept.
const MOST_IDLE: usize = 4;

impl Forward {
    pub(super) fn new(folder: Folder) -> Forward {
        Forward { folder, idle: Mutex::new(Vec::new()) }
    }

    /// Passes a question on and waits for the answer.
    pub(super) fn call(&self, method: HintMethod, params: &Map<String, Value>) -> Result<Value, CallError> {
        let kept = self.idle().pop();
        let mut client = match kept {
            Some(client) => client,
            None => self.find()?,
        };
        let timeout = match method {
            HintMethod::Query | HintMethod::Export | HintMethod::Import => TO_ANSWER_AT_LENGTH,
            _ => TO_ANSWER,
        };
        let answer = client.call(method.name(), params, timeout);
        match answer {
            // All of them lead to who is gone.
            Err(CallError::Unreachable(_)) => self.idle().clear(),
            _ if self.idle().len() < MOST_IDLE => self.idle().push(client),
            _ => {}
        }
        answer
    }

    /// Asks the PRIMARY who it is; so it learns of this PROXY too.
    pub(super) fn greet(&self) -> Result<Value, CallError> {
        let client = self.find()?;
        let health = client.health().clone();
        self.idle().push(client);
        Ok(health)
    }

    fn find(&self) -> Result<Client, CallError> {
        // Where the folder says nothing yet, the PRIMARY is about to: a port alone would be anybody's.
        Client::find(Some(&self.folder), Place::Folder, Role::Proxy, TO_CONNECT, clock::instant)
            .map_err(|none| CallError::Unreachable(none.to_string()))
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Client>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
