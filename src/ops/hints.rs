//! Answers the questions about hints, where they are kept: in the PRIMARY.

mod answered;
mod change;
mod look;
mod rendered;
mod snapshot;

use jiff::{RoundMode, Timestamp, TimestampRound, Unit};
use serde::Serialize;
use serde_json::{Map, Value, json};

use self::answered::Answered;
use crate::api::{HintMethod, HintRequest, Refusal, SuggestRequest, SuggestTrigger};
use crate::hints::{Limits, Occasion, Shelf, Stages, Text, Told, Trigger, Ttl, normal_cwd, suggest};
use crate::model::{HintContext, HintFlaw};

/// The hints of this session of servers, with the limits that hold for them.
pub(crate) struct Desk {
    generation: u64,
    limits: Limits,
    suggestions: usize,
    session_id: String,
    created_at: Timestamp,
    shelf: Shelf,
    answered: Answered,
    told: Told,
    stages: Stages,
}

/// An answer, as the JSON that callers read: written once, from what is kept, and only passed on from there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer(String);

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

impl Desk {
    /// Opens an empty desk; a default TTL that is none is refused in a sentence.
    pub(crate) fn open(limits: HintLimits, now: Timestamp) -> Result<Desk, String> {
        let HintLimits { max_hints, secret_guard, default_ttl, suggestions } = limits;
        Ttl::read(&default_ttl).map_err(|flaw| format!("the default TTL is none: {}", flaw.detail))?;
        Ok(Desk {
            generation: 0,
            limits: Limits { max_hints, secret_guard, default_ttl },
            suggestions,
            session_id: format!("nudge-{}", now.as_millisecond()),
            created_at: whole(now),
            shelf: Shelf::default(),
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
        let id = HintRequest::id(params)?.filter(|_| changes(method));
        if let Some(answer) = id.and_then(|id| self.answered.find(method, id)) {
            return answer;
        }
        let answer = HintRequest::read(method, params)
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
    }

    fn respond(&mut self, request: HintRequest, now: Timestamp) -> Result<Answer, HintFlaw> {
        match request {
            HintRequest::Set(request) => self.set(&request, now),
            HintRequest::Get(request) => self.get(request, now),
            HintRequest::Query(request) => self.query(request, now),
            HintRequest::Delete(request) => self.delete(&request, now),
            HintRequest::ListComponents(component) => self.list_components(component.as_deref(), now),
            HintRequest::Bump(request) => self.bump(request, now),
            HintRequest::Export(request) => Ok(self.export(&request, now)),
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
        let chosen = suggest(&self.shelf, &mut self.told, &request.session, &occasion, limits, now);
        if !chosen.is_empty() {
            self.generation += 1;
        }
        wire(&json!({ "suggestions": chosen }))
    }
}

impl Answer {
    pub(crate) fn into_text(self) -> String {
        self.0
    }

    /// Reads the answer, for callers that go on with its fields.
    pub(crate) fn to_value(&self) -> Value {
        serde_json::from_str(&self.0).unwrap_or_default()
    }
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
    Answer(serde_json::to_string(answer).unwrap_or_default())
}

/// Hints know moments by the millisecond.
fn whole(now: Timestamp) -> Timestamp {
    now.round(TimestampRound::new().smallest(Unit::Millisecond).mode(RoundMode::Trunc)).unwrap_or(now)
}

#[cfg(test)]
mod tests;
