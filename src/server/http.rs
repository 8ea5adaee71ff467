//! HTTP on this machine: `/health`, JSON-RPC on `/` and `/rpc`, MCP on `/mcp`, the viewer below `/ui/`.
//!
//! The caller's user is checked once per connection, the headers with every request. Everything is limited:
//! connections, heads, bodies, and the time that each may take.

mod answers;
mod body;
mod gate;
mod listen;
mod patient;
mod peer;
mod reply;
mod rpc;
mod sessions;
mod ui;

use std::collections::HashSet;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioTimer;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Notify, Semaphore, watch};
use tokio::task::JoinSet;

use self::answers::Answers;
use self::listen::Caller;
pub(super) use self::listen::Listeners;
use self::patient::{RecentBytes, StallTimeout};
use self::peer::Peer;
use self::reply::Reply;
use self::sessions::Sessions;
use super::Options;
use super::backend::Backend;
use super::log::{Level, Log};
use super::mcp::Mcp;
use super::status::ServerStatus;
use crate::ops::pages::access::PageAccess;

/// What all connections share.
pub(super) struct HttpServer {
    status: ServerStatus,
    token: String,
    wants_token: bool,
    stop: Arc<Notify>,
    log: Log,
    mcp: Sessions,
    answers: Answers,
    is_closed: watch::Sender<bool>,
    /// Bytes of large bodies that are being read and answered, in KiB.
    large_bodies: Arc<Semaphore>,
    connections: AtomicUsize,
    /// Connections whose user is being looked up.
    arriving: AtomicUsize,
    /// Other users that are being refused.
    strangers: Semaphore,
    /// The process ids of PROXYs that have sent a request.
    proxies: Mutex<HashSet<u32>>,
    viewer: ui::Viewer,
}

/// By what callers are recognised: programs by the token, pages by their grants.
pub(super) struct Credentials {
    pub(super) token: String,
    pub(super) pages: PageAccess,
}

/// Further connections are refused with 503: each takes a file descriptor.
const MAX_CONNECTIONS: usize = 512;
/// Other users that are sent a reason; further ones are disconnected immediately.
const MAX_STRANGERS: usize = 32;
/// A head must be complete, and the next one must begin, within this time.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_HEAD_BYTES: usize = 64 << 10;
/// How long open requests may take at shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(300);

impl HttpServer {
    pub(super) fn new(
        status: ServerStatus,
        backend: Arc<Backend>,
        options: &Options,
        credentials: Credentials,
        stop: Arc<Notify>,
    ) -> HttpServer {
        let Credentials { token, pages } = credentials;
        let mcp = Sessions::new(move || Mcp::anywhere(Arc::clone(&backend)));
        HttpServer {
            status,
            token,
            wants_token: options.wants_token,
            stop,
            log: options.log,
            mcp,
            answers: Answers::new(),
            is_closed: watch::Sender::new(false),
            large_bodies: Arc::new(Semaphore::new(body::MAX_LARGE_KIB)),
            connections: AtomicUsize::new(0),
            arriving: AtomicUsize::new(0),
            strangers: Semaphore::new(MAX_STRANGERS),
            proxies: Mutex::default(),
            viewer: ui::Viewer::new(pages),
        }
    }

    /// Accepts no more connections, and closes each open one after its current request.
    pub(super) fn close(&self) {
        self.mcp.close();
        self.is_closed.send_replace(true);
    }

    /// Leaves the open pages to the next PRIMARY, or closes them.
    pub(super) fn leave_pages(&self, is_handed_over: bool) {
        self.viewer.access.finish(is_handed_over);
    }

    async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        peer: Peer,
        from: Option<SocketAddr>,
        recent: RecentBytes,
    ) -> Reply {
        let proof = gate::proof(request.headers(), &self.token, self.status.address.port, from);
        let mut reply = self.answer_to(request, peer, recent).await;
        if let Some(proof) = proof {
            reply.headers_mut().insert(gate::PROOF, proof);
        }
        reply
    }

    async fn answer_to(
        self: Arc<Self>,
        request: Request<Incoming>,
        peer: Peer,
        recent: RecentBytes,
    ) -> Reply {
        let port = self.status.address.port;
        if ui::is_path(request.uri().path()) {
            return ui::answer(self, request, peer, recent).await;
        }
        if let Some(refused) = gate::refusal(&request, peer, &recent, port, self.required(peer)) {
            let line = format!("nudge: HTTP request refused with {}", refused.status());
            self.log.line(Level::Debug, line);
            return refused;
        }
        recent.clear();
        let known = ["/", "/rpc", "/mcp", "/health"].into_iter().find(|path| *path == request.uri().path());
        let line = format!("nudge: {} {}", request.method(), known.unwrap_or("an unknown path"));
        self.log.line(Level::Debug, line);
        self.note_proxy(&request);
        let (head, incoming) = request.into_parts();
        match (head.uri.path(), &head.method) {
            ("/health", &Method::GET) => {
                reply::json(StatusCode::OK, serde_json::json!(self.status.health()).to_string().into())
            }
            ("/health", _) => reply::only("GET"),
            ("/" | "/rpc", &Method::POST) => {
                let body = body::read(incoming, &head.headers, &self.large_bodies).await;
                recent.clear();
                match body {
                    Ok(bytes) => rpc::answer(&self, &bytes).await,
                    Err(refused) => refused,
                }
            }
            ("/" | "/rpc", _) => reply::only("POST"),
            ("/mcp", _) => {
                let body = body::read(incoming, &head.headers, &self.large_bodies).await;
                recent.clear();
                match body {
                    Ok(bytes) => {
                        let request = Request::from_parts(head, Full::new(bytes));
                        self.mcp.answer(request, self.answers.share()).await
                    }
                    Err(refused) => refused,
                }
            }
            _ => reply::text(StatusCode::NOT_FOUND, "not found; use /health, /rpc or /mcp"),
        }
    }

    /// Returns the token that this peer must send.
    fn required(&self, peer: Peer) -> Option<&str> {
        let is_wanted = peer == Peer::Unknown || self.wants_token && peer != Peer::Private;
        is_wanted.then_some(self.token.as_str())
    }

    fn note_proxy(&self, request: &Request<Incoming>) {
        let pid = request.headers().get("nudge-proxy").and_then(|value| value.to_str().ok()?.parse().ok());
        let Some(pid) = pid.filter(|pid| *pid != std::process::id()) else { return };
        let mut proxies = self.proxies.lock().unwrap_or_else(PoisonError::into_inner);
        proxies.insert(pid);
        if proxies.len() > MAX_CONNECTIONS {
            proxies.retain(|pid| is_alive(*pid));
        }
    }

    /// Counts the PROXYs that are still running; 0 where that cannot be determined.
    fn proxies(&self) -> usize {
        let mut proxies = self.proxies.lock().unwrap_or_else(PoisonError::into_inner);
        proxies.retain(|pid| is_alive(*pid));
        proxies.len()
    }
}

/// Serves until the server is closed.
pub(super) async fn serve(listeners: Listeners, server: Arc<HttpServer>) {
    let mut closed = pin!(closing(server.is_closed.subscribe()));
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listeners.accept() => match accepted {
                Ok(caller) => {
                    connections.spawn(accept(Arc::clone(&server), caller));
                }
                // Probably out of file descriptors: some will be closed soon.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            },
            Some(_) = connections.join_next() => {}
            () = &mut closed => break,
        }
    }
    drop(listeners);
    let finishing = async { while connections.join_next().await.is_some() {} };
    drop(tokio::time::timeout(SHUTDOWN_TIMEOUT, finishing).await);
}

/// Looks up the caller's user, and serves the connection if it is this user's. Others do not count against the limit.
async fn accept(server: Arc<HttpServer>, caller: Caller) {
    let arriving = Counted::new(&server.arriving);
    if arriving.number > MAX_CONNECTIONS {
        return;
    }
    let peer = caller.peer(server.status.address.port).await;
    drop(arriving);
    let from = caller.address();
    match caller {
        Caller::Tcp(stream, _) => {
            drop(stream.set_nodelay(true));
            connection(&server, stream, peer, from).await;
        }
        #[cfg(unix)]
        Caller::Unix(stream) => connection(&server, stream, peer, from).await,
    }
}

/// Serves one connection until it is closed.
async fn connection<S>(server: &Arc<HttpServer>, stream: S, peer: Peer, from: Option<SocketAddr>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    if peer == Peer::Stranger {
        let Ok(_place) = server.strangers.try_acquire() else { return };
        return gate::turn_away(stream, peer).await;
    }
    let count = Counted::new(&server.connections);
    // This user's programs beyond the limit are refused with a reason, and retry.
    if count.number > MAX_CONNECTIONS {
        return gate::turn_away(stream, peer).await;
    }
    let closed = closing(server.is_closed.subscribe());
    let recent = RecentBytes::default();
    let service = service_fn(|request| {
        let answer = Arc::clone(server).answer(request, peer, from, recent.clone());
        async move { Ok::<_, Infallible>(answer.await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_header_size(MAX_HEAD_BYTES)
        .serve_connection(StallTimeout::new(stream, recent.clone()), service);
    let mut connection = pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => return,
        () = closed => connection.as_mut().graceful_shutdown(),
    }
    drop(connection.await);
}

/// Returns when the server is closed.
async fn closing(mut is_closed: watch::Receiver<bool>) {
    drop(is_closed.wait_for(|is_closed| *is_closed).await);
}

/// Counts a connection while it is open.
struct Counted<'a> {
    connections: &'a AtomicUsize,
    number: usize,
}

impl<'a> Counted<'a> {
    fn new(connections: &'a AtomicUsize) -> Counted<'a> {
        let number = connections.fetch_add(1, Ordering::Relaxed) + 1;
        Counted { connections, number }
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

fn is_alive(pid: u32) -> bool {
    std::path::Path::new(&format!("/proc/{pid}")).exists()
}
