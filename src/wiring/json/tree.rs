//! A JSON text as a tree with positions.

use std::borrow::Cow;
use std::collections::HashMap;

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use crate::wiring::WiringError;

/// The tree of a text, whose root is an object.
pub(in crate::wiring) struct Tree<'t> {
    root: Value<'t>,
}

/// What is found at a path.
pub(super) enum PathLookup<'n, 't, 'p> {
    Value(&'n Value<'t>),
    /// The path ends in this object; these keys are missing.
    Object {
        object: &'n Object<'t>,
        missing: &'p [&'static str],
    },
    /// The value of this key would have to be an object.
    NotAnObject(String),
}

impl<'t> Tree<'t> {
    /// Parses JSON with comments and trailing commas, but nothing more lenient: an agent would not accept it either.
    pub(in crate::wiring) fn parse(text: &'t str) -> Result<Tree<'t>, WiringError> {
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let malformed = |why: String| WiringError::Malformed { format: "JSON", why };
        let parsed = parse_to_ast(text, &CollectOptions::default(), &options);
        let parsed = parsed.map_err(|error| malformed(error.to_string()))?;
        match parsed.value {
            Some(root @ Value::Object(_)) => Ok(Tree { root }),
            _ => Err(malformed("it is not an object".to_owned())),
        }
    }

    pub(in crate::wiring) fn root(&self) -> &Value<'t> {
        &self.root
    }

    pub(super) fn find<'p>(&self, path: &'p [&'static str]) -> PathLookup<'_, 't, 'p> {
        let mut node = &self.root;
        for (depth, key) in path.iter().enumerate() {
            let Some(object) = node.as_object() else {
                return PathLookup::NotAnObject(path[..depth].join("."));
            };
            let Some(value) = member(object, key) else {
                return PathLookup::Object { object, missing: &path[depth..] };
            };
            node = value;
        }
        PathLookup::Value(node)
    }

    pub(super) fn to_value(&self) -> serde_json::Value {
        self.root.clone().into()
    }
}

/// Replaces lone surrogates (`\ud83d` alone), which JavaScript writes and accepts, without changing the length.
pub(super) fn readable(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let unit = |at: usize| {
        let digits = text.get(at + 2..at + 6).filter(|_| bytes[at..].starts_with(b"\\u"))?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut halves = Vec::new();
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('\\')) {
        at += found;
        at += match (unit(at), unit((at + 6).min(bytes.len()))) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                halves.push(at);
                6
            }
            _ => 2,
        };
    }
    if halves.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut whole = text.to_owned();
    halves.into_iter().for_each(|at| whole.replace_range(at..at + 6, "\\ufffd"));
    Cow::Owned(whole)
}

/// Returns the value that readers see: the last one, if the key is duplicated.
pub(super) fn member<'n, 't>(object: &'n Object<'t>, key: &str) -> Option<&'n Value<'t>> {
    let all = object.properties.iter().map(|property| (property.name.as_str(), &property.value));
    all.collect::<HashMap<_, _>>().remove(key)
}
