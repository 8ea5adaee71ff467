//! User patterns.

use crate::redact::{OwnPatterns, redact};

fn clean(patterns: &[(&str, &str)], text: &str) -> String {
    redact(text, &OwnPatterns::new(patterns).unwrap()).text.into_owned()
}

#[test]
fn own_patterns_remove_what_they_match() {
    assert_eq!(
        clean(&[("ticket", r"ACME-\d+")], "see ACME-12 and ACME-13"),
        "see [REDACTED:ticket] and [REDACTED:ticket]"
    );
    assert_eq!(clean(&[("pin", r"(?i)pin=(\d+)")], "PIN=1234 ok"), "PIN=[REDACTED:pin] ok");
    assert_eq!(clean(&[("host", r"\w+\.corp")], "at db.corp"), "at [REDACTED:host]");
    assert_eq!(clean(&[("own", "hunter2")], "password=hunter2"), "password=[REDACTED:own]");
    assert_eq!(clean(&[("byte", r"(?-u)\x97")], "a日b"), "a[REDACTED:byte]b");
}

#[test]
fn own_patterns_leave_placeholders_alone() {
    assert_eq!(
        clean(&[("caps", "[A-Z]{8}")], "password=hunter2 ABCDEFGH"),
        "password=[REDACTED:password] [REDACTED:caps]"
    );
}

#[test]
fn a_wrong_pattern_is_named() {
    let error = |name, source| OwnPatterns::new(&[(name, source)]).unwrap_err();
    assert!(error("bad", "(").starts_with("pattern `bad`: "));
    assert_eq!(error("any", "a*"), "pattern `any` matches the empty text");
    assert_eq!(
        error("No Good", "a"),
        "`No Good` is not a valid pattern name: use lower-case letters, digits and `-`"
    );
}

#[test]
fn a_text_that_cannot_be_searched_is_removed() {
    let own = OwnPatterns::new(&[("huge", r"(\pL{1000}){1000}")]).unwrap();
    assert!(own.check().unwrap_err().starts_with("pattern `huge`: "));
    assert_eq!(redact("a text", &own).text, "[REDACTED:huge]");
}
