//! Routes questions about hints: this process answers if it is PRIMARY, else the PRIMARY does.
//!
//! If the PRIMARY is gone, a question waits until there is one again, here or elsewhere, and is sent again.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::watch;

use super::forward::Forward;
use super::hub::{Hub, internal, to_error};
use super::log::{Level, Log};
use crate::api::Refusal;
use crate::api::hints::HintMethod;
use crate::model::HintFlaw;
use crate::ops::hints::import;
use crate::peers::{self, CallError, Folder};
use crate::system::clock;

/// Answers every question about hints, wherever the hints are.
pub(super) struct Backend {
    role: watch::Sender<BackendRole>,
    /// The connections to the PRIMARY; `None` for a server that does not share its hints.
    forward: Option<Arc<Forward>>,
    log: Log,
}

#[derive(Clone)]
enum BackendRole {
    Proxy,
    Primary(Arc<Hub>),
}

/// Maximum size of params: an HTTP body without the JSON-RPC envelope.
const MAX_PARAMS_BYTES: usize = (8 << 20) - (1 << 10);
/// How long a question waits for a PRIMARY.
const PRIMARY_TIMEOUT: Duration = Duration::from_secs(8);
const MIN_RETRY_INTERVAL: Duration = Duration::from_millis(10);
const MAX_RETRY_INTERVAL: Duration = Duration::from_millis(250);

impl Backend {
    pub(super) fn new(folder: Folder, log: Log) -> Backend {
        Backend {
            role: watch::Sender::new(BackendRole::Proxy),
            forward: Some(Arc::new(Forward::new(folder))),
            log,
        }
    }

    /// Answers from the hints of this process alone.
    pub(super) fn alone(hub: Arc<Hub>, log: Log) -> Backend {
        Backend { role: watch::Sender::new(BackendRole::Primary(hub)), forward: None, log }
    }

    /// From now on this process answers.
    pub(super) fn become_primary(&self, hub: Arc<Hub>) {
        self.role.send_replace(BackendRole::Primary(hub));
    }

    /// Answers a question about hints, or returns a JSON-RPC error.
    pub(super) async fn call(
        &self,
        method: HintMethod,
        mut params: Map<String, Value>,
    ) -> Result<Value, Value> {
        if is_too_large(&params) {
            return Err(too_large());
        }
        if method == HintMethod::Export {
            // A tool result is one message.
            params.insert("whole".to_owned(), true.into());
        }
        let mut role = self.role.subscribe();
        let (waited, mut pause) = (clock::stopwatch(), MIN_RETRY_INTERVAL);
        loop {
            let now = role.borrow_and_update().clone();
            if matches!(now, BackendRole::Proxy)
                && method.changes_something()
                && !params.contains_key("request_id")
            {
                // The server must recognize a question that is sent again.
                params.insert("request_id".to_owned(), peers::id().into());
            }
            let reason = match self.ask(now, method, params.clone()).await {
                Ok(result) => return Ok(result),
                Err(CallError::Refused(error)) => return Err(error),
                Err(CallError::TurnedAway { status, reason }) => {
                    return Err(internal(&format!("the PRIMARY refuses ({status}): {reason}")));
                }
                Err(CallError::Unreachable(reason)) => reason,
            };
            if waited() >= PRIMARY_TIMEOUT {
                let message = format!("no server has the hints at the moment: {reason}; try again later");
                return Err(internal(&message));
            }
            drop(tokio::time::timeout(pause, role.changed()).await);
            pause = (pause * 2).min(MAX_RETRY_INTERVAL);
        }
    }

    async fn ask(
        &self,
        role: BackendRole,
        method: HintMethod,
        params: Map<String, Value>,
    ) -> Result<Value, CallError> {
        match role {
            BackendRole::Primary(hub) => hub.answer(method, params).await.map(|answer| answer.to_value()),
            BackendRole::Proxy => {
                let Some(forward) = self.forward.clone() else {
                    return Err(CallError::Unreachable("this server does not share hints".to_owned()));
                };
                let asked = tokio::task::spawn_blocking(move || forward.call(method, &params)).await;
                let answer = asked.unwrap_or_else(|error| Err(CallError::Unreachable(error.to_string())));
                let outcome = match &answer {
                    Ok(_) => "answered",
                    Err(CallError::Refused(_)) => "refused",
                    Err(_) => "not answered",
                };
                self.log.line(Level::Debug, format!("nudge: {}: {outcome} by the PRIMARY", method.name()));
                answer
            }
        }
    }

    /// Asks the PRIMARY to identify itself, for a PROXY that has just started.
    pub(super) async fn greet(&self) -> Option<Value> {
        let forward = self.forward.clone()?;
        tokio::task::spawn_blocking(move || forward.greet().ok()).await.ok().flatten()
    }
}

/// The same limit applies in a PROXY and in the PRIMARY: it must not matter which server is asked.
fn is_too_large(params: &Map<String, Value>) -> bool {
    import::size(params) > MAX_PARAMS_BYTES
}

fn too_large() -> Value {
    let detail = "a question may have up to 8 MiB; import in several parts: mode merge adds them up";
    to_error(&Refusal::of_hint(HintFlaw::invalid(detail)))
}
