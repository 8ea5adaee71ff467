//! Base64 decoding, as far as the detectors need it: both alphabets, with or without padding.

/// Returns the bytes of a base64 text, or `None` if it is not base64.
pub(super) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let padding = text.iter().rev().take_while(|byte| **byte == b'=').count();
    let digits = &text[..text.len() - padding];
    if padding > 2 || digits.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for group in digits.chunks(4) {
        let mut bits = 0;
        for byte in group {
            bits = bits << 6 | u32::from(digit(*byte)?);
        }
        bits <<= 6 * (4 - group.len());
        bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    Some(bytes)
}

/// Returns whether the text decodes to `user:password`.
pub(super) fn is_credentials(text: &[u8]) -> bool {
    text.len() >= 4
        && text.len() <= 1024
        && decode(text).is_some_and(|bytes| {
            bytes.contains(&b':')
                && std::str::from_utf8(&bytes).is_ok_and(|text| !text.contains(char::is_control))
        })
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}
