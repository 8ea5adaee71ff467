//! Tells the commands that call us from those of others.

use serde_json::Value;

/// Says whether a shell command calls our hook, wherever the program lies and however the line is dressed.
pub(crate) fn calls_hook(command: &str) -> bool {
    let words: Vec<&str> =
        command.split([' ', '\t', '\n', ';', '&', '|']).filter(|word| !word.is_empty()).collect();
    words.windows(2).any(|pair| is_program(pair[0]) && pair[1] == "hook")
}

/// Says whether a value, or anything in it, calls our hook.
pub(super) fn has_hook(value: &Value) -> bool {
    match value {
        Value::String(text) => calls_hook(text),
        Value::Array(items) => items.iter().any(has_hook),
        // A program with arguments calls us as a line does.
        Value::Object(map) => hook_words(value).is_some() || map.values().any(has_hook),
        _ => false,
    }
}

/// Says whether an entry of MCP servers starts us.
pub(super) fn starts_server(value: &Value) -> bool {
    server_words(value).is_some()
}

/// Returns the program and the arguments of an entry of MCP servers that starts us.
pub(super) fn server_words(value: &Value) -> Option<Vec<String>> {
    begins_with(value, "serve")
}

/// Returns the program and the arguments of an entry that calls our hook without a shell.
pub(super) fn hook_words(value: &Value) -> Option<Vec<String>> {
    begins_with(value, "hook")
}

/// Returns a word as a shell reads it whole.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:=@%\\".contains(c);
    match word {
        _ if !word.is_empty() && word.chars().all(is_plain) => word.to_owned(),
        _ if cfg!(windows) => format!("\"{word}\""),
        _ => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Returns our program as a line that calls the hook names it.
pub(crate) fn program(line: &str) -> Option<String> {
    let words = words(line);
    let at = words.windows(2).position(|pair| is_program(&pair[0]) && pair[1] == "hook")?;
    words.into_iter().nth(at)
}

/// Says whether a line does nothing but call our hook, as one that we write.
pub(crate) fn is_plain(line: &str) -> bool {
    let forgiving = |(look, call): (&str, &str)| {
        let name = look.strip_prefix("command -v ")?.strip_suffix(" >/dev/null 2>&1 || exit 0")?;
        call.starts_with(name).then(|| call.to_owned())
    };
    let call = line.split_once("; ").and_then(forgiving).unwrap_or_else(|| line.to_owned());
    // None of these means anything to a shell, outside quotes or inside.
    let is_harmless = |c: char| c.is_ascii_alphanumeric() || " /._-+:='\"\\".contains(c);
    let words = words(&call);
    call.chars().all(is_harmless)
        && matches!(&words[..], [first, hook, ..] if is_program(first) && hook == "hook")
}

/// Splits a line as a shell would, as far as quotes go.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut inside) = (Vec::new(), None::<String>, None);
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match (inside, c) {
            (Some(quote), c) if c == quote => inside = None,
            (None, '\'' | '"') => {
                inside = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') if cfg!(not(windows)) => {
                word.get_or_insert_default().extend(rest.next());
            }
            (None, ' ' | '\t' | '\n' | ';' | '&' | '|') => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Returns the words of our program with this as its first argument: in two fields, or in one list.
fn begins_with(value: &Value, verb: &str) -> Option<Vec<String>> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let list = |key: &str| value[key].as_array().into_iter().flatten().filter_map(text).collect::<Vec<_>>();
    let words: Vec<String> =
        text(&value["command"]).into_iter().chain(list("command")).chain(list("args")).collect();
    let is_ours = matches!(words.as_slice(), [program, first, ..] if is_program(program) && first == verb);
    is_ours.then_some(words)
}

/// A path in quotes, a Windows path and a bare name are all the same program.
fn is_program(word: &str) -> bool {
    let word = word.trim_matches(['"', '\'', '\\']);
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    name.strip_suffix(".exe").unwrap_or(name) == "nudge"
}
