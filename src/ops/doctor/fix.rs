//! `nudge doctor --fix`: fixes what can be fixed without losing anything.

use std::path::Path;

use super::{agents, entries, folders, leftovers, server};
use crate::journal::trace;
use crate::model::{Problem, counted};
use crate::ops::nexus;
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
    done.extend(fix_history(root));
    done.extend(drop_torn_lines());
    done.push(Ok(super::repair()?));
    Ok(done)
}

/// Joins both sides of a conflict in the history, and lets git do it next time.
fn fix_history(root: &Path) -> Vec<Result<String, Problem>> {
    let nexus = nexus::of_folder(root);
    if !nexus.exists() || !nexus.path(".nexus/history.json").exists() {
        return Vec::new();
    }
    let failed = |error: nexus::PlanError| {
        let problem = Problem::error(error.to_string());
        Err(match error.hint() {
            Some(hint) => problem.hint(hint),
            None => problem,
        })
    };
    let mut done = match nexus::history::fix(&nexus) {
        Ok(files) => files
            .into_iter()
            .map(|file| {
                Ok(format!("`{file}` has the cycles of both sides now; `git add {file}` says so to git"))
            })
            .collect(),
        Err(error) => vec![failed(error)],
    };
    match nexus::history::set_up_merging(&nexus) {
        Ok(made) => done.extend(made.into_iter().map(|name| Ok(format!("set: {name}")))),
        Err(error) => done.push(failed(error)),
    }
    done
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
