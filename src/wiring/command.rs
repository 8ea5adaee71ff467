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
        Value::Object(map) => begins_with(value, "hook") || map.values().any(has_hook),
        _ => false,
    }
}

/// Says whether an entry of MCP servers starts us.
pub(super) fn starts_server(value: &Value) -> bool {
    begins_with(value, "serve")
}

/// Says whether this is our program with this as its first argument: in two fields, or in one list.
fn begins_with(value: &Value, verb: &str) -> bool {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let list = |key: &str| value[key].as_array().into_iter().flatten().filter_map(text).collect::<Vec<_>>();
    let words: Vec<String> =
        text(&value["command"]).into_iter().chain(list("command")).chain(list("args")).collect();
    matches!(words.as_slice(), [program, first, ..] if is_program(program) && first == verb)
}

/// A path in quotes, a Windows path and a bare name are all the same program.
fn is_program(word: &str) -> bool {
    let word = word.trim_matches(['"', '\'', '\\']);
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    name.strip_suffix(".exe").unwrap_or(name) == "nudge"
}
