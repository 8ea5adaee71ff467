//! Reads what a hint says.

use std::collections::BTreeMap;

use serde_json::Value;

use super::fields::{Fields, kind};
use super::path;
use super::scope::os_list;
use crate::model::{HintFlaw, HintValue, Shell, TemplateFormat, TypedValue};

/// Reads a value: a text, or an object with its `type`.
pub(super) fn value(value: &Value) -> Result<HintValue, HintFlaw> {
    let read = match value {
        Value::String(text) if text.trim().is_empty() => Err(HintFlaw::invalid("`value` must not be empty")),
        Value::String(text) => Ok(HintValue::Text(text.clone())),
        Value::Object(map) => match map.get("type").and_then(Value::as_str) {
            Some("command") => command(value),
            Some("path") => path_value(value),
            Some("template") => template(value),
            Some("json") => json(value),
            _ => Err(HintFlaw::invalid("`value.type` must be one of command, path, template, json")),
        },
        other => Err(HintFlaw::invalid(format!(
            "`value` must be a text or an object with a `type`, not {}",
            kind(other)
        ))),
    }?;
    match said_size(&read) {
        Some(size) if size <= MOST => Ok(read),
        Some(_) => Err(HintFlaw::invalid(format!("`value` is larger than {} KiB", MOST / 1024))),
        None => Err(HintFlaw::invalid(format!("`value` is nested deeper than {DEEPEST}"))),
    }
}

const MOST: usize = 64 * 1024;
const DEEPEST: usize = 64;

fn command(value: &Value) -> Result<HintValue, HintFlaw> {
    let fields = Fields::of(value, "value", &["type", "shell", "cmd"])?;
    let shells =
        [("bash", Shell::Bash), ("sh", Shell::Sh), ("powershell", Shell::Powershell), ("cmd", Shell::Cmd)];
    Ok(HintValue::Typed(TypedValue::Command {
        shell: fields.word("shell", &shells)?,
        cmd: text(&fields, "cmd")?,
    }))
}

fn path_value(value: &Value) -> Result<HintValue, HintFlaw> {
    let fields = Fields::of(value, "value", &["type", "os", "abs"])?;
    let mut os = os_list(&fields)?;
    os.dedup();
    Ok(HintValue::Typed(TypedValue::Path { os, abs: path::absolute(&text(&fields, "abs")?)? }))
}

fn template(value: &Value) -> Result<HintValue, HintFlaw> {
    let fields = Fields::of(value, "value", &["type", "format", "body", "defaults"])?;
    fields.required("format")?;
    let formats = [
        ("mustache", TemplateFormat::Mustache),
        ("handlebars", TemplateFormat::Handlebars),
        ("jinja", TemplateFormat::Jinja),
        ("interpolate", TemplateFormat::Interpolate),
    ];
    let format = fields.word("format", &formats)?.ok_or_else(|| fields.wrong("format", "given"))?;
    let defaults = match fields.get("defaults") {
        None => BTreeMap::new(),
        Some(Value::Object(map)) => map
            .iter()
            .map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect::<Option<_>>()
            .ok_or_else(|| fields.wrong("defaults", "an object of texts"))?,
        Some(_) => return Err(fields.wrong("defaults", "an object of texts")),
    };
    Ok(HintValue::Typed(TypedValue::Template { format, body: text(&fields, "body")?, defaults }))
}

fn json(value: &Value) -> Result<HintValue, HintFlaw> {
    let fields = Fields::of(value, "value", &["type", "data"])?;
    // Here `null` is a value like others; only its absence is a slip.
    match value.get("data") {
        Some(data) => Ok(HintValue::Typed(TypedValue::Json { data: data.clone() })),
        None => Err(fields.wrong("data", "given")),
    }
}

fn text(fields: &Fields<'_>, name: &str) -> Result<String, HintFlaw> {
    fields.required(name)?;
    let text = fields.text(name, MOST)?.filter(|text| !text.trim().is_empty());
    text.ok_or_else(|| fields.wrong(name, "a text that says something"))
}

/// Returns how much a value says: the length of its texts, and about that of the JSON in it.
fn said_size(value: &HintValue) -> Option<usize> {
    Some(match value {
        HintValue::Text(text) => text.len(),
        HintValue::Typed(TypedValue::Command { cmd, .. }) => cmd.len(),
        HintValue::Typed(TypedValue::Path { abs, .. }) => abs.len(),
        HintValue::Typed(TypedValue::Template { body, defaults, .. }) => {
            body.len() + defaults.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>()
        }
        HintValue::Typed(TypedValue::Json { data }) => size(data, DEEPEST - 1)?,
    })
}

/// Returns about how long the JSON is; nothing where it is nested deeper than so many levels.
pub(super) fn size(value: &Value, levels: usize) -> Option<usize> {
    let below = levels.checked_sub(1);
    Some(match value {
        Value::String(text) => text.len() + 2,
        Value::Array(values) => {
            let below = below?;
            values.iter().map(|value| Some(size(value, below)? + 1)).sum::<Option<usize>>()? + 2
        }
        Value::Object(map) => {
            let below = below?;
            let fields = map.iter().map(|(name, value)| Some(name.len() + 4 + size(value, below)?));
            fields.sum::<Option<usize>>()? + 2
        }
        Value::Number(_) => 8,
        Value::Null | Value::Bool(_) => 4,
    })
}

#[cfg(test)]
mod tests;
