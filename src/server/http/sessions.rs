//! MCP over HTTP: its sessions, which expire, and the answers that are being sent.
//!
//! `rmcp` ends a session that has not been used for a while. Here the number of sessions is limited too: when there are
//! too many, the one that was unused for the longest time ends. Its client gets 404 and starts a new one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::{HeaderMap, Method, Request, StatusCode};
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::body::MAX_BODY_BYTES;
use super::reply::{self, Reply};
use crate::server::answer_space::AnswerShare;
use crate::server::mcp::Mcp;

/// With more sessions, the one that was unused for the longest time ends; each takes about 50 KB.
const MAX_SESSIONS: usize = 128;
/// A session ends after this time without a message; agents do not think that long between two calls.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30 * 60);
/// A client must finish `initialize` within this time.
const INIT_TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum number of calls whose answers are not fully read. The bytes of their answers are limited by their share.
const MAX_OPEN_CALLS: usize = 32;
/// A call waits this long for its turn.
const TURN_TIMEOUT: Duration = Duration::from_secs(15);
const SESSION_ID: &str = "mcp-session-id";

pub(super) struct Sessions {
    service: StreamableHttpService<Mcp, LocalSessionManager>,
    manager: Arc<LocalSessionManager>,
    used: Mutex<Used>,
    open_calls: Arc<Semaphore>,
}

/// When each session was last used, by a counter of uses.
#[derive(Default)]
struct Used {
    now: u64,
    by_id: HashMap<Arc<str>, u64>,
}

impl Sessions {
    pub(super) fn new(new_server: impl Fn() -> Mcp + Send + Sync + 'static) -> Sessions {
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = Some(IDLE_TIMEOUT);
        manager.session_config.init_timeout = Some(INIT_TIMEOUT);
        // Answers are not kept for a client that reconnects: it asks again.
        manager.session_config.completed_cache_ttl = Duration::ZERO;
        let manager = Arc::new(manager);
        // Host and origin were checked before, including the port.
        let config = StreamableHttpServerConfig::default().with_max_request_body_bytes(MAX_BODY_BYTES);
        let service = StreamableHttpService::new(move || Ok(new_server()), Arc::clone(&manager), config);
        let open_calls = Arc::new(Semaphore::new(MAX_OPEN_CALLS));
        Sessions { service, manager, used: Mutex::default(), open_calls }
    }

    /// Ends all sessions.
    pub(super) fn close(&self) {
        self.service.config.cancellation_token.cancel();
    }

    pub(super) async fn count(&self) -> usize {
        self.manager.sessions.read().await.len()
    }

    pub(super) async fn answer(&self, mut request: Request<Full<Bytes>>, share: AnswerShare) -> Reply {
        let known = session_id(request.headers());
        if let Some(id) = &known {
            self.touch(id);
        }
        let is_call = request.method() == Method::POST;
        let is_end = request.method() == Method::DELETE;
        let Ok(permit) = timeout(TURN_TIMEOUT, self.turn(is_call)).await else {
            let why = "too many answers are not read yet; read them, and ask again";
            return reply::last(reply::text(StatusCode::SERVICE_UNAVAILABLE, why));
        };
        // `rmcp` passes the head of the request to the call, and the share with it.
        request.extensions_mut().insert(share.clone());
        let mut reply = self.service.handle(request).await;
        if is_end && reply.status() == StatusCode::ACCEPTED {
            // The session has ended already, and clients report every other status as a failure.
            *reply.status_mut() = StatusCode::NO_CONTENT;
        }
        if known.is_none()
            && let Some(id) = session_id(reply.headers())
        {
            self.touch(&id);
            self.end_unused().await;
        }
        reply::holding(reply, (permit, share))
    }

    /// Waits until a call may begin; a stream of notifications does not wait.
    async fn turn(&self, is_call: bool) -> Option<OwnedSemaphorePermit> {
        if !is_call {
            return None;
        }
        Arc::clone(&self.open_calls).acquire_owned().await.ok()
    }

    fn touch(&self, id: &Arc<str>) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.now += 1;
        let now = used.now;
        used.by_id.insert(Arc::clone(id), now);
    }

    /// Ends sessions until there are no more than allowed.
    async fn end_unused(&self) {
        let ids: Vec<Arc<str>> = self.manager.sessions.read().await.keys().cloned().collect();
        for id in self.used.lock().unwrap_or_else(PoisonError::into_inner).oldest(ids, MAX_SESSIONS) {
            let manager = Arc::clone(&self.manager);
            // It may wait for a client that does not read, and nobody else should wait for it.
            tokio::spawn(async move { drop(manager.close_session(&id).await) });
        }
    }
}

impl Used {
    /// Returns the sessions that were unused for the longest time, if there are more than `max`.
    fn oldest(&mut self, ids: Vec<Arc<str>>, max: usize) -> Vec<Arc<str>> {
        let now = self.now;
        // A session that has just begun may not have been recorded yet.
        let mut by_use: Vec<(u64, Arc<str>)> =
            ids.into_iter().map(|id| (self.by_id.get(&id).copied().unwrap_or(now), id)).collect();
        by_use.sort_unstable();
        self.by_id = by_use.iter().map(|(used, id)| (Arc::clone(id), *used)).collect();
        let excess = by_use.len().saturating_sub(max);
        by_use.into_iter().take(excess).map(|(_, id)| id).collect()
    }
}

fn session_id(headers: &HeaderMap) -> Option<Arc<str>> {
    headers.get(SESSION_ID).and_then(|id| id.to_str().ok()).map(Arc::from)
}

#[cfg(test)]
mod tests;
