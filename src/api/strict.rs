//! Parses JSON without duplicate names. Other readers would silently keep one of two hints with the same name.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Parses JSON; a duplicate name in one object is an error, with line and column.
pub(crate) fn read_strictly(text: &[u8]) -> serde_json::Result<Value> {
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let value = Strict.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// The body of a JSON-RPC call.
pub(crate) enum Requests {
    One(Value),
    Batch(Vec<Value>),
    /// A batch with more requests than allowed; none of them was kept.
    TooMany(usize),
}

/// Parses one request, or a batch of up to `max` requests.
///
/// A longer batch is only counted: as values it would take many times the RAM of its text.
pub(crate) fn parse_requests(text: &[u8], max: usize) -> serde_json::Result<Requests> {
    if text.trim_ascii_start().first() != Some(&b'[') {
        return read_strictly(text).map(Requests::One);
    }
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let requests = BatchSeed { max }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(requests)
}

struct BatchSeed {
    max: usize,
}

impl<'de> DeserializeSeed<'de> for BatchSeed {
    type Value = Requests;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Requests, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for BatchSeed {
    type Value = Requests;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of requests")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Requests, A::Error> {
        let mut requests = Vec::new();
        while requests.len() < self.max {
            match access.next_element_seed(Strict)? {
                Some(request) => requests.push(request),
                None => return Ok(Requests::Batch(requests)),
            }
        }
        let mut further = 0;
        while access.next_element::<IgnoredAny>()?.is_some() {
            further += 1;
        }
        Ok(if further == 0 { Requests::Batch(requests) } else { Requests::TooMany(self.max + further) })
    }
}

/// Maximum number of characters of a name in a message.
const MAX_SHOWN_CHARS: usize = 60;

struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("any JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = access.next_element_seed(Strict)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = access.next_key::<String>()? {
            if map.contains_key(&name) {
                let shown: String = name.chars().filter(|c| !c.is_control()).take(MAX_SHOWN_CHARS).collect();
                return Err(Error::custom(format_args!("duplicate name `{shown}` in one object")));
            }
            map.insert(name, access.next_value_seed(Strict)?);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests;
