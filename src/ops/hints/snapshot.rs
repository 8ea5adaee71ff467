//! What one PRIMARY leaves to the next: all hints, also the secret ones, and what was answered and told.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Desk;
use super::answered::Answered;
use crate::hints::{Limits, Mode, Shelf, Told, import, payload};

#[derive(Serialize)]
struct SnapshotWire<'a, P> {
    store: P,
    answered: &'a Answered,
    told: &'a Told,
}

#[derive(Deserialize)]
struct RestoredWire {
    store: Value,
    answered: Answered,
    told: Told,
}

impl Desk {
    /// Returns all that the next PRIMARY needs to go on, as JSON.
    pub(crate) fn snapshot(&self) -> Vec<u8> {
        // What has expired meanwhile is passed over when it is read.
        let hints = self.shelf.all(Timestamp::MIN);
        let wire = SnapshotWire {
            store: payload(&self.session_id, self.created_at, hints),
            answered: &self.answered,
            told: &self.told,
        };
        // Only texts are keys, so it can be written.
        serde_json::to_vec(&wire).unwrap_or_default()
    }

    /// Goes on from a snapshot; one that cannot be read is refused, and the desk stays as it is.
    pub(crate) fn restore(&mut self, snapshot: &[u8], now: Timestamp) -> Result<(), String> {
        let wire: RestoredWire = serde_json::from_slice(snapshot)
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
        self.generation += 1;
        Ok(())
    }
}
