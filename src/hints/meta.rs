//! Parses the metadata of a hint.

use serde_json::Value;

use super::fields::{HintFields, MAX_NAME};
use super::scope::scope;
use super::ttl::Ttl;
use super::value::estimated_size;
use crate::model::{HintFlaw, HintMeta, HintScope, HintSource, Sensitivity};

/// Parses `meta`; absent fields stay unset.
pub(super) fn parse_meta(value: &Value) -> Result<HintMeta, HintFlaw> {
    if value.is_null() {
        return Ok(HintMeta::default());
    }
    let fields = HintFields::of(value, "meta", &FIELDS)?;
    if estimated_size(value, MAX_DEPTH).is_none_or(|size| size > MAX_META) {
        return Err(HintFlaw::invalid(format!("`meta` is larger than {} KiB", MAX_META / 1024)));
    }
    let ttl = fields.text("ttl", MAX_NAME)?;
    if let Some(ttl) = &ttl {
        Ttl::read(ttl)?;
    }
    Ok(HintMeta {
        reason: fields.text("reason", MAX_REASON)?,
        tags: parse_tags(&fields)?,
        priority: parse_priority(&fields)?,
        confidence: parse_confidence(&fields)?,
        ttl,
        sensitivity: fields
            .word("sensitivity", &[("secret", Sensitivity::Secret), ("normal", Sensitivity::Normal)])?,
        scope: fields.get("scope").map_or(Ok(HintScope::default()), scope)?,
        source: fields.word("source", &SOURCES)?,
        added_by: fields.text("added_by", MAX_NAME)?,
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

const MAX_REASON: usize = 2048;
/// For all metadata together; a value may be four times as large.
const MAX_META: usize = 16 * 1024;
const MAX_DEPTH: usize = 8;

/// Parses the tags, in the given order and each once.
fn parse_tags(fields: &HintFields<'_>) -> Result<Vec<String>, HintFlaw> {
    let mut tags: Vec<String> = Vec::new();
    for tag in fields.texts("tags", MAX_NAME)? {
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

fn parse_priority(fields: &HintFields<'_>) -> Result<Option<f64>, HintFlaw> {
    let Some(value) = fields.get("priority") else { return Ok(None) };
    let number = value.as_f64().filter(|number| (1.0..=10.0).contains(number));
    number.map(Some).ok_or_else(|| fields.wrong("priority", "a number from 1 to 10"))
}

fn parse_confidence(fields: &HintFields<'_>) -> Result<Option<f64>, HintFlaw> {
    let Some(value) = fields.get("confidence") else { return Ok(None) };
    let number = value.as_f64().filter(|number| (0.0..=1.0).contains(number));
    // Turns -0.0 into 0.0.
    number.map(|number| Some(number + 0.0)).ok_or_else(|| fields.wrong("confidence", "a number from 0 to 1"))
}

#[cfg(test)]
mod tests;
