//! Collects the parts of a replacement that is too large for one request, until the last part has arrived.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::hints::value::estimated_size;
use crate::model::{HintCode, HintFlaw, ImportStage};

/// The replacements in progress.
#[derive(Debug, Default)]
pub(crate) struct Stages(Vec<PendingImport>);

#[derive(Debug)]
struct PendingImport {
    id: String,
    touched_at: Timestamp,
    parts: Vec<Value>,
    size: usize,
}

const MAX_PENDING: usize = 2;
const IMPORT_TIMEOUT: SignedDuration = SignedDuration::from_mins(10);
/// A full store of the largest hints.
const MAX_BYTES: usize = 512 * 1024 * 1024;
const MAX_DEPTH: usize = 96;

impl Stages {
    /// Adds a part; returns all parts if it is the last one.
    pub(crate) fn add(
        &mut self,
        stage: &ImportStage,
        payload: &Value,
        now: Timestamp,
    ) -> Result<Option<Vec<Value>>, HintFlaw> {
        self.0.retain(|pending| now.duration_since(pending.touched_at) < IMPORT_TIMEOUT);
        let index = self.0.iter().position(|pending| pending.id == stage.id);
        let parts = index.map_or(0, |index| self.0[index].parts.len());
        if let Some(part) = stage.part.filter(|part| *part != parts) {
            if let Some(index) = index {
                self.0.remove(index);
            }
            return Err(HintFlaw::invalid(format!(
                "part {part} of the import arrived, but part {parts} was expected: send all parts again"
            )));
        }
        let mut pending = match index {
            Some(index) => self.0.remove(index),
            None => PendingImport { id: stage.id.clone(), touched_at: now, parts: Vec::new(), size: 0 },
        };
        pending.touched_at = now;
        pending.size += estimated_size(payload, MAX_DEPTH)
            .ok_or_else(|| HintFlaw::invalid("`payload` is nested too deeply"))?;
        if pending.size > MAX_BYTES {
            return Err(HintFlaw::new(HintCode::Quota, "the parts of the import are too large in total"));
        }
        pending.parts.push(payload.clone());
        if stage.last {
            return Ok(Some(pending.parts));
        }
        if self.0.len() >= MAX_PENDING {
            return Err(HintFlaw::new(HintCode::Quota, "other imports are in progress: try again later"));
        }
        self.0.push(pending);
        Ok(None)
    }
}
