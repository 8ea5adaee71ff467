//! What one PRIMARY leaves to the next: all hints, also the secret ones, and what was answered and told.

use std::io::{self, Read, Write};

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::HintService;
use super::answered::Answered;
use crate::hints::{Limits, Mode, Origins, Shelf, Told, import, payload};

/// What is left, as of one moment. The hints are shared with the desk, which goes on answering while it is written.
#[derive(Debug)]
pub(crate) struct Snapshot {
    session_id: String,
    created_at: Timestamp,
    shelf: Shelf,
    /// What was answered and told, and where hints come from, as JSON.
    rest: [String; 3],
}

#[derive(Deserialize)]
struct RestoredWire {
    store: Value,
    answered: Answered,
    told: Told,
    #[serde(default)]
    origins: Origins,
}

impl HintService {
    /// Returns all that the next PRIMARY needs to go on.
    pub(crate) fn snapshot(&self) -> Snapshot {
        // Only texts are keys, so it can be written.
        let answered = serde_json::to_string(&self.answered).unwrap_or_default();
        let told = serde_json::to_string(&self.told).unwrap_or_default();
        let origins = serde_json::to_string(&self.origins).unwrap_or_default();
        let (session_id, created_at) = (self.session_id.clone(), self.created_at);
        Snapshot { session_id, created_at, shelf: self.shelf.clone(), rest: [answered, told, origins] }
    }

    /// Goes on from a snapshot; one that cannot be read is refused, and the desk stays as it is.
    pub(crate) fn restore(&mut self, snapshot: impl Read, now: Timestamp) -> Result<(), String> {
        let wire: RestoredWire = serde_json::from_reader(snapshot)
            .map_err(|error| format!("the snapshot cannot be read: {error}"))?;
        // What was let in once is not asked again; the limits may be others now.
        let limits = Limits { max_hints: usize::MAX, secret_guard: false, ..self.limits.clone() };
        let mut shelf = Shelf::default();
        import(&mut shelf, &[&wire.store], Mode::Replace, &limits, now)
            .map_err(|flaw| format!("the snapshot cannot be read: {}", flaw.detail))?;
        let session_id = wire.store["session_id"].as_str().ok_or("the snapshot names no session")?;
        let created_at = wire.store["created_at"].as_str().and_then(|text| text.parse().ok());
        self.session_id = session_id.to_owned();
        self.created_at = created_at.ok_or("the snapshot has no date")?;
        self.shelf = shelf;
        self.answered = wire.answered;
        self.told = wire.told;
        self.origins = wire.origins;
        self.generation += 1;
        Ok(())
    }
}

impl Snapshot {
    /// Writes it as JSON, hint by hint.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        // What has expired meanwhile is passed over when it is read.
        let hints = self.shelf.all(Timestamp::MIN);
        let [answered, told, origins] = &self.rest;
        out.write_all(b"{\"store\":")?;
        serde_json::to_writer(&mut *out, &payload(&self.session_id, self.created_at, hints))?;
        write!(out, ",\"answered\":{answered},\"told\":{told},\"origins\":{origins}}}")
    }
}
