//! Commands inside other texts: encoded scripts, and the string literals that a program in another language runs.

/// Decodes Base64 without regard to line breaks; `None` if it is not Base64.
pub(super) fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0_u32);
    for letter in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0xff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

/// Decodes the argument of PowerShell's `-EncodedCommand`: Base64 of UTF-16.
pub(super) fn decode_utf16(text: &str) -> Option<String> {
    let bytes = decode_base64(text)?;
    let units = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    Some(String::from_utf16_lossy(&units.collect::<Vec<_>>()))
}

/// Functions that run a command, in Python, JavaScript, Perl, Ruby, PHP, Lua, AWK and others.
#[rustfmt::skip]
const CALLS: [&str; 33] = [
    "system", "popen", "Popen", "run", "call", "check_call", "check_output", "getoutput", "getstatusoutput", "exec", "execSync", "execFile",
    "execFileSync", "spawn", "spawnSync", "execv", "execvp", "execvpe", "execlp", "shell_exec", "passthru", "proc_open", "capture2", "capture2e",
    "capture3", "execute", "sh", "Exec", "create_subprocess_shell", "create_subprocess_exec", "execa", "execaSync", "qx",
];

/// Maximum number of calls of one program that are looked at.
const MAX_CALLS: usize = 50;

/// Maximum length of the arguments of one call.
const MAX_CALL: usize = 2_000;

/// Returns the commands that a program runs by a literal: one text for a shell, or the words of a command.
pub(super) fn called_commands(code: &str, has_backticks: bool) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, letter) in code.char_indices() {
        if found.len() >= MAX_CALLS {
            break;
        }
        if letter.is_ascii_alphanumeric() || letter == '_' {
            start.get_or_insert(at);
            continue;
        }
        let word = start.take().and_then(|start| code.get(start..at)).unwrap_or_default();
        if CALLS.contains(&word) {
            let rest = &code[at..];
            let rest = &rest[..rest.floor_char_boundary(MAX_CALL)];
            let texts = literals(rest.trim_start());
            found.extend((!texts.is_empty()).then_some(texts));
        } else if letter == '`' && has_backticks {
            let rest = &code[at + 1..];
            found.extend(rest.split_once('`').map(|(text, _)| vec![text.to_owned()]));
        }
    }
    found
}

/// Returns the string literals of a call; the text is what follows the function's name.
fn literals(text: &str) -> Vec<String> {
    let is_quote = |letter: char| matches!(letter, '\'' | '"' | '`');
    if !text.starts_with(|letter: char| letter == '(' || is_quote(letter)) {
        return Vec::new();
    }
    let (mut found, mut depth) = (Vec::new(), 0_usize);
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    break;
                }
            }
            '\n' | ';' if depth == 0 => break,
            mark if is_quote(mark) => {
                let mut literal = String::new();
                loop {
                    match letters.next() {
                        None => return found,
                        Some(end) if end == mark => break,
                        Some('\\') => literal.extend(letters.next()),
                        Some(one) => literal.push(one),
                    }
                }
                found.push(literal);
            }
            _ => {}
        }
    }
    found
}
