//! Who answers questions about hints: this process if it leads, else the one that does.
//!
//! A question that meets a PRIMARY that is gone waits until there is one again, here or elsewhere, and is asked again.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::forward::Forward;
use super::hub::{Hub, internal};
use crate::api::HintMethod;
use crate::config::clock;
use crate::ops::load_hints;
use crate::runtime::{self, CallError, Folder};

/// The one to ask, whoever answers.
pub(super) struct Backend {
    role: watch::Sender<Role>,
    /// The way to the PRIMARY; none for a server that shares its hints with nobody.
    forward: Option<Arc<Forward>>,
}

#[derive(Clone)]
enum Role {
    Proxy,
    Primary(Arc<Hub>),
}

/// A body of HTTP, without what is put around the params.
const MOST_BYTES: usize = (8 << 20) - (1 << 10);
/// For so long a question waits for somebody who leads.
const PATIENCE: Duration = Duration::from_secs(8);
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

impl Backend {
    pub(super) fn new(folder: Folder) -> Backend {
        Backend { role: watch::Sender::new(Role::Proxy), forward: Some(Arc::new(Forward::new(folder))) }
    }

    /// Answers from the hints of this process alone.
    pub(super) fn alone(hub: Arc<Hub>) -> Backend {
        Backend { role: watch::Sender::new(Role::Primary(hub)), forward: None }
    }

    /// From now on this process answers itself.
    pub(super) fn lead(&self, hub: Arc<Hub>) {
        self.role.send_replace(Role::Primary(hub));
    }

    /// Answers a question about hints, or says why not, as an error of JSON-RPC.
    pub(super) async fn call(
        &self,
        method: HintMethod,
        mut params: Map<String, Value>,
    ) -> Result<Value, Value> {
        if is_too_large(&params) {
            return Err(too_large());
        }
        if method == HintMethod::Export {
            // A tool's result is one message.
            params.insert("whole".to_owned(), true.into());
        }
        let mut role = self.role.subscribe();
        let (waited, mut pause) = (clock::stopwatch(), FIRST_PAUSE);
        loop {
            let now = role.borrow_and_update().clone();
            if matches!(now, Role::Proxy) && changes_something(method) && !params.contains_key("request_id") {
                // Who is asked again must know that it is one question.
                params.insert("request_id".to_owned(), runtime::id().into());
            }
            let reason = match self.ask(now, method, params.clone()).await {
                Ok(result) => return Ok(result),
                Err(CallError::Refused(error)) => return Err(error),
                Err(CallError::TurnedAway { status, reason }) => {
                    return Err(internal(&format!("the PRIMARY refuses ({status}): {reason}")));
                }
                Err(CallError::Unreachable(reason)) => reason,
            };
            if waited() >= PATIENCE {
                let message = format!("no server keeps the hints at the moment: {reason}");
                return Err(internal(&message));
            }
            drop(tokio::time::timeout(pause, role.changed()).await);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    async fn ask(
        &self,
        role: Role,
        method: HintMethod,
        params: Map<String, Value>,
    ) -> Result<Value, CallError> {
        match role {
            Role::Primary(hub) => hub.answer(method, params).await.map(|answer| answer.to_value()),
            Role::Proxy => {
                let Some(forward) = self.forward.clone() else {
                    return Err(CallError::Unreachable("this server shares no hints".to_owned()));
                };
                let asked = tokio::task::spawn_blocking(move || forward.call(method, &params)).await;
                asked.unwrap_or_else(|error| Err(CallError::Unreachable(error.to_string())))
            }
        }
    }

    /// Asks the PRIMARY who it is, for a PROXY that has just come.
    pub(super) async fn greet(&self) -> Option<Value> {
        let forward = self.forward.clone()?;
        tokio::task::spawn_blocking(move || forward.greet().ok()).await.ok().flatten()
    }
}

/// What is too large for the way to the PRIMARY is too large for the PRIMARY itself: it must not matter who is asked.
fn is_too_large(params: &Map<String, Value>) -> bool {
    load_hints::size(params) > MOST_BYTES
}

fn too_large() -> Value {
    let detail = "a question may have 8 MiB; import in several parts: mode merge adds them up";
    json!({ "code": 40001, "message": detail, "data": { "reason": "E_INVALID", "detail": detail } })
}

fn changes_something(method: HintMethod) -> bool {
    use HintMethod::{Bump, DeleteHint, Import, SetHint};
    matches!(method, SetHint | DeleteHint | Bump | Import)
}
