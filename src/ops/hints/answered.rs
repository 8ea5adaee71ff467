//! The last answers to questions that changed something, by the name that the asker gave the question: who lost an answer
//! on its way asks again and changes nothing twice.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Answer, wire};
use crate::api::{HintMethod, Refusal};

/// What was answered, the oldest first.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Answered(VecDeque<AnswerWire>);

#[derive(Debug, Serialize, Deserialize)]
struct AnswerWire {
    method: String,
    id: String,
    #[serde(flatten)]
    answer: OutcomeWire,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum OutcomeWire {
    Result(Value),
    Error(Value),
}

/// So many answers are kept.
const MOST: usize = 256;

impl Answered {
    pub(super) fn find(&self, method: HintMethod, id: &str) -> Option<Result<Answer, Refusal>> {
        let kept = self.0.iter().find(|kept| kept.id == id && kept.method == method.name())?;
        Some(match &kept.answer {
            OutcomeWire::Result(result) => Ok(wire(result)),
            OutcomeWire::Error(error) => Err(Refusal::coded(
                error["code"].as_i64().unwrap_or_default(),
                error["message"].as_str().unwrap_or_default(),
                error["data"].clone(),
            )),
        })
    }

    pub(super) fn keep(&mut self, method: HintMethod, id: &str, answer: &Result<Answer, Refusal>) {
        let answer = match answer {
            Ok(result) => OutcomeWire::Result(result.to_value()),
            Err(refusal) => match refusal.to_error() {
                Some(error) => OutcomeWire::Error(error),
                None => return,
            },
        };
        if self.0.len() >= MOST {
            self.0.pop_front();
        }
        self.0.push_back(AnswerWire { method: method.name().to_owned(), id: id.to_owned(), answer });
    }
}
