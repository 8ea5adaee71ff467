//! Keeps secrets out of hints that are not marked as secret. What it says never holds any part of the secret.

use serde_json::Value;

use crate::model::{HintCode, HintFlaw, HintMeta, HintScope, HintValue, Sensitivity, TypedValue};
use crate::redact::{OwnPatterns, find, redact};

/// Refuses a hint with something in it that looks like a credential, in any text that would be kept.
pub(super) fn guard(names: [&str; 2], value: &HintValue, meta: &HintMeta) -> Result<(), HintFlaw> {
    if meta.sensitivity == Some(Sensitivity::Secret) {
        return Ok(());
    }
    let mut seen = Vec::new();
    said(names[1], value, &mut seen);
    known(meta, &mut seen);
    let names = [("component", names[0].to_owned()), ("key", names[1].to_owned())];
    let found = names.into_iter().chain(seen).find_map(|(field, text)| Some((field, kind(&text)?)));
    found.map_or(Ok(()), |(field, kind)| {
        let detail = format!(
            "the hint seems to hold a secret in `{field}` ({kind}): leave it out, or store it on purpose with `meta.sensitivity: \"secret\"`"
        );
        Err(HintFlaw::new(HintCode::SecretRejected, detail).with("field", field))
    })
}

/// Returns a name as it may be repeated in a message: one that looks like a credential is not.
pub(super) fn repeatable(name: &str) -> String {
    redact(name, &OwnPatterns::default()).text.into_owned()
}

/// The texts of a hint, each with the field that it stands in.
type Seen = Vec<(&'static str, String)>;

/// Collects what a hint says.
fn said(key: &str, value: &HintValue, seen: &mut Seen) {
    match value {
        HintValue::Text(text) => {
            seen.push(("value", text.clone()));
            // `env.API_KEY → …` says as much as `API_KEY=…`.
            if !text.contains(char::is_whitespace) {
                seen.push(("value", assigned(key.rsplit(['.', ' ']).next().unwrap_or_default(), text)));
            }
        }
        HintValue::Typed(TypedValue::Command { cmd, .. }) => seen.push(("value.cmd", cmd.clone())),
        HintValue::Typed(TypedValue::Path { abs, .. }) => seen.push(("value.abs", abs.clone())),
        HintValue::Typed(TypedValue::Template { body, defaults, .. }) => {
            seen.push(("value.body", body.clone()));
            let defaults = defaults.iter().map(|(name, value)| ("value.defaults", assigned(name, value)));
            seen.extend(defaults);
        }
        HintValue::Typed(TypedValue::Json { data }) => {
            let mut data_texts = Vec::new();
            texts(data, &mut data_texts);
            seen.extend(data_texts.into_iter().map(|text| ("value.data", text)));
        }
    }
}

/// Collects what is known about a hint, and where it holds.
fn known(meta: &HintMeta, seen: &mut Seen) {
    let HintMeta { reason, tags, added_by, scope, ttl, .. } = meta;
    let HintScope { branch, cwd_glob, env_match, env_required, repo, os: _ } = scope;
    let lists = [
        ("meta.tags", tags),
        ("meta.scope.cwd_glob", cwd_glob),
        ("meta.scope.repo", repo),
        ("meta.scope.branch", branch),
        ("meta.scope.env_required", env_required),
    ];
    let single = [("meta.reason", reason), ("meta.added_by", added_by), ("meta.ttl", ttl)];
    seen.extend(single.into_iter().filter_map(|(field, text)| Some((field, text.clone()?))));
    seen.extend(
        lists.into_iter().flat_map(|(field, list)| list.iter().map(move |text| (field, text.clone()))),
    );
    for (name, values) in env_match {
        seen.extend(values.iter().map(|value| ("meta.scope.env_match", assigned(name, value))));
    }
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
