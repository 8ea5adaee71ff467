//! Reads a JSON object and rejects unknown fields: silently ignoring a mistyped name would be a trap for agents.

use serde_json::{Map, Value};

use crate::model::HintFlaw;

/// The fields of an object, by name. Many agents send `null` for "not given", so `null` counts as absent.
pub(super) struct HintFields<'a> {
    map: &'a Map<String, Value>,
    /// The name of the object in messages, for example `meta.scope`.
    what: &'static str,
}

impl<'a> HintFields<'a> {
    /// Wraps an object that may have only the `known` fields.
    pub(super) fn of(
        value: &'a Value,
        what: &'static str,
        known: &[&str],
    ) -> Result<HintFields<'a>, HintFlaw> {
        let Value::Object(map) = value else {
            return Err(HintFlaw::invalid(format!("`{what}` must be an object, not {}", json_kind(value))));
        };
        for name in map.keys() {
            if !known.contains(&name.as_str()) {
                return Err(HintFlaw::invalid(unknown_field(what, name, known)));
            }
        }
        Ok(HintFields { map, what })
    }

    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    pub(super) fn required(&self, name: &str) -> Result<&'a Value, HintFlaw> {
        self.get(name).ok_or_else(|| HintFlaw::invalid(format!("`{}.{name}` is missing", self.what)))
    }

    /// Reads a text of up to `max` bytes.
    pub(super) fn text(&self, name: &str, max: usize) -> Result<Option<String>, HintFlaw> {
        self.get(name).map(|value| self.one_text(name, value, max)).transpose()
    }

    /// Reads a list of texts of up to `max` bytes each; a single text counts as a list of one.
    pub(super) fn texts(&self, name: &str, max: usize) -> Result<Vec<String>, HintFlaw> {
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(values)) if values.len() > MAX_ENTRIES => {
                let what = self.what;
                Err(HintFlaw::invalid(format!("`{what}.{name}` has more than {MAX_ENTRIES} entries")))
            }
            Some(Value::Array(values)) => {
                values.iter().map(|value| self.one_text(name, value, max)).collect()
            }
            Some(value) => Ok(vec![self.one_text(name, value, max)?]),
        }
    }

    /// Reads a text that must be one of these words.
    pub(super) fn word<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> Result<Option<T>, HintFlaw> {
        let Some(text) = self.text(name, MAX_NAME)? else { return Ok(None) };
        self.known_word(name, &text, words).map(Some)
    }

    pub(super) fn known_word<T: Copy>(
        &self,
        name: &str,
        text: &str,
        words: &[(&str, T)],
    ) -> Result<T, HintFlaw> {
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning);
        found.ok_or_else(|| {
            let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            HintFlaw::invalid(format!("`{}.{name}` must be one of {}", self.what, words.join(", ")))
        })
    }

    /// Returns the error for a field with a wrong value.
    pub(super) fn wrong(&self, name: &str, wanted: &str) -> HintFlaw {
        HintFlaw::invalid(format!("`{}.{name}` must be {wanted}", self.what))
    }

    fn one_text(&self, name: &str, value: &Value, max: usize) -> Result<String, HintFlaw> {
        match value {
            Value::String(text) if text.len() <= max => Ok(text.clone()),
            Value::String(_) => Err(self.wrong(name, &format!("at most {max} bytes long"))),
            other => Err(self.wrong(name, &format!("a text, not {}", json_kind(other)))),
        }
    }
}

/// Maximum length in bytes of a name: of a branch, a tag, an environment variable.
pub(super) const MAX_NAME: usize = 256;

/// Maximum length of a list.
const MAX_ENTRIES: usize = 64;

/// Returns the kind of a JSON value for messages, without the value itself.
pub(super) fn json_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Returns the name that was probably meant.
pub(crate) fn near_name<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let near = known.map(|name| (strsim::damerau_levenshtein(given, name), name)).min();
    let is_near = |distance: usize, name: &str| {
        // Two short names that have nothing in common are not near.
        distance <= name.len() / 3 + 1 && 2 * distance <= name.len().max(given.len())
    };
    near.filter(|(distance, name)| is_near(*distance, name)).map(|(_, name)| name)
}

fn unknown_field(what: &str, name: &str, known: &[&str]) -> String {
    let shown: String = name.chars().filter(|c| !c.is_control()).take(60).collect();
    match near_name(&shown, known.iter().copied()) {
        Some(candidate) => format!("`{what}` has no field `{shown}`: did you mean `{candidate}`?"),
        None => format!("`{what}` has no field `{shown}`; it has {}", known.join(", ")),
    }
}
