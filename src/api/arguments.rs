//! The arguments of a call, by name: each is read as what it should be, or refused in a sentence that says how to mend it.

use serde_json::{Map, Value};

use super::{Refusal, Scope};

/// What a caller sent.
pub(super) struct Arguments<'a>(pub(super) &'a Map<String, Value>);

/// A number that is cut to its most, and refused below its least.
pub(super) struct Bounds {
    pub(super) default: usize,
    pub(super) least: usize,
    pub(super) most: usize,
}

/// The whole memory, for callers that cannot say `null`.
const EVERYWHERE: &str = "*";

impl Arguments<'_> {
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, Refusal> {
        let Some(value) = self.get(name) else { return Ok(None) };
        value.as_str().map(Some).ok_or_else(|| wrong(name, "a text", value))
    }

    pub(super) fn integer(&self, name: &str) -> Result<Option<i64>, Refusal> {
        let Some(value) = self.get(name) else { return Ok(None) };
        integer(value).map(Some).ok_or_else(|| wrong(name, "a whole number", value))
    }

    pub(super) fn integers(&self, name: &str) -> Result<Option<Vec<i64>>, Refusal> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let numbers = value.as_array().and_then(|values| values.iter().map(integer).collect());
        numbers.map(Some).ok_or_else(|| wrong(name, "a list of whole numbers", value))
    }

    /// Reads a number of the contract, which may come as a text: not every client keeps the two apart.
    pub(super) fn number(&self, name: &str) -> Result<Option<u64>, Refusal> {
        let Some(value) = self.get(name) else { return Ok(None) };
        number(value).map(Some).ok_or_else(|| wrong(name, "a whole number, 0 or more", value))
    }

    pub(super) fn numbers(&self, name: &str) -> Result<Option<Vec<u64>>, Refusal> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let numbers = value.as_array().and_then(|values| values.iter().map(number).collect());
        numbers.map(Some).ok_or_else(|| wrong(name, "a list of whole numbers", value))
    }

    pub(super) fn texts(&self, name: &str) -> Result<Option<Vec<String>>, Refusal> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let texts = value.as_array().and_then(|values| values.iter().map(text).collect());
        texts.map(Some).ok_or_else(|| wrong(name, "a list of texts", value))
    }

    /// Reads a yes or no; nothing is a no.
    pub(super) fn flag(&self, name: &str) -> Result<bool, Refusal> {
        let Some(value) = self.get(name) else { return Ok(false) };
        value.as_bool().ok_or_else(|| wrong(name, "true or false", value))
    }

    pub(super) fn texts_by_name(&self, name: &str) -> Result<Option<Vec<(String, String)>>, Refusal> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let pair = |(key, value): (&String, &Value)| Some((key.clone(), text(value)?));
        let texts = value.as_object().and_then(|map| map.iter().map(pair).collect());
        texts.map(Some).ok_or_else(|| wrong(name, "a map of texts", value))
    }

    pub(super) fn count(&self, name: &str, bounds: &Bounds) -> Result<usize, Refusal> {
        let Some(number) = self.integer(name)? else { return Ok(bounds.default) };
        match usize::try_from(number) {
            Ok(number) if number >= bounds.least => Ok(number.min(bounds.most)),
            _ => Err(Refusal::new(format!("`{name}` must be at least {}, not {number}", bounds.least))),
        }
    }

    pub(super) fn one_of<T: Clone, const N: usize>(
        &self,
        name: &str,
        choices: [(&str, T); N],
    ) -> Result<Option<T>, Refusal> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        match choices.iter().find(|(word, _)| *word == text) {
            Some((_, choice)) => Ok(Some(choice.clone())),
            None => {
                let words = choices.map(|(word, _)| word).join(", ");
                Err(Refusal::new(format!("`{name}` must be one of {words}, not {}", shown(&text.into()))))
            }
        }
    }

    /// Reads a project: nothing is not the same as `null`.
    pub(super) fn scope(&self, name: &str) -> Result<Scope, Refusal> {
        match self.0.get(name) {
            None => Ok(Scope::Current),
            Some(Value::Null) => Ok(Scope::All),
            Some(Value::String(project)) if project == EVERYWHERE => Ok(Scope::All),
            Some(Value::String(project)) if !project.is_empty() => Ok(Scope::Named(project.clone())),
            Some(other) => Err(wrong(
                name,
                "the name of a project, null for all projects, or absent for the current one",
                other,
            )),
        }
    }

    /// Elsewhere `null` is how many agents spell "not given".
    fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }
}

/// Some clients have one kind of number only, and write 20 as 20.0.
fn integer(value: &Value) -> Option<i64> {
    let whole = |number: &f64| number.fract() == 0.0 && number.abs() < 9e15;
    value.as_i64().or_else(|| value.as_f64().filter(whole).map(|number| number as i64))
}

fn number(value: &Value) -> Option<u64> {
    let number = match value.as_str() {
        Some(text) => text.trim().parse().ok(),
        None => integer(value),
    };
    number.and_then(|number| u64::try_from(number).ok())
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn wrong(name: &str, wanted: &str, value: &Value) -> Refusal {
    Refusal::new(format!("`{name}` must be {wanted}, not {}", shown(value)))
}

/// Quotes a value, a long one by its beginning.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
