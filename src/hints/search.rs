//! Looks for hints by component, keys, tags and a pattern; what is given must all fit.

use jiff::Timestamp;
use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::rank::{Ranked, top};
use super::shelf::{Kept, Place, Shelf};
use crate::model::{HintContext, HintFlaw, HintValue, TypedValue};

/// What is looked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Question {
    pub(crate) component: Option<String>,
    /// One of these; none means any.
    pub(crate) keys: Vec<String>,
    /// One of these; none means any.
    pub(crate) tags: Vec<String>,
    pub(crate) regex: Option<Regex>,
}

/// What was found.
#[derive(Debug, Clone)]
pub(crate) struct Found<'a> {
    /// The eligible ones, the best first, at most as many as were asked for.
    pub(crate) here: Vec<Ranked<'a>>,
    /// How many are eligible.
    pub(crate) total: usize,
    /// Where none is: those that fit, but hold elsewhere.
    pub(crate) elsewhere: Vec<&'a Kept>,
}

/// Looks for the hints that fit, and returns at most so many.
pub(crate) fn search<'a>(
    shelf: &'a Shelf,
    question: &Question,
    context: &HintContext,
    most: usize,
    now: Timestamp,
) -> Found<'a> {
    // The gate comes first: it costs less than a pattern.
    let is_here = |(_, kept): &(Place<'a>, &'a Kept)| kept.is_eligible(context);
    let fits = |(place, kept): &(Place<'a>, &'a Kept)| question.fits(*place, kept);
    let hints = || -> Box<dyn Iterator<Item = (Place<'a>, &'a Kept)>> {
        match &question.component {
            Some(component) => Box::new(shelf.component(component, now)),
            None => Box::new(shelf.all(now)),
        }
    };
    let (here, total) = top(hints().filter(is_here).filter(fits), most, now);
    let elsewhere = match total {
        // Of those that hold here none fits: they need not be asked again.
        0 => hints().filter(|hint| !is_here(hint)).filter(fits).map(|(_, kept)| kept).collect(),
        _ => Vec::new(),
    };
    Found { here, total, elsewhere }
}

impl Question {
    /// Reads a pattern; one that would need too much room is refused like one that is wrong.
    pub(crate) fn pattern(text: &str) -> Result<Regex, HintFlaw> {
        let regex = RegexBuilder::new(text).size_limit(MOST_COMPILED).dfa_size_limit(MOST_COMPILED).build();
        regex.map_err(|_| HintFlaw::invalid("`regex` is no regular expression, or too large a one"))
    }

    fn fits(&self, place: Place<'_>, kept: &Kept) -> bool {
        let tags = &kept.hint.meta.tags;
        (self.keys.is_empty() || self.keys.iter().any(|key| key == place.key))
            && (self.tags.is_empty() || self.tags.iter().any(|tag| tags.contains(tag)))
            && self.regex.as_ref().is_none_or(|regex| {
                regex.is_match(place.key) || any_text(&kept.hint.value, &|text| regex.is_match(text))
            })
    }
}

const MOST_COMPILED: usize = 1 << 20;

/// Says whether one text of a value fits; a secret is looked into like any other, since its owner asks.
fn any_text(value: &HintValue, fits: &dyn Fn(&str) -> bool) -> bool {
    match value {
        HintValue::Text(text) => fits(text),
        HintValue::Typed(TypedValue::Command { cmd, .. }) => fits(cmd),
        HintValue::Typed(TypedValue::Path { abs, .. }) => fits(abs),
        HintValue::Typed(TypedValue::Template { body, defaults, .. }) => {
            fits(body) || defaults.values().any(|text| fits(text))
        }
        HintValue::Typed(TypedValue::Json { data }) => any_json_text(data, fits),
    }
}

fn any_json_text(value: &Value, fits: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => fits(text),
        Value::Array(values) => values.iter().any(|value| any_json_text(value, fits)),
        Value::Object(map) => map.values().any(|value| any_json_text(value, fits)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
