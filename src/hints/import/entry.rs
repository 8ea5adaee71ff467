//! The single hints of a payload.

use jiff::{Timestamp, TimestampRound, Unit};
use serde_json::{Map, Value};

use crate::hints::fields::{HintFields, MAX_NAME, json_kind};
use crate::hints::name::name;
use crate::hints::payload::SCHEMA_VERSION;
use crate::hints::table::{Draft, HintLimits, HintName, StoredHint};
use crate::model::{Hint, HintFlaw};

/// One hint of a payload, not yet parsed.
pub(super) struct ImportEntry<'a> {
    component: &'a str,
    key: &'a str,
    /// An error message if the surrounding JSON has the wrong shape.
    hint: Result<&'a Value, String>,
}

/// Collects the hints of a payload; only a payload that is not a hint store is refused as a whole.
pub(super) fn collect_entries<'a>(
    payload: &'a Value,
    entries: &mut Vec<ImportEntry<'a>>,
) -> Result<(), HintFlaw> {
    let Value::Object(store) = payload else {
        return Err(HintFlaw::invalid(format!("`payload` must be an object, not {}", json_kind(payload))));
    };
    match store.get("schema_version") {
        None | Some(Value::Null) => {}
        Some(Value::String(version)) if version == SCHEMA_VERSION => {}
        Some(_) => {
            return Err(HintFlaw::invalid(format!("`payload.schema_version` must be \"{SCHEMA_VERSION}\"")));
        }
    }
    let Some(Value::Object(components)) = store.get("components") else {
        return Err(HintFlaw::invalid("`payload.components` must be an object of components"));
    };
    for (component, wire) in components {
        collect_component(component, wire, entries);
    }
    Ok(())
}

fn collect_component<'a>(component: &'a str, wire: &'a Value, entries: &mut Vec<ImportEntry<'a>>) {
    let wrong = |key: &'a str, what: &str, value: &Value| {
        let hint = Err(format!("{what}, not {}", json_kind(value)));
        ImportEntry { component, key, hint }
    };
    let Value::Object(wire) = wire else {
        entries.push(wrong("", "a component must be an object", wire));
        return;
    };
    let (hints, variants) = (field(wire, "hints"), field(wire, "variants"));
    if let Some(other) = hints.filter(|hints| !hints.is_object()) {
        entries.push(wrong("", "`hints` must be an object", other));
    }
    if let Some(other) = variants.filter(|variants| !variants.is_object()) {
        entries.push(wrong("", "`variants` must be an object", other));
    }
    if hints.is_none() && variants.is_none() {
        let hint = Err("a component must have `hints`".to_owned());
        entries.push(ImportEntry { component, key: "", hint });
    }
    for (key, hint) in hints.and_then(Value::as_object).into_iter().flatten() {
        entries.push(ImportEntry { component, key, hint: Ok(hint) });
    }
    for (key, list) in variants.and_then(Value::as_object).into_iter().flatten() {
        match list {
            Value::Array(list) => {
                entries.extend(list.iter().map(|hint| ImportEntry { component, key, hint: Ok(hint) }));
            }
            other => entries.push(wrong(key, "the variants of a key must be a list", other)),
        }
    }
}

fn field<'a>(map: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    map.get(name).filter(|value| !value.is_null())
}

const FIELDS: [&str; 7] =
    ["value", "meta", "version", "created_at", "updated_at", "last_used_at", "use_count"];

impl ImportEntry<'_> {
    pub(super) fn place(&self) -> HintName<'_> {
        HintName { component: self.component.trim(), key: self.key.trim() }
    }

    /// Parses the hint with its counts and times. Future timestamps are set to `now`: the clock that wrote them may be
    /// ahead, and a TTL must not begin later than the import.
    pub(super) fn parse(&self, limits: &HintLimits, now: Timestamp) -> Result<StoredHint, HintFlaw> {
        let value = self.hint.as_ref().map_err(|why| HintFlaw::invalid(why.as_str()))?;
        name("component", self.component)?;
        name("key", self.key)?;
        let fields = HintFields::of(value, "hint", &FIELDS)?;
        let meta = fields.get("meta").unwrap_or(&Value::Null);
        let draft = Draft::read(self.place(), fields.required("value")?, meta, limits)?;
        let past = |name: &str| Ok(parse_timestamp(&fields, name)?.map(|at| at.min(now)));
        let (updated_at, created_at) = (past("updated_at")?, past("created_at")?);
        let hint = Hint {
            value: draft.value,
            meta: draft.meta,
            version: parse_count(&fields, "version", 1)?,
            created_at: created_at.or(updated_at).unwrap_or(now),
            updated_at: updated_at.or(created_at).unwrap_or(now),
            last_used_at: past("last_used_at")?,
            use_count: parse_count(&fields, "use_count", 0)?,
        };
        Ok(StoredHint::new(hint, draft.ttl))
    }
}

/// Parses a timestamp, truncated to milliseconds.
fn parse_timestamp(fields: &HintFields<'_>, name: &str) -> Result<Option<Timestamp>, HintFlaw> {
    let Some(text) = fields.text(name, MAX_NAME)? else { return Ok(None) };
    let whole = TimestampRound::new().smallest(Unit::Millisecond).mode(jiff::RoundMode::Trunc);
    let timestamp = text.parse::<Timestamp>().and_then(|timestamp| timestamp.round(whole));
    timestamp.map(Some).map_err(|_| fields.wrong(name, "a timestamp like 2026-01-02T03:04:05Z"))
}

/// Parses a count of at min `min`, which is also the default.
fn parse_count(fields: &HintFields<'_>, name: &str, min: u64) -> Result<u64, HintFlaw> {
    let Some(value) = fields.get(name) else { return Ok(min) };
    // Some clients have only one kind of number and write 3 as 3.0.
    let whole = |number: &f64| number.fract() == 0.0 && (0.0..9e15).contains(number);
    let number = value.as_u64().or_else(|| value.as_f64().filter(whole).map(|number| number as u64));
    let number = number.filter(|number| (min..=Hint::MAX_COUNT).contains(number));
    let wanted = format!("a whole number from {min} to {}", Hint::MAX_COUNT);
    number.ok_or_else(|| fields.wrong(name, &wanted))
}
