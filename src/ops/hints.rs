//! Answers the questions about hints, where they are kept: in the PRIMARY.

mod answered;
mod bounded;
mod change;
mod export;
mod look;
mod snapshot;

use jiff::{RoundMode, Timestamp, TimestampRound, Unit};
use serde::Serialize;
use serde_json::{Map, Value, json};

use self::answered::Answered;
use self::bounded::Bounded;
pub(crate) use self::export::Export;
pub(crate) use self::snapshot::Snapshot;
use crate::api::{HintMethod, HintRequest, Refusal, SuggestRequest, SuggestTrigger};
use crate::hints::{Limits, Occasion, Origins, Shelf, Stages, Text, Told, Trigger, Ttl, normal_cwd, suggest};
use crate::model::{HintCode, HintContext, HintFlaw};

/// The hints of this session of servers, with the limits that hold for them.
pub(crate) struct HintService {
    generation: u64,
    limits: Limits,
    suggestions: usize,
    session_id: String,
    created_at: Timestamp,
    shelf: Shelf,
    origins: Origins,
    answered: Answered,
    told: Told,
    stages: Stages,
}

/// An answer, as the JSON that callers read.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// Written once, from what is kept, and only passed on from there.
    Text(String),
    /// As much as there is: it is written while it is sent.
    Export(Box<Export>),
}

/// The longest answer in one piece: all hints of a component, each as long as can be.
const MOST_ANSWER: usize = 16 << 20;
/// What is no longer needs no stream.
const SHORT: usize = 1 << 20;

/// What holds for all hints; each has a variable and a flag of `nudge serve`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HintLimits {
    pub(crate) max_hints: usize,
    pub(crate) secret_guard: bool,
    /// `session`, or an ISO-8601 duration.
    pub(crate) default_ttl: String,
    /// How many hints are pushed to one agent session within ten minutes.
    pub(crate) suggestions: usize,
}

impl HintService {
    /// Opens an empty desk; a default TTL that is none is refused in a sentence.
    pub(crate) fn open(limits: HintLimits, now: Timestamp) -> Result<HintService, String> {
        let HintLimits { max_hints, secret_guard, default_ttl, suggestions } = limits;
        Ttl::read(&default_ttl).map_err(|flaw| format!("the default TTL is none: {}", flaw.detail))?;
        Ok(HintService {
            generation: 0,
            limits: Limits { max_hints, secret_guard, default_ttl },
            suggestions,
            session_id: format!("nudge-{}", now.as_millisecond()),
            created_at: whole(now),
            shelf: Shelf::default(),
            origins: Origins::default(),
            answered: Answered::default(),
            told: Told::default(),
            stages: Stages::default(),
        })
    }

    /// Answers one question. A question that changes something and carries a `request_id` that was answered before gets
    /// the same answer again, and changes nothing.
    pub(crate) fn answer(
        &mut self,
        method: HintMethod,
        params: &Map<String, Value>,
        now: Timestamp,
    ) -> Result<Answer, Refusal> {
        let id = HintRequest::parse_id(params)?.filter(|_| changes(method));
        if let Some(answer) = id.and_then(|id| self.answered.find(method, id)) {
            return answer;
        }
        let answer = HintRequest::parse(method, params)
            .and_then(|request| self.respond(request, whole(now)).map_err(Refusal::of_hint));
        if let Some(id) = id {
            self.answered.keep(method, id, &answer);
            self.generation += 1;
        }
        answer
    }

    /// Counts the changes; a snapshot covers those up to its generation.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// Frees what has expired.
    pub(crate) fn sweep(&mut self, now: Timestamp) {
        self.shelf.sweep(whole(now));
        self.origins.sweep(&self.shelf, whole(now));
    }

    fn respond(&mut self, request: HintRequest, now: Timestamp) -> Result<Answer, HintFlaw> {
        match request {
            HintRequest::Set(request) => self.set(&request, now),
            HintRequest::Get(request) => self.get(request, now),
            HintRequest::Query(request) => self.query(request, now),
            HintRequest::Delete(request) => self.delete(&request, now),
            HintRequest::ListComponents(component) => self.list_components(component.as_deref(), now),
            HintRequest::Bump(request) => self.bump(request, now),
            HintRequest::Export(request) => {
                let is_whole = request.whole;
                let answer = Answer::Export(Box::new(self.export(request, now)));
                let too_long =
                    "the export is too long for one answer: ask for one `component`, or run `nudge export`";
                match answer.clone().in_one_piece(if is_whole { MOST_ANSWER } else { SHORT }) {
                    Some(text) => Ok(text),
                    None if is_whole => Err(too_large(too_long)),
                    None => Ok(answer),
                }
            }
            HintRequest::Import(request) => self.import(&request, now),
            HintRequest::EnvNames(component, key) => {
                Ok(self.env_names(component.as_deref(), key.as_deref(), now))
            }
            HintRequest::Suggest(request) => Ok(self.suggest(request, now)),
        }
    }

    fn suggest(&mut self, request: SuggestRequest, now: Timestamp) -> Answer {
        let occasion = Occasion {
            trigger: match request.trigger {
                SuggestTrigger::SessionStart => Trigger::SessionStart,
                SuggestTrigger::Prompt => Trigger::Prompt,
                SuggestTrigger::Failure => Trigger::Failure,
            },
            text: Text::new(&request.text),
            context: normal(request.context),
        };
        let limits = (request.limit, self.suggestions);
        let hints = (&self.shelf, &self.origins);
        let chosen = suggest(hints, &mut self.told, &request.session, &occasion, limits, now);
        if !chosen.is_empty() {
            self.generation += 1;
        }
        wire(&json!({ "suggestions": chosen }))
    }
}

impl Answer {
    /// Returns the answer in one piece, unless it is longer than that.
    fn in_one_piece(self, most: usize) -> Option<Answer> {
        match self {
            Answer::Text(text) => Some(Answer::Text(text)),
            Answer::Export(export) => Bounded::text(most, |out| export.write(out)).map(Answer::Text),
        }
    }

    /// Reads the answer, for callers that go on with its fields; they ask for it in one piece.
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Answer::Text(text) => serde_json::from_str(text).unwrap_or_default(),
            Answer::Export(_) => Value::Null,
        }
    }
}

fn too_large(detail: &str) -> HintFlaw {
    HintFlaw::new(HintCode::Quota, detail)
}

fn changes(method: HintMethod) -> bool {
    matches!(method, HintMethod::SetHint | HintMethod::DeleteHint | HintMethod::Bump | HintMethod::Import)
}

fn normal(mut context: HintContext) -> HintContext {
    if let Some(cwd) = &mut context.cwd {
        cwd.value = normal_cwd(&cwd.value);
    }
    context
}

/// Writes an answer; only texts are keys in it, so it can be written.
fn wire(answer: &impl Serialize) -> Answer {
    Answer::Text(serde_json::to_string(answer).unwrap_or_default())
}

/// Hints know moments by the millisecond.
fn whole(now: Timestamp) -> Timestamp {
    now.round(TimestampRound::new().smallest(Unit::Millisecond).mode(RoundMode::Trunc)).unwrap_or(now)
}

#[cfg(test)]
mod tests;
