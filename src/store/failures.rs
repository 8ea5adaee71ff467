//! Failures: which are still open, and how a similar one was fixed before.

use std::collections::HashSet;

use super::{Reader, Result, row};
use crate::model::{Observation, ObservationId, ObservationType, PastFix, Project};

/// At most this many earlier failures of the same kind are checked for a success after them.
const MAX_ALIKE: i64 = 20;

/// At most this many observations after a failure are searched for the success.
const MAX_STEPS: i64 = 300;

/// At most this many steps are shown: the last before the success, where the remedy is.
const SHOWN_STEPS: usize = 5;

impl Reader {
    /// Returns the newest failures of a project whose command has not succeeded since, each command once.
    pub(crate) fn open_failures(&self, project: &Project, limit: usize) -> Result<Vec<Observation>> {
        let mut succeeded = self.connection.prepare_cached(
            "SELECT 1 FROM observations WHERE id > ?1 AND obs_type IN ('command', 'mcp_call')
                 AND subject = (SELECT subject FROM observations WHERE id = ?1) LIMIT 1",
        )?;
        let mut seen = HashSet::new();
        self.newest(project, ObservationType::CommandError, limit, |failure| {
            let metadata = failure.metadata.as_ref();
            // A command that a rule has blocked never ran: there is nothing to fix.
            let blocked = metadata.and_then(|metadata| metadata.kind()) == Some("rule");
            let command = metadata.and_then(|metadata| metadata.command()).unwrap_or(&failure.content);
            Ok(!blocked && seen.insert(command.to_owned()) && !succeeded.exists([failure.id.0])?)
        })
    }

    /// Returns the newest earlier failure like this one after which the program succeeded in the same session.
    pub(crate) fn past_fix(
        &self,
        program: &str,
        signature: &str,
        before: Option<ObservationId>,
    ) -> Result<Option<PastFix>> {
        let before = before.map_or(i64::MAX, |id| id.0);
        let alike = format!(
            "WHERE signature = ?1 AND id < ?2 AND program = ?3 AND obs_type = 'command_error'
             ORDER BY id DESC LIMIT {MAX_ALIKE}"
        );
        for failure in row::all(&self.connection, &alike, (signature, before, program))? {
            if let Some((steps, success)) = self.success_after(&failure, program)? {
                return Ok(Some(PastFix { failure, steps, success }));
            }
        }
        Ok(None)
    }

    /// Returns the first success of the program after a failure, and what was done in between.
    fn success_after(
        &self,
        failure: &Observation,
        program: &str,
    ) -> Result<Option<(Vec<Observation>, Observation)>> {
        let rest = format!(
            "WHERE session_id = ?1 AND (timestamp, id) > (?2, ?3) ORDER BY timestamp, id LIMIT {MAX_STEPS}"
        );
        let place = (&failure.session_id.0, failure.timestamp.0, failure.id.0);
        let mut steps = Vec::new();
        for observation in row::all(&self.connection, &rest, place)? {
            match observation.obs_type {
                ObservationType::Command if observation.program.as_deref() == Some(program) => {
                    let hidden = steps.len().saturating_sub(SHOWN_STEPS);
                    return Ok(Some((steps.split_off(hidden), observation)));
                }
                ObservationType::Command | ObservationType::FileEdit | ObservationType::FileWrite => {
                    steps.push(observation);
                }
                _ => {}
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
