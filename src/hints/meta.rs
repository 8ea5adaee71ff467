//! Reads what is known about a hint.

use serde_json::Value;

use super::fields::{Fields, MOST_NAME};
use super::scope::scope;
use super::ttl::Ttl;
use super::value::size;
use crate::model::{HintFlaw, HintMeta, HintScope, HintSource, Sensitivity};

/// Reads `meta`; what is not given stays open.
pub(super) fn meta(value: &Value) -> Result<HintMeta, HintFlaw> {
    if value.is_null() {
        return Ok(HintMeta::default());
    }
    let fields = Fields::of(value, "meta", &FIELDS)?;
    if size(value, DEEPEST).is_none_or(|size| size > MOST) {
        return Err(HintFlaw::invalid(format!("`meta` is larger than {} KiB", MOST / 1024)));
    }
    let ttl = fields.text("ttl", MOST_NAME)?;
    if let Some(ttl) = &ttl {
        Ttl::read(ttl)?;
    }
    Ok(HintMeta {
        reason: fields.text("reason", MOST_REASON)?,
        tags: tags(&fields)?,
        priority: priority(&fields)?,
        confidence: confidence(&fields)?,
        ttl,
        sensitivity: fields
            .word("sensitivity", &[("secret", Sensitivity::Secret), ("normal", Sensitivity::Normal)])?,
        scope: fields.get("scope").map_or(Ok(HintScope::default()), scope)?,
        source: fields.word("source", &SOURCES)?,
        added_by: fields.text("added_by", MOST_NAME)?,
    })
}

const FIELDS: [&str; 9] =
    ["reason", "tags", "priority", "confidence", "ttl", "sensitivity", "scope", "source", "added_by"];

const SOURCES: [(&str, HintSource); 4] = [
    ("user", HintSource::User),
    ("agent", HintSource::Agent),
    ("tool-output", HintSource::ToolOutput),
    ("file-import", HintSource::FileImport),
];

const MOST_REASON: usize = 2048;
/// All of it; a value may be four times as large.
const MOST: usize = 16 * 1024;
const DEEPEST: usize = 8;

/// Keeps the order in which the tags were given, each once.
fn tags(fields: &Fields<'_>) -> Result<Vec<String>, HintFlaw> {
    let mut tags: Vec<String> = Vec::new();
    for tag in fields.texts("tags", MOST_NAME)? {
        let tag = tag.trim();
        if tag.is_empty() || tag.chars().any(char::is_control) {
            return Err(fields.wrong("tags", "a list of words"));
        }
        if !tags.iter().any(|known| known == tag) {
            tags.push(tag.to_owned());
        }
    }
    Ok(tags)
}

fn priority(fields: &Fields<'_>) -> Result<Option<u8>, HintFlaw> {
    let Some(value) = fields.get("priority") else { return Ok(None) };
    // Some clients have one kind of number only, and write 7 as 7.0.
    let number = value.as_f64().filter(|number| number.fract() == 0.0 && (1.0..=10.0).contains(number));
    number
        .map(|number| Some(number as u8))
        .ok_or_else(|| fields.wrong("priority", "a whole number from 1 to 10"))
}

fn confidence(fields: &Fields<'_>) -> Result<Option<f64>, HintFlaw> {
    let Some(value) = fields.get("confidence") else { return Ok(None) };
    let number = value.as_f64().filter(|number| (0.0..=1.0).contains(number));
    // Minus nothing is nothing.
    number.map(|number| Some(number + 0.0)).ok_or_else(|| fields.wrong("confidence", "a number from 0 to 1"))
}

#[cfg(test)]
mod tests;
