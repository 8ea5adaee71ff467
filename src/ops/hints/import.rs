//! Sends the hints of a file to the server, in as many requests as necessary.

use std::io;

use serde::Serialize;
use serde_json::{Value, json};

use super::client::HintClient;
use crate::api::Refusal;
use crate::api::hints::ImportRequest;
use crate::model::{HintCode, HintFlaw, ImportMode, ImportReport, ImportStage, SkippedHint};
use crate::peers::{self, CallError};

/// Maximum size of the hints in one request; the server accepts twice as much.
const MAX_PART_BYTES: usize = 4 << 20;
/// Maximum number of skipped hints that are listed, the same as in the server.
const MAX_ERRORS: usize = 20;

/// A piece of a store: one hint, or something that the server will not accept as one.
#[derive(Debug, PartialEq)]
struct StorePiece {
    /// Component, field of the component, and key; shorter if the piece is higher up.
    path: Vec<String>,
    value: Value,
    is_variant: bool,
    size: usize,
}

/// Imports a store. A merge skips only the hints that are refused; a replacement is all or nothing.
pub(crate) fn load(
    client: &mut HintClient,
    payload: Value,
    mode: ImportMode,
    mut progress: impl FnMut(usize),
) -> Result<ImportReport, CallError> {
    let (parts, left_out) = parts(payload, MAX_PART_BYTES);
    let is_staged = mode == ImportMode::Replace && parts.len() > 1;
    if mode == ImportMode::Replace && !left_out.is_empty() {
        let flaw = HintFlaw::invalid("nothing was replaced: a hint is larger than the maximum request");
        let refusal = Refusal::of_hint(flaw.with("errors", json!(left_out)));
        return Err(CallError::Refused(refusal.to_error().unwrap_or_default()));
    }
    let id = peers::id();
    let last = parts.len().saturating_sub(1);
    let mut done = ImportReport { skipped: left_out.len(), errors: left_out, ..ImportReport::default() };
    for (number, (payload, size)) in parts.into_iter().enumerate() {
        let stage = ImportStage { id: id.clone(), part: Some(number), last: number == last };
        let stage = is_staged.then_some(stage);
        let report = client.ask(&ImportRequest { payload, mode, stage, origin: None })?;
        done.imported += report.imported;
        done.skipped += report.skipped;
        done.errors.extend(report.errors);
        progress(size);
    }
    done.errors.truncate(MAX_ERRORS);
    Ok(done)
}

/// Splits a store into stores of up to `max` bytes, each with its size. The server refuses what is not a store. A hint
/// that is too large on its own is reported instead.
fn parts(payload: Value, max: usize) -> (Vec<(Value, usize)>, Vec<SkippedHint>) {
    let whole = size(&payload);
    if whole <= max || !payload["components"].is_object() {
        return (vec![(payload, whole)], Vec::new());
    }
    let Value::Object(mut store) = payload else { return (Vec::new(), Vec::new()) };
    let components = store.remove("components").unwrap_or_default();
    let mut parts: Vec<(Value, usize)> = Vec::new();
    let mut left_out = Vec::new();
    for piece in pieces(components) {
        if piece.size > max {
            left_out.push(SkippedHint {
                component: piece.path.first().cloned().unwrap_or_default(),
                key: piece.path.get(2).cloned(),
                reason: HintCode::Invalid.name().to_owned(),
                detail: "the hint is larger than the maximum request".to_owned(),
            });
            continue;
        }
        let has_room = parts.last().is_some_and(|(_, size)| size + piece.size <= max);
        if !has_room {
            let mut part = store.clone();
            part.insert("components".to_owned(), json!({}));
            parts.push((Value::Object(part), 0));
        }
        let Some((part, size)) = parts.last_mut() else { continue };
        *size += piece.size;
        put(part, piece);
    }
    (parts, left_out)
}

fn pieces(components: Value) -> Vec<StorePiece> {
    let mut pieces = Vec::new();
    let mut add = |path: &[&str], value: Value, is_variant: bool| {
        let path: Vec<String> = path.iter().map(|name| (*name).to_owned()).collect();
        let size = size(&value) + path.iter().map(|name| name.len() + 8).sum::<usize>();
        pieces.push(StorePiece { path, value, is_variant, size });
    };
    let Value::Object(components) = components else { return pieces };
    for (component, wire) in components {
        let Value::Object(fields) = wire else {
            add(&[&component], wire, false);
            continue;
        };
        if fields.is_empty() {
            add(&[&component], json!({}), false);
        }
        for (field, values) in fields {
            match (field.as_str(), values) {
                ("hints", Value::Object(hints)) => {
                    hints.into_iter().for_each(|(key, hint)| add(&[&component, &field, &key], hint, false));
                }
                ("variants", Value::Object(keys)) => {
                    for (key, variants) in keys {
                        match variants {
                            Value::Array(variants) => variants
                                .into_iter()
                                .for_each(|hint| add(&[&component, &field, &key], hint, true)),
                            other => add(&[&component, &field, &key], other, false),
                        }
                    }
                }
                (_, other) => add(&[&component, &field], other, false),
            }
        }
    }
    pieces
}

/// Inserts a piece at its path.
fn put(part: &mut Value, piece: StorePiece) {
    let mut place = &mut part["components"];
    for name in &piece.path {
        if !place.is_object() {
            *place = json!({});
        }
        place = &mut place[name.as_str()];
    }
    match (piece.is_variant, place) {
        (true, Value::Array(variants)) => variants.push(piece.value),
        (true, place) => *place = json!([piece.value]),
        (false, place) => *place = piece.value,
    }
}

/// Returns the length of a value as JSON, without building the text.
pub(crate) fn size(value: &impl Serialize) -> usize {
    let mut length = Length(0);
    serde_json::to_writer(&mut length, value).map_or(usize::MAX, |()| length.0)
}

/// Counts the bytes that are written.
struct Length(usize);

impl io::Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
