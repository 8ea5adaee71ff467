//! Programs in other languages on a command line: what they run, and what they do to files.

use super::{InnerCommand, behind_options, script, wrapped};
use crate::shell::run::ShellWord;
use crate::shell::run::literals;

/// Returns the module or file that an interpreter runs, with its arguments: `pip install` of `python -m pip install`.
pub(super) fn of_interpreter(arguments: &[ShellWord]) -> Option<InnerCommand> {
    let mut rest = arguments;
    while let Some((first, behind)) = rest.split_first() {
        match first.text.as_str() {
            "-m" => return wrapped(behind),
            "-c" | "-e" | "-E" | "-r" | "-p" | "--eval" | "--print" | "-" | "-pe" | "-ne" | "-n" | "-i" => {
                return None;
            }
            option if option.starts_with('-') => rest = behind,
            _ => return wrapped(rest),
        }
    }
    None
}

/// Returns the commands that an inline program runs by literals, as `os.system('…')` does, and those that do what it does:
/// `shutil.rmtree('x')` is `rm -rf x`.
pub(super) fn of_code(name: &str, arguments: &[ShellWord], input: Option<&str>) -> Vec<InnerCommand> {
    let is_code = |word: &ShellWord| {
        matches!(word.text.as_str(), "-c" | "-e" | "-E" | "-r" | "-p" | "--eval" | "--print" | "eval")
            || word.text.starts_with('-') && !word.text.starts_with("--") && word.text.ends_with('e')
    };
    let is_awk = name.ends_with("awk");
    let mut codes: Vec<&str> =
        arguments.windows(2).filter(|pair| is_code(&pair[0])).map(|pair| pair[1].text.as_str()).collect();
    if is_awk {
        codes.extend(awk_program(arguments));
    } else if arguments.iter().all(|word| word.text.starts_with('-')) {
        codes.extend(input);
    }
    let has_backticks = matches!(name, "perl" | "ruby" | "php");
    let mut found = Vec::new();
    for code in codes {
        let code = code.replace("do shell script ", "system");
        let piped = if is_awk { literals::piped_commands(&code) } else { Vec::new() };
        found.extend(piped.iter().map(|text| script(text, false)));
        for words in literals::called_deeds(&code) {
            found.extend(wrapped(&words.iter().map(|word| ShellWord::known(word)).collect::<Vec<_>>()));
        }
        for texts in literals::called_commands(&code, has_backticks) {
            match texts.as_slice() {
                [text, ..] if text.contains(char::is_whitespace) => found.push(script(text, false)),
                texts => {
                    let words: Vec<ShellWord> = texts.iter().map(|text| ShellWord::known(text)).collect();
                    found.extend(wrapped(&words));
                }
            }
        }
    }
    found
}

/// Returns the program on the command line of `awk`; there is none if it is in a file.
fn awk_program(arguments: &[ShellWord]) -> Option<&str> {
    let is_file = |word: &ShellWord| {
        matches!(word.text.as_str(), "--file" | "--exec") || word.text.starts_with("-f") || word.text == "-E"
    };
    let behind = behind_options(arguments, "-F -v -W --field-separator --assign", false);
    let own = &arguments[..arguments.len() - behind.len()];
    behind.first().filter(|_| !own.iter().any(is_file)).map(|word| word.text.as_str())
}
