//! Answers one agent event: what the rules, the project's plan and earlier sessions say, and what the user should know.

mod asking;
mod before_act;
mod binding;
mod colleague_remedy;
pub(crate) mod event;
mod judge;
pub(crate) mod lower;
pub(crate) mod nexus;
mod notice;
mod obstacles;
mod past;
pub(crate) mod past_failure;
mod past_prompt;
mod past_text;
pub(crate) mod pushed_hints;
pub(crate) mod session_context;
pub(crate) mod signed_parts;
mod strangers;
#[cfg(feature = "team")]
mod team_trouble;

use std::borrow::Cow;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use self::judge::Judge;
use self::past::AnswerComposer;
use super::observations::{gc, remember, told};
use super::pause::{self, Paused};
use super::problems;
use super::rules::load::RuleOwner;
use super::turn::Turn;
use crate::context;
use crate::harness::Agent;
use crate::journal::call_times;
use crate::journal::marks::{self, SessionPart};
use crate::journal::session_facts;
use crate::model::{ContextPart, Event, Hook, Outcome, Problem, Recorded, Trace, Verdict};
use crate::ops::trace;
use crate::redact;

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
pub(crate) fn handle(event: Event, payload: &[u8], agent: &Agent) -> HookAnswer {
    if event.hook == Hook::Other {
        return HookAnswer { event: Arc::new(event), verdict: Verdict::default(), trace: None };
    }
    if let Some(paused) = pause::of_event(&event) {
        return off(event, agent, &paused);
    }
    let mut turn = Turn::new(own_stop(event), agent);
    turn.payload = payload;
    let mut judge = Judge::new(turn);
    judge.ask(RuleOwner::User);
    let decided = judge.outcome();
    let event = Arc::clone(&judge.turn.event);
    let rest = AssertUnwindSafe(move || with_project(judge));
    match (panic::catch_unwind(rest), decided) {
        (Ok(answer), _) => answer,
        (Err(_), Outcome::Block(reason) | Outcome::Ask { reason, .. }) => {
            let problem = Problem::error("the hook crashed after one of your rules had blocked");
            problems::record(&[problem.hint("please report this, with the event if you can")]);
            let verdict = Verdict { outcome: Outcome::Block(reason), notice: None };
            HookAnswer { verdict: lower::lower(verdict, &event, &agent.abilities), event, trace: None }
        }
        (Err(panic), _) => panic::resume_unwind(panic),
    }
}

/// Answers nothing and remembers nothing; only at the start of a session the user is told why.
fn off(event: Event, agent: &Agent, paused: &Paused) -> HookAnswer {
    let tells = event.hook == Hook::SessionStart;
    let notice = tells.then(|| format!("nudge is off {paused} ({})", paused.way_out()));
    let verdict = lower::lower(Verdict { outcome: Outcome::Pass, notice }, &event, &agent.abilities);
    HookAnswer { event: Arc::new(event), verdict, trace: None }
}

/// Adds what the project's rules, its plan and earlier sessions say to what the user's own rules said.
fn with_project(mut judge: Judge<'_>) -> HookAnswer {
    for level in judge.levels() {
        judge.ask(RuleOwner::Project(&level));
    }
    let (mut turn, binding) = judge.finish();
    turn.read_settings();
    if turn.event.hook == Hook::SessionStart {
        tidy_up(&mut turn);
        #[cfg(feature = "team")]
        turn.problems.extend(team_trouble::team_trouble(&turn));
    }
    keep_session_news(&mut turn);
    turn.redact_names();
    let binding = asking::settle(&mut turn, binding);
    let reply = nexus::answer(&mut turn, &binding.signed);
    let refused_by = reply.refusal.as_ref().map(|refusal| refusal.by.clone());
    let binding = binding.or_refused(reply.refusal);
    turn.trace.refused_by = refused_by.filter(|_| binding.source == ContextPart::Refusal);
    let abilities = &turn.agent.abilities;
    let effect = lower::effect(&binding.signed, &turn.event, abilities);
    time_call(&mut turn, effect);
    note_part(&turn, effect);
    let recorded = remember::spool(&mut turn, effect.seen_by_agent(&binding.unsigned));
    turn.trace.recorded = recorded.unwrap_or_else(|problem| {
        let why = problem.message.clone();
        turn.problems.push(problem);
        Recorded::Dropped(why)
    });
    let is_hidden =
        effect == lower::DegradedOutcome::Block && turn.agent.hides_refusals.contains(&turn.event.hook);
    let blocked = is_hidden.then(|| binding.for_user(&turn.event)).flatten();
    let source = binding.source;
    let mut past = AnswerComposer::of(&mut turn);
    let outcome = match binding.signed {
        Outcome::Block(reason) if effect == lower::DegradedOutcome::Block => past.block(source, reason),
        Outcome::Ask { reason, context } => past.ask(source, reason, context),
        Outcome::Block(text) | Outcome::Guide(text) => past.guide(Some((source, text)), reply.parts),
        Outcome::Pass => past.guide(None, reply.parts),
    };
    past.settle();
    let told = turn.news_for_user.take();
    let lines: Vec<String> = blocked.into_iter().chain(told).chain(notice::notice(&turn)).collect();
    let notice = (!lines.is_empty()).then(|| lines.join("\n"));
    let verdict = Verdict { outcome: visible(outcome), notice };
    let verdict = lower::lower(verdict, &turn.event, abilities);
    if matches!(verdict.outcome, Outcome::Guide(_)) {
        told::spool(&turn, &turn.told_rows);
    }
    if turn.event.hook == Hook::SessionEnd {
        turn.event.session.iter().for_each(marks::forget);
    }
    trace::describe(&mut turn, &verdict);
    HookAnswer { event: turn.event, verdict, trace: Some(turn.trace) }
}

/// Keeps what happened in this event that rules ask about. If nothing may be remembered, only that it happened is kept.
fn keep_session_news(turn: &mut Turn<'_>) {
    let Some((session, mut facts)) = turn.session_news.take().filter(|(_, facts)| !facts.is_empty()) else {
        return;
    };
    for fact in &mut facts {
        let what = std::mem::take(&mut fact.what);
        if let (Ok(own), true) = (turn.secrets(), turn.settings.remember) {
            fact.what = redact::redact(&what, own).text.into_owned();
        }
    }
    let timeout = turn.budget.within(session_facts::TIMEOUT);
    if let Err(error) = session_facts::add(&session, &facts, timeout) {
        let problem =
            Problem::error(format!("rules with `after`, `without` or `times` miss something: {error}"));
        turn.problems.push(problem.hint("check that the data folder is writable").by_event());
    }
}

/// The mark that one of our own answers kept the agent from stopping in this turn.
const KEPT_GOING: &str = "kept going";

/// An agent says that it continues because of a hook, but not of whose: only our own refusal, not another program's,
/// counts as the one time that we may keep it from stopping.
fn own_stop(mut event: Event) -> Event {
    if let Some(session) = event.session.as_ref().filter(|_| event.hook == Hook::Stop) {
        let turn = marks::of_part(session, SessionPart::Turn);
        if event.stop_hook_active {
            event.stop_hook_active = marks::is_set(&turn, KEPT_GOING);
        } else {
            // A turn that no hook has kept going is a new one. A prompt does not show that: Gemini CLI reports our own
            // reason as the prompt of its next round.
            marks::begin_part(session, SessionPart::Turn);
        }
    }
    event
}

/// Notes where a part of the session begins, and that we kept the agent going in this one.
fn note_part(turn: &Turn<'_>, effect: lower::DegradedOutcome) {
    let Some(session) = &turn.event.session else { return };
    let lost_context =
        || turn.event.cause.as_deref().is_some_and(|cause| matches!(cause, "compact" | "clear"));
    match turn.event.hook {
        Hook::PostCompact => marks::begin_part(session, SessionPart::Context),
        Hook::SessionStart if lost_context() => marks::begin_part(session, SessionPart::Context),
        Hook::Stop if effect == lower::DegradedOutcome::Block => {
            let part = marks::of_part(session, SessionPart::Turn);
            marks::set(Some(&part), &[KEPT_GOING.to_owned()], turn.budget.within(marks::TIMEOUT));
        }
        _ => {}
    }
}

/// Measures a call from its first event to its last, for an agent that does not say how long it took.
fn time_call(turn: &mut Turn<'_>, effect: lower::DegradedOutcome) {
    let (Some(session), Some(tool)) = (&turn.event.session, &turn.event.tool) else { return };
    if turn.agent.says_duration || !turn.settings.remember {
        return;
    }
    match turn.event.hook {
        Hook::PreToolUse if effect != lower::DegradedOutcome::Block => call_times::begin(session, tool),
        Hook::PostToolUse | Hook::PostToolUseFailure => turn.took_ms = call_times::end(session, tool),
        _ => {}
    }
}

/// Removes what earlier sessions left and nobody needs, once a session starts.
fn tidy_up(turn: &mut Turn<'_>) {
    marks::sweep();
    turn.problems.extend(gc::daily(turn.budget));
    // Earlier names are removed from the trace only if the settings clearly say that nothing is to be remembered.
    if !turn.settings.remember && turn.settings.unknown_because.is_none() {
        gc::remove_names_from_trace(turn.place.root());
    }
}

/// Makes invisible characters in the text visible.
fn visible(outcome: Outcome) -> Outcome {
    let shown = |text: String| match context::visible(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(shown) => shown,
    };
    match outcome {
        Outcome::Pass => Outcome::Pass,
        Outcome::Guide(text) => Outcome::Guide(shown(text)),
        Outcome::Ask { reason, context } => {
            Outcome::Ask { reason: shown(reason), context: context.map(shown) }
        }
        Outcome::Block(text) => Outcome::Block(shown(text)),
    }
}
