//! Searches hints by component, keys, tags and a pattern; all given criteria must match.

use jiff::Timestamp;
use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::rank::{Ranked, top};
use super::table::{HintName, HintTable, StoredHint};
use crate::model::{HintContext, HintFlaw, HintValue, TypedValue};

/// The search criteria.
#[derive(Debug, Clone, Default)]
pub(crate) struct HintQuery {
    pub(crate) component: Option<String>,
    /// Any one of these; an empty list matches all.
    pub(crate) keys: Vec<String>,
    /// Any one of these; an empty list matches all.
    pub(crate) tags: Vec<String>,
    pub(crate) regex: Option<Regex>,
}

/// The result of a search.
#[derive(Debug, Clone)]
pub(crate) struct HintSearchResult<'a> {
    /// The eligible hints, best first, up to the requested number.
    pub(crate) here: Vec<Ranked<'a>>,
    /// The number of eligible hints.
    pub(crate) total: usize,
    /// If none is eligible: the hints that match the criteria but apply elsewhere.
    pub(crate) elsewhere: Vec<&'a StoredHint>,
}

/// Searches for matching hints, and returns up to `max`.
pub(crate) fn search<'a>(
    table: &'a HintTable,
    question: &HintQuery,
    context: &HintContext,
    max: usize,
    now: Timestamp,
) -> HintSearchResult<'a> {
    // The scope is checked first: that is cheaper than a pattern.
    let is_eligible_here = |(_, kept): &(HintName<'a>, &'a StoredHint)| kept.is_eligible(context);
    let matches = |(place, kept): &(HintName<'a>, &'a StoredHint)| question.matches(*place, kept);
    let hints = || -> Box<dyn Iterator<Item = (HintName<'a>, &'a StoredHint)>> {
        match &question.component {
            Some(component) => Box::new(table.component(component, now)),
            None => Box::new(table.all(now)),
        }
    };
    let (here, total) = top(hints().filter(is_eligible_here).filter(matches), max, now);
    let elsewhere = match total {
        // No eligible hint matches, so these need not be checked again.
        0 => hints().filter(|hint| !is_eligible_here(hint)).filter(matches).map(|(_, kept)| kept).collect(),
        _ => Vec::new(),
    };
    HintSearchResult { here, total, elsewhere }
}

impl HintQuery {
    /// Compiles a pattern; refuses one that is not valid or would need too much RAM.
    pub(crate) fn pattern(text: &str) -> Result<Regex, HintFlaw> {
        let regex = RegexBuilder::new(text).size_limit(MAX_COMPILED).dfa_size_limit(MAX_COMPILED).build();
        regex.map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => HintFlaw::invalid("`regex` is too large"),
            error => {
                HintFlaw::invalid(format!("`regex` is not valid: {}", pattern_error(&error.to_string())))
            }
        })
    }

    fn matches(&self, place: HintName<'_>, kept: &StoredHint) -> bool {
        let tags = &kept.hint.meta.tags;
        (self.keys.is_empty() || self.keys.iter().any(|key| key == place.key))
            && (self.tags.is_empty() || self.tags.iter().any(|tag| tags.contains(tag)))
            && self.regex.as_ref().is_none_or(|regex| {
                regex.is_match(place.key) || any_text(&kept.hint.value, &|text| regex.is_match(text))
            })
    }
}

/// Returns what is wrong with a pattern, and where. The library's text shows the pattern, indented by four, with a
/// caret under the mistake, and the reason last.
fn pattern_error(text: &str) -> String {
    let reason = text.lines().last().unwrap_or_default();
    let reason = reason.strip_prefix("error: ").unwrap_or(reason);
    let caret = text.lines().find(|line| line.trim_start().starts_with('^'));
    match caret.and_then(|line| line.find('^')?.checked_sub(3)) {
        Some(position) => format!("{reason}, at character {position}"),
        None => reason.to_owned(),
    }
}

const MAX_COMPILED: usize = 1 << 20;

/// Returns whether any text of a value matches. Secrets are searched like other values, since their owner asks.
fn any_text(value: &HintValue, matches: &dyn Fn(&str) -> bool) -> bool {
    match value {
        HintValue::Text(text) => matches(text),
        HintValue::Typed(TypedValue::Command { cmd, .. }) => matches(cmd),
        HintValue::Typed(TypedValue::Path { abs, .. }) => matches(abs),
        HintValue::Typed(TypedValue::Template { body, defaults, .. }) => {
            matches(body) || defaults.values().any(|text| matches(text))
        }
        HintValue::Typed(TypedValue::Json { data }) => any_json_text(data, matches),
    }
}

fn any_json_text(value: &Value, matches: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => matches(text),
        Value::Array(values) => values.iter().any(|value| any_json_text(value, matches)),
        Value::Object(map) => map.values().any(|value| any_json_text(value, matches)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
