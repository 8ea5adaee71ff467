//! Calls that wait for their results, which come in another order, later, or never.

use std::collections::HashMap;

use serde_json::Value;

use super::RecordId;

/// A call without a result yet.
#[derive(Debug)]
pub(in crate::harness) struct OpenCall {
    pub(in crate::harness) name: String,
    pub(in crate::harness) input: Value,
    /// The message that the call is in.
    pub(in crate::harness) record: Option<RecordId>,
    pub(in crate::harness) at_ms: Option<i64>,
    pub(in crate::harness) offset: u64,
}

/// All calls that wait.
#[derive(Debug, Default)]
pub(in crate::harness) struct Calls(HashMap<String, OpenCall>);

/// More calls than this never run at the same time: most of them were interrupted.
const MAX_CALLS: usize = 256;
/// A call that was made this many bytes before the turn no longer waits.
const MAX_DISTANCE: u64 = 1 << 20;

impl Calls {
    pub(in crate::harness) fn add(&mut self, id: String, call: OpenCall) {
        if self.0.len() >= MAX_CALLS
            && let Some(oldest) = self.0.iter().min_by_key(|(_, call)| call.offset).map(|(id, _)| id.clone())
        {
            self.0.remove(&oldest);
        }
        self.0.insert(id, call);
    }

    pub(in crate::harness) fn take(&mut self, id: &str) -> Option<OpenCall> {
        self.0.remove(id)
    }

    /// Returns the offset of the oldest call that may still get a result, or that of the turn if it is before.
    pub(in crate::harness) fn oldest_offset(&self, turn: u64) -> u64 {
        let offsets = self.0.values().map(|call| call.offset);
        offsets.filter(|offset| offset + MAX_DISTANCE >= turn).fold(turn, u64::min)
    }
}
