//! The arguments of a call, by name. Each is parsed into its type, or refused with a sentence that says how to fix it.
//!
//! Defaults, limits and words come from the rows of the tool. A name without a row cannot be read.

use serde_json::{Map, Value};

use super::argument::{Argument, ArgumentKind};
use super::{Refusal, Scope};

/// The arguments as the caller sent them, and the rows that they are read by.
#[derive(Clone, Copy)]
pub(crate) struct Arguments<'a> {
    given: &'a Map<String, Value>,
    rows: &'static [Argument],
}

/// All projects, for callers that cannot send `null`.
const ALL_PROJECTS: &str = "*";

impl<'a> Arguments<'a> {
    pub(super) fn new(given: &'a Map<String, Value>, rows: &'static [Argument]) -> Arguments<'a> {
        Arguments { given, rows }
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&'a str>, Refusal> {
        let Some(value) = self.get(name)? else { return Ok(None) };
        value.as_str().map(Some).ok_or_else(|| wrong_type(name, "a text", value))
    }

    pub(super) fn integer(&self, name: &str) -> Result<Option<i64>, Refusal> {
        let Some(value) = self.get(name)? else { return Ok(None) };
        parse_integer(value).map(Some).ok_or_else(|| wrong_type(name, "a whole number", value))
    }

    pub(super) fn integers(&self, name: &str) -> Result<Option<Vec<i64>>, Refusal> {
        let Some(value) = self.get(name)? else { return Ok(None) };
        numbers_of(value).map(Some).ok_or_else(|| wrong_type(name, "a list of whole numbers", value))
    }

    /// Parses a list of texts; a single text is a list of one.
    pub(super) fn texts_or_one(&self, name: &str) -> Result<Vec<String>, Refusal> {
        let Some(value) = self.get(name)? else { return Ok(Vec::new()) };
        let texts = match value {
            Value::Array(values) => values.iter().map(Value::as_str).collect::<Option<Vec<_>>>(),
            value => value.as_str().map(|text| vec![text]),
        };
        let texts = texts.map(|texts| texts.into_iter().map(str::to_owned).collect());
        texts.ok_or_else(|| Refusal::new(format!("`{name}` must be a list of texts")))
    }

    pub(super) fn flag(&self, name: &str) -> Result<bool, Refusal> {
        let Some(value) = self.get(name)? else { return Ok(false) };
        value.as_bool().ok_or_else(|| Refusal::new(format!("`{name}` must be true or false")))
    }

    /// Returns the fields of an argument that is an object.
    pub(super) fn object(&self, name: &str) -> Result<Option<Arguments<'a>>, Refusal> {
        let rows = match &self.row(name)?.kind {
            ArgumentKind::Object(rows) | ArgumentKind::Outlined(rows) => *rows,
            _ => &[],
        };
        Ok(self.map(name)?.map(|given| Arguments { given, rows }))
    }

    /// Returns an argument that is an object with any fields.
    pub(super) fn map(&self, name: &str) -> Result<Option<&'a Map<String, Value>>, Refusal> {
        let Some(value) = self.get(name)? else { return Ok(None) };
        value.as_object().map(Some).ok_or_else(|| Refusal::new(format!("`{name}` must be an object")))
    }

    /// Parses a number, which may also be a text: some clients do not distinguish the two.
    pub(super) fn number(&self, name: &str) -> Result<Option<u64>, Refusal> {
        let Some(value) = self.get(name)? else { return Ok(None) };
        parse_number(value).map(Some).ok_or_else(|| wrong_type(name, "a whole number, 0 or more", value))
    }

    pub(super) fn numbers(&self, name: &str) -> Result<Option<Vec<u64>>, Refusal> {
        let Some(value) = self.get(name)? else { return Ok(None) };
        let numbers = value.as_array().and_then(|values| values.iter().map(parse_number).collect());
        numbers.map(Some).ok_or_else(|| wrong_type(name, "a list of whole numbers", value))
    }

    pub(super) fn texts(&self, name: &str) -> Result<Option<Vec<String>>, Refusal> {
        let Some(value) = self.get(name)? else { return Ok(None) };
        let texts = value.as_array().and_then(|values| values.iter().map(parse_text).collect());
        texts.map(Some).ok_or_else(|| wrong_type(name, "a list of texts", value))
    }

    pub(super) fn texts_by_name(&self, name: &str) -> Result<Option<Vec<(String, String)>>, Refusal> {
        let Some(value) = self.get(name)? else { return Ok(None) };
        let pair = |(key, value): (&String, &Value)| Some((key.clone(), parse_text(value)?));
        let texts = value.as_object().and_then(|map| map.iter().map(pair).collect());
        texts.map(Some).ok_or_else(|| wrong_type(name, "a map of texts", value))
    }

    /// Returns a count, or its default.
    pub(super) fn count(&self, name: &str) -> Result<usize, Refusal> {
        let default = match self.row(name)?.kind {
            ArgumentKind::Count { default, .. } => default,
            ArgumentKind::Capped { default, .. } => Some(default),
            _ => None,
        };
        Ok(self.given_count(name)?.or(default).unwrap_or_default())
    }

    /// Returns a count, if one is given.
    pub(super) fn given_count(&self, name: &str) -> Result<Option<usize>, Refusal> {
        let (min, max) = match self.row(name)?.kind {
            ArgumentKind::Count { min, max, .. } => (min, max),
            ArgumentKind::Capped { max, .. } => (0, max),
            _ => return Err(no_row(name)),
        };
        let Some(number) = self.integer(name)? else { return Ok(None) };
        match usize::try_from(number) {
            Ok(number) if number >= min => Ok(Some(number.min(max))),
            _ => Err(Refusal::new(format!("`{name}` must be at least {min}, not {number}"))),
        }
    }

    /// Parses a word of the row into what it stands for.
    pub(super) fn one_of<T, const N: usize>(
        &self,
        name: &str,
        choices: [(&str, T); N],
    ) -> Result<Option<T>, Refusal> {
        let (ArgumentKind::Choice { words, .. } | ArgumentKind::Word(words)) = self.row(name)?.kind else {
            return Err(no_row(name));
        };
        let Some(text) = self.text(name)? else { return Ok(None) };
        let found = choices.into_iter().find(|(word, _)| *word == text && words.contains(word));
        found.map(|(_, choice)| Some(choice)).ok_or_else(|| {
            let words = words.join(", ");
            Refusal::new(format!("`{name}` must be one of {words}, not {}", excerpt(&text.into())))
        })
    }

    /// Parses a project: a missing one means something else than `null`.
    pub(super) fn scope(&self, name: &str) -> Result<Scope, Refusal> {
        self.row(name)?;
        match self.given.get(name) {
            None => Ok(Scope::Current),
            Some(Value::Null) => Ok(Scope::All),
            Some(Value::String(project)) if project == ALL_PROJECTS => Ok(Scope::All),
            Some(Value::String(project)) if !project.is_empty() => Ok(Scope::Named(project.clone())),
            Some(other) => Err(wrong_type(
                name,
                "the name of a project, null for all projects, or absent for the current one",
                other,
            )),
        }
    }

    /// For all other arguments `null` means "not given": many agents send it that way.
    pub(super) fn get(&self, name: &str) -> Result<Option<&'a Value>, Refusal> {
        self.row(name)?;
        Ok(self.given.get(name).filter(|value| !value.is_null()))
    }

    fn row(&self, name: &str) -> Result<&'static Argument, Refusal> {
        self.rows.iter().find(|row| row.name == name).ok_or_else(|| no_row(name))
    }
}

/// A bug in a reader; a test calls every reader, so no user reads this.
fn no_row(name: &str) -> Refusal {
    Refusal::new(format!("the table of tools has no such row for `{name}`"))
}

/// Parses a whole number as models write it: some clients have only one number type and write 20 as 20.0, and some
/// models write `"12"`, or `"#12"` as the context shows it.
fn parse_integer(value: &Value) -> Option<i64> {
    let whole = |number: &f64| number.fract() == 0.0 && number.abs() < 9e15;
    match value.as_str() {
        Some(text) => parse_id(text),
        None => value.as_i64().or_else(|| value.as_f64().filter(whole).map(|number| number as i64)),
    }
}

fn parse_id(text: &str) -> Option<i64> {
    let text = text.trim();
    text.strip_prefix('#').unwrap_or(text).parse().ok()
}

/// Parses a list of numbers; one number is a list of one, and a text may contain the list.
fn numbers_of(value: &Value) -> Option<Vec<i64>> {
    match value {
        Value::Array(values) => values.iter().map(parse_integer).collect(),
        Value::String(text) => {
            let list = text.trim().trim_start_matches('[').trim_end_matches(']');
            list.split(',').map(|one| parse_id(one.trim().trim_matches('"'))).collect()
        }
        value => parse_integer(value).map(|number| vec![number]),
    }
}

fn parse_number(value: &Value) -> Option<u64> {
    parse_integer(value).and_then(|number| u64::try_from(number).ok())
}

fn parse_text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn wrong_type(name: &str, wanted: &str, value: &Value) -> Refusal {
    Refusal::new(format!("`{name}` must be {wanted}, not {}", excerpt(value)))
}

/// Returns a value for a message; a long one is cut.
fn excerpt(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
