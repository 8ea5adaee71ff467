//! The RAM of answers that are not read yet: large ones have a common limit, because a caller may stop reading.

use std::sync::Arc;
use std::time::Duration;

use hyper::StatusCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use tokio::time::timeout;

use super::reply::{self, Reply};
use crate::server::answer_space::{AnswerShare, MAX_SMALL_BYTES, NO_SPACE, kib};

/// Large answers that wait to be read, of JSON-RPC and MCP together, have up to this many KiB: enough for eight of the
/// largest, and little enough for a laptop that also runs a model and a browser.
const MAX_UNREAD_KIB: usize = 128 << 10;
/// No answer that is sent in one piece is larger, and neither are those of a batch together.
pub(super) const MAX_ANSWER_BYTES: usize = 16 << 20;
/// How many large answers are built at the same time. Hints answer one question at a time, so more would only take RAM.
const MAX_BUILT: usize = 2;
/// A request waits this long until its answer may be built; that never depends on a caller that does not read.
const TURN_TIMEOUT: Duration = Duration::from_secs(15);

pub(super) struct Answers {
    space: Arc<Semaphore>,
    turns: Semaphore,
}

/// The permission to build a large answer, with the space that is reserved for it.
pub(super) struct BuildPermit<'a> {
    _turn: SemaphorePermit<'a>,
    _space: Option<OwnedSemaphorePermit>,
}

impl Answers {
    pub(super) fn new() -> Answers {
        Answers { space: Arc::new(Semaphore::new(MAX_UNREAD_KIB)), turns: Semaphore::new(MAX_BUILT) }
    }

    /// Waits until a question with a large answer may be processed, or refuses it.
    pub(super) async fn turn(&self) -> Result<BuildPermit<'_>, Reply> {
        match timeout(TURN_TIMEOUT, self.turns.acquire()).await {
            Ok(Ok(turn)) => Ok(BuildPermit { _turn: turn, _space: None }),
            _ => Err(no_space()),
        }
    }

    /// Does the same for a batch, and reserves the space for all its answers before the first is processed.
    pub(super) async fn batch_turn(&self) -> Result<BuildPermit<'_>, Reply> {
        let turn = self.turn().await?;
        let space = Arc::clone(&self.space).try_acquire_many_owned(kib(MAX_ANSWER_BYTES));
        space.map(|space| BuildPermit { _space: Some(space), ..turn }).map_err(|_| no_space())
    }

    /// Returns an answer of JSON, or a refusal if too many large ones are unread.
    ///
    /// It does not wait for space: the waiting answers would be in RAM too.
    pub(super) fn reply(&self, answer: String, turn: Option<BuildPermit<'_>>) -> Reply {
        // The reserved space is enough for any answer; what the answer does not need becomes free again.
        drop(turn);
        if answer.len() <= MAX_SMALL_BYTES {
            return reply::json(StatusCode::OK, answer.into());
        }
        match Arc::clone(&self.space).try_acquire_many_owned(kib(answer.len())) {
            Ok(permit) => reply::holding(reply::json(StatusCode::OK, answer.into()), permit),
            Err(_) => no_space(),
        }
    }

    /// Returns an empty share of the space for an MCP answer, whose size is not known yet.
    pub(super) fn share(&self) -> AnswerShare {
        AnswerShare { space: Arc::clone(&self.space), taken: Arc::default() }
    }
}

fn no_space() -> Reply {
    reply::last(reply::text(StatusCode::SERVICE_UNAVAILABLE, NO_SPACE))
}

#[cfg(test)]
mod tests;
