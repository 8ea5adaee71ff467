//! The tracker, `.nexus/state/{harness}/agent-tracker.json`: the subagents of running sessions.
//!
//! Only hooks write here, each into its own harness's folder.

use super::state_file::{Flush, Locked};
use super::{Nexus, NexusError, Result};
use crate::model::{OpenSessions, TrackedAgent};

/// Where versions before 0.7 stored it, for all harnesses together.
const LEGACY: &str = ".nexus/state/agent-tracker.json";

impl Nexus {
    /// Returns the tracked subagents.
    pub(crate) fn tracked(&self, harness: &str) -> Result<Vec<TrackedAgent>> {
        Ok(self.read(&file(harness))?.unwrap_or_default())
    }
}

/// Whose subagents are meant, and when; a harness without sessions has one without a name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SessionMoment<'a> {
    pub(crate) session: Option<&'a str>,
    pub(crate) at: &'a str,
}

impl Nexus {
    /// Returns whether another session of the harness runs in this project.
    pub(crate) fn has_other_sessions(&self, harness: &str, moment: SessionMoment<'_>) -> bool {
        let sessions: Option<OpenSessions> = self.read(&sessions_file(harness)).ok().flatten();
        sessions.is_some_and(|sessions| sessions.has_others(moment.session.unwrap_or_default(), moment.at))
    }
}

impl Locked<'_> {
    /// Begins a session: its list of subagents is empty, or stays with `keep`. Those of other sessions stay.
    pub(crate) fn begin_tracker(&self, harness: &str, keep: bool, moment: SessionMoment<'_>) -> Result<()> {
        self.remove(LEGACY)?;
        let session = moment.session.unwrap_or_default();
        let mut sessions = self.sessions(harness);
        sessions.see(session, moment.at, None);
        if !keep {
            sessions.clear(session);
        }
        self.write_sessions(harness, &sessions)?;
        if keep && self.nexus().path(&file(harness)).exists() {
            return Ok(());
        }
        let mut agents = self.nexus().tracked(harness).unwrap_or_default();
        agents.retain(|agent| sessions.is_of_another(agent, session));
        self.write_tracker(harness, &agents)
    }

    /// Ends a session: its subagents are forgotten, and with the last session the file goes.
    pub(crate) fn end_tracker(&self, harness: &str, moment: SessionMoment<'_>) -> Result<()> {
        let session = moment.session.unwrap_or_default();
        let mut sessions = self.sessions(harness);
        let others = sessions.has_others(session, moment.at);
        sessions.end(session);
        if !others {
            self.remove(&sessions_file(harness))?;
            return self.remove(&file(harness)).map(drop);
        }
        self.write_sessions(harness, &sessions)?;
        let mut agents = self.nexus().tracked(harness).unwrap_or_default();
        agents.retain(|agent| sessions.is_of_another(agent, session));
        self.write_tracker(harness, &agents)
    }

    /// Notes that a subagent belongs to a session.
    pub(crate) fn see_agent(
        &self,
        harness: &str,
        agent: Option<&str>,
        moment: SessionMoment<'_>,
    ) -> Result<()> {
        let Some(session) = moment.session else { return Ok(()) };
        let mut sessions = self.sessions(harness);
        sessions.see(session, moment.at, agent);
        self.write_sessions(harness, &sessions)
    }

    /// Returns the open sessions; a file that cannot be read knows none.
    fn sessions(&self, harness: &str) -> OpenSessions {
        self.nexus().read(&sessions_file(harness)).ok().flatten().unwrap_or_default()
    }

    fn write_sessions(&self, harness: &str, sessions: &OpenSessions) -> Result<()> {
        let mut bytes = serde_json::to_vec_pretty(sessions).unwrap_or_default();
        bytes.push(b'\n');
        self.replace(&sessions_file(harness), &bytes, Flush::Later)
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

fn sessions_file(harness: &str) -> String {
    format!(".nexus/state/{harness}/sessions.json")
}

#[cfg(test)]
mod tests;
