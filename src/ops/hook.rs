//! Answers one agent event: what the rules, the project's plan and the past say to it, and what its user should know.

pub(crate) mod event;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::load_rules::{self, From};
use super::lower::{self, Asked};
use super::try_rules::{Tried, try_rules_of};
use super::{gc, nexus_hook, recall, remember, suggest, tell, trace};
use crate::config::settings::{self, Settings};
use crate::config::{env, marks, problems, project};
use crate::context;
use crate::harness::Agent;
use crate::model::{
    Event, Fate, Hook, Origin, Outcome, Part, Problem, Recorded, SessionId, Severity, Trace, Verdict,
};
use crate::redact::OwnPatterns;
use crate::rules::{self, Action, Book, Said};
use crate::store::StoreError;

/// So many problems are named in the notice, the others counted.
const MAX_NAMED: usize = 3;
/// Beyond so many problems at once, one more says nothing new; `nudge validate` shows all.
const MAX_TOLD: usize = 100;
/// At the end of a turn and of a session the spool is emptied, if the database is free.
const DRAIN_PATIENCE: Duration = Duration::from_millis(100);

/// The user's own patterns, or what is wrong with them.
pub(super) type Own<'o> = Result<&'o OwnPatterns, &'o str>;

/// What an event is answered, and how that came about.
pub(crate) struct Answer {
    pub(crate) event: Arc<Event>,
    pub(crate) verdict: Verdict,
    /// For `nudge why`; a moment that nothing acts on leaves none.
    pub(crate) trace: Option<Trace>,
}

/// Decides what to answer; whatever is off becomes a problem, and only a rule blocks.
pub(crate) fn handle(event: Event, agent: &Agent) -> Answer {
    if event.hook == Hook::Other {
        return Answer { event: Arc::new(event), verdict: Verdict::default(), trace: None };
    }
    let abilities = &agent.abilities;
    let root = project::root(event.project.as_deref(), &event.cwd);
    let (settings, mut found) = settings::load(&root);
    if event.hook == Hook::SessionStart {
        marks::sweep();
        gc::daily();
        if !settings.remember {
            gc::unname(&root);
        }
    }
    // Read once for all who take secrets out: a pattern that is compiled for one is there for the others.
    let own = OwnPatterns::new(&settings.secret_patterns);
    let own = own.as_ref().map_err(String::as_str);
    let asked = lower::asked(&event, abilities);
    let mut trace = Trace::default();
    let (event, by_rules) = obey(event, agent, &asked, &root, &mut found, &mut trace);
    let spoken = nexus_hook::answer(&event, &settings, own, &by_rules, &mut found);
    let (binding, by_whom) = match (by_rules, spoken.refusal) {
        (Outcome::Pass | Outcome::Guide(_), Some(refusal)) => (Outcome::Block(refusal), Part::Refusal),
        (by_rules, _) => (by_rules, Part::Rules),
    };
    let binding = lower::lower(Verdict { outcome: binding, notice: None }, &event, abilities);
    trace.recorded = remember::spool(&event, &binding.outcome, &settings, own).unwrap_or_else(|problem| {
        let why = problem.message.clone();
        found.push(problem);
        Recorded::Dropped(why)
    });
    let outcome = match binding.outcome {
        Outcome::Block(reason) => {
            trace.parts = vec![(by_whom, reason.chars().count())];
            Outcome::Block(reason)
        }
        Outcome::Guide(message) => {
            guide(Some((by_whom, message)), spoken.parts, &event, &settings, own, &mut found, &mut trace)
        }
        Outcome::Pass => guide(None, spoken.parts, &event, &settings, own, &mut found, &mut trace),
    };
    if matches!(event.hook, Hook::Stop | Hook::SessionEnd)
        && let Err(error) = remember::drain(DRAIN_PATIENCE)
        && !matches!(error, StoreError::Busy)
    {
        found.push(Problem::error(format!("observations wait, because {error}")).by_event());
    }
    let lines = binding.notice.into_iter().chain(notice(event.session.as_ref(), &found));
    let lines: Vec<String> = lines.collect();
    let notice = (!lines.is_empty()).then(|| lines.join("\n\n"));
    if event.hook == Hook::SessionEnd {
        event.session.iter().for_each(marks::forget);
    }
    let verdict = lower::lower(Verdict { outcome, notice }, &event, abilities);
    trace::describe(&mut trace, &event, &root, &verdict, &found, &settings, own);
    Answer { event, verdict, trace: Some(trace) }
}

/// Says all that there is to say, what binds before what helps.
fn guide(
    binding: Option<(Part, String)>,
    of_project: Vec<(Part, String)>,
    event: &Event,
    settings: &Settings,
    own: Own<'_>,
    found: &mut Vec<Problem>,
    trace: &mut Trace,
) -> Outcome {
    let past = from_the_past(event, settings, own, found).map(|past| (Part::Past, past));
    let hints = suggest::hints(event, settings, own).map(|hints| (Part::Hints, hints));
    let parts: Vec<(Part, String)> = binding.into_iter().chain(of_project).chain(past).chain(hints).collect();
    trace.parts = parts.iter().map(|(part, text)| (*part, text.chars().count())).collect();
    context::compose(parts.into_iter().map(|(_, text)| text)).map_or(Outcome::Pass, Outcome::Guide)
}

/// What earlier sessions have to say: to a new session their context, to a failure how it was overcome.
fn from_the_past(
    event: &Event,
    settings: &Settings,
    own: Own<'_>,
    found: &mut Vec<Problem>,
) -> Option<String> {
    let told = match event.hook {
        Hook::SessionStart => tell::session(event, settings).map(|told| told.map(|told| told.text)),
        Hook::PostToolUseFailure => recall::failure(event, settings, own),
        _ => return None,
    };
    told.unwrap_or_else(|error| {
        found.push(Problem::error(format!("the memory did not answer: {error}")).by_event());
        None
    })
}

/// Asks the rules that concern the event.
fn obey(
    mut event: Event,
    agent: &Agent,
    asked: &[Asked],
    root: &Path,
    found: &mut Vec<Problem>,
    trace: &mut Trace,
) -> (Arc<Event>, Outcome) {
    if asked.is_empty() {
        return (Arc::new(event), Outcome::Pass);
    }
    let mut library = load_rules::book(root, From::Cache);
    found.append(&mut library.problems);
    let (reread, opened);
    let book = match Book::open(&library.bytes) {
        Some(book) => book,
        None => {
            reread = load_rules::book(root, From::Files);
            opened = Book::open(&reread.bytes);
            let Some(book) = opened else { return (Arc::new(event), Outcome::Pass) };
            book
        }
    };
    if !book.is_empty() {
        event::add_closing_message(agent, &mut event);
    }
    let event = Arc::new(event);
    let says: Vec<Said> =
        asked.iter().flat_map(|asked| consult(&book, &event, *asked, root, found, trace)).collect();
    let outcome = rules::join(&says);
    found.extend(book.problems);
    (event, outcome)
}

fn consult(
    book: &Book<'_>,
    event: &Arc<Event>,
    asked: Asked,
    root: &Path,
    found: &mut Vec<Problem>,
    trace: &mut Trace,
) -> Vec<Said> {
    let mut says: Vec<Said> = Vec::new();
    let tried = try_rules_of(asked.hook, book, event, root, env::rule_deadline());
    let counts = |tried: &Tried| asked.only.is_none_or(|action| tried.rule.action == action);
    for Tried { rule, outcome } in tried.into_iter().filter(counts) {
        let mut fate = trace::fate(&outcome);
        let name = rule.name.clone();
        match outcome {
            rules::Outcome::Fired(fired) => {
                // A subagent has a context of its own, in which nothing has been said yet.
                let agent = event.agent_id.as_deref().unwrap_or_default();
                let mark = || format!("once {agent} {} {}", rule.place.file, rule.name);
                if !rule.once_per_session || marks::set(event.session.as_ref(), &[mark()]) == [true] {
                    says.push(Said { rule: rule.name, action: fired.action, message: fired.message });
                } else {
                    fate = Fate::SaidBefore;
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
        trace::note(trace, &name, fate);
    }
    says
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
    let told = found.into_iter().zip(fresh).filter(|(_, fresh)| *fresh);
    let told: Vec<Problem> = told.map(|(problem, _)| problem.clone()).collect();
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
    problem.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}
