//! Answers questions about hints, in the PRIMARY, which keeps them.

mod answered;
mod bounded;
mod change;
pub(crate) mod client;
mod export;
pub(crate) mod import;
mod look;
pub(crate) mod place;
pub(crate) mod reach;
pub(crate) mod save;
mod snapshot;
pub(crate) mod stop;

use jiff::{RoundMode, Timestamp, TimestampRound, Unit};
use serde::Serialize;
use serde_json::{Map, Value};

use self::answered::AnswerLog;
use self::bounded::Bounded;
pub(crate) use self::export::HintExport;
pub(crate) use self::snapshot::Snapshot;
use crate::api::Refusal;
use crate::api::hints::{HintMethod, HintRequest, SuggestRequest, SuggestWire};
pub(crate) use crate::hints::HintLimits;
use crate::hints::{HintTable, Occasion, Origins, PushedHints, Stages, Text, Ttl, normal_cwd, suggest};
use crate::model::{HintCode, HintContext, HintFlaw};
pub(crate) use crate::peers::{CallError, NoServer};

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
        Ok(HintService {
            generation: 0,
            limits,
            session_id: format!("nudge-{}", now.as_millisecond()),
            created_at: truncated(now),
            table: HintTable::default(),
            origins: Origins::default(),
            answered: AnswerLog::default(),
            push_log: PushedHints::default(),
            stages: Stages::default(),
        })
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
        answer
    }

    /// Returns the number of changes; a snapshot covers those up to its generation.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// Removes expired hints.
    pub(crate) fn sweep(&mut self, now: Timestamp) {
        self.table.sweep(truncated(now));
        self.origins.sweep(&self.table, truncated(now));
    }

    fn respond(&mut self, request: HintRequest, now: Timestamp) -> Result<HintAnswer, HintFlaw> {
        match request {
            HintRequest::Set(request) => self.set(&request, now),
            HintRequest::Get(request) => self.get(request, now),
            HintRequest::Query(request) => self.query(request, now),
            HintRequest::Delete(request) => self.delete(&request, now),
            HintRequest::ListComponents(request) => self.list_components(request.component.as_deref(), now),
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
            HintRequest::EnvNames(request) => Ok(self.env_names(&request, now)),
            HintRequest::Suggest(request) => Ok(self.suggest(request, now)),
        }
    }

    fn suggest(&mut self, request: SuggestRequest, now: Timestamp) -> HintAnswer {
        let occasion = Occasion {
            trigger: request.trigger,
            text: Text::new(&request.text),
            context: normalized(request.context),
        };
        let limits = (request.limit, self.limits.suggestions);
        let hints = (&self.table, &self.origins);
        let chosen = suggest(hints, &mut self.push_log, &request.session, &occasion, limits, now);
        if !chosen.is_empty() {
            self.generation += 1;
        }
        to_answer(&SuggestWire { suggestions: chosen })
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
