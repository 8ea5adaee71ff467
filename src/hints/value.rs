//! Parses the value of a hint.

use std::collections::BTreeMap;

use serde_json::Value;

use super::fields::{HintFields, json_kind};
use super::path;
use super::scope::parse_os_list;
use crate::model::{HintFlaw, HintValue, Shell, TemplateFormat, TypedValue};

/// Parses a value: a text, or an object with a `type`.
pub(super) fn parse_value(value: &Value) -> Result<HintValue, HintFlaw> {
    let parsed = match value {
        Value::String(text) => Ok(HintValue::Text(text.clone())),
        Value::Object(map) => match map.get("type").and_then(Value::as_str) {
            Some("command") => parse_command(value),
            Some("path") => parse_path(value),
            Some("template") => parse_template(value),
            Some("json") => parse_json(value),
            _ => Err(HintFlaw::invalid("`value.type` must be one of command, path, template, json")),
        },
        other => Err(HintFlaw::invalid(format!(
            "`value` must be a text or an object with a `type`, not {}",
            json_kind(other)
        ))),
    }?;
    match text_size(&parsed) {
        Some(size) if size <= MAX_SIZE => Ok(parsed),
        Some(_) => Err(HintFlaw::invalid(format!("`value` is larger than {} KiB", MAX_SIZE / 1024))),
        None => Err(HintFlaw::invalid(format!("`value` is nested deeper than {MAX_DEPTH}"))),
    }
}

const MAX_SIZE: usize = 64 * 1024;
const MAX_DEPTH: usize = 64;

fn parse_command(value: &Value) -> Result<HintValue, HintFlaw> {
    let fields = HintFields::of(value, "value", &["type", "shell", "cmd"])?;
    let shells =
        [("bash", Shell::Bash), ("sh", Shell::Sh), ("powershell", Shell::Powershell), ("cmd", Shell::Cmd)];
    Ok(HintValue::Typed(TypedValue::Command {
        shell: fields.word("shell", &shells)?,
        cmd: required_text(&fields, "cmd")?,
    }))
}

fn parse_path(value: &Value) -> Result<HintValue, HintFlaw> {
    let fields = HintFields::of(value, "value", &["type", "os", "abs"])?;
    let mut os = parse_os_list(&fields)?;
    os.dedup();
    Ok(HintValue::Typed(TypedValue::Path { os, abs: path::parse_absolute(&required_text(&fields, "abs")?)? }))
}

fn parse_template(value: &Value) -> Result<HintValue, HintFlaw> {
    let fields = HintFields::of(value, "value", &["type", "format", "body", "defaults"])?;
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
    Ok(HintValue::Typed(TypedValue::Template { format, body: required_text(&fields, "body")?, defaults }))
}

fn parse_json(value: &Value) -> Result<HintValue, HintFlaw> {
    let fields = HintFields::of(value, "value", &["type", "data"])?;
    // Here `null` is a valid value; only a missing field is an error.
    match value.get("data") {
        Some(data) => Ok(HintValue::Typed(TypedValue::Json { data: data.clone() })),
        None => Err(fields.wrong("data", "given")),
    }
}

fn required_text(fields: &HintFields<'_>, name: &str) -> Result<String, HintFlaw> {
    fields.required(name)?;
    let text = fields.text(name, MAX_SIZE)?.filter(|text| !text.trim().is_empty());
    text.ok_or_else(|| fields.wrong(name, "a text that is not empty"))
}

/// Returns the size of a value: the length of its texts and the estimated length of its JSON.
fn text_size(value: &HintValue) -> Option<usize> {
    Some(match value {
        HintValue::Text(text) => text.len(),
        HintValue::Typed(TypedValue::Command { cmd, .. }) => cmd.len(),
        HintValue::Typed(TypedValue::Path { abs, .. }) => abs.len(),
        HintValue::Typed(TypedValue::Template { body, defaults, .. }) => {
            body.len() + defaults.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>()
        }
        HintValue::Typed(TypedValue::Json { data }) => estimated_size(data, MAX_DEPTH - 1)?,
    })
}

/// Estimates the length of the JSON; returns `None` if it is nested deeper than `levels`.
pub(super) fn estimated_size(value: &Value, levels: usize) -> Option<usize> {
    let below = levels.checked_sub(1);
    Some(match value {
        Value::String(text) => text.len() + 2,
        Value::Array(values) => {
            let below = below?;
            values.iter().map(|value| Some(estimated_size(value, below)? + 1)).sum::<Option<usize>>()? + 2
        }
        Value::Object(map) => {
            let below = below?;
            let fields = map.iter().map(|(name, value)| Some(name.len() + 4 + estimated_size(value, below)?));
            fields.sum::<Option<usize>>()? + 2
        }
        Value::Number(_) => 8,
        Value::Null | Value::Bool(_) => 4,
    })
}

#[cfg(test)]
mod tests;
