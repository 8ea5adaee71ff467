//! A hint: a small fact with metadata. Its JSON has the seed's format, and is what callers read.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{HintScope, Os};

/// One variant of a hint; its component and key are stored outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Hint {
    pub(crate) value: HintValue,
    pub(crate) meta: HintMeta,
    /// Counts the updates of this variant, from 1.
    pub(crate) version: u64,
    #[serde(with = "milliseconds")]
    pub(crate) created_at: Timestamp,
    #[serde(with = "milliseconds")]
    pub(crate) updated_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "maybe_milliseconds")]
    pub(crate) last_used_at: Option<Timestamp>,
    pub(crate) use_count: u64,
}

/// The value of a hint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum HintValue {
    Text(String),
    Typed(TypedValue),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum TypedValue {
    Command {
        #[serde(skip_serializing_if = "Option::is_none")]
        shell: Option<Shell>,
        cmd: String,
    },
    Path {
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        os: Vec<Os>,
        abs: String,
    },
    Template {
        format: TemplateFormat,
        body: String,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        defaults: BTreeMap<String, String>,
    },
    Json {
        data: serde_json::Value,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Shell {
    Bash,
    Sh,
    Powershell,
    Cmd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TemplateFormat {
    Mustache,
    Handlebars,
    Jinja,
    Interpolate,
}

/// The metadata of a hint.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct HintMeta {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
    /// From 1 to 10.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "whole_if_possible")]
    pub(crate) priority: Option<f64>,
    /// From 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) confidence: Option<f64>,
    /// `session`, or an ISO-8601 duration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ttl: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sensitivity: Option<Sensitivity>,
    #[serde(default, skip_serializing_if = "HintScope::is_empty")]
    pub(crate) scope: HintScope,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<HintSource>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) added_by: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Sensitivity {
    Secret,
    Normal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum HintSource {
    User,
    Agent,
    ToolOutput,
    FileImport,
}

impl Hint {
    /// The highest version and count: many clients cannot represent larger whole numbers exactly.
    pub(crate) const MAX_COUNT: u64 = (1 << 53) - 1;

    pub(crate) fn is_secret(&self) -> bool {
        self.meta.sensitivity == Some(Sensitivity::Secret)
    }
}

impl Shell {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Shell::Bash => "bash",
            Shell::Sh => "sh",
            Shell::Powershell => "powershell",
            Shell::Cmd => "cmd",
        }
    }
}

impl TemplateFormat {
    pub(crate) fn name(self) -> &'static str {
        match self {
            TemplateFormat::Mustache => "mustache",
            TemplateFormat::Handlebars => "handlebars",
            TemplateFormat::Jinja => "jinja",
            TemplateFormat::Interpolate => "interpolate",
        }
    }
}

impl HintValue {
    /// Returns the value as a person would write it.
    pub(crate) fn shown(&self) -> String {
        match self {
            HintValue::Text(text) => text.clone(),
            HintValue::Typed(TypedValue::Command { cmd, .. }) => cmd.clone(),
            HintValue::Typed(TypedValue::Path { abs, .. }) => abs.clone(),
            HintValue::Typed(TypedValue::Template { body, .. }) => body.clone(),
            HintValue::Typed(TypedValue::Json { data }) => data.to_string(),
        }
    }
}

/// Formats a time for callers: `2026-01-02T03:04:05.678Z`.
pub(crate) fn written(time: Timestamp) -> String {
    format!("{time:.3}")
}

/// Writes 7 rather than 7.0, as people and most clients do.
fn whole_if_possible<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match number {
        Some(number) if number.fract() == 0.0 => serializer.serialize_u64(*number as u64),
        number => number.serialize(serializer),
    }
}

/// Times in JSON, in whole milliseconds.
mod milliseconds {
    use super::{Deserialize, Deserializer, Error, Serializer, Timestamp, written};

    pub(super) fn serialize<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&written(*time))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

mod maybe_milliseconds {
    use super::{Deserializer, Serialize, Serializer, Timestamp, milliseconds, written};

    pub(super) fn serialize<S: Serializer>(
        time: &Option<Timestamp>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        time.map(written).serialize(serializer)
    }

    /// Only called if there is a time.
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Timestamp>, D::Error> {
        milliseconds::deserialize(deserializer).map(Some)
    }
}
