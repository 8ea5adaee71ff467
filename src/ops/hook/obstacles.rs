//! What goes wrong in a project, and the way out: recurring causes of its failures.

use crate::context::{self, Obstacle};
use crate::model::{ObservationId, Project};
use crate::recall::{self, Cause};
use crate::store::{Reader, StoreError};

/// The causes are found among this many of the latest failures.
const MAX_FAILURES: usize = 300;
/// At most this many causes are searched for a way out, with at most this many failures of each.
const MAX_CAUSES: usize = 12;
const MAX_TRIED: usize = 2;

/// Returns the causes that may come back: those of several sessions, and those that were overcome once.
pub(super) fn obstacles(reader: &Reader, project: &Project) -> Result<Vec<Obstacle>, StoreError> {
    let failures = reader.failures(Some(project), MAX_FAILURES)?;
    let causes = recall::causes(failures).into_iter().filter(is_of_the_project);
    let mut obstacles = Vec::new();
    for cause in causes.take(MAX_CAUSES) {
        if let Some(obstacle) = obstacle(reader, &cause)? {
            obstacles.push(obstacle);
        }
    }
    Ok(obstacles)
}

/// Returns whether a cause may concern others: tests that fail in one session are the work of that session.
fn is_of_the_project(cause: &Cause) -> bool {
    cause.sessions() > 1 || !cause.failures.iter().all(|failure| recall::names_only_tests(&failure.signature))
}

fn obstacle(reader: &Reader, cause: &Cause) -> Result<Option<Obstacle>, StoreError> {
    let (times, sessions) = (cause.failures.len(), cause.sessions());
    let failures: Vec<ObservationId> = cause.failures.iter().map(|failure| failure.id).collect();
    let mut without = None;
    for failure in cause.failures.iter().take(MAX_TRIED) {
        let Some((failure, after)) = reader.failure_and_after(failure.id)? else { continue };
        if recall::only_looks(&failure) && sessions < 2 {
            return Ok(None);
        }
        // What worked when it was run again is news only if it keeps happening.
        let remedy =
            recall::remedy(&failure, &after).filter(|remedy| sessions > 1 || remedy.is_visible(&failure));
        if let Some(remedy) = remedy {
            let way = context::describe_way_out(&failure, &remedy);
            let has_command = remedy.is_by_command(&failure);
            return Ok(Some(Obstacle { failure, times, sessions, remedy: Some(way), failures, has_command }));
        }
        without.get_or_insert(failure);
    }
    // Without a way out it is worth a line only if several sessions met it.
    let keeps_coming = sessions > 1;
    Ok(without.filter(|_| keeps_coming).map(|failure| Obstacle {
        failure,
        times,
        sessions,
        remedy: None,
        failures,
        has_command: false,
    }))
}

#[cfg(test)]
mod tests;
