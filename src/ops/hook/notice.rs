//! What the user is told of problems: each once in a session, in one line.

use super::Own;
use crate::config::budget::Budget;
use crate::config::marks;
use crate::context;
use crate::model::{Origin, Problem, SessionId, Severity};
use crate::ops::problems;
use crate::redact::OwnPatterns;

/// So many problems are named in the notice, the others counted.
const MAX_NAMED: usize = 3;
/// Beyond so many problems at once, one more says nothing new; `nudge validate` shows all.
const MAX_TOLD: usize = 100;

/// Tells the user in one line of each problem that this session has not been told of, and logs it.
pub(super) fn notice(
    session: Option<&SessionId>,
    found: &[Problem],
    own: Own<'_>,
    budget: Budget,
) -> Option<String> {
    let found = found.iter().filter(|problem| problem.severity > Severity::Note);
    let found: Vec<&Problem> = found.take(MAX_TOLD).collect();
    if found.is_empty() {
        return None;
    }
    let keys: Vec<String> = found.iter().map(|problem| format!("problem {problem}")).collect();
    let fresh = marks::set(session, &keys, budget.within(marks::TIMEOUT));
    let told = found.into_iter().zip(fresh).filter(|(_, fresh)| *fresh);
    let none = OwnPatterns::default();
    let clean = |problem| problems::without_secrets(problem, own.unwrap_or(&none));
    let told: Vec<Problem> = told.map(|(problem, _)| clean(problem)).collect();
    problems::record(&told);
    let mut named: Vec<String> = told.iter().take(MAX_NAMED).map(one_line).collect();
    match told.len() {
        0 => return None,
        1..=MAX_NAMED => {}
        more => named.push(format!("and {} more", more - MAX_NAMED)),
    }
    Some(format!("nudge: {}: {} (see {})", heading(&told), named.join("; "), where_to_look(&told)))
}

fn heading(told: &[Problem]) -> &'static str {
    let error = |place: bool, origin| {
        told.iter().any(|one| one.is_error() && one.place.is_some() == place && one.origin == origin)
    };
    if error(true, Origin::File) {
        "some rules do not work as written"
    } else if error(true, Origin::Event) {
        "some rules could not be evaluated"
    } else if error(false, Origin::File) || error(false, Origin::Event) {
        "something is off"
    } else {
        "some rule files need a look"
    }
}

fn where_to_look(told: &[Problem]) -> &'static str {
    let in_files = told.iter().all(|problem| problem.origin == Origin::File && problem.place.is_some());
    if in_files { "`nudge validate`" } else { "`nudge doctor`" }
}

fn one_line(problem: &Problem) -> String {
    // Names of files and keys come from the repository.
    let line = problem.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    context::plain(&line)
}
