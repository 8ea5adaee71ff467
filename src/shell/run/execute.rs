//! What a simple command does: the commands inside it, the files that it writes, and the text that it prints.

use std::rc::Rc;

use super::found::join;
use super::inner::{InnerCommand, InnerScript, base_name, inner_commands};
use super::resolve::ShellWord;
use super::{
    CommandOrigin, Follower, MAX_COMMANDS, MAX_DEPTH, RunCommand, ShellOutput, SimpleNode, files, literals,
    output, scripts,
};
use crate::shell::parse;
use crate::shell::tables::{LOOKING, TEMPORARY, WRAPPERS as LOCAL_WRAPPERS};
use crate::shell::tree::{ShellNodeKind, Unread};
use crate::shell::wrappers::POSIX_SHELLS;

/// Programs beside those that look which read what `<` gives them, and print, keep or send it.
const READING: [&str; 6] = ["base64", "mapfile", "readarray", "nc", "ncat", "netcat"];

/// A simple command whose words are known, and where it is.
#[derive(Clone)]
struct ResolvedCommand<'w> {
    words: &'w [ShellWord],
    node: &'w SimpleNode<'w>,
    input: Option<String>,
    origin: CommandOrigin,
    /// The number of the simple command.
    simple: usize,
    /// The pipeline of substitutions whose output the command runs.
    source: Option<usize>,
}

impl Follower {
    /// Follows a simple command, and returns what it prints.
    pub(super) fn simple(&mut self, node: &SimpleNode<'_>, input: Option<String>) -> Option<String> {
        let assignments: Vec<ShellWord> =
            node.assignments.iter().map(|word| self.resolve_whole(word)).collect();
        for word in assignments.iter().filter(|_| node.words.is_empty()) {
            self.assign_array(&word.text);
        }
        let words = self.resolve_all(node.words);
        let Some(first) = words.first() else {
            // Only redirections and assignments: Bash prints nothing, and Zsh prints its input.
            self.variables.assign(&assignments);
            return input.or_else(|| Some(String::new()));
        };
        let source =
            if runs_text(base_name(&first.text)) { self.join_substitutions(node.first) } else { None };
        if first.is_bare
            && let Some(text) = self.aliases.remove(&first.text)
        {
            let rest: Vec<&str> = words[1..].iter().map(|word| word.text.as_str()).collect();
            let printed = self.script(&format!("{text} {}", rest.join(" ")), super::Dialect::Posix, input);
            self.aliases.insert(first.text.clone(), text);
            return printed;
        }
        if let Some(body) = self.functions.remove(&first.text) {
            return self.call(&first.text, &body, &words[1..], input);
        }
        let simple = self.simple_commands;
        self.simple_commands += 1;
        self.run(&ResolvedCommand { words: &words, node, input, origin: self.origin, simple, source })
    }

    /// Records the items of an array, if that is what is assigned.
    fn assign_array(&mut self, text: &str) {
        let Some((name, items)) = text.split_once("=(") else { return };
        let Some(items) = items.strip_suffix(')').filter(|items| self.found.affords(items.len())) else {
            return;
        };
        let parsed = parse::parse(&format!(": {items}"), self.depth);
        let Some(ShellNodeKind::Simple { words, .. }) = parsed
            .tree
            .steps
            .into_iter()
            .next()
            .and_then(|step| step.commands.into_iter().next())
            .map(|node| node.kind)
        else {
            return;
        };
        let items = self.resolve_all(words.get(1..).unwrap_or_default());
        self.variables.set_array(name.trim_end_matches('+'), items);
    }

    /// Puts the commands of substitutions before the shell that runs their output, as if there were a pipe.
    fn join_substitutions(&mut self, first: usize) -> Option<usize> {
        let pipeline = self.pipelines;
        let substituted = self.commands.get_mut(first..).filter(|commands| !commands.is_empty())?;
        self.pipelines += 1;
        for command in substituted {
            command.stages.push((pipeline, 0));
        }
        Some(pipeline)
    }

    fn call(
        &mut self,
        name: &str,
        body: &Rc<super::ShellNode>,
        arguments: &[ShellWord],
        input: Option<String>,
    ) -> Option<String> {
        if self.depth >= MAX_DEPTH || !self.found.affords(body.written.len() + 64) {
            self.unread = Some(Unread::TooDeep);
            return None;
        }
        self.depth += 1;
        let before = self.variables.arguments.replace(arguments.into());
        let printed = self.node(body, input.map(Some), false);
        self.variables.arguments = before;
        self.depth -= 1;
        self.functions.insert(name.to_owned(), Rc::clone(body));
        printed
    }

    fn run(&mut self, command: &ResolvedCommand<'_>) -> Option<String> {
        let name = base_name(&command.words[0].text).to_owned();
        if self.commands.len() >= MAX_COMMANDS {
            self.unread = Some(Unread::TooLong);
            return None;
        }
        let input = if reads_input(&name) {
            command.input.clone().or_else(|| self.input.take())
        } else {
            command.input.clone()
        };
        let recorded = self.commands.len();
        let mut stages = self.stages.clone();
        stages.extend(command.source.map(|pipeline| (pipeline, 1)));
        self.commands.push(RunCommand {
            words: command.words.to_vec(),
            written: command.node.written.to_owned(),
            dialect: self.dialect,
            simple: command.simple,
            origin: command.origin,
            is_shell: false,
            joint: self.joint,
            stages,
            folder: self.directory.to_string(),
            redirected: command.node.redirected.files.clone(),
            input: input.clone().filter(|text| self.found.affords(text.len())),
        });
        self.record_copy(&name, command);
        self.record_read(&name, command);
        let mut inner = inner_commands(command.words, input.as_deref());
        let written = self.written_script(&name, command.words);
        if let Some((_, text)) = &written {
            inner.extend(scripts::commands_of(&name, text));
        }
        if inner.is_empty() {
            return self.execute(&name, command, input);
        }
        self.running.extend(written.iter().map(|(file, _)| file.clone()));
        let printed = self.run_inner(command, inner, input.as_ref(), recorded);
        self.running.truncate(self.running.len() - usize::from(written.is_some()));
        printed
    }

    /// Runs the commands inside a command that was recorded at this place.
    fn run_inner(
        &mut self,
        command: &ResolvedCommand<'_>,
        inner: Vec<InnerCommand>,
        input: Option<&String>,
        recorded: usize,
    ) -> Option<String> {
        let mut printed = None;
        for inner in inner {
            printed = match inner {
                InnerCommand::Words(words, origin) => {
                    let origin =
                        if command.origin == CommandOrigin::Guessed { command.origin } else { origin };
                    let is_guess = origin == CommandOrigin::Guessed;
                    let length: usize = words.iter().map(|word| word.text.len() + 8).sum();
                    if self.depth >= MAX_DEPTH || !self.found.affords(length) {
                        self.unread = Some(Unread::TooDeep);
                        return None;
                    }
                    self.depth += 1;
                    let inner =
                        ResolvedCommand { words: &words, origin, input: input.cloned(), ..command.clone() };
                    let printed = if is_guess { self.guess(&inner) } else { self.run(&inner) };
                    self.depth -= 1;
                    printed
                }
                InnerCommand::Script(script) => {
                    let replaces = script.replaces && self.is_local(command);
                    if replaces {
                        let same = |one: &&mut RunCommand| one.simple == command.simple;
                        self.commands[..=recorded]
                            .iter_mut()
                            .rev()
                            .take_while(same)
                            .for_each(|one| one.is_shell = true);
                    }
                    let origin = self.origin;
                    if !replaces && origin == CommandOrigin::Line || command.origin == CommandOrigin::Guessed
                    {
                        self.origin = if command.origin == CommandOrigin::Guessed {
                            command.origin
                        } else {
                            CommandOrigin::Wrapped
                        };
                    }
                    let printed = self.run_script(&script, input.cloned());
                    self.origin = origin;
                    printed
                }
            };
        }
        // What an unknown program does beside what it may run is not known.
        printed
    }

    /// Records `cat FILE > COPY` as `cp FILE COPY`, too.
    fn record_copy(&mut self, name: &str, command: &ResolvedCommand<'_>) {
        let [to] = command.node.redirected.outputs.as_slice() else { return };
        let from = &command.words[1..];
        if name != "cat" || from.is_empty() || from.iter().any(|word| word.text.starts_with('-')) {
            return;
        }
        let Some(printing) = self.commands.last().cloned() else { return };
        let words = std::iter::once(ShellWord::known("cp")).chain(from.iter().cloned());
        let words = words.chain([to.file.clone()]).collect();
        self.commands.push(RunCommand { words, origin: CommandOrigin::Wrapped, ..printing });
    }

    /// Records `grep x < FILE` as `grep x FILE`, too: it is the same, whoever opens the file.
    fn record_read(&mut self, name: &str, command: &ResolvedCommand<'_>) {
        let mut read = command.node.redirected.files.iter().filter(|one| !one.is_written);
        let (Some(file), None) = (read.next(), read.next()) else { return };
        let reads = LOOKING.contains(&name) || READING.contains(&name);
        let Some(reading) = self.commands.last().filter(|_| reads).cloned() else { return };
        let words = reading.words.iter().cloned().chain([file.file.clone()]).collect();
        self.commands.push(RunCommand { words, origin: CommandOrigin::Wrapped, ..reading });
    }

    /// Returns whether a shell is the command itself, or only something on this machine is around it: `docker exec x sh`
    /// runs elsewhere.
    fn is_local(&self, command: &ResolvedCommand<'_>) -> bool {
        let outermost = self.commands.iter().rev().take_while(|one| one.simple == command.simple).last();
        let first = outermost.and_then(|one| one.words.first());
        command.origin == self.origin
            || first.is_some_and(|word| {
                let name = base_name(&word.text);
                LOCAL_WRAPPERS.iter().any(|(wrapper, _)| *wrapper == name)
            })
    }

    /// Records a command that may be only words; what it would do counts for nothing.
    fn guess(&mut self, command: &ResolvedCommand<'_>) -> Option<String> {
        let directory = Rc::clone(&self.directory);
        let (writes, patched) = (self.found.writes.len(), self.found.patched.len());
        let input = self.input.take();
        self.run(command);
        self.input = input;
        self.found.writes.truncate(writes);
        self.found.patched.truncate(patched);
        self.directory = directory;
        None
    }

    fn run_script(&mut self, script: &InnerScript, input: Option<String>) -> Option<String> {
        let before = (!script.arguments.is_empty())
            .then(|| self.variables.arguments.replace(script.arguments.clone().into()));
        let input = input.filter(|_| !script.is_input);
        let printed = self.script(&script.text, script.dialect, input);
        if let Some(before) = before {
            self.variables.arguments = before;
        }
        printed
    }

    /// Records the files that a simple command writes, and returns what it prints.
    fn execute(
        &mut self,
        name: &str,
        command: &ResolvedCommand<'_>,
        input: Option<String>,
    ) -> Option<String> {
        let arguments = &command.words[1..];
        match name {
            "echo" => Some(output::echo(arguments)),
            "printf" => self.printf(arguments),
            ":" | "true" => Some(String::new()),
            "cat" => input.filter(|_| arguments.iter().all(|word| matches!(&*word.text, "-" | "/dev/stdin"))),
            "base64" | "gbase64"
                if arguments.iter().any(|word| matches!(&*word.text, "-d" | "-D" | "--decode")) =>
            {
                String::from_utf8(literals::decode_base64(&input?)?).ok()
            }
            "awk" | "gawk" | "mawk" => output::awk(arguments),
            "cd" | "pushd" | "popd" => {
                // A part of a pipeline is a subshell, so it does not change the folder of the others.
                if !self.is_apart {
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
            "git" | "patch" if input.is_some() && (name == "patch" || applies(arguments)) => {
                input.iter().for_each(|text| self.found.patch(&self.directory, text));
                None
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
            "export" | "readonly" | "local" | "declare" | "typeset" => {
                self.variables.assign(arguments);
                Some(String::new())
            }
            "alias" => {
                for word in arguments {
                    if let Some((name, text)) = word.text.split_once('=').filter(|_| self.aliases.len() < 64)
                    {
                        self.aliases.insert(name.to_owned(), text.to_owned());
                    }
                }
                Some(String::new())
            }
            _ => None,
        }
    }

    /// Returns what `printf` prints; with `-v NAME` it becomes the value of a variable instead.
    fn printf(&mut self, arguments: &[ShellWord]) -> Option<String> {
        let [option, name, rest @ ..] = arguments else { return output::printf(arguments) };
        if option.text != "-v" {
            return output::printf(arguments);
        }
        match output::printf(rest).filter(|_| rest.iter().all(|word| word.is_known)) {
            Some(value) => self.variables.set(&name.text, &value),
            None => self.variables.forget(&name.text),
        }
        Some(String::new())
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
            ("cd" | "pushd", Some(target)) if target.text != "-" && has_known_kind(target) => {
                join(&self.directory, &target.text)
            }
            // Back, or to an unknown folder; the folder at the start is the best guess.
            _ => None,
        };
        self.directory = Rc::from(directory.unwrap_or_default());
    }
}

/// Returns whether git changes files as a diff says, which it reads from its standard input.
fn applies(arguments: &[ShellWord]) -> bool {
    let only_looks =
        arguments.iter().any(|word| matches!(&*word.text, "--check" | "--stat" | "--numstat" | "--summary"));
    let mut subcommands = arguments.iter().filter(|word| !word.text.starts_with('-'));
    !only_looks && subcommands.next().is_some_and(|word| matches!(&*word.text, "apply" | "am"))
}

/// Returns whether a folder is known, or at least known to be a temporary one.
fn has_known_kind(folder: &ShellWord) -> bool {
    folder.is_known || TEMPORARY.iter().any(|beginning| folder.text.starts_with(beginning))
}

/// Returns whether a program runs the text that it is given, or keeps it to itself as `export` does, so that a
/// substitution before it is like a pipe to it.
fn runs_text(name: &str) -> bool {
    POSIX_SHELLS.contains(&name)
        || matches!(name, "eval" | "source" | "." | "export" | "sudo" | "doas" | "env" | "exec" | "command")
}

/// Returns whether a program reads its standard input, and so takes that of the group it is in.
fn reads_input(name: &str) -> bool {
    POSIX_SHELLS.contains(&name)
        || matches!(
            name,
            "apply_patch"
                | "applypatch"
                | "cat"
                | "cp"
                | "dd"
                | "install"
                | "sponge"
                | "tee"
                | "xargs"
                | "parallel"
                | "at"
                | "batch"
                | "base64"
                | "pwsh"
                | "powershell"
                | "source"
                | "."
        )
}

/// Returns the files that a command copies its standard input to.
fn destinations(name: &str, arguments: &[ShellWord]) -> Vec<ShellWord> {
    let operands: Vec<&ShellWord> = arguments.iter().filter(|word| !word.text.starts_with('-')).collect();
    match (name, &operands[..]) {
        ("tee" | "sponge", files) => files.iter().copied().cloned().collect(),
        ("cp" | "install", [.., from, to]) if from.text == "/dev/stdin" => vec![(*to).clone()],
        ("dd", operands) => {
            let file = |word: &&ShellWord| {
                Some(ShellWord { text: word.text.strip_prefix("of=")?.to_owned(), ..(**word).clone() })
            };
            operands.iter().filter_map(file).collect()
        }
        _ => Vec::new(),
    }
}
