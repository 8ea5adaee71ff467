//! What one PRIMARY leaves to the next: all hints, including secret ones, the last answers, and the push log.

use std::io::{self, Read, Write};

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::HintService;
use super::answered::AnswerLog;
use crate::hints::{HintLimits, HintTable, Origins, PushedHints, import, payload};
use crate::model::ImportMode;

/// A snapshot of one point in time. It shares the hints with the service, which continues answering while it is
/// written.
#[derive(Debug)]
pub(crate) struct Snapshot {
    generation: u64,
    session_id: String,
    created_at: Timestamp,
    table: HintTable,
    /// The last answers, the push log and the origins of hints, as JSON.
    rest: [String; 3],
}

#[derive(Deserialize)]
struct RestoredWire {
    store: Value,
    answered: AnswerLog,
    told: PushedHints,
    #[serde(default)]
    origins: Origins,
    /// The changes up to this one are in it.
    #[serde(default)]
    generation: u64,
}

impl HintService {
    /// Returns everything that the next PRIMARY needs to continue.
    pub(crate) fn snapshot(&self) -> Snapshot {
        // This cannot fail, because all keys are texts.
        let answered = serde_json::to_string(&self.answered).unwrap_or_default();
        let push_log = serde_json::to_string(&self.push_log).unwrap_or_default();
        let origins = serde_json::to_string(&self.origins).unwrap_or_default();
        let (session_id, created_at) = (self.session_id.clone(), self.created_at);
        let (generation, table) = (self.generation, self.table.clone());
        Snapshot { generation, session_id, created_at, table, rest: [answered, push_log, origins] }
    }

    /// Continues from a snapshot; an unreadable one is refused, and the service stays as it is.
    pub(crate) fn restore(&mut self, snapshot: impl Read, now: Timestamp) -> Result<(), String> {
        let wire: RestoredWire = serde_json::from_reader(snapshot)
            .map_err(|error| format!("the snapshot cannot be read: {error}"))?;
        // Hints that were accepted once are not checked again; the limits may be different now.
        let limits = HintLimits { max_hints: usize::MAX, secret_guard: false, ..self.limits.clone() };
        let mut table = HintTable::default();
        import(&mut table, &[&wire.store], ImportMode::Replace, &limits, now)
            .map_err(|flaw| format!("the snapshot cannot be read: {}", flaw.detail))?;
        let session_id = wire.store["session_id"].as_str().ok_or("the snapshot has no session id")?;
        let created_at = wire.store["created_at"].as_str().and_then(|text| text.parse().ok());
        self.session_id = session_id.to_owned();
        self.created_at = created_at.ok_or("the snapshot has no date")?;
        self.table = table;
        self.answered = wire.answered;
        self.push_log = wire.told;
        self.origins = wire.origins;
        self.generation = wire.generation.max(1);
        Ok(())
    }
}

impl Snapshot {
    /// Writes it as JSON, hint by hint.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        // Hints that have expired meanwhile are skipped when it is read.
        let hints = self.table.all(Timestamp::MIN);
        let [answered, push_log, origins] = &self.rest;
        out.write_all(b"{\"store\":")?;
        serde_json::to_writer(&mut *out, &payload(&self.session_id, self.created_at, hints))?;
        write!(out, ",\"answered\":{answered},\"told\":{push_log},\"origins\":{origins}")?;
        write!(out, ",\"generation\":{}}}", self.generation)
    }
}
