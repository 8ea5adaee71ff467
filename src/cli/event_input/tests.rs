//! Where an object ends, however its bytes arrive.

use super::Scan;

/// Returns after how many bytes the object is whole, if they come in pieces of this size.
fn whole_after(input: &str, piece: usize) -> Option<usize> {
    let (mut scan, mut length) = (Scan::default(), 0);
    while length < input.len() {
        length = (length + piece).min(input.len());
        if scan.is_complete(&input.as_bytes()[..length]) {
            return Some(length);
        }
    }
    None
}

#[test]
fn an_object_is_whole_at_its_last_brace() {
    for (input, expected) in [
        (r#"{}"#, Some(2)),
        (r#"  {"a": {"b": [1, {"c": 2}]}}"#, Some(29)),
        (r#"{"a": "}"}"#, Some(10)),
        (r#"{"a": "\\"}"#, Some(11)),
        (r#"{"a": "\""}"#, Some(11)),
        (r#"{"a": "\\\"}"}"#, Some(14)),
        (r#"{"a": "\u007d", "b": "{"}"#, Some(25)),
        (r#"{"a": "x"}\n{"b": 1}"#, Some(10)),
        (r#"{"a": ["#, None),
        (r#"{"a": "}"#, None),
        (r#"[{"a": 1}]"#, None),
        (r#"not json {}"#, None),
        ("", None),
    ] {
        assert_eq!(whole_after(input, 1), expected, "{input}");
        for piece in 2..input.len() + 1 {
            assert_eq!(whole_after(input, piece).is_some(), expected.is_some(), "{input} by {piece}");
        }
    }
}
