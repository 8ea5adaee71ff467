//! A JSON object whose fields are all known: a mistyped name that was dropped in silence would be a trap for agents.

use serde_json::{Map, Value};

use crate::model::HintFlaw;

/// The fields of an object, by name; `null` is how many agents spell "not given".
pub(super) struct Fields<'a> {
    map: &'a Map<String, Value>,
    /// How messages call the object: `meta.scope`.
    what: &'static str,
}

impl<'a> Fields<'a> {
    /// Opens an object that may have these fields and no others.
    pub(super) fn of(value: &'a Value, what: &'static str, known: &[&str]) -> Result<Fields<'a>, HintFlaw> {
        let Value::Object(map) = value else {
            return Err(HintFlaw::invalid(format!("`{what}` must be an object, not {}", kind(value))));
        };
        for name in map.keys() {
            if !known.contains(&name.as_str()) {
                return Err(HintFlaw::invalid(unknown(what, name, known)));
            }
        }
        Ok(Fields { map, what })
    }

    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    pub(super) fn required(&self, name: &str) -> Result<&'a Value, HintFlaw> {
        self.get(name).ok_or_else(|| HintFlaw::invalid(format!("`{}.{name}` is missing", self.what)))
    }

    /// Reads a text of at most so many bytes.
    pub(super) fn text(&self, name: &str, most: usize) -> Result<Option<String>, HintFlaw> {
        self.get(name).map(|value| self.one_text(name, value, most)).transpose()
    }

    /// Reads a list of texts; one text is a list of one.
    pub(super) fn texts(&self, name: &str, most: usize) -> Result<Vec<String>, HintFlaw> {
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(values)) if values.len() > MOST_ENTRIES => {
                let what = self.what;
                Err(HintFlaw::invalid(format!("`{what}.{name}` has more than {MOST_ENTRIES} entries")))
            }
            Some(Value::Array(values)) => {
                values.iter().map(|value| self.one_text(name, value, most)).collect()
            }
            Some(value) => Ok(vec![self.one_text(name, value, most)?]),
        }
    }

    /// Reads one of several words.
    pub(super) fn word<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> Result<Option<T>, HintFlaw> {
        let Some(text) = self.text(name, MOST_NAME)? else { return Ok(None) };
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

    /// Refuses what stands in a field.
    pub(super) fn wrong(&self, name: &str, wanted: &str) -> HintFlaw {
        HintFlaw::invalid(format!("`{}.{name}` must be {wanted}", self.what))
    }

    fn one_text(&self, name: &str, value: &Value, most: usize) -> Result<String, HintFlaw> {
        match value {
            Value::String(text) if text.len() <= most => Ok(text.clone()),
            Value::String(_) => Err(self.wrong(name, &format!("at most {most} bytes long"))),
            other => Err(self.wrong(name, &format!("a text, not {}", kind(other)))),
        }
    }
}

/// What is no value but a name: a branch, a tag, the name of a variable.
pub(super) const MOST_NAME: usize = 256;

/// So many entries has a list.
const MOST_ENTRIES: usize = 64;

/// Says what kind of JSON a value is, without telling the value.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    let shown: String = name.chars().filter(|c| !c.is_control()).take(60).collect();
    let near = known
        .iter()
        .map(|candidate| (strsim::damerau_levenshtein(&shown, candidate), candidate))
        .min()
        .filter(|(distance, candidate)| *distance <= candidate.len() / 3 + 1);
    match near {
        Some((_, candidate)) => format!("`{what}` has no field `{shown}`: did you mean `{candidate}`?"),
        None => format!("`{what}` has no field `{shown}`; it has {}", known.join(", ")),
    }
}
