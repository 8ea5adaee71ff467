//! One HTTP/1.1 connection, with the features that our own server uses.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use crate::model::beginning;

pub(super) struct HttpConnection {
    reader: BufReader<Timed>,
    port: u16,
}

pub(super) struct HttpReply {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
    pub(super) is_kept_alive: bool,
    /// The answer to a challenge.
    pub(super) proof: Option<String>,
}

/// The status line and headers of a reply.
pub(super) struct Head {
    pub(super) status: u16,
    pub(super) is_kept_alive: bool,
    proof: Option<String>,
    /// Length of the body, unless it is chunked.
    length: u64,
    is_chunked: bool,
}

/// The body of a reply, while it is being received.
pub(super) struct ReplyBody<'c> {
    reader: &'c mut BufReader<Timed>,
    /// Remaining bytes of the body or of the current chunk.
    left: u64,
    /// More chunks follow.
    is_chunked: bool,
    is_begun: bool,
    part_timeout: Option<Duration>,
}

/// A stream that is read until a deadline.
struct Timed {
    stream: Stream,
    deadline: Instant,
    now: fn() -> Instant,
}

/// The transport.
enum Stream {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

/// Maximum size of a reply; a full export is a third of this.
const MAX_REPLY_BYTES: u64 = 1 << 30;
/// Maximum size of a head.
const MAX_HEAD_BYTES: u64 = 32 << 10;

impl HttpConnection {
    /// Connects to 127.0.0.1, since `localhost` may be another address.
    pub(super) fn open(port: u16, deadline: Instant, now: fn() -> Instant) -> io::Result<HttpConnection> {
        let timeout = time_left(deadline, now)?;
        let stream = TcpStream::connect_timeout(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)), timeout)?;
        stream.set_nodelay(true)?;
        Ok(HttpConnection::over(Stream::Tcp(stream), port, deadline, now))
    }

    /// Uses the socket in the private folder.
    #[cfg(unix)]
    pub(super) fn over_unix(
        stream: UnixStream,
        port: u16,
        deadline: Instant,
        now: fn() -> Instant,
    ) -> HttpConnection {
        HttpConnection::over(Stream::Unix(stream), port, deadline, now)
    }

    fn over(stream: Stream, port: u16, deadline: Instant, now: fn() -> Instant) -> HttpConnection {
        HttpConnection { reader: BufReader::new(Timed { stream, deadline, now }), port }
    }

    /// Returns the TCP stream, if it is one.
    pub(super) fn tcp(&self) -> Option<&TcpStream> {
        match &self.reader.get_ref().stream {
            Stream::Tcp(stream) => Some(stream),
            #[cfg(unix)]
            Stream::Unix(_) => None,
        }
    }

    /// Sends a request and reads the whole reply.
    pub(super) fn exchange(
        &mut self,
        verb: &str,
        path: &str,
        headers: &str,
        body: &[u8],
        deadline: Instant,
    ) -> io::Result<HttpReply> {
        let head = self.ask(verb, path, headers, body, deadline)?;
        let mut body = Vec::new();
        self.body(&head, None).take(MAX_REPLY_BYTES + 1).read_to_end(&mut body)?;
        if body.len() as u64 > MAX_REPLY_BYTES {
            return Err(broken("the reply is too long"));
        }
        Ok(HttpReply { status: head.status, body, is_kept_alive: head.is_kept_alive, proof: head.proof })
    }

    /// Sends a request and reads the head of the reply; the body is not read yet.
    pub(super) fn ask(
        &mut self,
        verb: &str,
        path: &str,
        headers: &str,
        body: &[u8],
        deadline: Instant,
    ) -> io::Result<Head> {
        let timed = self.reader.get_mut();
        timed.deadline = deadline;
        timed.stream.set_write_timeout(time_left(deadline, timed.now)?)?;
        let request = format!(
            "{verb} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             {headers}\r\n",
            self.port,
            body.len(),
        );
        let mut request = request.into_bytes();
        request.extend_from_slice(body);
        // A server that refuses a large body replies before it has read all of it.
        let written = timed.stream.write_all(&request);
        self.read_head().map_err(|error| match written {
            Err(written) if error.kind() != io::ErrorKind::TimedOut => written,
            _ => error,
        })
    }

    /// Returns the body that follows a head. `part_timeout` applies to each part of it; without one, the request's
    /// deadline applies to all of it.
    pub(super) fn body(&mut self, head: &Head, part_timeout: Option<Duration>) -> ReplyBody<'_> {
        ReplyBody {
            reader: &mut self.reader,
            left: head.length,
            is_chunked: head.is_chunked,
            is_begun: false,
            part_timeout,
        }
    }

    fn read_head(&mut self) -> io::Result<Head> {
        let mut text = (&mut self.reader).take(MAX_HEAD_BYTES);
        let mut line = String::new();
        text.read_line(&mut line)?;
        let status = line.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
        let status = status.ok_or_else(|| broken("the reply is not HTTP/1.1"))?;
        let mut head = Head { status, is_kept_alive: true, proof: None, length: 0, is_chunked: false };
        loop {
            line.clear();
            if text.read_line(&mut line)? == 0 {
                return Err(broken("the head ended early"));
            }
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => head.length = value.parse().unwrap_or(0),
                "transfer-encoding" => head.is_chunked = value.eq_ignore_ascii_case("chunked"),
                "nudge-proof" => head.proof = Some(value.to_owned()),
                "connection" => head.is_kept_alive = !value.eq_ignore_ascii_case("close"),
                _ => {}
            }
        }
        if head.is_chunked {
            head.length = 0;
        }
        Ok(head)
    }
}

impl ReplyBody<'_> {
    /// Continues with the next chunk; the last one is empty.
    fn next_chunk(&mut self) -> io::Result<()> {
        let mut line = String::new();
        if self.is_begun {
            self.reader.take(1 << 10).read_line(&mut line)?;
            line.clear();
        }
        self.is_begun = true;
        self.reader.take(1 << 10).read_line(&mut line)?;
        let size = line.split(';').next().unwrap_or_default().trim();
        self.left = u64::from_str_radix(size, 16).map_err(|_| broken("a chunk has no size"))?;
        if self.left == 0 {
            self.is_chunked = false;
            self.reader.take(1 << 10).read_line(&mut line)?;
        }
        Ok(())
    }
}

impl Read for ReplyBody<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(timeout) = self.part_timeout {
            let timed = self.reader.get_mut();
            timed.deadline = (timed.now)() + timeout;
        }
        if self.left == 0 && self.is_chunked {
            self.next_chunk()?;
        }
        if self.left == 0 || buffer.is_empty() {
            return Ok(0);
        }
        let read = (&mut *self.reader).take(self.left).read(buffer)?;
        if read == 0 {
            return Err(broken("the reply ended early"));
        }
        self.left -= read as u64;
        Ok(read)
    }
}

impl HttpReply {
    /// Returns the reason of a refusal: the JSON-RPC message, else the text.
    pub(super) fn reason(&self) -> String {
        let text = String::from_utf8_lossy(&self.body);
        let message = serde_json::from_str::<serde_json::Value>(&text).ok();
        let message = message.and_then(|value| Some(value["error"]["message"].as_str()?.to_owned()));
        message.unwrap_or_else(|| beginning(text.trim(), 300).to_owned())
    }
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(time_left(self.deadline, self.now)?)?;
        self.stream.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => io::ErrorKind::TimedOut.into(),
            _ => error,
        })
    }
}

impl Stream {
    fn set_read_timeout(&self, timeout: Duration) -> io::Result<()> {
        match self {
            Stream::Tcp(stream) => stream.set_read_timeout(Some(timeout)),
            #[cfg(unix)]
            Stream::Unix(stream) => stream.set_read_timeout(Some(timeout)),
        }
    }

    fn set_write_timeout(&self, timeout: Duration) -> io::Result<()> {
        match self {
            Stream::Tcp(stream) => stream.set_write_timeout(Some(timeout)),
            #[cfg(unix)]
            Stream::Unix(stream) => stream.set_write_timeout(Some(timeout)),
        }
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => stream.read(buffer),
            #[cfg(unix)]
            Stream::Unix(stream) => stream.read(buffer),
        }
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Stream::Tcp(stream) => stream.write_all(bytes),
            #[cfg(unix)]
            Stream::Unix(stream) => stream.write_all(bytes),
        }
    }
}

/// Returns the remaining time; a socket does not accept a timeout of zero.
fn time_left(deadline: Instant, now: fn() -> Instant) -> io::Result<Duration> {
    let left = deadline.saturating_duration_since(now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

fn broken(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}
