//! The tracker, `.nexus/state/{harness}/agent-tracker.json`: the subagents of running sessions.
//!
//! Only hooks write here, each into its own harness's folder.

use super::state_file::{Flush, Locked};
use super::{Nexus, NexusError, Result};
use crate::model::TrackedAgent;

/// Where versions before 0.7 stored it, for all harnesses together.
const LEGACY: &str = ".nexus/state/agent-tracker.json";

impl Nexus {
    /// Returns the tracked subagents.
    pub(crate) fn tracked(&self, harness: &str) -> Result<Vec<TrackedAgent>> {
        Ok(self.read(&file(harness))?.unwrap_or_default())
    }
}

impl Locked<'_> {
    /// Starts an empty tracker; with `keep`, an existing one is kept.
    pub(crate) fn begin_tracker(&self, harness: &str, keep: bool) -> Result<()> {
        self.remove(LEGACY)?;
        let file = file(harness);
        if keep && self.nexus().path(&file).exists() {
            return Ok(());
        }
        self.write_tracker(harness, &[])
    }

    /// Changes the tracker. A malformed one is set aside and reported; then the change is applied to an empty one.
    pub(crate) fn change_tracker(
        &self,
        harness: &str,
        at: &str,
        change: impl FnOnce(&mut Vec<TrackedAgent>),
    ) -> Result<()> {
        let (mut agents, aside) = match self.read(&file(harness), at) {
            Err(error @ NexusError::Malformed { .. }) => (Vec::new(), Some(error)),
            read => (read?.unwrap_or_default(), None),
        };
        change(&mut agents);
        self.write_tracker(harness, &agents)?;
        aside.map_or(Ok(()), Err)
    }

    pub(crate) fn remove_tracker(&self, harness: &str) -> Result<()> {
        self.remove(&file(harness)).map(drop)
    }

    fn write_tracker(&self, harness: &str, agents: &[TrackedAgent]) -> Result<()> {
        let mut bytes = serde_json::to_vec_pretty(agents).unwrap_or_default();
        bytes.push(b'\n');
        // It lives only as long as the session, and a power loss ends both.
        self.replace(&file(harness), &bytes, Flush::Later)
    }
}

fn file(harness: &str) -> String {
    format!(".nexus/state/{harness}/agent-tracker.json")
}

#[cfg(test)]
mod tests;
