//! The hints of the PRIMARY. Questions are answered one at a time, and a panic in one does not end the server.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use serde_json::{Map, Value};
use tokio::sync::Notify;

use super::log::{Level, Log};
use crate::api::Refusal;
use crate::api::hints::HintMethod;
use crate::api::status::HintCountsWire;
use crate::model::Problem;
use crate::ops::hints::{CallError, ChangeLog, HintAnswer, HintService, Snapshot};
use crate::ops::problems;
use crate::system::clock;

/// The hint service, shared by all callers of this process.
pub(super) struct Hub {
    /// `None` once the hints are handed over.
    service: Mutex<Option<HintService>>,
    generation: AtomicU64,
    /// Notified after each change.
    pub(super) changed: Notify,
    /// The log of changes; it is written to while the service is locked, so that its lines are in order.
    changes: Mutex<Option<ChangeLog>>,
    log: Log,
}

type Params = Map<String, Value>;

impl Hub {
    pub(super) fn new(service: HintService, changes: Option<ChangeLog>, log: Log) -> Hub {
        let generation = AtomicU64::new(service.generation());
        let (service, changes) = (Mutex::new(Some(service)), Mutex::new(changes));
        Hub { service, generation, changed: Notify::new(), changes, log }
    }

    /// Answers a question: immediately if that is quick, else on a thread that may block.
    pub(super) async fn answer(
        self: &Arc<Self>,
        method: HintMethod,
        params: Params,
    ) -> Result<HintAnswer, CallError> {
        if !is_long(method, &params) {
            match self.service.try_lock() {
                Ok(service) => return self.answer_with(service, method, &params),
                Err(TryLockError::Poisoned(poisoned)) => {
                    return self.answer_with(poisoned.into_inner(), method, &params);
                }
                Err(TryLockError::WouldBlock) => {}
            }
        }
        let hub = Arc::clone(self);
        let answered =
            tokio::task::spawn_blocking(move || hub.answer_with(hub.lock(), method, &params)).await;
        answered.unwrap_or_else(|_| Err(CallError::Refused(internal_failure())))
    }

    fn answer_with(
        &self,
        mut guard: MutexGuard<'_, Option<HintService>>,
        method: HintMethod,
        params: &Params,
    ) -> Result<HintAnswer, CallError> {
        let Some(service) = guard.as_mut() else {
            return Err(CallError::Unreachable("the server is shutting down".to_owned()));
        };
        let answer = catch_unwind(AssertUnwindSafe(|| service.answer(method, params, clock::moment())));
        if self.generation.swap(service.generation(), Ordering::Relaxed) != service.generation() {
            self.changed.notify_one();
        }
        self.write_down(&service.take_changes());
        drop(guard);
        match answer {
            Ok(Ok(result)) => {
                self.log.line(Level::Debug, format!("nudge: {}: answered", method.name()));
                Ok(result)
            }
            Ok(Err(refusal)) => {
                let error = to_error(&refusal);
                // The sentence may quote names that a caller sent by mistake; the code says enough.
                let line = format!("nudge: {}: refused, code {}", method.name(), error["code"]);
                self.log.line(Level::Debug, line);
                Err(CallError::Refused(error))
            }
            Err(_) => {
                problems::record(&[Problem::error(format!(
                    "`{}` failed with an internal error; the server is still running",
                    method.name()
                ))
                .hint("please report this bug, with the question if you can")]);
                Err(CallError::Refused(internal_failure()))
            }
        }
    }

    /// Logs a detail.
    pub(super) fn log_debug(&self, line: String) {
        self.log.line(Level::Debug, line);
    }

    /// Adds changes to the log before they are acknowledged. If that fails, the next snapshot has them.
    fn write_down(&self, lines: &[String]) {
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(log) = changes.as_mut().filter(|_| !lines.is_empty()) else { return };
        if let Err(error) = lines.iter().try_for_each(|line| log.append(line)) {
            let message = format!("nudge: the log of changes cannot be written: {error}");
            self.log.line(Level::Warn, message);
        }
    }

    /// Returns the number of changes so far, without waiting for the lock.
    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }

    /// Returns all hints for the snapshot file, with the generation that they cover.
    pub(super) fn snapshot(&self) -> Option<(u64, Snapshot)> {
        let guard = self.lock();
        let service = guard.as_ref()?;
        if let Some(log) = self.changes.lock().unwrap_or_else(PoisonError::into_inner).as_mut()
            && let Err(error) = log.begin_again()
        {
            self.log.line(Level::Warn, format!("nudge: the log of changes cannot be moved: {error}"));
        }
        Some((service.generation(), service.snapshot()))
    }

    pub(super) fn sweep(&self) {
        let swept = self.lock().as_mut().map_or(0, |service| service.sweep(clock::moment()));
        self.log.line(Level::Debug, format!("nudge: sweep: {swept} expired hints removed"));
    }

    pub(super) fn counts(&self) -> Option<HintCountsWire> {
        self.lock().as_ref().map(|service| service.counts(clock::moment()))
    }

    /// Takes the hints out: from now on the next PRIMARY answers questions.
    pub(super) fn close(&self) -> Option<HintService> {
        self.lock().take()
    }

    /// After a panic the hints are still used: they are the best that there is.
    fn lock(&self) -> MutexGuard<'_, Option<HintService>> {
        self.service.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether a question may take long.
fn is_long(method: HintMethod, params: &Params) -> bool {
    match method {
        HintMethod::Query => params.contains_key("regex"),
        HintMethod::Import | HintMethod::Export => true,
        _ => false,
    }
}

/// Returns a refusal as a JSON-RPC error; one without a code is an internal error.
pub(super) fn to_error(refusal: &Refusal) -> Value {
    refusal.to_error().unwrap_or_else(|| internal(&refusal.to_string()))
}

/// An error for which the seed defines no code.
pub(super) fn internal(message: &str) -> Value {
    Refusal::internal(message).to_error().unwrap_or_default()
}

fn internal_failure() -> Value {
    internal("nudge hit an internal error on this question; other questions still work")
}
