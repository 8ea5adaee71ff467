//! The sessions that run in a project, and which subagents are theirs.
//!
//! The tracker of the contract knows no session, so this is written beside it.

use serde::{Deserialize, Serialize};

use super::TrackedAgent;

/// The content of `sessions.json`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct OpenSessions {
    #[serde(default)]
    sessions: Vec<OpenSession>,
}

/// A session that has begun and has not ended, as far as hooks have seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct OpenSession {
    id: String,
    /// When a hook last wrote something for it.
    seen_at: String,
    #[serde(default)]
    agents: Vec<String>,
}

/// A session that was silent for this long has ended without saying so.
const MAX_SILENCE_SECONDS: i64 = 24 * 60 * 60;

impl OpenSessions {
    /// Notes that a session runs, with one of its subagents; those that are silent for long are forgotten.
    pub(crate) fn see(&mut self, session: &str, at: &str, agent: Option<&str>) {
        self.sessions.retain(|one| one.id == session || !is_silent(&one.seen_at, at));
        let known = self.sessions.iter().position(|one| one.id == session).unwrap_or_else(|| {
            self.sessions.push(OpenSession {
                id: session.to_owned(),
                seen_at: String::new(),
                agents: Vec::new(),
            });
            self.sessions.len() - 1
        });
        let known = &mut self.sessions[known];
        known.seen_at = at.to_owned();
        if let Some(agent) = agent.filter(|agent| !known.agents.iter().any(|one| one == agent)) {
            known.agents.push(agent.to_owned());
        }
    }

    /// Forgets the subagents of a session that begins again.
    pub(crate) fn clear(&mut self, session: &str) {
        self.sessions.iter_mut().filter(|one| one.id == session).for_each(|one| one.agents.clear());
    }

    pub(crate) fn end(&mut self, session: &str) {
        self.sessions.retain(|one| one.id != session);
    }

    /// Returns whether a session other than this one runs.
    pub(crate) fn has_others(&self, session: &str, now: &str) -> bool {
        self.sessions.iter().any(|one| one.id != session && !is_silent(&one.seen_at, now))
    }

    /// Returns whether a subagent belongs to a session other than this one.
    pub(crate) fn is_of_another(&self, agent: &TrackedAgent, session: &str) -> bool {
        let is_its = |one: &OpenSession| one.agents.iter().any(|id| agent.is(id));
        self.sessions.iter().any(|one| one.id != session && is_its(one))
    }
}

fn is_silent(seen_at: &str, now: &str) -> bool {
    let seconds = |at: &str| at.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_second);
    match (seconds(seen_at), seconds(now)) {
        (Some(seen), Some(now)) => now - seen > MAX_SILENCE_SECONDS,
        _ => true,
    }
}
