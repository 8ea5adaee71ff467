//! What a record of another tool becomes, before it is redacted and stored.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::model::ObservationType;

/// A record of another tool: a row, a line, or a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SourceRecord {
    /// The table, or the path of the file relative to its folder.
    pub(crate) name: String,
    pub(crate) fields: Map<String, Value>,
    /// The text of a file.
    pub(crate) text: String,
    /// When the file was changed last, in milliseconds since 1970.
    pub(crate) modified_ms: i64,
}

/// Which project an imported observation belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum ProjectHint {
    /// The one that the user is in.
    #[default]
    Here,
    /// The one that the session was in, if it is known here; else one of this name.
    Named(String),
    /// The one of this folder.
    Folder(String),
    /// None.
    Nowhere,
}

/// An observation to be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ImportDraft {
    /// Identifies the record within its tool.
    pub(crate) source_id: String,
    pub(crate) session: String,
    pub(crate) obs_type: ObservationType,
    pub(crate) content: String,
    pub(crate) file_path: Option<String>,
    pub(crate) at_ms: i64,
    pub(crate) project: ProjectHint,
    /// The finer kind, in the tool's own words.
    pub(crate) kind: Option<String>,
    pub(crate) pinned: bool,
    pub(crate) facts: Vec<(&'static str, Value)>,
    /// The name of a note that this could become, in the tool's own words.
    pub(crate) note: Option<String>,
}

/// What a record becomes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Mapped {
    Draft(ImportDraft),
    /// Only with `--all`: it is personal, or finished.
    OnlyWithAll(ImportDraft, &'static str),
    LeftOut(&'static str),
}

/// What was not imported, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeftOut {
    pub(crate) what: String,
    pub(crate) why: String,
}

impl SourceRecord {
    /// Returns a text that is not empty.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name)?.as_str().map(str::trim).filter(|text| !text.is_empty())
    }

    pub(super) fn owned(&self, name: &str) -> Option<String> {
        self.text(name).map(str::to_owned)
    }

    /// Returns an id, which may be a number.
    pub(super) fn id(&self, name: &str) -> Option<String> {
        match self.fields.get(name)? {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// Returns a time in milliseconds; seconds and texts are converted.
    pub(super) fn time(&self, name: &str) -> Option<i64> {
        match self.fields.get(name)? {
            Value::String(text) => {
                let text = text.trim();
                let zoned = text.parse::<jiff::Timestamp>().ok();
                let utc = || {
                    let civil = text.parse::<jiff::civil::DateTime>().ok()?;
                    Some(civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
                };
                zoned.or_else(utc).map(jiff::Timestamp::as_millisecond)
            }
            // In seconds, this number of milliseconds would be in the year 5138.
            number => {
                let number = number.as_f64().filter(|number| (0.0..2.5e14).contains(number))?;
                Some(if number < 1e11 { (number * 1_000.0) as i64 } else { number as i64 })
            }
        }
    }

    /// Returns a list of texts, which may be written as a JSON text.
    pub(super) fn list(&self, name: &str) -> Vec<String> {
        let parsed = match self.fields.get(name) {
            Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
            Some(other) => other.clone(),
            None => Value::Null,
        };
        let items = parsed.as_array().into_iter().flatten();
        items.filter_map(Value::as_str).filter(|text| !text.trim().is_empty()).map(str::to_owned).collect()
    }

    pub(super) fn is(&self, name: &str) -> bool {
        match self.fields.get(name) {
            Some(Value::Bool(is)) => *is,
            Some(Value::Number(number)) => number.as_i64() != Some(0),
            _ => false,
        }
    }
}

impl ImportDraft {
    /// Returns a draft with the least that one has.
    pub(super) fn new(
        source_id: String,
        obs_type: ObservationType,
        content: String,
        at_ms: i64,
    ) -> ImportDraft {
        ImportDraft {
            session: String::new(),
            source_id,
            obs_type,
            content,
            file_path: None,
            at_ms,
            project: ProjectHint::Here,
            kind: None,
            pinned: false,
            facts: Vec::new(),
            note: None,
        }
    }
}

/// Joins the parts of a text that are there.
pub(super) fn joined<'p>(parts: impl IntoIterator<Item = Option<&'p str>>, separator: &str) -> String {
    parts.into_iter().flatten().filter(|part| !part.trim().is_empty()).collect::<Vec<_>>().join(separator)
}

/// Returns a text with a list behind it.
pub(super) fn with_list(text: &str, items: &[String]) -> String {
    let items = items.iter().map(|item| format!("\n- {item}")).collect::<String>();
    format!("{text}{items}").trim().to_owned()
}

/// Groups records by their table.
pub(super) fn by_table(records: &[SourceRecord]) -> BTreeMap<&str, Vec<&SourceRecord>> {
    let mut tables: BTreeMap<&str, Vec<&SourceRecord>> = BTreeMap::new();
    for record in records {
        tables.entry(record.name.as_str()).or_default().push(record);
    }
    tables
}
