//! Tests of this module.

use super::*;

#[test]
fn json_without_duplicates_is_parsed_as_usual() {
    for text in [
        r#"{"a": [1, -2, 2.5, 18446744073709551615, true, null, "x\u00e9\n"], "b": {"a": {}}}"#,
        "\r\n [ ] \r\n",
        r#""text""#,
        "7",
    ] {
        let expected: Value = serde_json::from_str(text).unwrap();
        assert_eq!(read_strictly(text.as_bytes()).unwrap(), expected, "{text}");
    }
}

#[test]
fn a_duplicate_name_is_reported_with_its_place() {
    let check = |text: &str, said: &str| {
        assert_eq!(read_strictly(text.as_bytes()).unwrap_err().to_string(), said, "{text}");
    };
    check("{\"a\": 1,\n \"a\": 2}", "duplicate name `a` in one object at line 2 column 4");
    check(r#"[{"b": {"x": 1, "y": 2, "x": 3}}]"#, "duplicate name `x` in one object at line 1 column 27");
    check(r#"{"a": 1} {"#, "trailing characters at line 1 column 10");
    check(r#"{"a": 1"#, "EOF while parsing an object at line 1 column 7");
}
