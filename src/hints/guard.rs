//! Keeps secrets out of hints that are not marked as secret. What it says never holds any part of the secret.

use serde_json::Value;

use crate::model::{HintCode, HintFlaw, HintMeta, HintValue, Sensitivity, TypedValue};
use crate::redact::{OwnPatterns, find};

/// Refuses a hint with something in it that looks like a credential.
pub(super) fn guard(names: [&str; 2], value: &HintValue, meta: &HintMeta) -> Result<(), HintFlaw> {
    if meta.sensitivity == Some(Sensitivity::Secret) {
        return Ok(());
    }
    let mut seen = Vec::new();
    match value {
        HintValue::Text(text) => seen.push(text.clone()),
        HintValue::Typed(TypedValue::Command { cmd, .. }) => seen.push(cmd.clone()),
        HintValue::Typed(TypedValue::Path { abs, .. }) => seen.push(abs.clone()),
        HintValue::Typed(TypedValue::Template { body, defaults, .. }) => {
            seen.push(body.clone());
            seen.extend(defaults.iter().map(|(name, value)| assigned(name, value)));
        }
        HintValue::Typed(TypedValue::Json { data }) => texts(data, &mut seen),
    }
    // `env.API_KEY → …` says as much as `API_KEY=…`.
    if let HintValue::Text(text) = value
        && !text.contains(char::is_whitespace)
    {
        seen.push(assigned(names[1].rsplit(['.', ' ']).next().unwrap_or_default(), text));
    }
    let meta = [&meta.reason, &meta.added_by].into_iter().flatten().chain(&meta.tags);
    let words = names.into_iter().chain(meta.map(String::as_str));
    let found = seen.iter().map(String::as_str).chain(words).find_map(kind);
    found.map_or(Ok(()), |kind| {
        Err(HintFlaw::new(
            HintCode::SecretRejected,
            format!(
                "the hint seems to hold a secret ({kind}): leave it out, or store it on purpose with `meta.sensitivity: \"secret\"`"
            ),
        ))
    })
}

fn kind(text: &str) -> Option<String> {
    let found = find(text, &OwnPatterns::default()).into_iter().next()?;
    Some(found.kind.name().to_owned())
}

/// Collects every text of a JSON value; a field together with its name, since the name may be what gives it away.
fn texts(value: &Value, seen: &mut Vec<String>) {
    match value {
        Value::String(text) => seen.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| texts(value, seen)),
        Value::Object(map) => {
            for (name, value) in map {
                match value {
                    Value::String(text) => seen.push(assigned(name, text)),
                    other => {
                        seen.push(name.clone());
                        texts(other, seen);
                    }
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn assigned(name: &str, value: &str) -> String {
    format!("{name}={value}")
}

#[cfg(test)]
mod tests;
