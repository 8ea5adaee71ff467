//! What goes wrong in a project, and the way out: recurring causes of its failures.

use crate::context::{self, Obstacle};
use crate::model::Project;
use crate::recall::{self, Cause};
use crate::store::{Reader, StoreError};

/// The causes are found among this many of the latest failures.
const MAX_FAILURES: usize = 300;
/// At most this many causes are searched for a way out, with at most this many failures of each.
const MAX_CAUSES: usize = 14;
const MAX_TRIED: usize = 3;

/// Returns the causes that may come back: those of several sessions, and those that were overcome once.
pub(super) fn obstacles(reader: &Reader, project: &Project) -> Result<Vec<Obstacle>, StoreError> {
    let failures = reader.failures(Some(project), MAX_FAILURES)?;
    let causes = recall::causes(failures);
    let mut obstacles = Vec::new();
    for cause in causes.into_iter().take(MAX_CAUSES) {
        if let Some(obstacle) = obstacle(reader, &cause)? {
            obstacles.push(obstacle);
        }
    }
    Ok(obstacles)
}

fn obstacle(reader: &Reader, cause: &Cause) -> Result<Option<Obstacle>, StoreError> {
    let (times, sessions) = (cause.failures.len(), cause.sessions());
    let mut without = None;
    for failure in cause.failures.iter().take(MAX_TRIED) {
        let Some((failure, after)) = reader.failure_and_after(failure.id)? else { continue };
        if recall::only_looks(&failure) && sessions < 2 {
            return Ok(None);
        }
        let remedy = recall::remedy(&failure, after).filter(|remedy| remedy.is_visible(&failure));
        if let Some(remedy) = remedy {
            let way = context::describe_remedy(&failure, &remedy);
            return Ok(Some(Obstacle { failure, times, sessions, remedy: Some(way) }));
        }
        without.get_or_insert(failure);
    }
    // Without a way out it is worth a line only if several sessions met it.
    let keeps_coming = sessions > 1;
    Ok(without.filter(|_| keeps_coming).map(|failure| Obstacle { failure, times, sessions, remedy: None }))
}
