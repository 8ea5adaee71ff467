//! A tool is whole: each row has every part, its reader reads what its schema describes, and nothing else.

use serde_json::json;

use super::*;
use crate::api::argument::{ArgumentKind, optional, required};
use crate::model::ObservationType;

#[test]
fn every_tool_is_whole() {
    let rows = Tool::all().chain(hints::OWN);
    assert_eq!(rows.flat_map(flaws).collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn names_are_unique_and_every_method_finds_its_row() {
    let mut names: Vec<&str> = Tool::all().chain(hints::OWN).map(|tool| tool.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    for tool in hints::TOOLS.iter().chain(hints::OWN) {
        let method = tool.hint_method().unwrap();
        assert_eq!((method.name(), HintMethod::by_name(tool.name)), (tool.name, Some(method)));
        assert_eq!(HintMethod::by_name(&tool.name.replacen('_', ".", 1)), Some(method));
    }
    assert!(hints::OWN.iter().all(|tool| Tool::by_name(tool.name).is_none()));
}

#[test]
fn the_types_of_observations_are_those_that_can_be_searched() {
    assert_eq!(memory::OBSERVATION_TYPES, ObservationType::ALL.map(ObservationType::name));
}

#[test]
fn a_tool_that_lacks_a_part_is_reported() {
    const LIMIT: ArgumentKind = ArgumentKind::Count { default: None, min: 1, max: 5 };
    let whole = || Tool {
        name: "list",
        title: "List",
        about: "List things.",
        arguments: const { &[optional("limit", LIMIT, "Capped at 5")] },
        output: None,
        effect: ToolEffect::Reads,
        reader: ArgumentReader::Nexus(|arguments| {
            arguments.count("limit")?;
            Ok(NexusRequest::Context)
        }),
    };
    let report = |tool: Tool| flaws(&tool).join("; ");
    assert_eq!(report(whole()), "");
    assert_eq!(report(Tool { name: "list.all", ..whole() }), "list.all: agents refuse this name");
    assert_eq!(report(Tool { title: "", ..whole() }), "list: no title");
    assert_eq!(
        report(Tool { about: "List things", ..whole() }),
        "list: its description has no first sentence"
    );
    assert_eq!(
        report(Tool { arguments: &[], ..whole() }),
        "list: the table of tools has no such row for `limit`"
    );
    assert_eq!(
        report(Tool { arguments: const { &[optional("limit", LIMIT, "")] }, ..whole() }),
        "list: `limit` is not described"
    );
    assert_eq!(
        report(Tool { arguments: const { &[optional("limit", LIMIT, "Capped at 9")] }, ..whole() }),
        "list: `limit` is described with another limit"
    );
    assert_eq!(
        report(Tool { reader: ArgumentReader::Nexus(|_| Ok(NexusRequest::Context)), ..whole() }),
        "list: `limit` is described, but not read"
    );
    assert_eq!(
        report(Tool { arguments: const { &[required("limit", LIMIT, "Capped at 5")] }, ..whole() }),
        "list: `limit` is described as required, but is not"
    );
}

/// Returns what is wrong with a row.
fn flaws(tool: &Tool) -> Vec<String> {
    let mut flaws = Vec::new();
    let is_plain = |c: char| c.is_ascii_lowercase() || c == '_';
    if tool.name.is_empty() || tool.name.len() > 24 || !tool.name.chars().all(is_plain) {
        flaws.push("agents refuse this name".to_owned());
    }
    if tool.title.is_empty() {
        flaws.push("no title".to_owned());
    }
    if !(tool.about.contains(". ") || tool.about.ends_with('.')) || tool.about.len() > 1024 {
        flaws.push("its description has no first sentence".to_owned());
    }
    if let Err(refusal) = read(tool, &valid(tool.arguments)) {
        flaws.push(refusal.to_string());
    } else {
        let rows = tool.arguments.iter().filter(|row| row.need != Need::Hidden);
        flaws.extend(rows.filter_map(|row| flaw_of_argument(tool, row)));
    }
    flaws.into_iter().map(|flaw| format!("{}: {flaw}", tool.name)).collect()
}

fn flaw_of_argument(tool: &Tool, row: &Argument) -> Option<String> {
    let name = row.name;
    if row.about.is_empty() {
        return Some(format!("`{name}` is not described"));
    }
    if let (ArgumentKind::Count { max, .. }, Some(said)) = (&row.kind, row.about.strip_prefix("Capped at "))
        && said != max.to_string()
    {
        return Some(format!("`{name}` is described with another limit"));
    }
    let mut wrong = valid(tool.arguments);
    wrong.insert(name.to_owned(), invalid(&row.kind));
    if invalid(&row.kind) != Value::Null && read(tool, &wrong).is_ok() {
        return Some(format!("`{name}` is described, but not read"));
    }
    let words = match row.kind {
        ArgumentKind::Choice { words, .. } | ArgumentKind::Word(words) => words,
        _ => &[],
    };
    let is_refused = |word: &&&str| {
        let mut given = valid(tool.arguments);
        given.insert(name.to_owned(), json!(word));
        read(tool, &given).is_err()
    };
    if let Some(word) = words.iter().find(is_refused) {
        return Some(format!("`{name}` is described with the word `{word}`, which is refused"));
    }
    let mut without = valid(tool.arguments);
    without.remove(name);
    match (row.need == Need::Required, read(tool, &without).is_ok()) {
        (true, true) => Some(format!("`{name}` is described as required, but is not")),
        // A note is removed only by confirmed paths.
        (false, false) if tool.name != "nx_memory_gc" => {
            Some(format!("`{name}` is required, but not described so"))
        }
        _ => None,
    }
}

fn read(tool: &Tool, given: &Map<String, Value>) -> Result<(), Refusal> {
    match tool.reader {
        ArgumentReader::Hint(_, parse) => parse(&Arguments::new(given, tool.arguments)).map(drop),
        _ => tool.parse(given).map(drop),
    }
}

/// Returns a value for every described argument.
fn valid(rows: &'static [Argument]) -> Map<String, Value> {
    let described = rows.iter().filter(|row| row.need != Need::Hidden);
    described.map(|row| (row.name.to_owned(), valid_value(&row.kind))).collect()
}

fn valid_value(kind: &ArgumentKind) -> Value {
    match kind {
        ArgumentKind::Any | ArgumentKind::Text | ArgumentKind::Name | ArgumentKind::Project => json!("a"),
        ArgumentKind::Choice { words, .. } | ArgumentKind::Word(words) => json!(words[words.len() - 1]),
        ArgumentKind::Choices(words) => json!(words),
        ArgumentKind::Count { .. }
        | ArgumentKind::Scale { .. }
        | ArgumentKind::Capped { .. }
        | ArgumentKind::Id
        | ArgumentKind::Number => {
            json!(1)
        }
        ArgumentKind::Fraction => json!(0.5),
        ArgumentKind::Ids { .. } | ArgumentKind::Numbers => json!([1]),
        ArgumentKind::Texts => json!(["a"]),
        ArgumentKind::TextMap => json!({ "a": "b" }),
        ArgumentKind::Flag => json!(true),
        ArgumentKind::Object(fields) | ArgumentKind::Outlined(fields) => Value::Object(valid(fields)),
        ArgumentKind::AnyObject => json!({}),
    }
}

/// Returns a value that a reader must refuse; `Null` for objects that `hints` parses.
fn invalid(kind: &ArgumentKind) -> Value {
    match kind {
        ArgumentKind::Any | ArgumentKind::AnyObject | ArgumentKind::Object(_) | ArgumentKind::Outlined(_) => {
            Value::Null
        }
        _ => json!({ "neither": ["this", 1.5] }),
    }
}
