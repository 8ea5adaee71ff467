//! Answers one agent event: what the rules say to it, and what its user should know.

use std::path::Path;

use super::load_rules::{self, From};
use super::try_rules::{Tried, try_rules};
use crate::config::{env, marks, problems, project, target};
use crate::model::{Event, Hook, Origin, Outcome, Problem, SessionId, Severity, Verdict};
use crate::rules::{self, Action, Book, Said};

/// So many problems are named in the notice, the others counted.
const MAX_NAMED: usize = 3;
/// Beyond so many problems at once, one more says nothing new; `nudge validate` shows all.
const MAX_TOLD: usize = 100;
/// How much of a transcript's end is searched for the last message.
const TRANSCRIPT_END: u64 = 256 << 10;

/// Decides what to answer; whatever is off becomes a problem, and only a rule blocks.
pub(crate) fn handle(mut event: Event, last_message: impl Fn(&str) -> Option<String>) -> (Event, Verdict) {
    match event.hook {
        Hook::SessionStart => marks::sweep(),
        Hook::SessionEnd => {
            event.session.iter().for_each(marks::forget);
            return (event, Verdict::default());
        }
        Hook::Other => return (event, Verdict::default()),
        // A machine took the turn; rules without `match` are about what the user says, too.
        Hook::UserPromptSubmit if event.prompt.is_none() => return (event, Verdict::default()),
        Hook::PreToolUse | Hook::PostToolUse | Hook::UserPromptSubmit | Hook::Stop => {}
    }
    if event.cwd.as_os_str().is_empty() {
        event.cwd = env::current_dir();
    }
    let root = project::root(event.project.as_deref(), &event.cwd);
    let mut library = load_rules::book(&root, From::Cache);
    let mut found = std::mem::take(&mut library.problems);
    let (reread, opened);
    let book = match Book::open(&library.bytes) {
        Some(book) => book,
        None => {
            reread = load_rules::book(&root, From::Files);
            opened = Book::open(&reread.bytes);
            let Some(book) = opened else { return (event, Verdict::default()) };
            book
        }
    };
    if event.hook == Hook::Stop && event.closing_message.is_none() && !book.is_empty() {
        let end = event.transcript.as_deref().and_then(|path| target::read_tail(path, TRANSCRIPT_END));
        event.closing_message = end.as_deref().and_then(last_message);
    }
    let (event, outcome) = consult(&book, event, &root, &mut found);
    found.extend(book.problems);
    let notice = notice(event.session.as_ref(), &found);
    (event, Verdict { outcome, notice })
}

fn consult(book: &Book<'_>, event: Event, root: &Path, found: &mut Vec<Problem>) -> (Event, Outcome) {
    let (event, tried) = try_rules(book, event, root, env::rule_deadline());
    let session = event.session.clone();
    let mut says: Vec<Said> = Vec::new();
    for Tried { rule, outcome } in tried {
        match outcome {
            rules::Outcome::Fired(fired) => {
                let mark = || format!("once {} {}", rule.place.file, rule.name);
                if !rule.once_per_session || marks::set(session.as_ref(), &[mark()]) == [true] {
                    says.push(Said { rule: rule.name, action: fired.action, message: fired.message });
                }
            }
            rules::Outcome::Unevaluated(why) => {
                if rule.fails_closed {
                    let message = format!(
                        "The rule `{}` could not be evaluated, and is set to block then: {why}",
                        rule.name
                    );
                    says.push(Said { rule: rule.name.clone(), action: Action::Interrupt, message });
                }
                let place = &rule.place;
                let problem = Problem::error(why).at(&place.file, place.line, place.column);
                found.push(problem.of_rule(&rule.name).by_event());
            }
            rules::Outcome::Unmatched(_) | rules::Outcome::Excepted => {}
        }
    }
    (event, rules::join(&says))
}

/// Tells the user in one line of each problem that this session has not been told of, and logs it.
fn notice(session: Option<&SessionId>, found: &[Problem]) -> Option<String> {
    let found = found.iter().filter(|problem| problem.severity > Severity::Note);
    let found: Vec<&Problem> = found.take(MAX_TOLD).collect();
    if found.is_empty() {
        return None;
    }
    let keys: Vec<String> = found.iter().map(|problem| format!("problem {problem}")).collect();
    let fresh = marks::set(session, &keys);
    let told: Vec<Problem> =
        found.into_iter().zip(fresh).filter(|(_, fresh)| *fresh).map(|(one, _)| one.clone()).collect();
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
    if told.iter().any(|problem| problem.is_error() && problem.origin == Origin::File) {
        "some rules do not work as written"
    } else if told.iter().any(Problem::is_error) {
        "some rules could not be evaluated"
    } else {
        "some rule files need a look"
    }
}

fn where_to_look(told: &[Problem]) -> &'static str {
    let in_files = told.iter().all(|problem| problem.origin == Origin::File);
    if in_files { "`nudge validate`" } else { "`nudge doctor`" }
}

fn one_line(problem: &Problem) -> String {
    problem.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}
