//! How a hook applies changes to `.nexus/state/`: at once, or left for a later process.

use std::time::Duration;

use super::NexusHook;
use crate::nexus::NexusError;
use crate::ops::nexus::change::{self, Applied, NexusChange};

impl NexusHook<'_> {
    /// Applies a change, or leaves it for the next process that takes the lock.
    pub(super) fn apply(&mut self, wanted: &NexusChange) {
        let applied = change::apply(&self.nexus, &self.harness, wanted, self.lock_timeout);
        if matches!(applied, Ok(Applied::Later)) {
            // One wait is enough for one event.
            self.lock_timeout = Duration::ZERO;
        }
        self.report(applied);
    }

    /// Applies what other hooks had to leave, if the lock is free.
    pub(super) fn apply_waiting(&mut self) {
        if !self.nexus.has_waiting(&self.harness) {
            return;
        }
        match self.nexus.lock(Duration::ZERO) {
            Ok(locked) => {
                let (_, applied) = change::apply_waiting(&locked, &self.harness);
                drop(locked);
                self.report(applied);
            }
            // The changes keep waiting.
            Err(NexusError::Busy { .. }) => {}
            Err(error) => drop(self.report::<()>(Err(error))),
        }
    }
}
