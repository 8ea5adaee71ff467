//! Shows problems to the user: each once per session, in one line per kind of problem.

use crate::context;
use crate::journal::marks;
use crate::model::{Origin, Problem, Severity, Topic};
use crate::ops::problems;
use crate::ops::turn::Turn;
use crate::redact::OwnPatterns;

/// Maximum number of problems of a kind that are named; the others are counted.
const MAX_NAMED: usize = 3;
/// Maximum number of problems shown at once; `nudge validate` shows all of them.
const MAX_SHOWN: usize = 100;

/// Shows the user each problem of this event that was not shown in its session yet, and logs it.
pub(super) fn notice(turn: &Turn<'_>) -> Option<String> {
    let found = turn.problems.iter().filter(|problem| problem.severity > Severity::Note);
    let found: Vec<&Problem> = found.take(MAX_SHOWN).collect();
    if found.is_empty() {
        return None;
    }
    let keys: Vec<String> = found.iter().map(|problem| format!("problem {problem}")).collect();
    let fresh = marks::set(turn.event.session.as_ref(), &keys, turn.budget.within(marks::TIMEOUT));
    let shown = found.into_iter().zip(fresh).filter(|(_, fresh)| *fresh);
    let none = OwnPatterns::default();
    let clean = |problem| problems::without_secrets(problem, turn.secrets().unwrap_or(&none));
    let shown: Vec<Problem> = shown.map(|(problem, _)| clean(problem)).collect();
    problems::record(&shown);
    let mut kinds: Vec<ProblemKind> = Vec::new();
    for kind in shown.iter().map(kind) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let lines = kinds.into_iter().map(|shared| line(shared, shown.iter().filter(|one| kind(one) == shared)));
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// A kind of problem: what is wrong, and which command helps.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ProblemKind {
    heading: &'static str,
    advice: &'static str,
}

fn kind(problem: &Problem) -> ProblemKind {
    let (heading, advice) = match (problem.topic, problem.origin) {
        (Topic::Rules, _) if !problem.is_error() => ("some rule files have warnings", "see `nudge validate`"),
        (Topic::Rules, Origin::File) => ("some rules do not work as written", "see `nudge validate`"),
        (Topic::Rules, Origin::Event) => ("some rules could not be evaluated", "see `nudge doctor`"),
        (Topic::Privacy, _) => ("nothing is remembered until the settings are fixed", "see `nudge settings`"),
        (Topic::Settings, _) => ("some settings are not used as written", "see `nudge settings`"),
        (Topic::Memory, _) => ("the memory has a problem", "see `nudge doctor`"),
        (Topic::Team, _) => ("no rows are exchanged with your team", "see `nudge team status`"),
        (Topic::Clock, _) => (
            "the date of this machine may be wrong",
            "correct the date, or run `nudge gc` to remove old observations now",
        ),
        (Topic::Plan, _) => ("plan and tasks of this project have a problem", "see `nudge doctor`"),
        (Topic::Environment, _) => ("an environment variable has a wrong value", "see `nudge doctor`"),
        (Topic::Time, _) => ("this hook took too long", "see `nudge why`"),
    };
    ProblemKind { heading, advice }
}

fn line<'p>(kind: ProblemKind, problems: impl Iterator<Item = &'p Problem>) -> String {
    let mut named: Vec<String> = problems.map(one_line).collect();
    if let Some(more) = named.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
        named.truncate(MAX_NAMED);
        named.push(format!("and {more} more"));
    }
    format!("nudge: {}: {} ({})", kind.heading, named.join("; "), kind.advice)
}

fn one_line(problem: &Problem) -> String {
    // Names of files and keys come from the repository and may contain anything.
    let line = problem.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    context::plain(&line)
}
