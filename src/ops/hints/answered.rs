//! The last answers to questions that changed something, by the id of the question: a caller that lost an answer asks
//! again, and nothing is changed twice.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{HintAnswer, to_answer};
use crate::api::hints::HintMethod;
use crate::api::{Refusal, RpcErrorWire};

/// The answers, oldest first.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct AnswerLog(VecDeque<AnswerWire>);

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct AnswerWire {
    method: String,
    id: String,
    #[serde(flatten)]
    answer: OutcomeWire,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum OutcomeWire {
    Result(Value),
    Error(RpcErrorWire),
}

/// Maximum number of answers that are kept.
const MAX_ANSWERS: usize = 256;

impl AnswerLog {
    pub(super) fn find(&self, method: HintMethod, id: &str) -> Option<Result<HintAnswer, Refusal>> {
        let kept = self.0.iter().find(|kept| kept.id == id && kept.method == method.name())?;
        Some(match &kept.answer {
            OutcomeWire::Result(result) => Ok(to_answer(result)),
            OutcomeWire::Error(error) => Err(Refusal::of_error(error.clone())),
        })
    }

    pub(super) fn keep(&mut self, method: HintMethod, id: &str, answer: &Result<HintAnswer, Refusal>) {
        let answer = match answer {
            Ok(result) => OutcomeWire::Result(result.to_value()),
            Err(refusal) => match refusal.rpc_error() {
                Some(error) => OutcomeWire::Error(error),
                None => return,
            },
        };
        self.add(AnswerWire { method: method.name().to_owned(), id: id.to_owned(), answer });
    }

    /// Adds an answer; the oldest makes room for it.
    pub(super) fn add(&mut self, answer: AnswerWire) {
        if self.0.len() >= MAX_ANSWERS {
            self.0.pop_front();
        }
        self.0.push_back(answer);
    }

    /// Returns the answer to the question with this id.
    pub(super) fn of(&self, id: &str) -> Option<&AnswerWire> {
        self.0.iter().rev().find(|kept| kept.id == id)
    }
}
