//! The memory of answers that are not yet read: large ones have a common limit, since a caller may stop reading.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::StatusCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use tokio::time::timeout;

use super::reply::{self, Reply};

/// Large answers that wait to be read have up to this many KiB together, those of JSON-RPC and of MCP: enough for eight of
/// the largest, and little enough for a laptop that runs a model and a browser beside us.
const MAX_UNREAD_KIB: usize = 128 << 10;
/// An answer up to this size is sent beside any number of large ones: the number of connections limits those.
const MAX_SMALL_BYTES: usize = 128 << 10;

/// No answer that is sent in one piece is larger, and neither are those of a batch together.
pub(super) const MAX_ANSWER_BYTES: usize = 16 << 20;
/// Large answers that are built at the same time. The hints answer one question at a time, so more would only take memory.
const MAX_BUILT: usize = 2;
/// A request waits this long until its answer may be built; that never depends on a caller that does not read.
const TURN_TIMEOUT: Duration = Duration::from_secs(15);

pub(super) struct Answers {
    room: Arc<Semaphore>,
    turns: Semaphore,
}

/// The right to build a large answer, with the room that is kept for it.
pub(super) struct Turn<'a> {
    _turn: SemaphorePermit<'a>,
    _room: Option<OwnedSemaphorePermit>,
}

impl Answers {
    pub(super) fn new() -> Answers {
        Answers { room: Arc::new(Semaphore::new(MAX_UNREAD_KIB)), turns: Semaphore::new(MAX_BUILT) }
    }

    /// Waits until a question with a large answer may be worked on, or refuses it.
    pub(super) async fn turn(&self) -> Result<Turn<'_>, Reply> {
        match timeout(TURN_TIMEOUT, self.turns.acquire()).await {
            Ok(Ok(turn)) => Ok(Turn { _turn: turn, _room: None }),
            _ => Err(no_room()),
        }
    }

    /// Does the same for a batch, and keeps the room for all its answers before the first is worked on.
    pub(super) async fn batch_turn(&self) -> Result<Turn<'_>, Reply> {
        let turn = self.turn().await?;
        let room = Arc::clone(&self.room).try_acquire_many_owned(kib(MAX_ANSWER_BYTES));
        room.map(|room| Turn { _room: Some(room), ..turn }).map_err(|_| no_room())
    }

    /// Returns an answer of JSON, or a refusal if too many large ones are unread.
    ///
    /// It does not wait for room: the waiting answers would be in memory too.
    pub(super) fn reply(&self, answer: String, turn: Option<Turn<'_>>) -> Reply {
        // What was kept is enough for any answer, and what it does not need is free again.
        drop(turn);
        if answer.len() <= MAX_SMALL_BYTES {
            return reply::json(StatusCode::OK, answer.into());
        }
        match Arc::clone(&self.room).try_acquire_many_owned(kib(answer.len())) {
            Ok(permit) => reply::holding(reply::json(StatusCode::OK, answer.into()), permit),
            Err(_) => no_room(),
        }
    }

    /// Returns an empty share of the room for an answer of MCP, whose size is not known yet.
    pub(super) fn share(&self) -> AnswerShare {
        AnswerShare { room: Arc::clone(&self.room), taken: Arc::default() }
    }
}

/// What an answer of MCP takes of the room, until it is sent. `rmcp` carries it to the call with the request.
#[derive(Clone)]
pub(in crate::server) struct AnswerShare {
    room: Arc<Semaphore>,
    taken: Arc<Mutex<Vec<OwnedSemaphorePermit>>>,
}

impl AnswerShare {
    /// Takes room for this many bytes, or returns why there is none.
    pub(in crate::server) fn take(&self, bytes: usize) -> Result<(), &'static str> {
        if bytes <= MAX_SMALL_BYTES {
            return Ok(());
        }
        let permit = Arc::clone(&self.room).try_acquire_many_owned(kib(bytes)).map_err(|_| NO_ROOM)?;
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).push(permit);
        Ok(())
    }
}

fn kib(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(1 << 10)).unwrap_or(u32::MAX)
}

const NO_ROOM: &str = "too many large answers are not read yet; read them, and ask again";

fn no_room() -> Reply {
    reply::last(reply::text(StatusCode::SERVICE_UNAVAILABLE, NO_ROOM))
}

#[cfg(test)]
mod tests;
