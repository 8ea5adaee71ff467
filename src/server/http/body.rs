//! The body of a request: whole, in time, and not too large.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{CONTENT_LENGTH, EXPECT};
use hyper::{HeaderMap, StatusCode};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::reply::{self, Reply};

/// No body is larger.
pub(super) const MOST_BYTES: usize = 8 << 20;
/// Large bodies that are read or answered at the same time have so many KiB in all.
pub(super) const MOST_LARGE_KIB: usize = 64 << 10;
/// What is no larger is read beside any number of large ones.
const SMALL_BYTES: usize = 64 << 10;
/// A body must be whole within this time.
const TIME: Duration = Duration::from_secs(15);
/// A body that is turned away is read on for a while: who is still sending does not hear.
const DRAIN_TIME: Duration = Duration::from_secs(2);
const DRAIN_BYTES: usize = 256 << 20;

/// Reads a body, or says why not.
pub(super) async fn read(
    incoming: Incoming,
    headers: &HeaderMap,
    large: &Arc<Semaphore>,
) -> Result<Bytes, Reply> {
    let declared = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if declared.is_some_and(|length| length > MOST_BYTES) {
        // Who asks before sending has sent nothing yet.
        let incoming = (!headers.contains_key(EXPECT)).then_some(incoming);
        return Err(too_large(incoming).await);
    }
    let most = declared.unwrap_or(if incoming.is_end_stream() { 0 } else { MOST_BYTES });
    let reading = async {
        let kib = if most > SMALL_BYTES { most.div_ceil(1 << 10) } else { 0 };
        let permit = Arc::clone(large).acquire_many_owned(u32::try_from(kib).unwrap_or(u32::MAX)).await;
        // The permit is kept as long as the body: what is made of it takes more memory than its text.
        collect(incoming).await.map(|bytes| Bytes::from_owner(Held { bytes, _permit: permit.ok() }))
    };
    match timeout(TIME, reading).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(Some(incoming))) => Err(too_large(Some(incoming)).await),
        Ok(Err(None)) => Err(reply::last(reply::text(StatusCode::BAD_REQUEST, "the body is broken off"))),
        Err(_) => Err(reply::last(reply::text(StatusCode::REQUEST_TIMEOUT, "the body takes too long"))),
    }
}

/// A body with its permit.
struct Held {
    bytes: Vec<u8>,
    _permit: Option<OwnedSemaphorePermit>,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Collects a body; what is too large comes back with the rest of it, what breaks off comes back as nothing.
async fn collect(mut incoming: Incoming) -> Result<Vec<u8>, Option<Incoming>> {
    let mut whole = Vec::new();
    while let Some(frame) = incoming.frame().await {
        let Ok(frame) = frame else { return Err(None) };
        let Ok(data) = frame.into_data() else { continue };
        if whole.len() + data.len() > MOST_BYTES {
            return Err(Some(incoming));
        }
        whole.extend_from_slice(&data);
    }
    Ok(whole)
}

async fn too_large(incoming: Option<Incoming>) -> Reply {
    let draining = async {
        let Some(mut incoming) = incoming else { return };
        let mut drained = 0;
        while let Some(Ok(frame)) = incoming.frame().await {
            drained += frame.data_ref().map_or(0, Bytes::len);
            if drained > DRAIN_BYTES {
                break;
            }
        }
    };
    drop(timeout(DRAIN_TIME, draining).await);
    let why = "a request may have 8 MiB; import in several parts: mode merge adds them up (`nudge import` does this by itself)";
    reply::last(reply::text(StatusCode::PAYLOAD_TOO_LARGE, why))
}
