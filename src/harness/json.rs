//! Parses JSON from agents leniently, so that no event is lost because of an encoding or a field of another type.

use std::fmt;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::Unreadable;

/// Parses an object: as it is if possible, else with invalid Unicode replaced.
pub(super) fn parse_object<T: DeserializeOwned>(input: &[u8]) -> Result<T, Unreadable> {
    let input = input.strip_prefix(b"\xef\xbb\xbf").unwrap_or(input);
    if input.trim_ascii().is_empty() {
        return Err(Unreadable("the input is empty".into()));
    }
    // A list would be parsed as the fields of a struct, one after the other.
    if !input.trim_ascii_start().starts_with(b"{") {
        return Err(Unreadable("the input is not a JSON object".into()));
    }
    serde_json::from_slice(input).or_else(|first| {
        let text = replace_lone_surrogates(&String::from_utf8_lossy(input));
        // Parsed as a value, the last of two equal keys wins. Anything after the object is ignored.
        let object = serde_json::Deserializer::from_str(&text).into_iter::<serde_json::Value>().next();
        let object = object.and_then(Result::ok).and_then(|value| serde_json::from_value(value).ok());
        object.ok_or_else(|| {
            Unreadable(format!("the input is not the expected JSON: {}", without_line(&first)))
        })
    })
}

/// Says what is wrong, and in which column: an event is usually one line, and the reader may have counted the lines.
fn without_line(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", " at column ")
}

/// Returns a reply as one line; empty if the reply says nothing.
pub(super) fn line(reply: &impl serde::Serialize) -> String {
    match serde_json::to_string(reply) {
        Ok(line) if line != "{}" => line + "\n",
        _ => String::new(),
    }
}

/// A text field that may have any type; what is not a text counts as missing.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct TextField(pub(super) Option<String>);

impl TextField {
    /// Returns the text; an empty one counts as missing.
    pub(super) fn filled(self) -> Option<String> {
        self.0.filter(|text| !text.is_empty())
    }
}

impl<'de> Deserialize<'de> for TextField {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<TextField, D::Error> {
        deserializer.deserialize_any(TextVisitor).map(TextField)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Option<String>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("anything")
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
        Ok(Some(text))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

/// Replaces escaped lone surrogates, which JavaScript writes when it cuts a text.
fn replace_lone_surrogates(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut replaced = String::with_capacity(text.len());
    let (mut copied, mut at) = (0, 0);
    while let Some(offset) = memchr::memchr(b'\\', &bytes[at..]) {
        let escape = at + offset;
        let unit = parse_surrogate(bytes, escape);
        match unit {
            Some(0xd800..=0xdbff) if matches!(parse_surrogate(bytes, escape + 6), Some(0xdc00..=0xdfff)) => {
                at = escape + 12;
            }
            Some(_) => {
                replaced.push_str(&text[copied..escape]);
                replaced.push_str("\\ufffd");
                at = escape + 6;
                copied = at;
            }
            None => at = (escape + 2).min(bytes.len()),
        }
    }
    replaced.push_str(&text[copied..]);
    replaced
}

/// Returns the value of an escape such as `\ud83d`, if there is a surrogate's escape at this position.
fn parse_surrogate(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let unit = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    (0xd800..=0xdfff).contains(&unit).then_some(unit)
}

#[cfg(test)]
mod tests;
