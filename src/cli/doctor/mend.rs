//! `nudge doctor --fix`: mends what can be mended without losing anything, and says what was done.

use std::path::Path;

use super::{asked, of_all};
use crate::cli::output::{Failure, say, say_problem};
use crate::model::Problem;
use crate::ops::examine::{self, agents, folders, leftovers, server};

/// Mends, and returns whether something could not be.
pub(super) fn mend(root: &Path) -> Result<bool, Failure> {
    let mut done = folders::close(&folders::open_to_others());
    done.extend(server::clear(&server::look()));
    let all = asked(root);
    done.extend(leftovers::clear(&of_all(&all)));
    for asked in all.into_iter().flat_map(|(_, asked)| asked) {
        // Only what is there is renewed; whom to connect is the user's choice.
        if agents::look(&asked).is_old() {
            done.extend(agents::renew(&asked));
        }
    }
    done.push(Ok(examine::repair()?));
    done.iter().for_each(tell);
    Ok(done.iter().any(Result::is_err))
}

fn tell(done: &Result<String, Problem>) {
    match done {
        Ok(words) => say(words),
        Err(problem) => say_problem(problem, None),
    }
}
