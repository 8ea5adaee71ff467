//! Queries the memory, and repeats the query if the file turns out to be damaged.
//!
//! A damaged page is noticed only by a query that needs it, long after the file was opened.

use std::cell::RefCell;
use std::time::Duration;

use super::remember;
use super::salvage::{self, Recovery, Repair};
use crate::config::paths;
use crate::store::{Interrupter, Reader, Store, StoreError};

/// A reader that is replaced when the memory is found to be damaged and is repaired.
pub(crate) struct CarefulReader {
    /// `None` if the memory could not be opened again.
    reader: RefCell<Option<Reader>>,
    repair: Repair,
    timeout: Duration,
}

/// An error that may come from the store.
pub(crate) trait MayBeStoreError: From<StoreError> {
    fn store_error(&self) -> Option<&StoreError>;
}

impl MayBeStoreError for StoreError {
    fn store_error(&self) -> Option<&StoreError> {
        Some(self)
    }
}

impl CarefulReader {
    pub(crate) fn new(reader: Reader, repair: Repair, timeout: Duration) -> CarefulReader {
        CarefulReader { reader: RefCell::new(Some(reader)), repair, timeout }
    }

    /// Leaves the memory open until the process ends; see `Reader::leave_open`.
    pub(crate) fn leave_open(self) {
        if let Some(reader) = self.reader.into_inner() {
            reader.leave_open();
        }
    }

    /// Returns what stops a query from another thread.
    pub(crate) fn interrupter(&self) -> Option<Interrupter> {
        self.reader.borrow().as_ref().map(Reader::interrupter)
    }

    /// Runs a query; runs it a second time if the first run showed that the file is damaged.
    pub(crate) fn ask<T, E: MayBeStoreError>(
        &self,
        mut query: impl FnMut(&Reader) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut reader = self.reader.borrow_mut();
        let error = match reader.as_ref().map(&mut query) {
            None => return Err(StoreError::Busy.into()),
            Some(Ok(answer)) => return Ok(answer),
            Some(Err(error)) => error,
        };
        let (Some(path), Some(cause)) = (paths::database(), error.store_error().cloned()) else {
            return Err(error);
        };
        if self.repair == Repair::Never || !Store::is_suspicious_answer(&path, &cause) {
            return Err(error);
        }
        // Closed first: the check closes the file, and then this process loses its locks on it.
        *reader = None;
        let recovery = salvage::recover(&path, cause, self.repair);
        *reader = remember::reader_within(self.timeout, self.repair)?;
        match (recovery, reader.as_ref()) {
            (Recovery::TryAgain { .. }, Some(reader)) => query(reader),
            (Recovery::TryAgain { .. }, None) => Err(error),
            (Recovery::Failed(error), _) => Err(error.into()),
        }
    }
}
