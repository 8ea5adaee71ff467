//! The hints of the PRIMARY, and the questions to them: one at a time, and none may cost the server.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use serde_json::{Map, Value, json};
use tokio::sync::Notify;

use crate::api::{HintMethod, Refusal};
use crate::config::clock;
use crate::model::Problem;
use crate::ops::hints::{Answer, Desk, Snapshot};
use crate::ops::problems;
use crate::runtime::CallError;

/// The desk, for all who ask this process.
pub(super) struct Hub {
    /// None once the hints are handed over.
    desk: Mutex<Option<Desk>>,
    generation: AtomicU64,
    /// Told after each change.
    pub(super) changed: Notify,
}

type Params = Map<String, Value>;

impl Hub {
    pub(super) fn new(desk: Desk) -> Hub {
        let generation = AtomicU64::new(desk.generation());
        Hub { desk: Mutex::new(Some(desk)), generation, changed: Notify::new() }
    }

    /// Answers a question: at once if that is quick, else on a thread that may take its time.
    pub(super) async fn answer(
        self: &Arc<Self>,
        method: HintMethod,
        params: Params,
    ) -> Result<Answer, CallError> {
        if !is_long(method, &params) {
            match self.desk.try_lock() {
                Ok(desk) => return self.answer_with(desk, method, &params),
                Err(TryLockError::Poisoned(poisoned)) => {
                    return self.answer_with(poisoned.into_inner(), method, &params);
                }
                Err(TryLockError::WouldBlock) => {}
            }
        }
        let hub = Arc::clone(self);
        let answered =
            tokio::task::spawn_blocking(move || hub.answer_with(hub.lock(), method, &params)).await;
        answered.unwrap_or_else(|_| Err(CallError::Refused(broken_down())))
    }

    fn answer_with(
        &self,
        mut guard: MutexGuard<'_, Option<Desk>>,
        method: HintMethod,
        params: &Params,
    ) -> Result<Answer, CallError> {
        let Some(desk) = guard.as_mut() else {
            return Err(CallError::Unreachable("the server is leaving".to_owned()));
        };
        let answer = catch_unwind(AssertUnwindSafe(|| desk.answer(method, params, clock::moment())));
        if self.generation.swap(desk.generation(), Ordering::Relaxed) != desk.generation() {
            self.changed.notify_one();
        }
        drop(guard);
        match answer {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(refusal)) => Err(CallError::Refused(to_error(&refusal))),
            Err(_) => {
                problems::record(&[Problem::error(format!(
                    "`{}` broke down; the server went on",
                    method.name()
                ))
                .hint("please report this, with the question if you can")]);
                Err(CallError::Refused(broken_down()))
            }
        }
    }

    /// Counts the changes so far, without waiting for who is asking.
    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }

    /// Returns all hints to be written down, with the generation that this covers.
    pub(super) fn snapshot(&self) -> Option<(u64, Snapshot)> {
        let guard = self.lock();
        let desk = guard.as_ref()?;
        Some((desk.generation(), desk.snapshot()))
    }

    pub(super) fn sweep(&self) {
        if let Some(desk) = self.lock().as_mut() {
            desk.sweep(clock::moment());
        }
    }

    pub(super) fn counts(&self) -> Value {
        self.lock().as_ref().map_or(Value::Null, |desk| desk.counts(clock::moment()))
    }

    /// Takes the hints away: from now on questions go to the next PRIMARY.
    pub(super) fn close(&self) -> Option<Desk> {
        self.lock().take()
    }

    /// A panic is one answer: what it left is still the best that there is.
    fn lock(&self) -> MutexGuard<'_, Option<Desk>> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Says whether a question may keep others waiting.
fn is_long(method: HintMethod, params: &Params) -> bool {
    match method {
        HintMethod::Query => params.contains_key("regex"),
        HintMethod::Import | HintMethod::Export => true,
        _ => false,
    }
}

/// Returns a refusal as an error of JSON-RPC; one without a number is a failure of ours.
pub(super) fn to_error(refusal: &Refusal) -> Value {
    refusal.to_error().unwrap_or_else(|| internal(&refusal.to_string()))
}

/// An error for which the seed has no number.
pub(super) fn internal(message: &str) -> Value {
    json!({ "code": -32603, "message": message, "data": { "reason": "E_INTERNAL", "detail": message } })
}

fn broken_down() -> Value {
    internal("nudge broke down over this question; others are still answered")
}
