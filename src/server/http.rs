//! HTTP on this machine: `/health`, JSON-RPC on `/` and `/rpc`, MCP on `/mcp`.
//!
//! Who connects is looked at once, every request again. Everything is bounded: connections, heads, bodies, and the time
//! that each may take.

mod answers;
mod body;
mod gate;
mod listen;
mod patient;
mod peer;
mod reply;
mod rpc;
mod sessions;

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

pub(super) use self::answers::AnswerShare;
use self::answers::Answers;
use self::listen::Caller;
pub(super) use self::listen::Listeners;
use self::patient::{Patient, Recent};
use self::peer::Peer;
use self::reply::Reply;
use self::sessions::Sessions;
use super::Options;
use super::backend::Backend;
use super::lead::Standing;
use super::mcp::Mcp;

/// What all connections share.
pub(super) struct Door {
    standing: Standing,
    token: String,
    wants_token: bool,
    stop: Arc<Notify>,
    mcp: Sessions,
    answers: Answers,
    is_closed: watch::Sender<bool>,
    /// Bytes of large bodies that are being read and answered, in KiB.
    large_bodies: Arc<Semaphore>,
    connections: AtomicUsize,
    /// Connections of which the user is being looked up.
    arriving: AtomicUsize,
    /// Other users that are being sent away.
    strangers: Semaphore,
    /// The PROXYs that have asked.
    proxies: Mutex<HashSet<u32>>,
}

/// More at once are told to come back: each takes a file of the process.
const MOST_CONNECTIONS: usize = 512;
/// Other users that hear why they are refused; further ones are disconnected at once.
const MAX_STRANGERS: usize = 32;
/// A head must be whole, and the next one must begin, within this time.
const HEAD_TIME: Duration = Duration::from_secs(10);
const MOST_HEAD_BYTES: usize = 64 << 10;
/// So long are open requests waited for at the end.
const FAREWELL: Duration = Duration::from_millis(300);

impl Door {
    pub(super) fn new(
        standing: Standing,
        backend: Arc<Backend>,
        token: String,
        options: &Options,
        stop: Arc<Notify>,
    ) -> Door {
        let mcp = Sessions::new(move || Mcp::anywhere(Arc::clone(&backend)));
        Door {
            standing,
            token,
            wants_token: options.wants_token,
            stop,
            mcp,
            answers: Answers::new(),
            is_closed: watch::Sender::new(false),
            large_bodies: Arc::new(Semaphore::new(body::MOST_LARGE_KIB)),
            connections: AtomicUsize::new(0),
            arriving: AtomicUsize::new(0),
            strangers: Semaphore::new(MAX_STRANGERS),
            proxies: Mutex::default(),
        }
    }

    /// Takes no more connections, and ends those that there are after the request that they are at.
    pub(super) fn close(&self) {
        self.mcp.close();
        self.is_closed.send_replace(true);
    }

    async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        peer: Peer,
        from: Option<SocketAddr>,
        recent: Recent,
    ) -> Reply {
        let proof = gate::proof(request.headers(), &self.token, self.standing.address.port, from);
        let mut reply = self.answer_to(request, peer, recent).await;
        if let Some(proof) = proof {
            reply.headers_mut().insert(gate::PROOF, proof);
        }
        reply
    }

    async fn answer_to(self: Arc<Self>, request: Request<Incoming>, peer: Peer, recent: Recent) -> Reply {
        let port = self.standing.address.port;
        if let Some(refused) = gate::refusal(&request, peer, &recent, port, self.required(peer)) {
            return refused;
        }
        recent.clear();
        self.note_proxy(&request);
        let (head, incoming) = request.into_parts();
        match (head.uri.path(), &head.method) {
            ("/health", &Method::GET) => {
                reply::json(StatusCode::OK, self.standing.health().to_string().into())
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
            _ => reply::text(StatusCode::NOT_FOUND, "there is /health, /rpc and /mcp"),
        }
    }

    /// Returns the token that this peer has to show.
    fn required(&self, peer: Peer) -> Option<&str> {
        let is_wanted = peer == Peer::Unknown || self.wants_token && peer != Peer::Private;
        is_wanted.then_some(self.token.as_str())
    }

    fn note_proxy(&self, request: &Request<Incoming>) {
        let pid = request.headers().get("nudge-proxy").and_then(|value| value.to_str().ok()?.parse().ok());
        let Some(pid) = pid.filter(|pid| *pid != std::process::id()) else { return };
        let mut proxies = self.proxies.lock().unwrap_or_else(PoisonError::into_inner);
        proxies.insert(pid);
        if proxies.len() > MOST_CONNECTIONS {
            proxies.retain(|pid| is_alive(*pid));
        }
    }

    /// Counts the PROXYs that are still there; where that cannot be told, none.
    fn proxies(&self) -> usize {
        let mut proxies = self.proxies.lock().unwrap_or_else(PoisonError::into_inner);
        proxies.retain(|pid| is_alive(*pid));
        proxies.len()
    }
}

/// Serves until the door is closed.
pub(super) async fn serve(listeners: Listeners, door: Arc<Door>) {
    let mut closed = pin!(closing(door.is_closed.subscribe()));
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listeners.accept() => match accepted {
                Ok(caller) => {
                    connections.spawn(arrival(Arc::clone(&door), caller));
                }
                // Out of files, most likely: some will be closed in a moment.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            },
            Some(_) = connections.join_next() => {}
            () = &mut closed => break,
        }
    }
    drop(listeners);
    let farewell = async { while connections.join_next().await.is_some() {} };
    drop(tokio::time::timeout(FAREWELL, farewell).await);
}

/// Looks who comes, and serves the connection if it is one of ours. Other users take no places of ours.
async fn arrival(door: Arc<Door>, caller: Caller) {
    let arriving = Counted::new(&door.arriving);
    if arriving.number > MOST_CONNECTIONS {
        return;
    }
    let peer = caller.peer(door.standing.address.port).await;
    drop(arriving);
    let from = caller.address();
    match caller {
        Caller::Tcp(stream, _) => {
            drop(stream.set_nodelay(true));
            connection(&door, stream, peer, from).await;
        }
        #[cfg(unix)]
        Caller::Unix(stream) => connection(&door, stream, peer, from).await,
    }
}

/// Serves one connection until it is closed.
async fn connection<S>(door: &Arc<Door>, stream: S, peer: Peer, from: Option<SocketAddr>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    if peer == Peer::Stranger {
        let Ok(_place) = door.strangers.try_acquire() else { return };
        return gate::turn_away(stream, peer).await;
    }
    let count = Counted::new(&door.connections);
    // A friend beyond the limit hears so, and comes back.
    if count.number > MOST_CONNECTIONS {
        return gate::turn_away(stream, peer).await;
    }
    let closed = closing(door.is_closed.subscribe());
    let recent = Recent::default();
    let service = service_fn(|request| {
        let answer = Arc::clone(door).answer(request, peer, from, recent.clone());
        async move { Ok::<_, Infallible>(answer.await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_header_size(MOST_HEAD_BYTES)
        .serve_connection(Patient::new(stream, recent.clone()), service);
    let mut connection = pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => return,
        () = closed => connection.as_mut().graceful_shutdown(),
    }
    drop(connection.await);
}

/// Returns when the door is closed.
async fn closing(mut is_closed: watch::Receiver<bool>) {
    drop(is_closed.wait_for(|is_closed| *is_closed).await);
}

/// One of the open connections, counted while it is open.
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
