//! Reads the body of a request, with limits for time and size.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{CONTENT_LENGTH, EXPECT};
use hyper::{HeaderMap, StatusCode};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::reply::{self, Reply};

/// Maximum size of a body.
pub(super) const MAX_BODY_BYTES: usize = 8 << 20;
/// Total size, in KiB, of the large bodies that are read or answered at the same time.
pub(super) const MAX_LARGE_KIB: usize = 64 << 10;
/// Bodies up to this size are read without counting towards that total.
const MAX_SMALL_BYTES: usize = 64 << 10;
/// A body must be complete within this time.
const BODY_TIMEOUT: Duration = Duration::from_secs(15);
/// A refused body is still read for a while: a client does not read the reply while it sends.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);
const MAX_DRAINED_BYTES: usize = 256 << 20;

/// Reads a body, or returns the refusal.
pub(super) async fn read(
    incoming: Incoming,
    headers: &HeaderMap,
    large: &Arc<Semaphore>,
) -> Result<Bytes, Reply> {
    let declared = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if declared.is_some_and(|length| length > MAX_BODY_BYTES) {
        // A client that sends `Expect` has not sent the body yet.
        let incoming = (!headers.contains_key(EXPECT)).then_some(incoming);
        return Err(too_large(incoming).await);
    }
    let max = declared.unwrap_or(if incoming.is_end_stream() { 0 } else { MAX_BODY_BYTES });
    let reading = async {
        let kib = if max > MAX_SMALL_BYTES { max.div_ceil(1 << 10) } else { 0 };
        let permit = Arc::clone(large).acquire_many_owned(u32::try_from(kib).unwrap_or(u32::MAX)).await;
        // The permit is kept as long as the body: parsing it takes more RAM than its text.
        collect(incoming).await.map(|bytes| Bytes::from_owner(PermittedBody { bytes, _permit: permit.ok() }))
    };
    match timeout(BODY_TIMEOUT, reading).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(Some(incoming))) => Err(too_large(Some(incoming)).await),
        Ok(Err(None)) => Err(reply::last(reply::text(StatusCode::BAD_REQUEST, "the body ended early"))),
        Err(_) => Err(reply::last(reply::text(StatusCode::REQUEST_TIMEOUT, "the body took too long"))),
    }
}

/// A body with its permit.
struct PermittedBody {
    bytes: Vec<u8>,
    _permit: Option<OwnedSemaphorePermit>,
}

impl AsRef<[u8]> for PermittedBody {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Collects a body. Returns the rest of a body that is too large, and `None` for one that ends early.
async fn collect(mut incoming: Incoming) -> Result<Vec<u8>, Option<Incoming>> {
    let mut whole = Vec::new();
    while let Some(frame) = incoming.frame().await {
        let Ok(frame) = frame else { return Err(None) };
        let Ok(data) = frame.into_data() else { continue };
        if whole.len() + data.len() > MAX_BODY_BYTES {
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
            if drained > MAX_DRAINED_BYTES {
                break;
            }
        }
    };
    drop(timeout(DRAIN_TIMEOUT, draining).await);
    let why = "a request may have 8 MiB; import in several parts: mode merge adds them up (`nudge import` does this by itself)";
    reply::last(reply::text(StatusCode::PAYLOAD_TOO_LARGE, why))
}
