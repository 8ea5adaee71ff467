//! How identifiers are split.

use super::{parts, split};

#[test]
fn identifiers_are_split_into_parts() {
    for (word, expected) in [
        ("snake_case", "snake case"),
        ("camelCase", "camel case"),
        ("PascalCase", "pascal case"),
        ("HTTPServer", "http server"),
        ("parseJSON", "parse json"),
        ("SCREAMING_SNAKE", "screaming snake"),
        ("__init__", "init"),
        ("mixed_camelCase", "mixed camel case"),
        ("E0432", ""),
        ("sha256", ""),
        ("fooBar8Baz", "foo bar8baz"),
        ("word", ""),
        ("UPPER", ""),
        ("naïveCafé", "naïve café"),
        ("データ", "デー ータ"),
        ("字", ""),
        ("エラーerror", "エラ ラー error"),
        ("", ""),
    ] {
        assert_eq!(split(word).join(" "), expected, "{word}");
    }
}

#[test]
fn a_text_gives_the_parts_of_each_identifier_once() {
    let text = "fix getUserName in src/auth_token.rs; getUserName --no-verify";
    assert_eq!(parts([text, "src/auth_token.rs"]), "get user name auth token");
}

#[test]
fn a_long_text_has_bounded_parts() {
    let text: String = (0..10_000).map(|n| format!("some_word_{n} ")).collect();
    assert!(parts([text.as_str()]).len() < 2_000);
}
