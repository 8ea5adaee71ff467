//! Tests of this module.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

#[derive(Debug, Default, PartialEq, serde::Deserialize)]
#[serde(default)]
struct SampleWire {
    text: TextField,
    other: Value,
}

#[track_caller]
fn check(input: impl AsRef<[u8]>, text: Option<&str>) {
    let expect = SampleWire { text: TextField(text.map(str::to_owned)), other: Value::Null };
    assert_eq!(
        parse_object::<SampleWire>(input.as_ref()),
        Ok(expect),
        "{:?}",
        String::from_utf8_lossy(input.as_ref())
    );
}

#[track_caller]
fn check_error(input: impl AsRef<[u8]>, expect: &str) {
    assert_eq!(parse_object::<SampleWire>(input.as_ref()), Err(Unreadable(expect.into())));
}

#[test]
fn a_text_is_read() {
    check(r#"{"text":"a"}"#, Some("a"));
    check("\u{feff} \r\n{\"text\": \"a\"}\n", Some("a"));
    check(r#"{"text":"é\u00e9\n\ud83d\ude00"}"#, Some("éé\n😀"));
    check("{}", None);
    check(r#"{"unknown":[{"deep":1}],"text":"a"}"#, Some("a"));
}

#[test]
fn what_is_not_a_text_counts_as_missing() {
    for value in [
        "null",
        "true",
        "1",
        "-1",
        "1.5",
        "1e300",
        "[\"a\",[1]]",
        "{\"a\":{\"b\":1}}",
        "18446744073709551615",
    ] {
        check(format!("{{\"text\":{value}}}"), None);
    }
}

#[test]
fn an_empty_text_counts_as_missing() {
    let check = |text: Option<&str>, expect: Option<&str>| {
        assert_eq!(TextField(text.map(str::to_owned)).filled().as_deref(), expect);
    };
    check(None, None);
    check(Some(""), None);
    check(Some(" "), Some(" "));
}

#[test]
fn invalid_unicode_is_replaced() {
    check(b"{\"text\":\"a\xffb\xc3\"}", Some("a\u{fffd}b\u{fffd}"));
    check(br#"{"text":"a\ud800b"}"#, Some("a\u{fffd}b"));
    check(br#"{"text":"a\udc00"}"#, Some("a\u{fffd}"));
    check(br#"{"text":"\ud83d\ud83d\ude00"}"#, Some("\u{fffd}😀"));
    check(br#"{"text":"\ud83d\u0041"}"#, Some("\u{fffd}A"));
    check(br#"{"text":"\ud83d\\ude00"}"#, Some("\u{fffd}\\ude00"));
    check(br#"{"text":"\\ud83d \ud83d"}"#, Some("\\ud83d \u{fffd}"));
    check("{\"text\":\"é\\uD83D日\"}", Some("é\u{fffd}日"));
}

#[test]
fn texts_in_free_values_are_repaired_too() {
    let read: SampleWire = parse_object(br#"{"other":{"a":["\ud800",1]}}"#).unwrap();
    assert_eq!(read.other, json!({ "a": ["\u{fffd}", 1] }));
}

#[test]
fn input_that_is_not_an_object_is_unreadable() {
    check_error("", "the input is empty");
    check_error(" \n\t", "the input is empty");
    check_error("\u{feff}", "the input is empty");
    check_error("[]", "the input is not a JSON object");
    check_error("[\"a\"]", "the input is not a JSON object");
    check_error("null", "the input is not a JSON object");
    check_error("\"text\"", "the input is not a JSON object");
    check_error("hello", "the input is not a JSON object");
    check_error("{", "the input is not the expected JSON: EOF while parsing an object at column 1");
    check_error(
        "{\"text\":\"\\u12",
        "the input is not the expected JSON: EOF while parsing a string at column 13",
    );
}

#[test]
fn deep_nesting_is_refused_and_not_followed() {
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(parse_object::<SampleWire>(format!("{{\"other\":{}}}", deep(100)).as_bytes()).is_ok());
    assert!(parse_object::<SampleWire>(format!("{{\"other\":{}}}", deep(100_000)).as_bytes()).is_err());
    check(format!("{{\"unknown\":{},\"text\":\"a\"}}", deep(100_000)), Some("a"));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
        let mut input = b"{\"text\":\"".to_vec();
        input.extend(bytes);
        drop(parse_object::<SampleWire>(&input));
        input.extend(b"\"}");
        drop(parse_object::<SampleWire>(&input));
    }

    #[test]
    fn every_text_of_whole_and_half_characters_is_read(
        parts in proptest::collection::vec(proptest::sample::select(&[
            "a", "é", "\\\\", "\\n", "\\ud83d", "\\ude00", "\\uDBFF", "\\u00e9", "\\\"",
        ][..]), 0..8),
    ) {
        let read = parse_object::<SampleWire>(format!("{{\"text\":\"{}\"}}", parts.concat()).as_bytes());
        prop_assert!(matches!(read, Ok(SampleWire { text: TextField(Some(_)), .. })), "{parts:?}");
    }
}
