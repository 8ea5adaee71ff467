//! `nudge doctor --fix`: fixes what can be fixed without losing anything.

use std::path::Path;

use super::{agents, entries, folders, leftovers, server};
use crate::journal::trace;
use crate::model::{Problem, counted};
use crate::ops::observations::gc;
use crate::store::StoreError;

/// Fixes, and returns what was done and what could not be.
pub(crate) fn fix(root: &Path) -> Result<Vec<Result<String, Problem>>, StoreError> {
    let mut done = folders::close(&folders::open_to_others());
    done.extend(server::clear(&server::look()));
    let all = agents::all(root);
    done.extend(leftovers::clear(&agents::files_of(&all)));
    for asked in all.into_iter().flat_map(|(_, asked)| asked) {
        // Only what setup wrote is renewed: the user chooses which agents to connect, and may have lines of his own.
        if agents::look(&asked).is_old() && entries::were_written_by_setup(&asked) {
            done.extend(agents::renew(&asked));
        }
    }
    done.extend(drop_torn_lines());
    done.push(Ok(super::repair()?));
    Ok(done)
}

/// Drops the lines of the trace that cannot be read, and those that are too old.
fn drop_torn_lines() -> Option<Result<String, Problem>> {
    if trace::read().torn == 0 {
        return None;
    }
    let failed = |error| Problem::error(format!("the trace cannot be fixed: {error}"));
    Some(
        gc::trace(false)
            .map(|count| format!("{} of the trace removed", counted(count, "line")))
            .map_err(failed),
    )
}
