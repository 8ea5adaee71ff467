//! Interrupts a question that nobody waits for any more.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::ViewError;
use super::kept::{self, MemoryVersion};
use crate::ops::observations::careful_reader::CarefulReader;
use crate::ops::observations::{memory, remember};
use crate::store::Interrupter;

/// Stops the queries of a question.
#[derive(Default)]
pub(crate) struct QueryStop {
    is_stopped: AtomicBool,
    running: Mutex<Option<Interrupter>>,
}

impl QueryStop {
    /// Interrupts the query that runs, and those that would follow.
    pub(crate) fn stop(&self) {
        self.is_stopped.store(true, Ordering::SeqCst);
        if let Some(running) = &*self.running.lock().unwrap_or_else(PoisonError::into_inner) {
            running.interrupt();
        }
    }

    /// Opens the memory; `None` if nothing was ever remembered.
    pub(super) fn memory(&self) -> Result<Option<CarefulReader>, ViewError> {
        self.check()?;
        let Some(memory) = memory::open()? else { return Ok(None) };
        let reader = memory.into_reader();
        kept::notice_database();
        // What is not counted yet is counted first, as far as there is time.
        let counted =
            kept::of_memory(MemoryVersion::now().as_ref(), "counted", || {
                match remember::summarize(|| self.is_stopped.load(Ordering::SeqCst)) {
                    Ok(true) => Ok(()),
                    Ok(false) => Err(None),
                    Err(error) => Err(Some(error)),
                }
            });
        if let Err(Some(error)) = counted {
            return Err(error.into());
        }
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = reader.interrupter();
        self.check()?;
        reader.ask(crate::store::Reader::keep_little)?;
        Ok(Some(reader))
    }

    /// Fails if the question was stopped meanwhile.
    pub(super) fn check(&self) -> Result<(), ViewError> {
        if self.is_stopped.load(Ordering::SeqCst) { Err(ViewError::late()) } else { Ok(()) }
    }
}
