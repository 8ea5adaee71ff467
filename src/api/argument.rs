//! One argument of a tool, as a row of a table: its name, its kind, whether it is required, and what it means.
//!
//! `Arguments` reads calls by these rows, and their JSON Schema is what an agent reads. Each argument has one plain
//! type there: not every agent can read a union.

use serde_json::{Map, Value, json};

/// One argument of a tool, or one field of an argument that is an object.
#[derive(Debug)]
pub(crate) struct Argument {
    pub(crate) name: &'static str,
    pub(crate) kind: ArgumentKind,
    pub(crate) need: Need,
    /// What an agent reads about it; a model reads every byte of it.
    pub(crate) about: &'static str,
}

/// Whether an argument must be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    Required,
    Optional,
    /// Accepted, but not described: servers and commands of nudge send it, or agents know it from older instructions.
    Hidden,
}

/// What values an argument can have.
#[derive(Debug)]
pub(crate) enum ArgumentKind {
    /// Any JSON.
    Any,
    Text,
    /// A text that is not empty.
    Name,
    /// Names a project; `null` is accepted too, although the schema does not say so.
    Project,
    /// One of these words.
    Choice {
        words: &'static [&'static str],
        default: Option<&'static str>,
    },
    /// One of these words, which the schema does not list: a client that validates against a list would refuse in its
    /// own words where the contract has a sentence.
    Word(&'static [&'static str]),
    /// A list of these words.
    Choices(&'static [&'static str]),
    /// A whole number, reduced to `max` and refused below `min`.
    Count {
        default: Option<usize>,
        min: usize,
        max: usize,
    },
    /// A count from 0 whose maximum the schema states, because no seed says that a larger one is reduced.
    Capped {
        default: usize,
        max: usize,
    },
    /// A number that is refused outside of its range.
    Scale {
        min: u8,
        max: u8,
    },
    /// A number from 0 to 1.
    Fraction,
    /// The id of an observation.
    Id,
    Ids {
        max: usize,
    },
    /// A whole number, 0 or more, which may also be a text: some clients do not distinguish the two.
    Number,
    Numbers,
    Texts,
    /// Texts by name.
    TextMap,
    /// `true` or `false`; `false` by default.
    Flag,
    /// An object with these fields.
    Object(&'static [Argument]),
    /// The same, whose fields only the description names: few calls need them, and a model reads every byte of a schema.
    Outlined(&'static [Argument]),
    /// An object that is passed on.
    AnyObject,
}

pub(super) const fn required(name: &'static str, kind: ArgumentKind, about: &'static str) -> Argument {
    Argument { name, kind, need: Need::Required, about }
}

pub(super) const fn optional(name: &'static str, kind: ArgumentKind, about: &'static str) -> Argument {
    Argument { name, kind, need: Need::Optional, about }
}

pub(super) const fn hidden(name: &'static str, kind: ArgumentKind) -> Argument {
    Argument { name, kind, need: Need::Hidden, about: "" }
}

/// Returns the JSON Schema of an object with these fields.
pub(super) fn object_schema(arguments: &[Argument]) -> Value {
    let described = || arguments.iter().filter(|argument| argument.need != Need::Hidden);
    let properties: Map<String, Value> =
        described().map(|argument| (argument.name.to_owned(), schema(argument))).collect();
    let required: Vec<&str> = described()
        .filter(|argument| argument.need == Need::Required)
        .map(|argument| argument.name)
        .collect();
    let mut object = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    object
}

fn schema(argument: &Argument) -> Value {
    let mut schema = kind_schema(&argument.kind);
    if !argument.about.is_empty() {
        schema["description"] = json!(argument.about);
    }
    schema
}

fn kind_schema(kind: &ArgumentKind) -> Value {
    match kind {
        ArgumentKind::Any => json!({}),
        ArgumentKind::Text | ArgumentKind::Project | ArgumentKind::Word(_) => json!({ "type": "string" }),
        ArgumentKind::Name => json!({ "type": "string", "minLength": 1 }),
        ArgumentKind::Choice { words, default: None } => json!({ "type": "string", "enum": words }),
        ArgumentKind::Choice { words, default } => {
            json!({ "type": "string", "enum": words, "default": default })
        }
        ArgumentKind::Choices(words) => {
            json!({ "type": "array", "items": { "type": "string", "enum": words } })
        }
        ArgumentKind::Capped { default, max } => {
            json!({ "type": "integer", "minimum": 0, "maximum": max, "default": default })
        }
        ArgumentKind::Count { default: None, min, .. } => json!({ "type": "integer", "minimum": min }),
        ArgumentKind::Count { default, min, .. } => {
            json!({ "type": "integer", "minimum": min, "default": default })
        }
        ArgumentKind::Scale { min, max } => json!({ "type": "number", "minimum": min, "maximum": max }),
        ArgumentKind::Fraction => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        ArgumentKind::Id => json!({ "type": "integer" }),
        ArgumentKind::Ids { max } => {
            json!({ "type": "array", "items": { "type": "integer" }, "minItems": 1, "maxItems": max })
        }
        ArgumentKind::Number => json!({ "type": "number" }),
        ArgumentKind::Numbers => json!({ "type": "array", "items": { "type": "number" } }),
        ArgumentKind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        ArgumentKind::TextMap => json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        ArgumentKind::Flag => json!({ "type": "boolean", "default": false }),
        ArgumentKind::Object(fields) => object_schema(fields),
        ArgumentKind::AnyObject | ArgumentKind::Outlined(_) => json!({ "type": "object" }),
    }
}
