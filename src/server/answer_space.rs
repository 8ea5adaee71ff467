//! The RAM that answers take until they are read.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// An answer up to this size is sent beside any number of large ones: the number of connections limits those.
pub(super) const MAX_SMALL_BYTES: usize = 128 << 10;

pub(super) const NO_SPACE: &str = "too many large answers are not read yet; read them, and ask again";

/// The space that an MCP answer takes until it is sent. `rmcp` passes it to the call with the request.
#[derive(Clone)]
pub(super) struct AnswerShare {
    pub(super) space: Arc<Semaphore>,
    pub(super) taken: Arc<Mutex<Vec<OwnedSemaphorePermit>>>,
}

impl AnswerShare {
    /// Takes space for this many bytes, or returns why there is none.
    pub(super) fn take(&self, bytes: usize) -> Result<(), &'static str> {
        if bytes <= MAX_SMALL_BYTES {
            return Ok(());
        }
        let permit = Arc::clone(&self.space).try_acquire_many_owned(kib(bytes)).map_err(|_| NO_SPACE)?;
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).push(permit);
        Ok(())
    }
}

pub(super) fn kib(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(1 << 10)).unwrap_or(u32::MAX)
}
