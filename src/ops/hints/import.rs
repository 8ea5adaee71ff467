//! Sends the hints of a file to the server, in as many requests as necessary.

use std::io;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::ask::Asker;
use crate::api::HintMethod;
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
    asker: &mut Asker,
    payload: Value,
    mode: &str,
    mut progress: impl FnMut(usize),
) -> Result<Value, CallError> {
    let (parts, left_out) = parts(payload, MAX_PART_BYTES);
    let is_staged = mode == "replace" && parts.len() > 1;
    if mode == "replace" && !left_out.is_empty() {
        let message = "nothing was replaced: a hint is larger than the maximum request";
        let data = json!({ "reason": "E_INVALID", "detail": message, "errors": left_out });
        return Err(CallError::Refused(json!({ "code": 40001, "message": message, "data": data })));
    }
    let id = peers::id();
    let last = parts.len().saturating_sub(1);
    let mut done = (0, left_out.len() as u64, left_out);
    for (number, (part, size)) in parts.into_iter().enumerate() {
        let mut params = Map::new();
        params.insert("payload".to_owned(), part);
        params.insert("mode".to_owned(), mode.into());
        if is_staged {
            let stage = json!({ "id": id, "part": number, "last": number == last });
            params.insert("stage".to_owned(), stage);
        }
        let result = asker.ask(HintMethod::Import, params)?;
        if !is_staged && last == 0 && done.1 == 0 {
            // The usual file is one request, and its answer is returned unchanged.
            progress(size);
            return Ok(result);
        }
        done.0 += result["imported"].as_u64().unwrap_or(0);
        done.1 += result["skipped"].as_u64().unwrap_or(0);
        done.2.extend(result["errors"].as_array().into_iter().flatten().cloned());
        progress(size);
    }
    done.2.truncate(MAX_ERRORS);
    Ok(json!({ "imported": done.0, "skipped": done.1, "errors": done.2 }))
}

/// Splits a store into stores of up to `max` bytes, each with its size. The server refuses what is not a store. A hint
/// that is too large on its own is reported instead.
fn parts(payload: Value, max: usize) -> (Vec<(Value, usize)>, Vec<Value>) {
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
            let (component, key) = (piece.path.first(), piece.path.get(2));
            left_out.push(json!({
                "component": component, "key": key, "reason": "E_INVALID",
                "detail": "the hint is larger than the maximum request",
            }));
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
