//! What a user marked as private.

use std::borrow::Cow;

use crate::redact::without_private;

#[test]
fn private_parts_are_cut_out() {
    for (text, expected) in [
        ("nothing here", "nothing here"),
        ("a <private>b</private> c", "a  c"),
        ("<PRIVATE>b</Private>c", "c"),
        ("a <private>b\nc", "a "),
        ("a<private>b<private>c</private>d</private>e", "ae"),
        ("a<private>b</private>c<private>d</private>e", "ace"),
        ("a</private>b", "a</private>b"),
        ("a<private >b</private\n>c", "ac"),
        ("<privateer>a</privateer>", "<privateer>a</privateer>"),
        ("ü<private>日本</private>ß", "üß"),
        ("<private>", ""),
        ("a < b <", "a < b <"),
        ("a<private>b</private>c<private>d", "ac"),
    ] {
        assert_eq!(without_private(text), expected, "{text}");
    }
    assert!(matches!(without_private("a < b"), Cow::Borrowed(_)));
}

#[test]
fn a_tag_may_have_attributes() {
    for text in [
        "keep <private reason=\"x\">gone</private>",
        "keep <PRIVATE reason='a > b' level=2>gone</private>",
        "keep <private\n  reason=\"x\"\n>gone</private >",
        "keep <private hidden>gone</private>",
        "keep <private reason=\"x\">gone, and never closed",
        "keep <private reason=x never closed at all",
    ] {
        assert_eq!(without_private(text), "keep ", "{text}");
    }
    for text in ["ssh -i <private key> host", "<private-key>", "List<privateer>"] {
        assert_eq!(without_private(text), text);
    }
}
