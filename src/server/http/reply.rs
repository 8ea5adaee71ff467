//! Replies of HTTP.

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

/// A reply, of ours or of `rmcp`.
pub(super) type Reply = Response<BoxBody<Bytes, Infallible>>;

pub(super) fn json(status: StatusCode, text: Bytes) -> Reply {
    whole(status, "application/json", text)
}

pub(super) fn text(status: StatusCode, text: &str) -> Reply {
    whole(status, "text/plain; charset=utf-8", format!("{text}\n").into())
}

/// Says that there is nothing to say: to notifications.
pub(super) fn nothing() -> Reply {
    whole(StatusCode::NO_CONTENT, "", Bytes::new())
}

/// Says which method there is.
pub(super) fn only(method: &'static str) -> Reply {
    let mut reply = text(StatusCode::METHOD_NOT_ALLOWED, &format!("only {method} is answered here"));
    reply.headers_mut().insert(ALLOW, HeaderValue::from_static(method));
    reply
}

/// Lets the reply be the last one of its connection.
pub(super) fn last(mut reply: Reply) -> Reply {
    reply.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    reply
}

/// Keeps a guard until the last byte of the reply was taken, or its caller is gone.
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

/// Sends what is written while it is written, on a thread of its own; who stops reading stops the writing.
pub(super) fn streamed(write: impl FnOnce(&mut dyn Write) -> io::Result<()> + Send + 'static) -> Reply {
    let (sender, receiver) = mpsc::channel(CHUNKS);
    tokio::task::spawn_blocking(move || {
        let mut out = BufWriter::with_capacity(CHUNK, Sent(sender));
        drop(write(&mut out).and_then(|()| out.flush()));
    });
    let mut reply = Response::new(Streamed(receiver).boxed());
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    reply
}

const CHUNK: usize = 64 << 10;
/// So many chunks wait for who reads.
const CHUNKS: usize = 4;

/// The end of a reply that is written to.
struct Sent(mpsc::Sender<Bytes>);

/// The end that is read from.
struct Streamed(mpsc::Receiver<Bytes>);

impl Write for Sent {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.0.blocking_send(Bytes::copy_from_slice(bytes));
        sent.map(|()| bytes.len()).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Body for Streamed {
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
