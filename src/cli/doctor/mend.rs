//! `nudge doctor --fix`: mends what can be mended without losing anything, and says what was done.

use std::path::Path;

use crate::cli::output::{Failure, counted, say, say_problem};
use crate::journal::trace;
use crate::model::Problem;
use crate::ops::doctor::{self, agents, entries, folders, leftovers, server};
use crate::ops::observations::gc;

/// Mends, and returns whether something could not be.
pub(super) fn mend(root: &Path) -> Result<bool, Failure> {
    let mut done = folders::close(&folders::open_to_others());
    done.extend(server::clear(&server::look()));
    let all = agents::all(root);
    done.extend(leftovers::clear(&agents::files_of(&all)));
    for asked in all.into_iter().flat_map(|(_, asked)| asked) {
        // Only what setup wrote is renewed: whom to connect is the user's choice, and so are lines of his own.
        if agents::look(&asked).is_old() && entries::were_written_by_setup(&asked) {
            done.extend(agents::renew(&asked));
        }
    }
    done.extend(drop_torn_lines());
    done.push(Ok(doctor::repair()?));
    done.iter().for_each(tell);
    Ok(done.iter().any(Result::is_err))
}

/// Drops what nobody can read of the trace, and what is too old besides.
fn drop_torn_lines() -> Option<Result<String, Problem>> {
    if trace::read().torn == 0 {
        return None;
    }
    let failed = |error| Problem::error(format!("the trace cannot be mended: {error}"));
    Some(
        gc::trace(false).map(|count| format!("{} of the trace went", counted(count, "line"))).map_err(failed),
    )
}

fn tell(done: &Result<String, Problem>) {
    match done {
        Ok(words) => say(words),
        Err(problem) => say_problem(problem, None),
    }
}
