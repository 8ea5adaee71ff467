//! Answers one agent event: what the rules, the project's plan and earlier sessions say, and what the user should know.

mod before_act;
pub(crate) mod event;
mod judge;
pub(crate) mod lower;
pub(crate) mod nexus;
mod notice;
mod obstacles;
pub(crate) mod past_failure;
mod past_prompt;
pub(crate) mod pushed_hints;
pub(crate) mod session_context;

use std::borrow::Cow;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use self::judge::{Judge, Judged};
use super::observations::salvage::{self, Repair};
use super::observations::{gc, remember};
use super::on_time::on_time;
use super::rules::load;
use super::{problems, secret_patterns};
use crate::config::settings::{self, Settings};
use crate::context;
use crate::harness::Agent;
use crate::journal::marks;
use crate::model::{Event, Hook, Outcome, Part, Problem, Recorded, Topic, Trace, Verdict};
use crate::ops::secret_patterns::SecretPatterns;
use crate::ops::trace;
use crate::redact::{OwnPatterns, redact};
use crate::store::{Extent, StoreError};
use crate::system::budget::Budget;
use crate::system::project;

/// How long the end of a turn or a session waits for the database to empty the spool into it.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(100);

/// The answer to an event, and how it came about.
pub(crate) struct HookAnswer {
    pub(crate) event: Arc<Event>,
    pub(crate) verdict: Verdict,
    /// For `nudge why`; `None` for an event that nothing acts on.
    pub(crate) trace: Option<Trace>,
}

/// Decides what to answer. Whatever goes wrong becomes a problem; only a rule blocks.
///
/// The user's own rules are evaluated before anything of the project is read, and what they block stays blocked
/// whatever the project's files do to this process.
pub(crate) fn handle(event: Event, agent: &Agent) -> HookAnswer {
    if event.hook == Hook::Other {
        return HookAnswer { event: Arc::new(event), verdict: Verdict::default(), trace: None };
    }
    let budget = Budget::of_hook();
    let root: &Path = &project::root(event.project.as_deref(), &event.cwd);
    let selections = lower::select_rules(&event, &agent.abilities);
    let mut judge = Judge::new(event, selections, root, budget, agent);
    judge.ask(load::RuleOwner::User);
    let decided = judge.outcome();
    let event = Arc::clone(judge.event());
    let rest = AssertUnwindSafe(move || with_project(judge, agent, root, budget));
    match (panic::catch_unwind(rest), decided) {
        (Ok(answer), _) => answer,
        (Err(_), Outcome::Block(reason)) => {
            let problem = Problem::error("the hook crashed after one of your rules had blocked");
            problems::record(&[problem.hint("please report this, with the event if you can")]);
            let verdict = Verdict { outcome: Outcome::Block(reason), notice: None };
            HookAnswer { verdict: lower::lower(verdict, &event, &agent.abilities), event, trace: None }
        }
        (Err(panic), _) => panic::resume_unwind(panic),
    }
}

/// Adds what the project's rules, its plan and earlier sessions say to what the user's own rules said.
fn with_project(mut judge: Judge<'_>, agent: &Agent, root: &Path, budget: Budget) -> HookAnswer {
    judge.ask(load::RuleOwner::Project(root));
    let Judged { event, outcome: by_rules, mut found, mut trace } = judge.into_judged();
    let (settings, problems) = settings::load(root);
    found.extend(problems);
    if event.hook == Hook::SessionStart {
        marks::sweep();
        found.extend(gc::daily(budget));
        // Earlier names are removed from the trace only if the settings clearly say that nothing is to be remembered.
        if !settings.remember && settings.unknown_because.is_none() {
            gc::remove_names_from_trace(root);
        }
    }
    // Read once for every stage that redacts: a pattern that one stage compiles is ready for the others.
    let own = secret_patterns::of(&settings);
    let own = own.as_ref().map_err(String::as_str);
    let event = with_clean_names(event, own);
    let reply = nexus::answer(&event, &settings, own, &by_rules, budget, &mut found);
    let (binding, source) = match (by_rules, reply.refusal) {
        (Outcome::Pass | Outcome::Guide(_), Some(refusal)) => (Outcome::Block(refusal), Part::Refusal),
        (by_rules, _) => (by_rules, Part::Rules),
    };
    let binding = lower::lower(Verdict { outcome: binding, notice: None }, &event, &agent.abilities);
    trace.recorded = remember::spool(&event, &binding.outcome, &settings, own).unwrap_or_else(|problem| {
        let why = problem.message.clone();
        found.push(problem);
        Recorded::Dropped(why)
    });
    let mut past =
        Past { event: &event, settings: &settings, own, budget, found: &mut found, is_salvaged: false };
    let outcome = match binding.outcome {
        Outcome::Block(reason) => {
            trace.parts = vec![(source, reason.chars().count())];
            Outcome::Block(reason)
        }
        Outcome::Guide(message) => past.guide(Some((source, message)), reply.parts, &mut trace),
        Outcome::Pass => past.guide(None, reply.parts, &mut trace),
    };
    past.settle();
    let lines = binding.notice.into_iter().chain(notice::notice(event.session.as_ref(), &found, own, budget));
    let lines: Vec<String> = lines.collect();
    let notice = (!lines.is_empty()).then(|| lines.join("\n\n"));
    if event.hook == Hook::SessionEnd {
        event.session.iter().for_each(marks::forget);
    }
    let verdict = lower::lower(Verdict { outcome: visible(outcome), notice }, &event, &agent.abilities);
    trace::describe(&mut trace, &event, root, &verdict, &found, &settings, own);
    HookAnswer { event, verdict, trace: Some(trace) }
}

/// Redacts the names in an event, before anything is stored under them.
fn with_clean_names(event: Arc<Event>, own: SecretPatterns<'_>) -> Arc<Event> {
    let none = OwnPatterns::default();
    let own = own.unwrap_or(&none);
    let all = [
        event.session.as_ref().map(|session| &session.0),
        event.agent_id.as_ref(),
        event.agent_type.as_ref(),
    ];
    let all: Vec<&str> = all.into_iter().flatten().map(String::as_str).collect();
    // Nearly every event has no secret in its names, and one search over all of them settles that.
    if redact(&all.join("\n"), own).kinds.is_empty() {
        return event;
    }
    let mut event = Arc::unwrap_or_clone(event);
    let session = event.session.iter_mut().map(|session| &mut session.0);
    let names = session.chain(&mut event.agent_id).chain(&mut event.agent_type);
    for name in names {
        if let Cow::Owned(clean) = redact(name, own).text {
            *name = clean;
        }
    }
    Arc::new(event)
}

/// Makes invisible characters in the text visible, whoever wrote it.
fn visible(outcome: Outcome) -> Outcome {
    let shown = |text: String| match context::visible(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(shown) => shown,
    };
    match outcome {
        Outcome::Pass => Outcome::Pass,
        Outcome::Guide(text) => Outcome::Guide(shown(text)),
        Outcome::Block(text) => Outcome::Block(shown(text)),
    }
}

/// Adds what earlier sessions and other people's hints say, if there is time for it.
struct Past<'h> {
    event: &'h Event,
    settings: &'h Settings,
    own: SecretPatterns<'h>,
    budget: Budget,
    found: &'h mut Vec<Problem>,
    /// Whether the memory was queried, which also restores what was damaged.
    is_salvaged: bool,
}

impl Past<'_> {
    /// Joins all parts of the answer: what binds comes before what helps.
    fn guide(
        &mut self,
        binding: Option<(Part, String)>,
        by_project: Vec<(Part, String)>,
        trace: &mut Trace,
    ) -> Outcome {
        let past = self.past_context().map(|past| (Part::Past, past));
        let hints = pushed_hints::hints(self.event, self.settings, self.own, self.budget);
        let hints = hints.map(|hints| (Part::Hints, hints));
        let parts = binding.into_iter().chain(by_project).chain(past).chain(hints);
        let parts: Vec<(Part, String)> = parts.collect();
        trace.parts = parts.iter().map(|(part, text)| (*part, text.chars().count())).collect();
        context::compose(parts.into_iter().map(|(_, text)| text)).map_or(Outcome::Pass, Outcome::Guide)
    }

    /// Returns what the memory adds: context for a new session, and the earlier fix for a failure.
    fn past_context(&mut self) -> Option<String> {
        if self.event.hook == Hook::PreToolUse {
            return before_act::warning(self.event, self.settings, self.budget);
        }
        let may_speak = match self.event.hook {
            Hook::SessionStart | Hook::PostToolUseFailure | Hook::UserPromptSubmit => true,
            Hook::PostToolUse => past_failure::is_hidden_failure(self.event),
            _ => false,
        };
        if !may_speak || self.is_late() {
            return None;
        }
        let past = match self.event.hook {
            Hook::UserPromptSubmit => past_prompt::prompt(self.event, self.settings, self.budget),
            Hook::SessionStart => {
                let past = session_context::session(self.event, self.settings, self.budget);
                self.is_salvaged = past.is_ok() && session_context::is_asked(self.event, self.settings);
                past.map(|past| past.map(|past| past.text))
            }
            _ => past_failure::failure(self.event, self.settings, self.own, self.budget),
        };
        past.unwrap_or_else(|error| {
            let problem = Problem::error(format!("the memory did not answer: {error}"));
            self.found.push(problem.by_event().about(Topic::Memory));
            None
        })
    }

    /// Stores waiting observations when a turn or a session ends; at a session's start, reports damage to the memory.
    fn settle(&mut self) {
        match self.event.hook {
            Hook::Stop | Hook::SessionEnd => {}
            Hook::SessionStart => {
                let advanced = || {
                    salvage::advance(Repair::Brief);
                    Ok(())
                };
                // What is not done in time is done at the end of the turn.
                if !self.is_salvaged {
                    drop(on_time(self.budget, advanced));
                }
                self.found.extend(salvage::news());
                return;
            }
            _ => return,
        }
        if self.is_late() {
            return;
        }
        let (timeout, is_end) = (self.budget.within(DRAIN_TIMEOUT), self.event.hook == Hook::SessionEnd);
        let drained = on_time(self.budget, move || {
            if is_end { remember::drain_at_end(timeout) } else { remember::drain(timeout, Extent::Batch) }?;
            salvage::advance(Repair::Brief);
            Ok(())
        });
        match drained {
            Ok(()) | Err(StoreError::Busy | StoreError::Stuck) => {}
            Err(error) => {
                let problem = Problem::error(format!("observations could not be stored yet: {error}"));
                self.found.push(problem.by_event().about(Topic::Memory));
            }
        }
    }

    /// Returns whether the hook's time is used up, and reports that; the optional parts are then left out.
    fn is_late(&mut self) -> bool {
        let is_over = self.budget.is_over();
        if is_over {
            let problem = Problem::error("the hook ran out of time, and skipped what the memory would add");
            let problem = problem.hint("`nudge why` shows what took so long");
            self.found.push(problem.by_event().about(Topic::Time));
        }
        is_over
    }
}
