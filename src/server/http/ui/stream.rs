//! The stream of a page that follows: server-sent events, for as long as it reads them.

use std::sync::Arc;
use std::time::Duration;

use hyper::body::Bytes;
use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::Halves;
use crate::api::view::{HelloView, StaleView};
use crate::ops::times;
use crate::ops::view::live::{LiveEvent, LiveWatch};
use crate::ops::view::{ViewError, ViewErrorKind, ViewRequest, replay};
use crate::server::http::reply::{self, Reply};
use crate::server::http::{HttpServer, closing};

/// Streams at the same time; the tabs of a browser share one.
const MAX_STREAMS: usize = 8;
/// How often the files are compared, and how often after a while without a change.
const LOOK_INTERVAL: Duration = Duration::from_millis(250);
const QUIET_INTERVAL: Duration = Duration::from_secs(1);
/// After this many looks without a change.
const QUIET_LOOKS: u32 = 240;
/// A sign of life, so that a dead connection is noticed.
const PULSE: Duration = Duration::from_secs(15);
/// Events that wait to be sent.
const MAX_EVENTS: usize = 64;

pub(super) struct Streams(Arc<Semaphore>);

impl Streams {
    pub(super) fn new() -> Streams {
        Streams(Arc::new(Semaphore::new(MAX_STREAMS)))
    }
}

/// Answers with a stream, or refuses one too many.
pub(super) async fn open(
    server: &Arc<HttpServer>,
    request: ViewRequest,
    halves: Halves,
) -> Result<Reply, ViewError> {
    let Ok(permit) = Arc::clone(&server.viewer.streams.0).try_acquire_owned() else {
        return Err(ViewError {
            kind: ViewErrorKind::Unavailable,
            message: "too many pages follow at the same time".to_owned(),
            hint: Some("close some of them".to_owned()),
        });
    };
    let instance = server.status.address.instance.clone();
    let hints = server.status.hub.generation();
    let begun = tokio::task::spawn_blocking(move || LiveWatch::begin(&request, &instance, hints)).await;
    let (watch, is_lost) = begun.unwrap_or_else(|_| Err(ViewError::internal()))?;
    let (sender, reply) = reply::event_stream(MAX_EVENTS);
    let hello = HelloView { instance: server.status.address.instance.clone(), now_ms: times::now_ms() };
    let mut first = format!("id: {}\n{}", watch.cursor(), event("hello", &hello));
    if is_lost {
        first.push_str(&event("resync", &serde_json::Map::new()));
    }
    drop(sender.try_send(Bytes::from(first)));
    tokio::spawn(follow(Arc::clone(server), watch, sender, halves, permit));
    Ok(reply)
}

/// Looks again and again, until the page is gone, is closed, or the server ends.
async fn follow(
    server: Arc<HttpServer>,
    mut watch: LiveWatch,
    sender: mpsc::Sender<Bytes>,
    halves: Halves,
    _permit: OwnedSemaphorePermit,
) {
    let (mut quiet, mut silence) = (0, Duration::ZERO);
    let mut replays = replay::changes();
    loop {
        let pause = if quiet < QUIET_LOOKS { LOOK_INTERVAL } else { QUIET_INTERVAL };
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = sender.closed() => return,
            () = closing(server.is_closed.subscribe()) => return,
        }
        let hints = server.status.hub.generation();
        let looked = tokio::task::spawn_blocking(move || {
            let events = watch.look(hints);
            (watch, events)
        });
        let Ok((seen, events)) = looked.await else { return };
        watch = seen;
        quiet = if events.is_empty() { quiet + 1 } else { 0 };
        silence += pause;
        let mut text: String = events.iter().map(to_text).collect();
        if let Some(progress) = replay::news(&mut replays) {
            quiet = 0;
            text.push_str(&event("replay", &progress));
        }
        if !text.is_empty() {
            // With the last of them: a page that got only the first continues before them.
            text.insert_str(text.len() - 1, &format!("id: {}\n", watch.cursor()));
        }
        if text.is_empty() && silence >= PULSE {
            // A page that was closed meanwhile gets no more.
            if server.viewer.access.check(&halves.cookie, &halves.key).is_none() {
                return;
            }
            text = ": still here\n\n".to_owned();
        }
        if text.is_empty() {
            continue;
        }
        silence = Duration::ZERO;
        if sender.send(Bytes::from(text)).await.is_err() {
            return;
        }
    }
}

fn to_text(one: &LiveEvent) -> String {
    match one {
        LiveEvent::Hook(row) => event("hook", row),
        LiveEvent::Marks(marks) => event("marks", marks),
        LiveEvent::Stale(what) => event("stale", &StaleView { what }),
        LiveEvent::Resync => event("resync", &serde_json::Map::new()),
    }
}

fn event(name: &str, data: &impl Serialize) -> String {
    let data = serde_json::to_string(data).unwrap_or_default();
    format!("event: {name}\ndata: {data}\n\n")
}
