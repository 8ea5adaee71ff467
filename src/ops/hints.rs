//! Answers questions about hints, in the PRIMARY, which keeps them.

mod answered;
mod bounded;
mod change;
mod changes;
pub(crate) mod client;
mod export;
pub(crate) mod import;
pub(crate) mod kept;
mod look;
pub(crate) mod place;
pub(crate) mod reach;
pub(crate) mod save;
mod snapshot;
pub(crate) mod stop;

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::{RoundMode, Timestamp, TimestampRound, Unit};
use serde::Serialize;
use serde_json::{Map, Value};

use self::answered::AnswerLog;
use self::bounded::Bounded;
use self::changes::HintChangeWire;
pub(crate) use self::export::HintExport;
use self::kept::KeptCache;
pub(crate) use self::snapshot::Snapshot;
use crate::api::Refusal;
use crate::api::hints::{HintMethod, HintRequest, SuggestRequest, SuggestWire};
pub(crate) use crate::hints::HintLimits;
use crate::hints::{HintTable, Occasion, Origins, PushedHints, Stages, Text, Ttl, normal_cwd, suggest};
use crate::model::{Hint, HintCode, HintContext, HintFlaw};
pub(crate) use crate::peers::{CallError, ChangeLog, NoServer};
use crate::system::clock;

/// The hints of this session of servers, with their limits.
pub(crate) struct HintService {
    generation: u64,
    limits: HintLimits,
    session_id: String,
    created_at: Timestamp,
    table: HintTable,
    origins: Origins,
    answered: AnswerLog,
    push_log: PushedHints,
    stages: Stages,
    kept: KeptCache,
    /// What the question that is being answered has changed.
    changed: Option<HintChangeWire>,
    /// Lines of changes that are not written yet.
    unsaved: Vec<String>,
}

/// An answer, as the JSON that callers read.
#[derive(Debug, Clone)]
pub(crate) enum HintAnswer {
    /// Serialized once, and passed on unchanged.
    Text(String),
    /// An export of any size: it is written while it is sent.
    Export(Box<HintExport>),
}

/// Maximum size of an answer that is one message: all hints of a component, each as long as possible.
const MAX_ANSWER_BYTES: usize = 16 << 20;
/// An export up to this size is not streamed.
const MAX_SHORT_BYTES: usize = 1 << 20;

impl HintService {
    /// Opens an empty service; an invalid default TTL is refused with a sentence.
    pub(crate) fn open(limits: HintLimits, now: Timestamp) -> Result<HintService, String> {
        Ttl::read(&limits.default_ttl)
            .map_err(|flaw| format!("the default TTL is not valid: {}", flaw.detail))?;
        let service = HintService::over(HintTable::default(), limits, now);
        Ok(HintService { session_id: format!("nudge-{}", now.as_millisecond()), ..service })
    }

    /// Answers from these hints alone, for a command where no server runs.
    fn over(table: HintTable, limits: HintLimits, now: Timestamp) -> HintService {
        HintService {
            generation: 0,
            limits,
            session_id: "kept".to_owned(),
            created_at: truncated(now),
            table,
            origins: Origins::default(),
            answered: AnswerLog::default(),
            push_log: PushedHints::default(),
            stages: Stages::default(),
            kept: KeptCache::default(),
            changed: None,
            unsaved: Vec::new(),
        }
    }

    /// Returns kept hints of files too, as a server does.
    pub(crate) fn read_kept_files(&mut self) {
        self.kept.enable();
    }

    /// Answers one question. If a question changes something and has a `request_id` that was answered before, it gets
    /// the same answer again and changes nothing.
    pub(crate) fn answer(
        &mut self,
        method: HintMethod,
        params: &Map<String, Value>,
        now: Timestamp,
    ) -> Result<HintAnswer, Refusal> {
        let id = HintRequest::parse_id(params)?.filter(|_| method.changes_something());
        if let Some(answer) = id.and_then(|id| self.answered.find(method, id)) {
            return answer;
        }
        let answer = method
            .parse(params)
            .and_then(|request| self.respond(request, truncated(now)).map_err(Refusal::of_hint));
        if let Some(id) = id {
            self.answered.keep(method, id, &answer);
            self.generation += 1;
        }
        let answered = id.and_then(|id| self.answered.of(id)).cloned();
        match self.changed.take() {
            Some(change) => self.log_change(change, answered, now),
            None if answered.is_some() => self.log_change(HintChangeWire::Nothing, answered, now),
            None => {}
        }
        answer
    }

    /// Returns the number of changes; a snapshot covers those up to its generation.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// Removes expired hints; returns how many.
    pub(crate) fn sweep(&mut self, now: Timestamp) -> usize {
        let before = self.table.len();
        self.table.sweep(truncated(now));
        self.origins.sweep(&self.table, truncated(now));
        before - self.table.len()
    }

    fn respond(&mut self, request: HintRequest, now: Timestamp) -> Result<HintAnswer, HintFlaw> {
        match request {
            HintRequest::Set(request) => self.set(&request, now),
            HintRequest::Get(request) => self.get(request, now),
            HintRequest::Query(request) => self.query(request, now),
            HintRequest::Delete(request) => self.delete(&request, now),
            HintRequest::ListComponents(request) => self.list_components(&request, now),
            HintRequest::Bump(request) => self.bump(request, now),
            HintRequest::Export(request) => {
                let is_whole = request.whole;
                let answer = HintAnswer::Export(Box::new(self.export(request, now)));
                let too_long =
                    "the export is too long for one answer: ask for one `component`, or run `nudge export`";
                match answer.clone().in_one_message(if is_whole { MAX_ANSWER_BYTES } else { MAX_SHORT_BYTES })
                {
                    Some(text) => Ok(text),
                    None if is_whole => Err(too_large(too_long)),
                    None => Ok(answer),
                }
            }
            HintRequest::Import(request) => self.import(&request, now),
            HintRequest::EnvNames(request) => Ok(self.env_names(request, now)),
            HintRequest::Suggest(request) => Ok(self.suggest(request, now)),
        }
    }

    fn suggest(&mut self, request: SuggestRequest, now: Timestamp) -> HintAnswer {
        let context = normalized(request.context);
        self.kept.refresh(&context, &self.limits, now);
        let view = self.kept.view(&self.table, &context, now);
        let wanted_env =
            if request.has_env { BTreeSet::new() } else { look::wanted_env(&view, &context, now) };
        if !wanted_env.is_empty() {
            return to_answer(&SuggestWire { suggestions: Vec::new(), wanted_env });
        }
        let occasion = Occasion { trigger: request.trigger, text: Text::new(&request.text), context };
        let limits = (request.limit, self.limits.suggestions);
        let hints = (&*view, &self.origins);
        let chosen = suggest(hints, &mut self.push_log, &request.session, &occasion, limits, now);
        if !chosen.is_empty() {
            self.generation += 1;
        }
        to_answer(&SuggestWire { suggestions: chosen, wanted_env })
    }
}

impl HintAnswer {
    /// Returns the answer as one message, unless it is longer than `max` bytes.
    fn in_one_message(self, max: usize) -> Option<HintAnswer> {
        match self {
            HintAnswer::Text(text) => Some(HintAnswer::Text(text)),
            HintAnswer::Export(export) => Bounded::text(max, |out| export.write(out)).map(HintAnswer::Text),
        }
    }

    /// Parses the answer, for callers that use its fields; they request it as one message.
    pub(crate) fn to_value(&self) -> Value {
        match self {
            HintAnswer::Text(text) => serde_json::from_str(text).unwrap_or_default(),
            HintAnswer::Export(_) => Value::Null,
        }
    }
}

/// Returns how long a hint still lives; `None` for one that lasts as long as its session.
pub(crate) fn time_left_of(hint: &Hint) -> Option<Duration> {
    let end = Ttl::read(hint.meta.ttl.as_deref()?).ok()?.end(hint.updated_at)?;
    Some(end.duration_since(clock::moment()).try_into().unwrap_or_default())
}

fn too_large(detail: &str) -> HintFlaw {
    HintFlaw::new(HintCode::Quota, detail)
}

fn normalized(mut context: HintContext) -> HintContext {
    if let Some(cwd) = &mut context.cwd {
        cwd.value = normal_cwd(&cwd.value);
    }
    context
}

/// Serializes an answer; this cannot fail, because all keys are texts.
fn to_answer(answer: &impl Serialize) -> HintAnswer {
    HintAnswer::Text(serde_json::to_string(answer).unwrap_or_default())
}

/// Hints store times in whole milliseconds.
fn truncated(now: Timestamp) -> Timestamp {
    now.round(TimestampRound::new().smallest(Unit::Millisecond).mode(RoundMode::Trunc)).unwrap_or(now)
}

#[cfg(test)]
mod tests;
