//! Turns the events of transcripts into calls that rules are tried on.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use super::tally::{Firing, PastOutcome, ReplayTally};
use super::trier::RuleTrier;
use super::{SharedRun, name_of};
use crate::harness::{Agent, PastEvent, UnrunCause};
use crate::model::{Event, Hook, SourceRank, Timestamp, ToolAction, ToolCall, ToolResult, beginning};
use crate::observations;
use crate::ops::observations::backfill::PastPlaces;
use crate::ops::observations::backfill::past::PastSource;
use crate::ops::rules::try_out::SessionFacts;
use crate::redact::{OwnPatterns, redact};
use crate::rules::RuleOutcome;

/// The longest text that is shown of a call, in characters.
const MAX_SHOWN: usize = 300;
/// As much of a call as is redacted before it is cut.
const MAX_REDACTED: usize = 4_000;

/// The transcript that each record was first seen in: a fork repeats the records of the session that it comes from.
#[derive(Default)]
pub(super) struct SeenRecords(Mutex<HashMap<i64, usize>>);

impl SeenRecords {
    fn is_copy(&self, source: usize, event: &PastEvent) -> bool {
        if event.record_ids.is_empty() {
            return false;
        }
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let firsts = event.record_ids.iter().map(|id| *seen.entry(id.0).or_insert(source));
        // All of them are noted, whichever is a copy.
        firsts.filter(|first| *first != source).count() > 0
    }
}

/// One thread's part of a replay.
pub(super) struct PastCalls<'r> {
    shared: &'r SharedRun<'r>,
    trier: RuleTrier<'r>,
    pub(super) tally: ReplayTally,
    places: PastPlaces,
    source: Option<Current>,
}

/// The transcript that is read.
struct Current {
    number: usize,
    agent: &'static Agent,
    folder: Option<PathBuf>,
    name: String,
    rank: SourceRank,
    /// Rules that speak once in a session, and have.
    spoken: HashSet<(usize, Option<String>, Option<String>)>,
    /// What happened in each of its sessions, as far as rules ask about it.
    facts: HashMap<Option<String>, SessionFacts>,
}

/// A place of the past, as far as firings name it.
pub(super) struct FiringPlace<'p> {
    pub(super) root: &'p Path,
    pub(super) project: Option<String>,
    pub(super) own: &'p OwnPatterns,
}

impl<'r> PastCalls<'r> {
    pub(super) fn new(shared: &'r SharedRun<'r>, trier: RuleTrier<'r>) -> PastCalls<'r> {
        let (tally, places) = (ReplayTally::default(), PastPlaces::default());
        PastCalls { shared, trier, tally, places, source: None }
    }

    pub(super) fn begin(&mut self, number: usize, source: &PastSource) {
        self.source = Some(Current {
            number,
            agent: source.agent(),
            folder: source.folder().map(Path::to_owned),
            name: name_of(source.path()),
            rank: source.rank(),
            spoken: HashSet::new(),
            facts: HashMap::new(),
        });
    }

    pub(super) fn take(&mut self, past: PastEvent) {
        let Some(source) = &mut self.source else { return };
        let at = Timestamp(past.at_ms.div_euclid(1_000));
        if past.at_ms <= 0 {
            self.tally.unreplayed.undated += 1;
            return;
        }
        if at < self.shared.request.since {
            return;
        }
        if self.shared.seen_records.is_copy(source.number, &past) {
            self.tally.copies += 1;
            return;
        }
        let past_ms = past.at_ms;
        let PastEvent { payload, event_name, exit_code, facts, unrun, .. } = past;
        let fact = |name: &str| facts.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
        // What the user typed into the agent's shell never reached a hook, and words at a refusal are not a prompt.
        if fact("by").is_some() || fact("kind").is_some() {
            return;
        }
        let Some(mut event) = (source.agent.parse_value)(payload, event_name) else { return };
        event.harness = source.agent.id;
        if let (Some(code), Some(id)) = (exit_code, &event.tool_use_id) {
            let end = json!({ "payload": { "call_id": id, "exit_code": code } }).to_string();
            (source.agent.complete)(&mut event, &end);
        }
        if let Some(session) = &event.session {
            if source.rank != SourceRank::Whole && self.shared.known_sessions.contains(&session.0) {
                return;
            }
            if !self.tally.sessions.contains(&session.0) {
                self.tally.sessions.insert(session.0.clone());
            }
        }
        let place = self.places.of(&event.cwd, source.folder.as_deref());
        if let Some(wanted) = &self.shared.project
            && place.project.as_ref().is_none_or(|project| project.root != wanted.root)
        {
            return;
        }
        let Some(own) = &place.own else {
            self.tally.unreplayed.private_calls += 1;
            return;
        };
        let root = place.root.clone().or_else(|| source.folder.clone()).unwrap_or_else(|| event.cwd.clone());
        let project = place.project.as_ref().map(|project| project.name.clone());
        let is_unknown = matches!(fact("exit_code"), Some(Value::Null)) || fact("interrupted").is_some();
        let place = FiringPlace { root: &root, project, own };
        let facts = source.facts.entry(event.session.as_ref().map(|session| session.0.clone())).or_default();
        facts.at_ms = Some(past_ms);
        let mut trial = PastTrial {
            trier: &self.trier,
            tally: &mut self.tally,
            spoken: &mut source.spoken,
            facts: Some(facts),
            counts_successes: self.shared.request.counts_successes,
        };
        trial.run(event, unrun, is_unknown, &place, (at, Some(&source.name)));
    }
}

/// Tries the rules on one event, and counts what comes of it.
pub(super) struct PastTrial<'t> {
    pub(super) trier: &'t RuleTrier<'t>,
    pub(super) tally: &'t mut ReplayTally,
    pub(super) spoken: &'t mut HashSet<(usize, Option<String>, Option<String>)>,
    /// What happened in the session; `None` if that is not known.
    pub(super) facts: Option<&'t mut SessionFacts>,
    pub(super) counts_successes: bool,
}

impl PastTrial<'_> {
    /// `is_unknown` if nobody knows how the call ended.
    pub(super) fn run(
        &mut self,
        event: Event,
        unrun: Option<UnrunCause>,
        is_unknown: bool,
        place: &FiringPlace<'_>,
        about: (Timestamp, Option<&str>),
    ) {
        match event.hook {
            Hook::PreToolUse | Hook::PostToolUse | Hook::PostToolUseFailure => {
                *self.tally.calls.entry((event.harness, place.project.clone())).or_default() += 1;
                let is_command =
                    matches!(event.tool, Some(ToolCall { action: ToolAction::Command { .. }, .. }));
                self.tally.commands += usize::from(is_command && unrun.is_none());
                self.call(event, unrun, is_unknown, place, about);
            }
            Hook::UserPromptSubmit if event.prompt.is_some() => {
                self.tally.prompts += 1;
                let event = Arc::new(event);
                self.note(&event, place);
                self.judge(&event, |_| PastOutcome::Unknown, place, about);
            }
            Hook::Stop => {
                self.tally.stops += 1;
                self.judge(&Arc::new(event), |_| PastOutcome::Unknown, place, about);
            }
            _ => {}
        }
        if let Some(facts) = &mut self.facts {
            facts.settle();
        }
    }

    /// Takes note of what happens in an event, if rules ask about it.
    fn note(&mut self, event: &Arc<Event>, place: &FiringPlace<'_>) {
        if let Some(facts) = &mut self.facts {
            let news = self.trier.happened(event, place.root, facts);
            facts.add(news);
        }
    }

    fn call(
        &mut self,
        mut event: Event,
        unrun: Option<UnrunCause>,
        is_unknown: bool,
        place: &FiringPlace<'_>,
        about: (Timestamp, Option<&str>),
    ) {
        let has_failed = event.hook == Hook::PostToolUseFailure;
        // The call before it ran had no result.
        let result = event.result.take();
        event.hook = Hook::PreToolUse;
        let mut event = Arc::new(event);
        let ending = |event: &Event| match unrun {
            Some(UnrunCause::Refused) => PastOutcome::Refused,
            Some(UnrunCause::Invalid) => PastOutcome::Invalid,
            None if is_unknown => PastOutcome::Unknown,
            None => outcome(event, result.as_ref(), has_failed),
        };
        let is_command = matches!(event.tool, Some(ToolCall { action: ToolAction::Command { .. }, .. }));
        if self.counts_successes && is_command {
            self.tally.commands_that_worked += usize::from(ending(&event) == PastOutcome::Well);
        }
        self.judge(&event, ending, place, about);
        let asks = |hook| self.trier.has_rules_for(hook) || self.trier.watches(hook);
        if unrun.is_none() && asks(Hook::PostToolUse) {
            let after = Arc::make_mut(&mut event);
            after.hook = if has_failed { Hook::PostToolUseFailure } else { Hook::PostToolUse };
            after.result.clone_from(&result);
            if !is_unknown {
                self.note(&event, place);
            }
            Arc::make_mut(&mut event).hook = Hook::PostToolUse;
            self.judge(&event, ending, place, about);
        }
    }

    fn judge(
        &mut self,
        event: &Arc<Event>,
        ending: impl Fn(&Event) -> PastOutcome,
        place: &FiringPlace<'_>,
        (at, transcript): (Timestamp, Option<&str>),
    ) {
        let nothing = SessionFacts::default();
        let facts = self.facts.as_deref().unwrap_or(&nothing);
        let (tried, matched) = self.trier.try_rules(event, place.root, facts);
        if let Some(facts) = &mut self.facts {
            facts.add(matched);
        }
        let is_blind_edit =
            matches!(&event.tool, Some(ToolCall { action: ToolAction::Edit { before: None, .. }, .. }));
        if is_blind_edit && tried.iter().any(|one| one.looks_at_content) {
            self.tally.unreplayed.edits_without_file += 1;
        }
        let session = event.session.as_ref().map(|session| session.0.clone());
        for one in tried {
            if one.asks_session && self.facts.is_none() {
                self.tally.unreplayed.without_session += 1;
                continue;
            }
            *self.tally.considered.entry(one.rule).or_default() += 1;
            match one.outcome {
                RuleOutcome::Fired(_) => {
                    let key = || (one.rule, session.clone(), event.agent_id.clone());
                    if one.once_per_session && !self.spoken.insert(key()) {
                        continue;
                    }
                    self.tally.fired(Firing {
                        rule: one.rule,
                        at,
                        harness: event.harness,
                        project: place.project.clone(),
                        session: session.clone(),
                        transcript: transcript.map(str::to_owned),
                        tool_use_id: event.tool_use_id.clone(),
                        tool: event.tool.as_ref().map(|tool| tool.name.clone()),
                        what: shown(event, place.own),
                        outcome: ending(event),
                    });
                }
                RuleOutcome::Unevaluated(_) => self.tally.unreplayed.unevaluated += 1,
                RuleOutcome::Unmatched(_)
                | RuleOutcome::Unmet(_)
                | RuleOutcome::Excepted
                | RuleOutcome::Waits(_) => {}
            }
        }
    }
}

/// Returns how a call ended that ran.
fn outcome(event: &Event, result: Option<&ToolResult>, has_failed: bool) -> PastOutcome {
    let Some(result) = result else {
        return if has_failed { PastOutcome::Failed } else { PastOutcome::Well };
    };
    if result.interrupted {
        return PastOutcome::Refused;
    }
    if result.unfinished {
        return PastOutcome::Unknown;
    }
    let is_hidden =
        || event.tool.as_ref().is_some_and(|tool| observations::failed_unreported(tool, Some(result)));
    if has_failed || result.failed || is_hidden() { PastOutcome::Failed } else { PastOutcome::Well }
}

/// Returns what a call was about, in one line and without secrets.
fn shown(event: &Event, own: &OwnPatterns) -> String {
    let action = event.tool.as_ref().map(|tool| &tool.action);
    let text = match action {
        Some(ToolAction::Command { command }) => command,
        Some(ToolAction::Search { query, .. }) => query,
        Some(action) => action.path().or_else(|| action.given_text()).unwrap_or_default(),
        None => event.prompt.as_deref().or(event.closing_message.as_deref()).unwrap_or_default(),
    };
    let clean = redact(beginning(text, MAX_REDACTED), own).text.into_owned();
    let line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    beginning(&line, MAX_SHOWN).to_string()
}
