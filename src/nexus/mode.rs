//! The modes, `.nexus/state/{harness}/mode.json`: the tag that each session follows.

use super::state_file::{Flush, Locked};
use super::{Nexus, Result};
use crate::model::{Mode, SessionModes};

impl Nexus {
    /// Returns the mode of a session.
    pub(crate) fn mode(&self, harness: &str, session: Option<&str>) -> Result<Option<Mode>> {
        Ok(self.read::<SessionModes>(&file(harness))?.and_then(|modes| modes.of_session(session)))
    }
}

impl Locked<'_> {
    /// Sets the mode of a session, replacing its previous one; other sessions keep theirs.
    pub(crate) fn set_mode(&self, harness: &str, mode: &Mode) -> Result<()> {
        // A file that cannot be read is replaced: it has nothing that a tag could not set again.
        let before = self.nexus().read::<SessionModes>(&file(harness)).ok().flatten();
        self.write_modes(harness, &SessionModes::with(before, mode.clone()))
    }

    /// Clears the mode of one session.
    pub(crate) fn clear_mode_of(&self, harness: &str, session: Option<&str>) -> Result<()> {
        let modes = self.nexus().read::<SessionModes>(&file(harness)).ok().flatten();
        match modes.and_then(|modes| modes.without(session)) {
            Some(rest) => self.write_modes(harness, &rest),
            None => self.clear_mode(harness),
        }
    }

    /// Clears the modes of all sessions.
    pub(crate) fn clear_mode(&self, harness: &str) -> Result<()> {
        self.remove(&file(harness)).map(drop)
    }

    fn write_modes(&self, harness: &str, modes: &SessionModes) -> Result<()> {
        let mut bytes = serde_json::to_vec_pretty(modes).unwrap_or_default();
        bytes.push(b'\n');
        self.replace(&file(harness), &bytes, Flush::Later)
    }
}

fn file(harness: &str) -> String {
    format!(".nexus/state/{harness}/mode.json")
}
