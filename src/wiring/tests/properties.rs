//! In any text, inserted entries can be removed without a trace.

use proptest::prelude::*;
use serde_json::Value;

use super::{server, wanted};
use crate::wiring::{Presence, presence, with, without};

/// The layout of a text.
#[derive(Debug, Clone)]
struct Style {
    unit: &'static str,
    line_end: &'static str,
    mark: &'static str,
    trailing_comma: bool,
    /// Inserted after the parts in turn.
    comments: Vec<&'static str>,
}

fn style() -> impl Strategy<Value = Style> {
    let unit = prop_oneof![Just(""), Just(" "), Just("  "), Just("\t"), Just("       ")];
    let comment =
        prop_oneof![Just(""), Just(""), Just(" // a, \"b\" }"), Just(" /* c ] */"), Just("/**/ //")];
    let comments = prop::collection::vec(comment, 1..5);
    let line_end = prop_oneof![Just("\n"), Just("\r\n")];
    (unit, line_end, prop_oneof![Just(""), Just("\u{feff}")], any::<bool>(), comments).prop_map(
        |(unit, line_end, mark, trailing_comma, comments)| Style {
            unit,
            line_end,
            mark,
            trailing_comma,
            comments,
        },
    )
}

fn tree() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z\"\\\\/*{},: ]{0,8}".prop_map(Value::from),
    ];
    let key = prop_oneof![
        Just("hooks".to_owned()),
        Just("Stop".to_owned()),
        Just("mcpServers".to_owned()),
        "[a-z/]{1,5}"
    ];
    let inner_key = key.clone();
    let inner = leaf.prop_recursive(3, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Value::from),
            prop::collection::hash_map(inner_key.clone(), inner, 1..4)
                .prop_map(|map| map.into_iter().collect()),
        ]
    });
    prop::collection::hash_map(key, inner, 1..4).prop_map(|map| map.into_iter().collect())
}

fn write(value: &Value, style: &Style, depth: usize, count: &mut usize) -> String {
    let parts: Vec<String> = match value {
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| {
                format!("{}: {}", Value::from(key.as_str()), write(value, style, depth + 1, count))
            })
            .collect(),
        Value::Array(items) => items.iter().map(|item| write(item, style, depth + 1, count)).collect(),
        leaf => return leaf.to_string(),
    };
    let (open, close) = if value.is_object() { ('{', '}') } else { ('[', ']') };
    let mut text = String::from(open);
    for (index, part) in parts.iter().enumerate() {
        let comma = if index + 1 < parts.len() || style.trailing_comma { "," } else { "" };
        *count += 1;
        let comment = style.comments[*count % style.comments.len()];
        text += &format!("{}{}{part}{comma}{comment}", style.line_end, style.unit.repeat(depth + 1));
    }
    text + &format!("{}{}{close}", style.line_end, style.unit.repeat(depth))
}

proptest! {
    #[test]
    fn json_comes_back_byte_for_byte(value in tree(), style in style(), one_line in any::<bool>()) {
        let body = if one_line { value.to_string() } else { write(&value, &style, 0, &mut 0) };
        let text = format!("{}{body}{}", style.mark, style.line_end);
        // A text with something else where we need a list or an object is refused.
        if let Ok(merged) = with(&text, &wanted()) {
            prop_assert_eq!(presence(&merged, &wanted()), Ok(Presence::Complete));
            prop_assert_eq!(without(&merged, &wanted()), Ok(text));
        }
    }

    #[test]
    fn toml_comes_back_byte_for_byte(lines in prop::collection::vec("(# c|[a-c] = [0-9]|\\[[d-f]\\]|\\[mcp_servers\\.[xy]\\]| )?", 0..8), end in "(\n|\r\n)") {
        let text: String = lines.iter().map(|line| format!("{line}{end}")).collect();
        if let Ok(merged) = with(&text, &server()) {
            prop_assert_eq!(without(&merged, &server()), Ok(text));
        }
    }

    #[test]
    fn no_text_causes_a_panic(text in "\\PC{0,40}|[{}\\[\\]\",:/*\n a]{0,40}") {
        for content in [wanted(), server()] {
            let _ = presence(&text, &content);
            let _ = without(&text, &content);
            if let Ok(merged) = with(&text, &content) {
                prop_assert_eq!(with(&merged, &content), Ok(merged));
            }
        }
    }
}
