//! A connection that is closed when the client does not read: an unread reply would keep its place forever.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::rt::{Read, ReadBuf, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Sleep, sleep};

use super::MAX_HEAD_BYTES;

pub(super) struct StallTimeout<S> {
    stream: TokioIo<S>,
    recent: RecentBytes,
    /// Runs while nothing can be written.
    stalled: Option<Pin<Box<Sleep>>>,
}

/// How long a client may read nothing.
const STALL_TIMEOUT: Duration = Duration::from_secs(30);

impl<S> StallTimeout<S> {
    pub(super) fn new(stream: S, recent: RecentBytes) -> StallTimeout<S> {
        StallTimeout { stream: TokioIo::new(stream), recent, stalled: None }
    }

    /// Returns progress as it is, and fails a stall after the time limit.
    fn fail_when_stalled<T>(
        &mut self,
        context: &mut Context<'_>,
        polled: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.stalled = None;
            return polled;
        }
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(STALL_TIMEOUT)));
        stalled.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

/// The bytes that a connection has received since the last request: `hyper` does not say whether a request with
/// `Transfer-Encoding` also had a `Content-Length`.
#[derive(Clone, Default)]
pub(super) struct RecentBytes(Arc<Mutex<Vec<u8>>>);

/// A head, and the part of the body that was read with it.
const MAX_RECENT_BYTES: usize = MAX_HEAD_BYTES + 2 * MAX_READ_BYTES;
const MAX_READ_BYTES: usize = 16 << 10;

impl RecentBytes {
    fn push(&self, bytes: &[u8]) {
        let mut recent = self.lock();
        let room = MAX_RECENT_BYTES.saturating_sub(recent.len());
        recent.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    pub(super) fn clear(&self) {
        self.lock().clear();
    }

    /// Returns whether the whole head was received, and it does not have this header.
    pub(super) fn has_no(&self, header: &str) -> bool {
        let text = String::from_utf8_lossy(&self.lock()).to_ascii_lowercase();
        text.contains("\r\n\r\n") && !text.contains(&format!("\n{header}:"))
    }

    /// Counts the headers of this name in the received head.
    pub(super) fn count(&self, header: &str) -> usize {
        let recent = self.lock();
        let text = String::from_utf8_lossy(&recent).to_ascii_lowercase();
        let head = text.split_once("\r\n\r\n").map_or("", |(head, _)| head);
        head.matches(&format!("\n{header}:")).count()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: AsyncRead + Unpin> Read for StallTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        mut buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let mut bytes = [0; MAX_READ_BYTES];
        let room = buffer.remaining().min(MAX_READ_BYTES);
        let mut part = ReadBuf::new(&mut bytes[..room]);
        let polled = Pin::new(&mut self.stream).poll_read(context, part.unfilled());
        if matches!(polled, Poll::Ready(Ok(()))) {
            self.recent.push(part.filled());
            buffer.put_slice(part.filled());
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> Write for StallTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.fail_when_stalled(context, polled)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(context);
        self.fail_when_stalled(context, polled)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_shutdown(context);
        self.fail_when_stalled(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.fail_when_stalled(context, polled)
    }
}
