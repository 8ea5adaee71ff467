//! The memory of answers that are not yet read: large ones have a common limit, since a caller may stop reading.

use std::sync::Arc;

use hyper::StatusCode;
use hyper::body::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::reply::{self, Reply};

/// Large answers that wait to be read have up to this many KiB together.
const MAX_UNREAD_KIB: usize = 128 << 10;
/// An answer up to this size is sent beside any number of large ones: the number of connections limits those.
const MAX_SMALL_BYTES: usize = 128 << 10;

pub(super) struct Answers {
    room: Arc<Semaphore>,
}

impl Answers {
    pub(super) fn new() -> Answers {
        Answers { room: Arc::new(Semaphore::new(MAX_UNREAD_KIB)) }
    }

    /// Returns an answer of JSON, or a refusal if too many large ones are unread.
    ///
    /// It does not wait for room: the waiting answers would be in memory too.
    pub(super) fn reply(&self, answer: String) -> Reply {
        if answer.len() <= MAX_SMALL_BYTES {
            return reply::json(StatusCode::OK, answer.into());
        }
        let kib = u32::try_from(answer.len().div_ceil(1 << 10)).unwrap_or(u32::MAX);
        match Arc::clone(&self.room).try_acquire_many_owned(kib) {
            Ok(permit) => {
                let owner = Unread { answer, _permit: permit };
                reply::json(StatusCode::OK, Bytes::from_owner(owner))
            }
            Err(_) => {
                let why = "too many large answers are not read yet; read them, and ask again";
                reply::last(reply::text(StatusCode::SERVICE_UNAVAILABLE, why))
            }
        }
    }
}

/// An answer with its share of the room, until the last byte of it is sent.
struct Unread {
    answer: String,
    _permit: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Unread {
    fn as_ref(&self) -> &[u8] {
        self.answer.as_bytes()
    }
}

#[cfg(test)]
mod tests;
