//! Failures: which are still open, and how one like this was overcome before.

use std::collections::HashSet;

use super::{Reader, Result, row};
use crate::model::{Observation, ObservationId, ObservationType, PastFix, Project};

/// So many earlier failures of the same kind are followed up.
const MOST_ALIKE: i64 = 20;

/// So many observations after a failure are searched for the success.
const MOST_STEPS: i64 = 300;

/// So many steps are told: the last before the success, where the remedy is.
const TOLD_STEPS: usize = 5;

impl Reader {
    /// Returns the newest failures of a project after which the same command has not succeeded, each command once.
    pub(crate) fn open_failures(&self, project: &Project, limit: usize) -> Result<Vec<Observation>> {
        let mut succeeded = self.connection.prepare_cached(
            "SELECT 1 FROM observations WHERE id > ?1 AND obs_type IN ('command', 'mcp_call')
                 AND subject = (SELECT subject FROM observations WHERE id = ?1) LIMIT 1",
        )?;
        let mut seen = HashSet::new();
        self.newest(project, ObservationType::CommandError, limit, |failure| {
            let metadata = failure.metadata.as_ref();
            // A command that a rule has blocked never ran: there is nothing to repair.
            let blocked = metadata.and_then(|metadata| metadata.kind()) == Some("rule");
            let command = metadata.and_then(|metadata| metadata.command()).unwrap_or(&failure.content);
            Ok(!blocked && seen.insert(command.to_owned()) && !succeeded.exists([failure.id.0])?)
        })
    }

    /// Returns the newest failure like this one, before this one, whose session went on to a success of the program.
    pub(crate) fn past_fix(
        &self,
        program: &str,
        signature: &str,
        before: Option<ObservationId>,
    ) -> Result<Option<PastFix>> {
        let before = before.map_or(i64::MAX, |id| id.0);
        let alike = format!(
            "WHERE signature = ?1 AND id < ?2 AND program = ?3 AND obs_type = 'command_error'
             ORDER BY id DESC LIMIT {MOST_ALIKE}"
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
            "WHERE session_id = ?1 AND (timestamp, id) > (?2, ?3) ORDER BY timestamp, id LIMIT {MOST_STEPS}"
        );
        let place = (&failure.session_id.0, failure.timestamp.0, failure.id.0);
        let mut steps = Vec::new();
        for observation in row::all(&self.connection, &rest, place)? {
            match observation.obs_type {
                ObservationType::Command if observation.program.as_deref() == Some(program) => {
                    let untold = steps.len().saturating_sub(TOLD_STEPS);
                    return Ok(Some((steps.split_off(untold), observation)));
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
