//! A replacement that is too large for one request comes in parts; they wait here until the last one is in.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::hints::value::size;
use crate::model::{HintCode, HintFlaw};

/// Which part of which replacement a payload is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stage {
    pub(crate) id: String,
    /// Counts from 0. Who sends it is told when an earlier part was lost, as when another server took over.
    pub(crate) part: Option<usize>,
    pub(crate) last: bool,
}

/// The replacements under way.
#[derive(Debug, Default)]
pub(crate) struct Stages(Vec<Waiting>);

#[derive(Debug)]
struct Waiting {
    id: String,
    touched_at: Timestamp,
    parts: Vec<Value>,
    size: usize,
}

const MOST_WAITING: usize = 2;
const PATIENCE: SignedDuration = SignedDuration::from_mins(10);
/// A full store of the largest hints.
const MOST_BYTES: usize = 512 * 1024 * 1024;
const DEEPEST: usize = 96;

impl Stages {
    /// Adds a part; returns all parts if it is the last one.
    pub(crate) fn add(
        &mut self,
        stage: &Stage,
        payload: &Value,
        now: Timestamp,
    ) -> Result<Option<Vec<Value>>, HintFlaw> {
        self.0.retain(|waiting| now.duration_since(waiting.touched_at) < PATIENCE);
        let index = self.0.iter().position(|waiting| waiting.id == stage.id);
        let parts = index.map_or(0, |index| self.0[index].parts.len());
        if let Some(part) = stage.part.filter(|part| *part != parts) {
            if let Some(index) = index {
                self.0.remove(index);
            }
            return Err(HintFlaw::invalid(format!(
                "part {part} of the import came where part {parts} was awaited: send all parts again"
            )));
        }
        let mut waiting = match index {
            Some(index) => self.0.remove(index),
            None => Waiting { id: stage.id.clone(), touched_at: now, parts: Vec::new(), size: 0 },
        };
        waiting.touched_at = now;
        waiting.size +=
            size(payload, DEEPEST).ok_or_else(|| HintFlaw::invalid("`payload` is nested too deep"))?;
        if waiting.size > MOST_BYTES {
            return Err(HintFlaw::new(HintCode::Quota, "the parts of the import are too large together"));
        }
        waiting.parts.push(payload.clone());
        if stage.last {
            return Ok(Some(waiting.parts));
        }
        if self.0.len() >= MOST_WAITING {
            return Err(HintFlaw::new(HintCode::Quota, "other imports are under way: try again later"));
        }
        self.0.push(waiting);
        Ok(None)
    }
}
