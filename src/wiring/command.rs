//! Recognises commands that call nudge.
//!
//! A command is ours if its first program is nudge with the argument `hook`. A longer line that also calls nudge, or
//! only mentions it, was written by the user.

use serde_json::Value;

/// The keys under which agents have the command line of a hook.
const COMMAND_KEYS: [&str; 3] = ["command", "bash", "powershell"];

/// Commands that only run another program.
const WRAPPERS: [&str; 5] = ["exec", "env", "command", "nohup", "time"];

/// Returns whether a shell line is ours, wherever the program is installed.
pub(super) fn is_hook(line: &str) -> bool {
    let commands = simple_commands(line);
    // In a project, the line first checks that the program exists.
    let is_guard = |words: &Vec<String>| matches!(words.as_slice(), [a, b, program, ..] if a == "command" && b == "-v" && is_program(program));
    let own = if commands.first().is_some_and(is_guard) {
        commands.iter().skip_while(|words| words.first().is_none_or(|word| word != "exit")).nth(1)
    } else {
        commands.first()
    };
    own.is_some_and(|words| is_call(words))
}

/// Returns whether a shell line calls our hook, whoever wrote it.
pub(super) fn calls_hook(line: &str) -> bool {
    simple_commands(line).iter().any(|words| {
        let wrappers = words.iter().take_while(|word| WRAPPERS.contains(&word.as_str())).count();
        is_call(&words[wrappers..])
    })
}

/// Returns whether an entry in a list of hooks, or a group of entries, contains our hook.
pub(super) fn has_hook(entry: &Value) -> bool {
    COMMAND_KEYS.iter().any(|key| entry[*key].as_str().is_some_and(is_hook))
        || hook_words(entry).is_some()
        || entry["hooks"].as_array().is_some_and(|group| group.iter().any(has_hook))
}

/// Returns whether a value, or anything in it, calls our hook.
pub(super) fn calls_anywhere(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(calls_anywhere),
        Value::Object(map) => {
            hook_words(value).is_some()
                || COMMAND_KEYS.iter().any(|key| value[*key].as_str().is_some_and(calls_hook))
                || map.values().any(calls_anywhere)
        }
        _ => false,
    }
}

/// Returns whether an entry of MCP servers starts our server.
pub(super) fn starts_server(value: &Value) -> bool {
    server_words(value).is_some()
}

/// Returns whether an entry starts our server as it should. Extra arguments or variables are there for a reason; only the
/// tools to offer are replaced if others are wanted.
pub(super) fn is_same_server(found: &Value, wanted: &Value) -> bool {
    let (Some(found), Some(wanted)) = (server_words(found), server_words(wanted)) else { return false };
    let tools = |words: &[String]| {
        let at = words.iter().position(|word| word == "--tools")?;
        words.get(at + 1).cloned()
    };
    let is_as_wanted = tools(&wanted).is_none_or(|groups| tools(&found) == Some(groups));
    found.first() == wanted.first() && is_as_wanted
}

/// Returns the program and the arguments of an entry of MCP servers that starts our server.
pub(super) fn server_words(value: &Value) -> Option<Vec<String>> {
    words_with_verb(value, "serve")
}

/// Returns the program and the arguments of an entry that calls our hook without a shell.
pub(super) fn hook_words(value: &Value) -> Option<Vec<String>> {
    words_with_verb(value, "hook")
}

/// Returns the path of our program as given in a line that calls the hook.
pub(crate) fn program(line: &str) -> Option<String> {
    let words = simple_commands(line).concat();
    let at = words.windows(2).position(|pair| is_program(&pair[0]) && pair[1] == "hook")?;
    words.into_iter().nth(at)
}

/// Returns the arguments of a line that only calls our hook, in the form that we write.
pub(crate) fn plain_arguments(line: &str) -> Option<Vec<String>> {
    let without_check = |(look, call): (&str, &str)| {
        let name = look.strip_prefix("command -v ")?.strip_suffix(" >/dev/null 2>&1 || exit 0")?;
        call.starts_with(name).then(|| call.to_owned())
    };
    let call = line.split_once("; ").and_then(without_check).unwrap_or_else(|| line.to_owned());
    let words = simple_commands(&call).concat();
    let (program, arguments) = words.split_first()?;
    let is_name = |word: &String| word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    let is_ours = is_program(program) && arguments.first().is_some_and(|first| first == "hook");
    (is_ours && arguments.iter().all(is_name)).then(|| arguments.to_vec())
}

/// Returns the command and arguments of an entry that runs our program with this first argument; they may be in two
/// fields or in one list.
fn words_with_verb(value: &Value, verb: &str) -> Option<Vec<String>> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let list = |key: &str| value[key].as_array().into_iter().flatten().filter_map(text).collect::<Vec<_>>();
    let words: Vec<String> =
        text(&value["command"]).into_iter().chain(list("command")).chain(list("args")).collect();
    let is_ours = matches!(words.as_slice(), [program, first, ..] if is_program(program) && first == verb);
    is_ours.then_some(words)
}

/// Returns whether these words call our hook; variable assignments may come first.
fn is_call(words: &[String]) -> bool {
    let assignments = words.iter().take_while(|word| is_assignment(word)).count();
    matches!(&words[assignments..], [program, verb, ..] if is_program(program) && verb == "hook")
}

fn is_assignment(word: &str) -> bool {
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

/// Returns whether a word is our program: a bare name, or any path to it.
fn is_program(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    name.strip_suffix(".exe").unwrap_or(name) == "nudge"
}

/// Splits a shell line into its commands, and each into words without their quotes.
fn simple_commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            // Elsewhere a backslash is part of a Windows path.
            (None | Some('"'), '\\') if chars.peek().is_some_and(|next| "\"' ".contains(*next)) => {
                word.get_or_insert_default().extend(chars.next());
            }
            (None, ';' | '&' | '|' | '\n' | '(' | ')' | ' ' | '\t') => {
                commands.last_mut().into_iter().for_each(|words| words.extend(word.take()));
                if !matches!(c, ' ' | '\t') {
                    commands.push(Vec::new());
                }
            }
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    commands.last_mut().into_iter().for_each(|words| words.extend(word.take()));
    commands.retain(|words| !words.is_empty());
    commands
}
