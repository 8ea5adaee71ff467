//! Keeps secrets out of hints that are not marked as secret. Its messages never contain any part of the secret.

use serde_json::Value;

use crate::model::{HintCode, HintFlaw, HintMeta, HintScope, HintValue, Sensitivity, TypedValue};
use crate::redact::{OwnPatterns, find, redact};

/// Refuses a hint if any text that would be stored looks like a credential.
pub(super) fn reject_secrets(names: [&str; 2], value: &HintValue, meta: &HintMeta) -> Result<(), HintFlaw> {
    if meta.sensitivity == Some(Sensitivity::Secret) {
        return Ok(());
    }
    let mut collected = Vec::new();
    collect_value_texts(names[1], value, &mut collected);
    collect_meta_texts(meta, &mut collected);
    let names = [("component", names[0].to_owned()), ("key", names[1].to_owned())];
    let found =
        names.into_iter().chain(collected).find_map(|(field, text)| Some((field, secret_kind(&text)?)));
    found.map_or(Ok(()), |(field, kind)| {
        let detail = format!(
            "the hint seems to contain a secret in `{field}` ({kind}): leave it out, or store it on purpose with `meta.sensitivity: \"secret\"`"
        );
        Err(HintFlaw::new(HintCode::SecretRejected, detail).with("field", field))
    })
}

/// Returns a name for use in a message, with anything that looks like a credential removed.
pub(super) fn repeatable(name: &str) -> String {
    redact(name, &OwnPatterns::default()).text.into_owned()
}

/// The texts of a hint, each with its field.
type CollectedTexts = Vec<(&'static str, String)>;

/// Collects the texts of the value.
fn collect_value_texts(key: &str, value: &HintValue, collected: &mut CollectedTexts) {
    match value {
        HintValue::Text(text) => {
            collected.push(("value", text.clone()));
            // `env.API_KEY → …` gives as much away as `API_KEY=…`.
            if !text.contains(char::is_whitespace) {
                collected
                    .push(("value", assignment(key.rsplit(['.', ' ']).next().unwrap_or_default(), text)));
            }
        }
        HintValue::Typed(TypedValue::Command { cmd, .. }) => collected.push(("value.cmd", cmd.clone())),
        HintValue::Typed(TypedValue::Path { abs, .. }) => collected.push(("value.abs", abs.clone())),
        HintValue::Typed(TypedValue::Template { body, defaults, .. }) => {
            collected.push(("value.body", body.clone()));
            let defaults = defaults.iter().map(|(name, value)| ("value.defaults", assignment(name, value)));
            collected.extend(defaults);
        }
        HintValue::Typed(TypedValue::Json { data }) => {
            let mut data_texts = Vec::new();
            collect_json_texts(data, &mut data_texts);
            collected.extend(data_texts.into_iter().map(|text| ("value.data", text)));
        }
    }
}

/// Collects the texts of the metadata, including the scope.
fn collect_meta_texts(meta: &HintMeta, collected: &mut CollectedTexts) {
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
    collected.extend(single.into_iter().filter_map(|(field, text)| Some((field, text.clone()?))));
    collected.extend(
        lists.into_iter().flat_map(|(field, list)| list.iter().map(move |text| (field, text.clone()))),
    );
    for (name, values) in env_match {
        collected.extend(values.iter().map(|value| ("meta.scope.env_match", assignment(name, value))));
    }
}

fn secret_kind(text: &str) -> Option<String> {
    let found = find(text, &OwnPatterns::default()).into_iter().next()?;
    Some(found.kind.name().to_owned())
}

/// Collects every text of a JSON value; a field together with its name, since the name may be what reveals a secret.
fn collect_json_texts(value: &Value, collected: &mut Vec<String>) {
    match value {
        Value::String(text) => collected.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| collect_json_texts(value, collected)),
        Value::Object(map) => {
            for (name, value) in map {
                match value {
                    Value::String(text) => collected.push(assignment(name, text)),
                    other => {
                        collected.push(name.clone());
                        collect_json_texts(other, collected);
                    }
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn assignment(name: &str, value: &str) -> String {
    format!("{name}={value}")
}

#[cfg(test)]
mod tests;
