//! Shortens and identifies texts.

use std::borrow::Cow;

/// Returns the first `max` characters of a text.
pub(crate) fn beginning(text: &str, max: usize) -> &str {
    // A character has at least one byte.
    if text.len() <= max {
        return text;
    }
    text.char_indices().nth(max).map_or(text, |(end, _)| &text[..end])
}

/// Shortens a text to `max` characters; one that was cut ends in `…`.
pub(crate) fn shortened(text: &str, max: usize) -> Cow<'_, str> {
    let kept = beginning(text, max);
    if kept.len() == text.len() { Cow::Borrowed(text) } else { Cow::Owned(format!("{}…", kept.trim_end())) }
}

/// Returns the FNV-1a hash of 64 bits. It is stored, so it is the same in every version of the program.
pub(crate) fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!((beginning("häuser", 2), beginning("ab", 2), beginning("", 0)), ("hä", "ab", ""));
        assert_eq!((shortened("a bc", 2), shortened("ab", 2)), ("a…".into(), "ab".into()));
    }

    #[test]
    fn the_hash_is_that_of_the_reference() {
        assert_eq!([fnv1a([]), fnv1a(*b"a")], [0xcbf2_9ce4_8422_2325, 0xaf63_dc4c_8601_ec8c]);
        assert_eq!(fnv1a(*b"foobar"), 0x8594_4171_f739_67e8);
    }
}
