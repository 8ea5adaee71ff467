//! Exports hints in the seed's store format, version 1.0. Further variants of a key are in a separate map, which old
//! readers ignore.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use super::table::{HintName, StoredHint};
use crate::model::{Hint, written};

/// A store, or part of one.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct HintPayload<'a> {
    schema_version: &'static str,
    created_at: String,
    session_id: &'a str,
    components: BTreeMap<&'a str, PayloadComponentWire<'a>>,
}

#[derive(Debug, Clone, Default, Serialize)]
struct PayloadComponentWire<'a> {
    /// The least specific variant of each key.
    hints: BTreeMap<&'a str, &'a Hint>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    variants: BTreeMap<&'a str, Vec<&'a Hint>>,
}

/// The version that is written and read.
pub(super) const SCHEMA_VERSION: &str = "1.0";

/// Builds a payload from these hints.
pub(crate) fn payload<'a>(
    session_id: &'a str,
    created_at: Timestamp,
    hints: impl Iterator<Item = (HintName<'a>, &'a StoredHint)>,
) -> HintPayload<'a> {
    let mut keys: BTreeMap<HintName<'a>, Vec<&'a Hint>> = BTreeMap::new();
    for (place, kept) in hints {
        keys.entry(place).or_default().push(&kept.hint);
    }
    let mut components: BTreeMap<&str, PayloadComponentWire<'_>> = BTreeMap::new();
    for (HintName { component, key }, mut variants) in keys {
        variants.sort_by_key(|hint| hint.meta.scope.fields());
        let wire = components.entry(component).or_default();
        wire.hints.insert(key, variants.remove(0));
        if !variants.is_empty() {
            wire.variants.insert(key, variants);
        }
    }
    HintPayload { schema_version: SCHEMA_VERSION, created_at: written(created_at), session_id, components }
}
