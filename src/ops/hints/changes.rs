//! The changes since the last snapshot, one line each, so that a PRIMARY that is killed loses nothing it acknowledged.
//!
//! A line has what a change left behind rather than the request: it can be applied twice, and does not depend on what
//! was asked before.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::HintService;
use super::answered::AnswerWire;
use crate::hints::{HintName, HintTable, Origins};
use crate::model::{Hint, HintOrigin, ImportMode};

/// One line.
#[derive(Debug, Serialize, Deserialize)]
struct ChangeLineWire {
    /// A snapshot of this generation or a later one covers the change.
    generation: u64,
    /// Milliseconds since 1970.
    at: i64,
    change: HintChangeWire,
    /// The answer, for a caller that asks again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answered: Option<AnswerWire>,
}

/// What changed.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum HintChangeWire {
    /// All variants of a key, as they are now.
    Key {
        component: String,
        key: String,
        variants: Vec<(Hint, Option<HintOrigin>)>,
    },
    Import {
        payloads: Vec<Value>,
        mode: ImportMode,
        origin: Option<HintOrigin>,
    },
    /// No hint changed, but the answer must be remembered.
    Nothing,
}

impl HintChangeWire {
    /// Describes a key as it is now.
    pub(super) fn of_key(
        place: HintName<'_>,
        table: &HintTable,
        origins: &Origins,
        now: Timestamp,
    ) -> HintChangeWire {
        let variants = table.variants(place, now);
        HintChangeWire::Key {
            component: place.component.to_owned(),
            key: place.key.to_owned(),
            variants: variants
                .map(|(_, kept)| (kept.hint.clone(), origins.of(place, kept).cloned()))
                .collect(),
        }
    }
}

impl HintService {
    /// Returns the lines of the changes since the last call.
    pub(crate) fn take_changes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.unsaved)
    }

    /// Writes down a change that was made at `now`.
    pub(super) fn log_change(
        &mut self,
        change: HintChangeWire,
        answered: Option<AnswerWire>,
        now: Timestamp,
    ) {
        let line = ChangeLineWire { generation: self.generation, at: now.as_millisecond(), change, answered };
        // This cannot fail, because all keys are texts.
        self.unsaved.extend(serde_json::to_string(&line));
    }

    /// Makes a change again that the snapshot does not cover; returns false for a line that cannot be read, such as the
    /// last one of a process that was killed while it wrote.
    pub(crate) fn replay(&mut self, line: &[u8]) -> bool {
        let Ok(line) = serde_json::from_slice::<ChangeLineWire>(line) else { return false };
        if line.generation <= self.generation {
            return true;
        }
        self.generation = line.generation;
        let Ok(at) = Timestamp::from_millisecond(line.at) else { return false };
        match line.change {
            HintChangeWire::Key { component, key, variants } => {
                let place = HintName { component: &component, key: &key };
                let (hints, origins): (Vec<Hint>, Vec<Option<HintOrigin>>) = variants.into_iter().unzip();
                for (hint, origin) in hints.iter().zip(origins) {
                    self.origins.set(place, &hint.meta.scope, origin);
                }
                self.table.set_key(place, hints);
            }
            HintChangeWire::Import { payloads, mode, origin } => {
                let payloads: Vec<&Value> = payloads.iter().collect();
                if self.import_payloads(&payloads, mode, origin.as_ref(), at).is_err() {
                    return false;
                }
            }
            HintChangeWire::Nothing => {}
        }
        if let Some(answered) = line.answered {
            self.answered.add(answered);
        }
        true
    }
}
