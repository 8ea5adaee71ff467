//! Backslash escapes, as the shell and `echo` interpret them.

/// Replaces the escapes of `$'…'`, `echo -e` and the format of `printf`.
///
/// Codes such as `\x41` stay as written: nobody writes a file that way.
pub(super) fn unescape(text: &str) -> String {
    replace(text, |letter| match letter {
        b'n' => Some("\n"),
        b't' => Some("\t"),
        b'r' => Some("\r"),
        b'\\' => Some("\\"),
        b'\'' => Some("'"),
        b'"' => Some("\""),
        _ => None,
    })
}

/// Returns the text of a here-document whose delimiter is not quoted.
pub(super) fn unescape_document(text: &str) -> String {
    replace(text, |letter| match letter {
        b'\n' => Some(""),
        b'$' => Some("$"),
        b'`' => Some("`"),
        b'\\' => Some("\\"),
        _ => None,
    })
}

fn replace(text: &str, meaning: impl Fn(u8) -> Option<&'static str>) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        let meaning = after.bytes().next().and_then(&meaning);
        replaced.extend([before, meaning.unwrap_or("\\")]);
        rest = if meaning.is_some() { &after[1..] } else { after };
    }
    replaced + rest
}
