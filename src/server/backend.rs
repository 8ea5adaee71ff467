//! Who answers questions about hints: this process if it leads, else the one that does.
//!
//! A question that meets a PRIMARY that is gone waits until there is one again, here or elsewhere, and is asked again.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::watch;

use super::forward::Forward;
use super::hub::{Hub, internal};
use crate::api::HintMethod;
use crate::config::clock;
use crate::runtime::{self, CallError, Folder};

/// The one to ask, whoever answers.
pub(super) struct Backend {
    role: watch::Sender<Role>,
    forward: Arc<Forward>,
}

#[derive(Clone)]
enum Role {
    Proxy,
    Primary(Arc<Hub>),
}

/// For so long a question waits for somebody who leads.
const PATIENCE: Duration = Duration::from_secs(8);
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

impl Backend {
    pub(super) fn new(folder: Folder) -> Backend {
        Backend { role: watch::Sender::new(Role::Proxy), forward: Arc::new(Forward::new(folder)) }
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
        if changes_something(method) && !params.contains_key("request_id") {
            // Who answers twice must know that it is one question.
            params.insert("request_id".to_owned(), runtime::id().into());
        }
        let mut role = self.role.subscribe();
        let (waited, mut pause) = (clock::stopwatch(), FIRST_PAUSE);
        loop {
            let now = role.borrow_and_update().clone();
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
            Role::Primary(hub) => hub.answer(method, params).await,
            Role::Proxy => {
                let forward = Arc::clone(&self.forward);
                let asked = tokio::task::spawn_blocking(move || forward.call(method.name(), &params)).await;
                asked.unwrap_or_else(|error| Err(CallError::Unreachable(error.to_string())))
            }
        }
    }

    /// Asks the PRIMARY who it is, for a PROXY that has just come.
    pub(super) async fn greet(&self) -> Option<Value> {
        let forward = Arc::clone(&self.forward);
        tokio::task::spawn_blocking(move || forward.greet().ok()).await.ok().flatten()
    }
}

fn changes_something(method: HintMethod) -> bool {
    use HintMethod::{Bump, DeleteHint, Import, SetHint};
    matches!(method, SetHint | DeleteHint | Bump | Import)
}
