//! HTTP replies.

use std::convert::Infallible;
use std::io::{self, BufWriter, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{ALLOW, CONNECTION, CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};
use tokio::sync::mpsc;

/// A reply, made here or by `rmcp`.
pub(super) type Reply = Response<BoxBody<Bytes, Infallible>>;

pub(super) fn json(status: StatusCode, text: Bytes) -> Reply {
    whole(status, "application/json", text)
}

pub(super) fn text(status: StatusCode, text: &str) -> Reply {
    whole(status, "text/plain; charset=utf-8", format!("{text}\n").into())
}

/// The empty reply to a notification.
pub(super) fn nothing() -> Reply {
    whole(StatusCode::NO_CONTENT, "", Bytes::new())
}

/// Refuses a request whose method is not this one.
pub(super) fn only(method: &'static str) -> Reply {
    let mut reply = text(StatusCode::METHOD_NOT_ALLOWED, &format!("only {method} is supported here"));
    reply.headers_mut().insert(ALLOW, HeaderValue::from_static(method));
    reply
}

/// Closes the connection after this reply.
pub(super) fn last(mut reply: Reply) -> Reply {
    reply.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    reply
}

/// Keeps a guard until the last byte of the reply was sent, or its client is gone.
pub(super) fn holding(reply: Reply, guard: impl Send + Sync + 'static) -> Reply {
    let guard = Arc::new(guard);
    reply.map(|body| Holding { body, guard }.boxed())
}

/// A body that keeps a guard. So do its pieces: `hyper` drops a body before the last piece of it is sent.
struct Holding<G> {
    body: BoxBody<Bytes, Infallible>,
    guard: Arc<G>,
}

struct Piece<G> {
    bytes: Bytes,
    _guard: Arc<G>,
}

impl<G> AsRef<[u8]> for Piece<G> {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl<G: Send + Sync + 'static> Body for Holding<G> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        let held = |bytes| Bytes::from_owner(Piece { bytes, _guard: Arc::clone(&self.guard) });
        frame.map(|frame| frame.map(|frame| frame.map(|frame| frame.map_data(held))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Streams a reply from its own thread; writing stops when the client stops reading.
pub(super) fn streamed(write: impl FnOnce(&mut dyn Write) -> io::Result<()> + Send + 'static) -> Reply {
    let (sender, receiver) = mpsc::channel(MAX_CHUNKS);
    tokio::task::spawn_blocking(move || {
        let mut out = BufWriter::with_capacity(CHUNK_BYTES, StreamWriter(sender));
        drop(write(&mut out).and_then(|()| out.flush()));
    });
    let mut reply = Response::new(StreamBody(receiver).boxed());
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    reply
}

/// A reply of events that are sent as they come; it ends when the sender is dropped.
pub(super) fn event_stream(max_waiting: usize) -> (mpsc::Sender<Bytes>, Reply) {
    let (sender, receiver) = mpsc::channel(max_waiting);
    let mut reply = Response::new(StreamBody(receiver).boxed());
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    (sender, reply)
}

const CHUNK_BYTES: usize = 64 << 10;
/// Maximum number of chunks that wait to be sent.
const MAX_CHUNKS: usize = 4;

/// The writing end of a streamed reply.
struct StreamWriter(mpsc::Sender<Bytes>);

/// The reading end.
struct StreamBody(mpsc::Receiver<Bytes>);

impl Write for StreamWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.0.blocking_send(Bytes::copy_from_slice(bytes));
        sent.map(|()| bytes.len()).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Body for StreamBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|chunk| chunk.map(|chunk| Ok(Frame::data(chunk))))
    }
}

fn whole(status: StatusCode, kind: &'static str, content: Bytes) -> Reply {
    let mut reply = Response::new(Full::new(content).boxed());
    *reply.status_mut() = status;
    if !kind.is_empty() {
        reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    }
    reply
}
