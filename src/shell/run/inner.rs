//! The commands inside a simple command: behind `sudo`, in `bash -c`, after `find -exec`, in the text that `ssh` sends.

use super::resolve::ShellWord;
use super::{CommandOrigin, Dialect};
use crate::shell::options::{before_subcommand, contains};
use crate::shell::tables::INTERPRETERS;
use crate::shell::wrappers::{LATER_SHELLS, POSIX_SHELLS, POWERSHELLS, WRAPPERS, WrappedRest, Wrapper};

mod code;
mod guess;
mod spread;

pub(crate) use guess::runs_its_words;

/// A command that another one runs.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum InnerCommand {
    Words(Vec<ShellWord>, CommandOrigin),
    Script(InnerScript),
}

/// A script that another command runs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct InnerScript {
    pub(super) text: String,
    pub(super) dialect: Dialect,
    /// `$1` and the following, for `bash -c`.
    pub(super) arguments: Vec<ShellWord>,
    /// The command was nothing but the shell for the script.
    pub(super) replaces: bool,
    /// The script is what the shell reads from its standard input.
    pub(super) is_input: bool,
}

/// Returns the name of a program without its folder.
pub(crate) fn base_name(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let name = if name.len() > 1 { name.strip_prefix('=').unwrap_or(name) } else { name };
    let is_end = |end: &&str| {
        name.get(name.len().saturating_sub(4)..).is_some_and(|last| last.eq_ignore_ascii_case(end))
    };
    let has_end = name.len() > 4 && [".exe", ".cmd", ".bat", ".ps1"].iter().any(is_end);
    if has_end { &name[..name.len() - 4] } else { name }
}

/// Returns the commands inside a command; `input` is its standard input, if it is known.
pub(super) fn inner_commands(words: &[ShellWord], input: Option<&str>) -> Vec<InnerCommand> {
    let Some((first, arguments)) = words.split_first() else { return Vec::new() };
    let name = base_name(&first.text);
    let lower = name.to_ascii_lowercase();
    if name == "command" && only_looks_up(arguments) {
        return Vec::new();
    }
    let mut found = Vec::new();
    match name {
        _ if POSIX_SHELLS.contains(&name) || matches!(name, "$SHELL" | "${SHELL}" | "$BASH" | "${BASH}") => {
            found.extend(of_shell(arguments, input));
        }
        _ if LATER_SHELLS.contains(&name) => found.extend(input.map(|text| script(text, true))),
        _ if POWERSHELLS.contains(&lower.as_str()) => found.extend(of_powershell(arguments, input)),
        "cmd" | "CMD" => found.extend(of_cmd(arguments)),
        _ if matches!(lower.as_str(), "iex" | "invoke-expression") && !arguments.is_empty() => {
            found.push(powershell_script(joined(arguments), false));
        }
        _ if matches!(lower.as_str(), "start-process" | "saps") => found.extend(of_start_process(arguments)),
        "start" if arguments.iter().any(|word| word.text.starts_with('/')) => {
            // `start "title" /b PROGRAM …`
            let is_own = |word: &&ShellWord| word.text.starts_with('/') || word.text.is_empty();
            let own = arguments.iter().take_while(is_own).count();
            found.extend(wrapped(&arguments[own..]));
        }
        "find" | "gfind" => found.extend(spread::of_find(arguments)),
        "fd" | "fdfind" => found.extend(spread::of_fd(arguments)),
        "xargs" | "gxargs" => found.extend(spread::of_xargs(arguments, input)),
        "parallel" => found.extend(spread::of_parallel(arguments, input)),
        "nix" => {
            let at = arguments.iter().position(|word| matches!(word.text.as_str(), "-c" | "--command"));
            found.extend(at.and_then(|at| wrapped(&arguments[at + 1..])));
        }
        _ if INTERPRETERS.contains(&name) || name == "py" => {
            found.extend(code::of_interpreter(arguments));
            found.extend(code::of_code(name, arguments, input));
        }
        "deno" | "bun" | "awk" | "gawk" | "mawk" | "osascript" => {
            found.extend(code::of_code(name, arguments, input));
        }
        "source" | "." if arguments.first().is_some_and(|word| word.text == "/dev/stdin") => {
            found.extend(input.map(|text| script(text, true)));
        }
        _ => {}
    }
    if name == "git" {
        found.extend(of_git_alias(arguments));
    }
    let mut is_known = !found.is_empty();
    let is_called =
        |names: &str| names.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    for wrapper in WRAPPERS.iter().filter(|wrapper| is_called(wrapper.names)) {
        if let Some(behind) = behind_names(wrapper, name, arguments) {
            is_known = true;
            found.extend(of_wrapper(wrapper, behind, input));
        }
    }
    if !is_known && guess::may_be_wrapper(name, &lower) {
        found.extend(guess::guesses(arguments));
    }
    found
}

/// Returns the commands of a script in a file, in the language of this program; without one it is a shell's.
pub(super) fn of_program_text(program: &str, text: &str) -> Vec<InnerCommand> {
    if INTERPRETERS.contains(&program) {
        return code::of_code(program, &[], Some(text));
    }
    vec![script(text, false)]
}

/// Returns whether `command` only says what a name stands for, as `command -v rm` does.
fn only_looks_up(arguments: &[ShellWord]) -> bool {
    let mut options = arguments.iter().take_while(|word| word.text.starts_with('-'));
    options.any(|word| !word.text.starts_with("--") && word.text.contains(['v', 'V']))
}

fn script(text: &str, is_input: bool) -> InnerCommand {
    InnerCommand::Script(InnerScript {
        text: text.to_owned(),
        dialect: Dialect::Posix,
        arguments: Vec::new(),
        replaces: false,
        is_input,
    })
}

fn wrapped(words: &[ShellWord]) -> Option<InnerCommand> {
    let words = words.to_vec();
    (!words.is_empty()).then_some(InnerCommand::Words(words, CommandOrigin::Wrapped))
}

fn joined(words: &[ShellWord]) -> String {
    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// Returns words as one text, without the substitutions whose commands were followed already where they stand.
fn followed(words: &[ShellWord]) -> String {
    let text = |word: &'_ ShellWord| match &word.brief {
        Some(brief) if !word.is_known => brief.clone(),
        _ => word.text.clone(),
    };
    words.iter().map(text).collect::<Vec<_>>().join(" ")
}

/// Returns the words behind the names of a wrapper, such as those behind `exec` in `docker --context x exec …`.
fn behind_names<'w>(wrapper: &Wrapper, program: &str, arguments: &'w [ShellWord]) -> Option<&'w [ShellWord]> {
    let mut rest = arguments;
    for name in wrapper.names.split(' ').skip(1) {
        rest = behind_options(rest, before_subcommand(program).unwrap_or_default(), false);
        let (first, behind) = rest.split_first()?;
        if first.text != name {
            return None;
        }
        rest = behind;
    }
    Some(rest)
}

/// Returns the words behind options, their values, and assignments.
pub(super) fn behind_options<'w>(
    words: &'w [ShellWord],
    valued: &str,
    with_assignments: bool,
) -> &'w [ShellWord] {
    let mut rest = words;
    while let Some((first, behind)) = rest.split_first() {
        let text = first.text.as_str();
        if text == "--" {
            return behind;
        }
        let is_toolchain = !with_assignments && text.starts_with('+') && text.len() > 1;
        if with_assignments && is_assignment(text) || is_toolchain {
            rest = behind;
        } else if text.starts_with('-') && text.len() > 1 {
            let skipped = usize::from(takes_next(text, valued));
            rest = behind.get(skipped..).unwrap_or_default();
        } else {
            break;
        }
    }
    rest
}

/// Returns whether the value of an option is the next word: the option itself, or the last letter of a cluster.
fn takes_next(option: &str, valued: &str) -> bool {
    if contains(valued, option) {
        return true;
    }
    let is_cluster = !option.starts_with("--") && option[1..].chars().all(|c| c.is_ascii_alphabetic());
    // In `-uroot` the value is attached already.
    let first_with_value =
        option[1..].char_indices().find(|(_, letter)| contains(valued, &format!("-{letter}")));
    is_cluster && first_with_value.is_some_and(|(at, letter)| at + letter.len_utf8() + 1 == option.len())
}

fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

fn of_wrapper(wrapper: &Wrapper, words: &[ShellWord], input: Option<&str>) -> Vec<InnerCommand> {
    let mut found = Vec::new();
    let scripts = option_values(words, wrapper.scripts);
    let has_scripts = !scripts.is_empty();
    found.extend(scripts.iter().map(|text| script(text, false)));
    let valued = format!("{} {}", wrapper.valued, wrapper.scripts);
    if wrapper.rest == WrappedRest::Dashes
        && let Some(dashes) = words.iter().position(|word| word.text == "--")
    {
        found.extend(wrapped(&words[dashes + 1..]));
        return found;
    }
    let mut rest = behind_options(words, &valued, true);
    for _ in 0..wrapper.operands {
        rest = rest.get(1..).unwrap_or_default();
        rest = behind_options(rest, &valued, true);
    }
    match wrapper.rest {
        _ if has_scripts => {}
        WrappedRest::Words | WrappedRest::Dashes => found.extend(wrapped(rest)),
        WrappedRest::Script if !rest.is_empty() => found.push(script(&followed(rest), false)),
        WrappedRest::Scripts => found.extend(rest.iter().map(|word| script(&word.text, false))),
        // Without a command, the shell at the other end reads what comes in.
        WrappedRest::Script if wrapper.names == "ssh" => found.extend(input.map(|text| script(text, true))),
        WrappedRest::Script | WrappedRest::Nothing => {}
    }
    found
}

/// Returns the values of these options: `-c X`, `-qc X`, `--command=X`.
fn option_values(words: &[ShellWord], options: &str) -> Vec<String> {
    let mut values = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let next = words.get(index + 1).map(|word| word.text.clone());
        let text = word.text.as_str();
        if text == "--" {
            break;
        }
        for option in options.split_ascii_whitespace() {
            let is_short = option.len() == 2;
            let is_cluster = is_short
                && text.starts_with('-')
                && !text.starts_with("--")
                && text.ends_with(&option[1..])
                && text[1..].chars().all(|c| c.is_ascii_alphabetic());
            if text == option || is_cluster {
                values.extend(next.clone());
            } else if let Some(value) = text.strip_prefix(option).and_then(|rest| rest.strip_prefix('=')) {
                values.push(value.to_owned());
            }
        }
    }
    values
}

/// How a shell is called.
fn of_shell(arguments: &[ShellWord], input: Option<&str>) -> Option<InnerCommand> {
    let mut has_script = false;
    let mut rest = arguments;
    while let Some((first, behind)) = rest.split_first() {
        let text = first.text.as_str();
        if !text.starts_with(['-', '+']) || text.len() < 2 {
            break;
        }
        rest = behind;
        if text == "--" {
            break;
        }
        if matches!(text, "--rcfile" | "--init-file") {
            rest = behind.get(1..).unwrap_or_default();
        } else if text == "--command" {
            has_script = true;
        } else if !text.starts_with("--") {
            has_script |= text.starts_with('-') && text.contains('c');
            // An `o` takes the next word, as in `-euo pipefail`.
            if text.ends_with(['o', 'O']) {
                rest = behind.get(1..).unwrap_or_default();
            }
        }
    }
    if has_script {
        let (text, behind) = rest.split_first()?;
        // The first word behind the script is its name.
        let arguments = behind.get(1..).unwrap_or_default().to_vec();
        return Some(InnerCommand::Script(InnerScript {
            text: text.text.clone(),
            dialect: Dialect::Posix,
            arguments,
            replaces: true,
            is_input: false,
        }));
    }
    let reads_input = rest.is_empty()
        || arguments.iter().any(|word| word.text == "-s")
        || matches!(rest[0].text.as_str(), "-" | "/dev/stdin");
    input.filter(|_| reads_input).map(|text| script(text, true))
}

fn powershell_script(text: String, is_input: bool) -> InnerCommand {
    InnerCommand::Script(InnerScript {
        text,
        dialect: Dialect::PowerShell,
        arguments: Vec::new(),
        replaces: !is_input,
        is_input,
    })
}

/// Returns the command of `Start-Process git -ArgumentList 'push','-f'`.
fn of_start_process(arguments: &[ShellWord]) -> Option<InnerCommand> {
    let is_name = |text: &str| text.len() > 1 && "-filepath".starts_with(&text.to_ascii_lowercase());
    let is_list = |text: &str| text.len() > 1 && "-argumentlist".starts_with(&text.to_ascii_lowercase());
    let mut words: Vec<ShellWord> = Vec::new();
    let is_switch = |text: &str| ["-wait", "-nonewwindow"].iter().any(|one| text.eq_ignore_ascii_case(one));
    let mut is_in_list = false;
    for word in arguments.iter().filter(|word| !is_switch(&word.text)) {
        // Among the arguments, `-f` is one of the program.
        if !is_in_list && (is_name(&word.text) || is_list(&word.text)) {
            is_in_list = is_list(&word.text);
            continue;
        }
        let parts = word.text.split([',', ' ']).filter(|part| !part.is_empty());
        words.extend(parts.map(ShellWord::known));
    }
    wrapped(&words)
}

fn of_powershell(arguments: &[ShellWord], input: Option<&str>) -> Option<InnerCommand> {
    let powershell = powershell_script;
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let option = word.text.to_ascii_lowercase();
        let is = |name: &str, shortest: usize| {
            option
                .strip_prefix(['-', '/'])
                .is_some_and(|option| option.len() >= shortest && name.starts_with(option))
        };
        if is("encodedcommand", 1) && !is("executionpolicy", 2) || option == "-ec" {
            let text = super::literals::decode_utf16(&arguments.get(at + 1)?.text)?;
            return Some(powershell(text, false));
        }
        if is("command", 1) {
            let rest = &arguments[at + 1..];
            return match rest {
                [dash] if dash.text == "-" => input.map(|text| powershell(text.to_owned(), true)),
                _ => Some(powershell(joined(rest), false)),
            };
        }
        if is("file", 1) {
            return None;
        }
        if !option.starts_with(['-', '/']) {
            return Some(powershell(joined(&arguments[at..]), false));
        }
        let has_value = [
            "executionpolicy",
            "ep",
            "windowstyle",
            "version",
            "workingdirectory",
            "inputformat",
            "outputformat",
            "configurationname",
            "psconsolefile",
        ];
        at += 1 + usize::from(has_value.iter().any(|name| is(name, 1) && option.len() > 1));
    }
    input.map(|text| powershell(text.to_owned(), true))
}

fn of_cmd(arguments: &[ShellWord]) -> Option<InnerCommand> {
    let is_run = |word: &ShellWord| {
        // In Git's Bash the slash is doubled, so that it does not become a path.
        let option = word.text.trim_start_matches('/').to_ascii_lowercase();
        word.text.starts_with('/') && matches!(option.as_str(), "c" | "k" | "r")
    };
    let at = arguments.iter().position(is_run)?;
    Some(InnerCommand::Script(InnerScript {
        text: joined(&arguments[at + 1..]),
        dialect: Dialect::Cmd,
        arguments: Vec::new(),
        replaces: true,
        is_input: false,
    }))
}

/// Returns what an alias runs that is given to git on its command line: `git -c alias.p='push -f' p`.
fn of_git_alias(arguments: &[ShellWord]) -> Vec<InnerCommand> {
    let mut found = Vec::new();
    for pair in arguments.windows(2).filter(|pair| pair[0].text == "-c") {
        let Some((name, value)) = pair[1].text.strip_prefix("alias.").and_then(|alias| alias.split_once('='))
        else {
            continue;
        };
        let at = arguments.iter().position(|word| word.text == name);
        let behind = at.and_then(|at| arguments.get(at + 1..)).unwrap_or_default();
        let text = match value.strip_prefix('!') {
            Some(command) => format!("{command} {}", joined(behind)),
            None => format!("git {value} {}", joined(behind)),
        };
        found.push(script(text.trim(), false));
    }
    found
}
