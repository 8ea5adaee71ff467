//! The mode of a session: which skill, started by a tag, is active.

use serde::{Deserialize, Serialize};

/// The mode of one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mode {
    pub(crate) mode: ModeName,
    /// The agent decides without asking.
    #[serde(default)]
    pub(crate) auto: bool,
    pub(crate) set_at: String,
    /// The session that set it; it does not apply to others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
}

/// The content of `mode.json`: the mode that was set last, and those of other sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SessionModes {
    #[serde(flatten)]
    latest: Mode,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    others: Vec<Mode>,
}

/// Maximum number of sessions whose mode is kept; the oldest are forgotten.
const MAX_SESSIONS: usize = 50;

impl SessionModes {
    /// Adds the mode of a session, in place of its last one.
    pub(crate) fn with(before: Option<SessionModes>, mode: Mode) -> SessionModes {
        let mut others: Vec<Mode> = before.into_iter().flat_map(SessionModes::into_all).collect();
        others.retain(|other| other.session.is_some() && other.session != mode.session);
        others.truncate(MAX_SESSIONS);
        SessionModes { latest: mode, others }
    }

    /// Removes the mode of a session; `None` if none is left.
    pub(crate) fn without(self, session: Option<&str>) -> Option<SessionModes> {
        let mut rest =
            self.into_all().filter(|mode| mode.session.is_some() && mode.session.as_deref() != session);
        Some(SessionModes { latest: rest.next()?, others: rest.collect() })
    }

    /// Returns the mode of a session; one that names no session applies to all.
    pub(crate) fn of_session(self, session: Option<&str>) -> Option<Mode> {
        self.into_all().find(|mode| mode.session.as_deref().is_none_or(|own| Some(own) == session))
    }

    fn into_all(self) -> impl Iterator<Item = Mode> {
        std::iter::once(self.latest).chain(self.others)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ModeName {
    Plan,
    Run,
    Sync,
}

impl ModeName {
    /// Returns the tag that starts it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ModeName::Plan => "plan",
            ModeName::Run => "run",
            ModeName::Sync => "sync",
        }
    }
}
