//! The event on stdin: complete when its JSON object is, whether or not the caller closes its end.
//!
//! Some agents keep stdin open. A hook that waited for its end would hold them up until their time is over.

use std::io::{self, IsTerminal, StdinLock};
use std::time::Duration;

use memchr::memchr2;

use super::output::say;

/// Most events have fewer bytes than this.
const USUAL_EVENT_BYTES: usize = 16 << 10;
/// Long events are read in pieces of this size.
const MAX_PIECE_BYTES: usize = 1 << 20;
/// After this time without a byte the caller is taken for stalled: shortly before agents give up on a hook.
const STALL_TIMEOUT: Duration = Duration::from_secs(8);

/// Reads stdin until there is a whole JSON object, or its end. A caller that sends nothing for a while is an error.
pub(super) fn read_event() -> io::Result<Vec<u8>> {
    let mut stdin = io::stdin().lock();
    let is_typed = stdin.is_terminal();
    if is_typed {
        say(
            "waiting for an event as JSON, which agents send; Ctrl-D ends it, and `nudge help hook` explains it",
        );
    }
    let mut input = Vec::with_capacity(USUAL_EVENT_BYTES);
    let mut scan = Scan::default();
    loop {
        if !is_typed {
            await_bytes(&stdin)?;
        }
        if input.len() == input.capacity() {
            input.reserve(input.len().min(MAX_PIECE_BYTES));
        }
        let count = match read(&mut stdin, &mut input) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            count => count?,
        };
        if count == 0 || scan.is_complete(&input) {
            return Ok(input);
        }
    }
}

/// The events on stdin, one object after another.
pub(super) struct EventReader {
    buffer: Vec<u8>,
    /// The line on which the buffer begins, from 1.
    line: usize,
    count: usize,
    is_ended: bool,
}

/// One event of the input, or what is there instead.
pub(super) struct InputEvent {
    /// The line on which it begins, from 1.
    pub(super) line: usize,
    pub(super) bytes: Vec<u8>,
}

/// A sender that keeps stdin open has sent everything if nothing follows a whole event for this time.
const NEXT_EVENT_TIMEOUT: Duration = Duration::from_millis(300);

impl EventReader {
    pub(super) fn new() -> EventReader {
        EventReader { buffer: Vec::new(), line: 1, count: 0, is_ended: false }
    }

    /// Returns the next event as soon as it is whole; `None` after the last one. What is not an object ends with its
    /// line.
    pub(super) fn next(&mut self) -> io::Result<Option<InputEvent>> {
        let mut scan = Scan::default();
        loop {
            if scan.at == 0 {
                self.skip_spaces();
            }
            let is_object = self.buffer.first() == Some(&b'{');
            let end = match is_object {
                true => scan.is_complete(&self.buffer).then_some(scan.at + 1),
                false => memchr::memchr(b'\n', &self.buffer),
            };
            let end = end.or(self.is_ended.then_some(self.buffer.len()));
            if let Some(end) = end.filter(|_| !self.buffer.is_empty()) {
                return Ok(Some(self.take(end)));
            }
            if self.is_ended || !self.read_more()? {
                return Ok(None);
            }
        }
    }

    fn take(&mut self, end: usize) -> InputEvent {
        let rest = self.buffer.split_off(end);
        let event = InputEvent { line: self.line, bytes: std::mem::replace(&mut self.buffer, rest) };
        self.line += memchr::memchr_iter(b'\n', &event.bytes).count();
        self.count += 1;
        event
    }

    /// Removes white space, and the mark that some programs put at the beginning of a file.
    fn skip_spaces(&mut self) {
        const MARK: &[u8] = b"\xef\xbb\xbf";
        let start = if self.buffer.starts_with(MARK) { MARK.len() } else { 0 };
        let spaces = self.buffer[start..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let skipped = self.buffer.drain(..start + spaces);
        self.line += skipped.filter(|byte| *byte == b'\n').count();
    }

    /// Reads a piece; returns false if the sender has sent everything without closing stdin.
    fn read_more(&mut self) -> io::Result<bool> {
        let mut stdin = io::stdin().lock();
        let may_be_done = self.count > 0 && self.buffer.is_empty();
        if !stdin.is_terminal() {
            let timeout = if may_be_done { NEXT_EVENT_TIMEOUT } else { STALL_TIMEOUT };
            match await_bytes_for(&stdin, timeout) {
                Err(error) if error.kind() == io::ErrorKind::TimedOut && may_be_done => return Ok(false),
                waited => waited?,
            }
        }
        self.buffer.reserve(USUAL_EVENT_BYTES.max(self.buffer.len().min(MAX_PIECE_BYTES)));
        let count = match read(&mut stdin, &mut self.buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(true),
            count => count?,
        };
        self.is_ended = count == 0;
        Ok(true)
    }
}

/// Appends what there is, as far as the input has room, past the buffer of `Stdin`: what waits in there nobody is woken
/// for.
fn read(stdin: &mut StdinLock<'_>, input: &mut Vec<u8>) -> io::Result<usize> {
    #[cfg(unix)]
    {
        Ok(rustix::io::read(&*stdin, rustix::buffer::spare_capacity(input))?)
    }
    #[cfg(not(unix))]
    {
        let length = input.len();
        input.resize(input.capacity(), 0);
        let count = io::Read::read(stdin, &mut input[length..]);
        input.truncate(length + count.as_ref().copied().unwrap_or_default());
        count
    }
}

/// Waits until there is something to read.
fn await_bytes(stdin: &StdinLock<'_>) -> io::Result<()> {
    await_bytes_for(stdin, STALL_TIMEOUT)
}

fn await_bytes_for(stdin: &StdinLock<'_>, timeout: Duration) -> io::Result<()> {
    #[cfg(unix)]
    {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let timeout = Timespec { tv_sec: timeout.as_secs() as i64, tv_nsec: timeout.subsec_nanos().into() };
        let mut fds = [PollFd::new(stdin, PollFlags::IN)];
        match poll(&mut fds, Some(&timeout)) {
            Ok(0) => Err(io::Error::new(io::ErrorKind::TimedOut, "stdin stalled before the event was whole")),
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
    #[cfg(not(unix))]
    {
        let _ = (stdin, timeout);
        Ok(())
    }
}

/// Finds the end of an object, looking at each byte once.
#[derive(Default)]
struct Scan {
    at: usize,
    depth: usize,
    is_in_text: bool,
}

impl Scan {
    /// Says whether the input holds a whole object; an input that begins otherwise is never complete.
    fn is_complete(&mut self, input: &[u8]) -> bool {
        while self.at < input.len() {
            if self.is_in_text {
                match memchr2(b'"', b'\\', &input[self.at..]) {
                    None => self.at = input.len(),
                    Some(offset) if input[self.at + offset] == b'"' => {
                        self.at += offset + 1;
                        self.is_in_text = false;
                    }
                    // The escaped byte may be still to come.
                    Some(offset) if self.at + offset + 1 == input.len() => {
                        self.at += offset;
                        return false;
                    }
                    Some(offset) => self.at += offset + 2,
                }
                continue;
            }
            match input[self.at] {
                b'"' => self.is_in_text = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            if self.depth == 0 && self.at_end_of_object(input) {
                return true;
            }
            self.at += 1;
        }
        false
    }

    fn at_end_of_object(&self, input: &[u8]) -> bool {
        input[self.at] == b'}' && input.trim_ascii_start().first() == Some(&b'{')
    }
}

#[cfg(test)]
mod tests;
