//! One connection of HTTP/1.1, as far as our own server speaks it.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

pub(super) struct Connection {
    reader: BufReader<Timed>,
    port: u16,
}

pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
    pub(super) is_kept_alive: bool,
}

/// A stream that is read until a moment, and not beyond.
struct Timed {
    stream: TcpStream,
    deadline: Instant,
    now: fn() -> Instant,
}

/// A full store is a third of this.
const MOST_BYTES: usize = 1 << 30;
/// No head of our server is longer.
const MOST_HEAD_BYTES: u64 = 32 << 10;

impl Connection {
    /// Connects to 127.0.0.1: `localhost` may be another address.
    pub(super) fn open(port: u16, deadline: Instant, now: fn() -> Instant) -> io::Result<Connection> {
        let left = left(deadline, now)?;
        let stream = TcpStream::connect_timeout(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)), left)?;
        stream.set_nodelay(true)?;
        Ok(Connection { reader: BufReader::new(Timed { stream, deadline, now }), port })
    }

    /// Sends a request and reads the whole reply.
    pub(super) fn exchange(
        &mut self,
        verb: &str,
        path: &str,
        headers: &str,
        body: &[u8],
        deadline: Instant,
    ) -> io::Result<Reply> {
        let timed = self.reader.get_mut();
        timed.deadline = deadline;
        timed.stream.set_write_timeout(Some(left(deadline, timed.now)?))?;
        let request = format!(
            "{verb} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             {headers}\r\n",
            self.port,
            body.len(),
        );
        let mut request = request.into_bytes();
        request.extend_from_slice(body);
        // A server that turns a large body away says why before it has read all of it.
        let written = timed.stream.write_all(&request);
        self.read_reply().map_err(|error| match written {
            Err(written) if error.kind() != io::ErrorKind::TimedOut => written,
            _ => error,
        })
    }

    fn read_reply(&mut self) -> io::Result<Reply> {
        let mut head = (&mut self.reader).take(MOST_HEAD_BYTES);
        let mut line = String::new();
        head.read_line(&mut line)?;
        let status = line.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
        let status = status.ok_or_else(|| broken("no reply of HTTP/1.1"))?;
        let (mut length, mut is_chunked, mut is_kept_alive) = (None, false, true);
        loop {
            line.clear();
            if head.read_line(&mut line)? == 0 {
                return Err(broken("the head ends early"));
            }
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse::<usize>().ok(),
                "transfer-encoding" => is_chunked = value.eq_ignore_ascii_case("chunked"),
                "connection" => is_kept_alive = !value.eq_ignore_ascii_case("close"),
                _ => {}
            }
        }
        let body = match (is_chunked, length) {
            (true, _) => self.read_chunks()?,
            (false, Some(length)) => self.read_exactly(length)?,
            (false, None) => Vec::new(),
        };
        Ok(Reply { status, body, is_kept_alive })
    }

    fn read_chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let mut line = String::new();
            (&mut self.reader).take(1 << 10).read_line(&mut line)?;
            let size = line.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(size, 16).map_err(|_| broken("a chunk without a size"))?;
            if body.len().saturating_add(size) > MOST_BYTES {
                return Err(broken("the reply is too long"));
            }
            body.extend(self.read_exactly(size)?);
            line.clear();
            (&mut self.reader).take(1 << 10).read_line(&mut line)?;
            if size == 0 {
                return Ok(body);
            }
        }
    }

    fn read_exactly(&mut self, length: usize) -> io::Result<Vec<u8>> {
        if length > MOST_BYTES {
            return Err(broken("the reply is too long"));
        }
        let mut body = Vec::new();
        (&mut self.reader).take(length as u64).read_to_end(&mut body)?;
        if body.len() < length { Err(broken("the reply ends early")) } else { Ok(body) }
    }
}

impl Reply {
    /// Returns what a refusal says: the message of JSON-RPC, else the text.
    pub(super) fn reason(&self) -> String {
        let text = String::from_utf8_lossy(&self.body);
        let message = serde_json::from_str::<serde_json::Value>(&text).ok();
        let message = message.and_then(|value| Some(value["error"]["message"].as_str()?.to_owned()));
        message.unwrap_or_else(|| text.trim().chars().take(300).collect())
    }
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(left(self.deadline, self.now)?))?;
        self.stream.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => io::ErrorKind::TimedOut.into(),
            _ => error,
        })
    }
}

/// Returns the time that is left; a socket takes no time-out of zero.
fn left(deadline: Instant, now: fn() -> Instant) -> io::Result<Duration> {
    let left = deadline.saturating_duration_since(now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

fn broken(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}
