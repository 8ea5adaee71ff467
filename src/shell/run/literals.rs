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

/// Functions that delete a folder with everything in it, in Python, JavaScript, Ruby, PHP, Perl, Rust and others.
#[rustfmt::skip]
const DELETERS: [&str; 12] = [
    "rmtree", "rmSync", "rmdirSync", "removeSync", "emptyDirSync", "rm_rf", "rm_r", "remove_dir", "remove_tree", "remove_dir_all",
    "rimraf", "remove_entry_secure",
];

/// Functions that move a file or folder; one whose name means other things as well is named with what it belongs to.
#[rustfmt::skip]
const MOVERS: [&str; 11] = [
    "shutil.move", "os.rename", "os.renames", "os.replace", "fs.rename", "renameSync", "moveSync", "File.rename", "FileUtils.mv",
    "FileUtils.move", "File.move",
];

/// Returns the commands that do what a program does to files and folders that it names by literals.
pub(super) fn called_deeds(code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, letter) in code.char_indices() {
        if found.len() >= MAX_CALLS {
            break;
        }
        if letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.') {
            start.get_or_insert(at);
            continue;
        }
        let word = start.take().and_then(|start| code.get(start..at)).unwrap_or_default();
        let is_called = |name: &&str| {
            word.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.'))
        };
        let command: &[&str] = match word {
            "" => continue,
            _ if DELETERS.iter().any(is_called) => &["rm", "-rf"],
            _ if MOVERS.iter().any(is_called) => &["mv"],
            _ => continue,
        };
        let rest = &code[at..];
        let paths = paths(&rest[..rest.floor_char_boundary(MAX_CALL)]);
        if !paths.is_empty() {
            found.push(command.iter().map(|word| (*word).to_owned()).chain(paths).collect());
        }
    }
    found
}

/// Returns the arguments of a call that are nothing but a literal; the text is what follows the function's name.
fn paths(text: &str) -> Vec<String> {
    let text = text.trim_start();
    let (text, ends): (&str, &[char]) = match text.strip_prefix('(') {
        Some(inside) => (inside, &[',', ')']),
        None => (text, &[',', ';', '\n']),
    };
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', 'r']);
        let Some(mark) = rest.chars().next().filter(|mark| matches!(mark, '\'' | '"')) else { break };
        let Some((literal, behind)) = rest[1..].split_once(mark) else { break };
        let behind = behind.trim_start_matches([' ', '\t']);
        if !behind.is_empty() && !behind.starts_with(ends) {
            break;
        }
        found.push(literal.to_owned());
        match behind.strip_prefix(',') {
            Some(more) => rest = more,
            None => break,
        }
    }
    found
}

/// Returns the commands that an AWK program pipes to or reads from: `print | "sort"`, `"date" | getline`.
pub(super) fn piped_commands(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = code.get(at..).and_then(|rest| rest.find('"')).map(|from| at + from) {
        let behind = &code[open + 1..];
        let Some(end) = end_of_literal(behind) else { break };
        let before = code[..open].trim_end();
        let is_piped_to = before.ends_with('|') && !before.ends_with("||");
        let next = behind[end + 1..].trim_start();
        let next = next.strip_prefix('|').map(|rest| rest.strip_prefix('&').unwrap_or(rest).trim_start());
        if is_piped_to || next.is_some_and(|rest| rest.starts_with("getline")) {
            found.push(behind[..end].replace("\\\"", "\""));
        }
        at = open + end + 2;
    }
    found
}

/// Returns where the quotation mark is that closes a literal.
fn end_of_literal(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.char_indices().find_map(|(at, letter)| {
        let is_end = letter == '"' && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        is_end.then_some(at)
    })
}
