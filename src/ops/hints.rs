//! Answers the questions about hints, where they are kept: in the PRIMARY.

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::api::{HintMethod, Refusal};

/// The hints of this session of servers, with the limits that hold for them.
pub(crate) struct Desk {
    generation: u64,
}

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
    pub(crate) fn open(_limits: HintLimits, _now: Timestamp) -> Result<Desk, String> {
        Ok(Desk { generation: 0 })
    }

    /// Answers one question. A question that changes something and carries a `request_id` that was answered before gets
    /// the same answer again, and changes nothing.
    pub(crate) fn answer(
        &mut self,
        method: HintMethod,
        _params: &Map<String, Value>,
        _now: Timestamp,
    ) -> Result<Value, Refusal> {
        Err(Refusal::new(format!("{} is not answered yet", method.name())))
    }

    /// Counts the changes; a snapshot covers those up to its generation.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns all that the next PRIMARY needs to go on, as JSON.
    pub(crate) fn snapshot(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Goes on from a snapshot; one that cannot be read is refused, and the desk stays as it is.
    pub(crate) fn restore(&mut self, _snapshot: &[u8], _now: Timestamp) -> Result<(), String> {
        Ok(())
    }

    /// Frees what has expired.
    pub(crate) fn sweep(&mut self, _now: Timestamp) {}

    /// Returns the counts that `nudge status` shows: components, hints, secrets, uses, most used tags.
    pub(crate) fn counts(&self, _now: Timestamp) -> Value {
        Value::Null
    }
}
