//! The event on stdin: complete when its JSON object is, whether or not the caller closes its end.
//!
//! Some agents keep stdin open. A hook that waited for its end would hold them up until their time is over.

use std::io::{self, IsTerminal, StdinLock};
use std::time::Duration;

use memchr::memchr2;

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
    #[cfg(unix)]
    {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let timeout = Timespec { tv_sec: STALL_TIMEOUT.as_secs() as i64, tv_nsec: 0 };
        let mut fds = [PollFd::new(stdin, PollFlags::IN)];
        match poll(&mut fds, Some(&timeout)) {
            Ok(0) => Err(io::Error::new(io::ErrorKind::TimedOut, "stdin stalled before the event was whole")),
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
    #[cfg(not(unix))]
    {
        let _ = (stdin, STALL_TIMEOUT);
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
