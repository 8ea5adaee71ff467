//! What a simple command does: the files that it writes, and the text that it prints.

use std::rc::Rc;

use super::found::join;
use super::lexer::{ShellOutput, ShellWord};
use super::{ShellReader, files, output};

impl ShellReader<'_> {
    /// Records the files that a simple command writes, and returns what it prints.
    pub(super) fn execute(
        &mut self,
        words: &[ShellWord],
        input: Option<String>,
        is_in_pipeline: bool,
    ) -> Option<String> {
        let Some((name, arguments)) = program(words).split_first() else {
            // Only redirections and assignments: Bash prints nothing, and Zsh prints its input.
            let is_plain = words.iter().all(is_assignment);
            self.variables.assign(words);
            return input.or_else(|| is_plain.then(String::new));
        };
        let name = name.text.rsplit('/').next().unwrap_or_default();
        let filled: Vec<ShellWord>;
        let arguments = if CHANGERS.contains(&name) {
            filled = arguments.iter().map(|word| self.variables.fill_in(word)).collect();
            &filled
        } else {
            arguments
        };
        let input = if READERS.contains(&name) { input.or_else(|| self.input.take()) } else { input };
        match name {
            "echo" => Some(output::echo(arguments)),
            "printf" => output::printf(arguments),
            ":" | "true" => Some(String::new()),
            "cat" => input.filter(|_| arguments.iter().all(|word| matches!(&*word.text, "-" | "/dev/stdin"))),
            "cd" | "pushd" | "popd" => {
                // A part of a pipeline is a subshell, so it does not change the folder of the others.
                if !is_in_pipeline {
                    self.change_directory(name, arguments);
                }
                Some(String::new())
            }
            "tee" | "sponge" | "cp" | "install" | "dd" => {
                let reads_file = arguments.iter().any(|word| word.text.starts_with("if="));
                let input = input.filter(|_| !reads_file);
                let copied = destinations(name, arguments);
                let appends =
                    name == "tee" && arguments.iter().any(|word| matches!(&*word.text, "-a" | "--append"));
                let is_copied = !copied.is_empty();
                for file in copied {
                    self.found.write(&self.directory, &ShellOutput { file, appends }, input.as_deref());
                }
                if !is_copied {
                    self.change(name, arguments);
                }
                if name == "tee" { input } else { Some(String::new()) }
            }
            "sed" | "perl" | "mv" | "touch" | "truncate" | "patch" => {
                self.change(name, arguments);
                None
            }
            "apply_patch" | "applypatch" => {
                let text = arguments.first().map(|word| word.text.clone()).or(input);
                text.iter().for_each(|text| self.found.patch(&self.directory, text));
                None
            }
            "export" | "readonly" | "local" | "declare" => {
                self.variables.assign(arguments);
                Some(String::new())
            }
            "eval" => {
                let texts: Vec<&str> = arguments.iter().map(|word| word.text.as_str()).collect();
                self.run_inner(&texts.join(" "), input)
            }
            "bash" | "sh" | "zsh" | "dash" | "ksh" => match script(arguments) {
                Some(script) => self.run_inner(script, input),
                None if operands(arguments).is_empty() => {
                    input.and_then(|script| self.run_inner(&script, None))
                }
                None => None,
            },
            _ => None,
        }
    }

    fn change(&mut self, name: &str, arguments: &[ShellWord]) {
        for file in files::changed(name, arguments) {
            self.found.write(&self.directory, &ShellOutput { file, appends: false }, None);
        }
    }

    fn change_directory(&mut self, name: &str, arguments: &[ShellWord]) {
        let mut targets = arguments.iter().filter(|word| word.text == "-" || !word.text.starts_with('-'));
        let directory = match (name, targets.next()) {
            ("cd", None) => Some("~".to_owned()),
            ("cd" | "pushd", Some(target)) if target.is_known && target.text != "-" => {
                join(&self.directory, &target.text)
            }
            // Back, or to an unknown folder; the folder at the start is the best guess.
            _ => None,
        };
        self.directory = Rc::from(directory.unwrap_or_default());
    }
}

/// The commands above whose arguments are files, or a folder.
const CHANGERS: [&str; 13] = [
    "cd", "cp", "dd", "install", "mv", "patch", "perl", "pushd", "sed", "sponge", "tee", "touch", "truncate",
];

/// The commands above that read standard input.
const READERS: [&str; 13] = [
    "apply_patch",
    "applypatch",
    "bash",
    "cat",
    "cp",
    "dash",
    "dd",
    "install",
    "ksh",
    "sh",
    "sponge",
    "tee",
    "zsh",
];

/// The commands that only run another one.
const WRAPPERS: [&str; 10] =
    ["builtin", "command", "doas", "env", "exec", "nice", "nohup", "sudo", "time", "timeout"];

/// Returns a command from its program on, without assignments and wrappers.
fn program(words: &[ShellWord]) -> &[ShellWord] {
    let mut rest = words;
    let mut is_wrapped = false;
    while let [first, tail @ ..] = rest {
        let text = first.text.as_str();
        // A wrapper takes options, and some take a duration or a priority.
        let is_option =
            is_wrapped && text.starts_with(|letter: char| letter == '-' || letter.is_ascii_digit());
        let is_wrapper = WRAPPERS.contains(&text);
        if !is_option && !is_wrapper && !is_assignment(first) {
            break;
        }
        is_wrapped |= is_wrapper;
        // These two are followed by a user, a group or a variable.
        let has_value = is_option && matches!(text, "-u" | "-g");
        rest = tail.get(usize::from(has_value)..).unwrap_or_default();
    }
    rest
}

/// Returns the files that a command copies its standard input to.
fn destinations(name: &str, arguments: &[ShellWord]) -> Vec<ShellWord> {
    match (name, &operands(arguments)[..]) {
        ("tee" | "sponge", files) => files.iter().copied().cloned().collect(),
        ("cp" | "install", [.., from, to]) if from.text == "/dev/stdin" => vec![(*to).clone()],
        ("dd", operands) => {
            let file = |word: &&ShellWord| {
                Some(ShellWord { text: word.text.strip_prefix("of=")?.to_owned(), ..**word })
            };
            operands.iter().filter_map(file).collect()
        }
        _ => Vec::new(),
    }
}

fn operands(arguments: &[ShellWord]) -> Vec<&ShellWord> {
    arguments.iter().filter(|word| !word.text.starts_with('-')).collect()
}

fn is_assignment(word: &ShellWord) -> bool {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '+' | '[' | ']');
    word.text.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name.chars().all(is_name)
    })
}

/// Returns the script of `bash -c`.
fn script(arguments: &[ShellWord]) -> Option<&str> {
    let mut is_script = false;
    let mut arguments = arguments.iter().map(|word| word.text.as_str());
    while let Some(argument) = arguments.next() {
        if !argument.starts_with('-') {
            return is_script.then_some(argument);
        }
        if !argument.starts_with("--") {
            is_script |= argument.contains('c');
            // An `o` takes the next word, as in `-euo pipefail`.
            if argument.ends_with('o') {
                arguments.next();
            }
        }
    }
    None
}
