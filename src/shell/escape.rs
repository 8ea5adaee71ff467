//! Backslash escapes, as the shell and `echo` interpret them.

/// Replaces the escapes of `echo -e` and the format of `printf`.
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

/// Replaces the escapes of `$'…'`, with its codes for characters.
pub(super) fn ansi_c(text: &str) -> String {
    let mut bytes: Vec<u8> = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend(before.bytes());
        let Some(letter) = after.chars().next() else {
            bytes.push(b'\\');
            rest = "";
            break;
        };
        rest = &after[letter.len_utf8()..];
        match letter {
            'n' => bytes.push(b'\n'),
            't' => bytes.push(b'\t'),
            'r' => bytes.push(b'\r'),
            'a' => bytes.push(7),
            'b' => bytes.push(8),
            'e' | 'E' => bytes.push(27),
            'f' => bytes.push(12),
            'v' => bytes.push(11),
            '\\' | '\'' | '"' | '?' => bytes.push(letter as u8),
            'x' => match code(&mut rest, 16, 2) {
                Some(value) => bytes.push(value as u8),
                None => bytes.extend(b"\\x"),
            },
            '0'..='7' => {
                rest = after;
                bytes.push(code(&mut rest, 8, 3).unwrap_or_default() as u8);
            }
            'u' | 'U' => match code(&mut rest, 16, if letter == 'u' { 4 } else { 8 }) {
                Some(value) => {
                    let mut buffer = [0; 4];
                    let letter = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
                    bytes.extend(letter.encode_utf8(&mut buffer).bytes());
                }
                None => bytes.extend([b'\\', letter as u8]),
            },
            'c' => match rest.chars().next().filter(char::is_ascii) {
                Some(control) => {
                    rest = &rest[1..];
                    bytes.push(control.to_ascii_uppercase() as u8 & 31);
                }
                None => bytes.extend(b"\\c"),
            },
            other => {
                let mut buffer = [0; 4];
                bytes.push(b'\\');
                bytes.extend(other.encode_utf8(&mut buffer).bytes());
            }
        }
    }
    bytes.extend(rest.bytes());
    // The shell ends such a text at a zero.
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// Takes up to this many digits from the beginning of a text.
fn code(text: &mut &str, radix: u32, max_digits: usize) -> Option<u32> {
    let length = text.chars().take(max_digits).take_while(|digit| digit.is_digit(radix)).count();
    let (digits, rest) = text.split_at(length);
    *text = rest;
    u32::from_str_radix(digits, radix).ok()
}
