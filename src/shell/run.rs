//! Follows a command line as a shell would run it, without running anything: which simple commands there are, behind
//! what wraps them, with which words and in which folder; which files they write, and with which text.
//!
//! Every branch counts. What only running the command would show is unknown, and stays as written. Paths are not
//! normalized; the caller does that, since it knows the folder.

use std::collections::HashMap;
use std::rc::Rc;

use super::parse::{self, MAX_DEPTH, ParsedScript};
use super::tree::{
    Connector, Redirection, RedirectionKind, ShellNode, ShellNodeKind, ShellStep, ShellTree, TreeWord, Unread,
};
use super::{cmd, powershell};
use found::FoundWrites;
pub(crate) use found::ShellWrite;
pub(super) use found::join;
pub(super) use inner::{base_name, runs_its_words};
use resolve::ShellVariables;
pub(crate) use resolve::ShellWord;

mod downloads;
mod execute;
mod files;
mod found;
mod inner;
mod literals;
mod output;
mod resolve;
mod scripts;

/// The language of a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Dialect {
    /// Bash, Zsh, other shells of this kind, and what fish has in common with them.
    #[default]
    Posix,
    PowerShell,
    /// The command interpreter of Windows.
    Cmd,
}

/// What a command line runs and writes.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ShellRun {
    pub(crate) commands: Vec<RunCommand>,
    pub(crate) writes: Vec<ShellWrite>,
    /// The changes from `apply_patch`, one for each file.
    pub(crate) patched: Vec<crate::model::ToolAction>,
    /// Why the text could not be read as a whole; then `raw` has its words.
    pub(crate) unread: Option<Unread>,
    /// The words between separators, as far as they can be told, of a text that could not be read.
    pub(crate) raw: Vec<Vec<String>>,
}

/// A simple command.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct RunCommand {
    /// Its words without quotation marks, and without assignments before it and redirections.
    pub(crate) words: Vec<ShellWord>,
    /// As it is written; of a long command only the beginning.
    pub(crate) written: String,
    pub(crate) dialect: Dialect,
    /// The number of the simple command; a command behind a wrapper has the same one.
    pub(crate) simple: usize,
    /// How it is found in the line.
    pub(crate) origin: CommandOrigin,
    /// It is a shell whose script is part of the line, so that the script's commands follow.
    pub(crate) is_shell: bool,
    /// What connects it with the command before it.
    pub(crate) joint: Connector,
    /// The pipelines it is in, outermost first, each with its place there.
    pub(crate) stages: Vec<(usize, usize)>,
    /// The folder it runs in, relative to the one that the line starts in; empty at the start.
    pub(crate) folder: String,
    /// The files that it reads from and writes to by redirections.
    pub(crate) redirected: Vec<RedirectedFile>,
    /// Its standard input, if the line has it literally.
    pub(crate) input: Option<String>,
}

/// A file that a redirection names.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RedirectedFile {
    pub(crate) file: ShellWord,
    pub(crate) is_written: bool,
}

/// How a command is found in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum CommandOrigin {
    /// It is a command of the line itself, or of a script in it.
    #[default]
    Line,
    /// It is inside a substitution, such as `$(…)`.
    Substitution,
    /// It is behind a program that runs it, such as `sudo`; that program is a command of its own.
    Wrapped,
    /// It is behind a program of which nothing is known, and may be only words.
    Guessed,
}

/// A text longer than this is not read, apart from its here-documents.
const MAX_TEXT: usize = 64 << 10;

/// What is behind this is not read at all: Linux gives a program no argument of more than 128 KB, so that hardly any agent
/// can run such a line.
const MAX_READ: usize = 256 << 10;

/// Maximum number of commands; a generated script with more is not one command line.
const MAX_COMMANDS: usize = 2_000;

/// Maximum number of words of a loop that are tried.
const MAX_ROUNDS: usize = 16;

/// Reads a command line.
pub(crate) fn follow(text: &str, dialect: Dialect) -> ShellRun {
    let read = &text[..text.floor_char_boundary(MAX_READ)];
    let mut follower = Follower::new(read.len());
    let parsed = parsed(read, dialect, 0);
    (follower.unread, follower.dialect) = (parsed.unread, dialect);
    follower.list(&parsed.tree, None);
    if read.len() < text.len() || read.len().saturating_sub(parsed.document_bytes) > MAX_TEXT {
        follower.unread = Some(Unread::TooLong);
    }
    downloads::join_downloads(&mut follower.commands);
    let raw = if follower.unread.is_some() { raw_words(text) } else { Vec::new() };
    ShellRun {
        commands: follower.commands,
        writes: follower.found.writes,
        patched: follower.found.patched,
        unread: follower.unread,
        raw,
    }
}

fn parsed(text: &str, dialect: Dialect, depth: usize) -> ParsedScript {
    match dialect {
        Dialect::Posix => parse::parse(text, depth),
        Dialect::PowerShell => powershell::parse_powershell(text, depth),
        Dialect::Cmd => cmd::parse_cmd(text, depth),
    }
}

/// Maximum number of words that are taken from the beginning of a text that could not be read, and from its end.
const MAX_RAW_WORDS: usize = 20_000;

/// Splits the beginning and the end of a text at blanks and separators, without regard to quotes. Of what is repeated, the first and the last count,
/// since one of them is before and one behind everything else; of a text with too many words, the middle is left out.
fn raw_words(text: &str) -> Vec<Vec<String>> {
    let separates = |letter: char| matches!(letter, ';' | '|' | '&' | '\n' | '(' | ')' | '`');
    let (start, rest) = text.split_at(text.floor_char_boundary(MAX_READ));
    let end = &rest[rest.ceil_char_boundary(rest.len().saturating_sub(MAX_READ))..];
    let parts = || {
        let both = start.split(separates).chain(end.split(separates));
        both.map(str::trim).enumerate().filter(|(_, part)| !part.is_empty())
    };
    let mut places: HashMap<&str, (usize, usize)> = HashMap::new();
    for (at, part) in parts() {
        places.entry(part).and_modify(|(_, last)| *last = at).or_insert((at, at));
    }
    let counts =
        |at: usize, part: &str| places.get(part).is_some_and(|(first, last)| at == *first || at == *last);
    let parts: Vec<&str> = parts().filter(|(at, part)| counts(*at, part)).map(|(_, part)| part).collect();
    let mut words = first_words(parts.iter());
    let behind = parts.get(words.len()..).unwrap_or_default();
    words.extend(first_words(behind.iter().rev()).into_iter().rev());
    words
}

/// Returns the words of the first parts, one list for each, until there are too many.
fn first_words<'p>(parts: impl Iterator<Item = &'p &'p str>) -> Vec<Vec<String>> {
    let mut left = MAX_RAW_WORDS;
    let words = parts.map_while(|part| {
        let words = part.split_whitespace().map(|word| word.replace(['\'', '"'], ""));
        let words: Vec<String> = words.filter(|word| !word.is_empty()).take(left).collect();
        let is_over = left == 0;
        left -= words.len();
        (!is_over).then_some(words)
    });
    words.collect()
}

/// The state of one shell while its script is followed.
struct Follower {
    commands: Vec<RunCommand>,
    found: FoundWrites,
    unread: Option<Unread>,
    depth: usize,
    /// The current folder relative to the one that the command started in; empty at the start.
    directory: Rc<str>,
    variables: ShellVariables,
    functions: HashMap<String, Rc<ShellNode>>,
    aliases: HashMap<String, String>,
    stages: Vec<(usize, usize)>,
    pipelines: usize,
    simple_commands: usize,
    joint: Connector,
    origin: CommandOrigin,
    /// The standard input of the script or group, for the first command that reads it.
    input: Option<String>,
    dialect: Dialect,
    /// The command is part of a pipeline or runs in the background, so it does not change the shell itself.
    is_apart: bool,
    /// The scripts that are being followed, of those that the line writes itself.
    running: Vec<String>,
}

impl Follower {
    fn new(length: usize) -> Follower {
        Follower {
            commands: Vec::new(),
            found: FoundWrites::new(length),
            unread: None,
            depth: 0,
            directory: Rc::from(""),
            variables: ShellVariables::default(),
            functions: HashMap::new(),
            aliases: HashMap::new(),
            stages: Vec::new(),
            pipelines: 0,
            simple_commands: 0,
            joint: Connector::Then,
            origin: CommandOrigin::Line,
            input: None,
            dialect: Dialect::Posix,
            is_apart: false,
            running: Vec::new(),
        }
    }

    /// Follows a list, and returns what it prints.
    fn list(&mut self, tree: &ShellTree, input: Option<String>) -> Option<String> {
        let before = std::mem::replace(&mut self.input, input);
        let mut printed = Some(String::new());
        for (index, step) in tree.steps.iter().enumerate() {
            if index > 0 || step.joint != Connector::Then {
                self.joint = step.joint;
            }
            let text = self.step(step);
            printed = match (printed, text) {
                (Some(mut all), Some(text)) if self.found.affords(text.len()) => {
                    all.push_str(&text);
                    Some(all)
                }
                _ => None,
            };
            self.joint = Connector::Then;
        }
        self.input = before;
        printed
    }

    fn step(&mut self, step: &ShellStep) -> Option<String> {
        let is_pipeline = step.commands.len() > 1;
        let was_apart = self.is_apart;
        self.is_apart |= is_pipeline || step.is_background;
        let pipeline = self.pipelines;
        self.pipelines += usize::from(is_pipeline);
        let mut piped: Option<Option<String>> = None;
        for (stage, node) in step.commands.iter().enumerate() {
            if is_pipeline {
                self.stages.push((pipeline, stage));
            }
            if stage > 0 {
                self.joint = Connector::Pipe;
            }
            let is_last = stage + 1 == step.commands.len();
            let printed = self.node(node, piped.take(), !is_last);
            piped = Some(printed);
            if is_pipeline {
                self.stages.pop();
            }
        }
        self.is_apart = was_apart;
        piped.flatten()
    }

    /// Follows a command whose standard input is `piped`, if there is a pipe; returns what goes on from it.
    fn node(&mut self, node: &ShellNode, piped: Option<Option<String>>, is_piped_on: bool) -> Option<String> {
        let directory = Rc::clone(&self.directory);
        let first = self.commands.len();
        let redirected = self.redirected(&node.redirections);
        let has_input = redirected.input.is_some() || piped.is_some();
        let input = redirected.input.clone().or(piped).flatten();
        let text = match &node.kind {
            ShellNodeKind::Simple { assignments, words } => {
                let (written, redirected) = (&node.written, &redirected);
                self.simple(&SimpleNode { assignments, words, written, redirected, first }, input)
            }
            ShellNodeKind::Group { body, is_subshell } => {
                let input = if has_input { input } else { self.input.take() };
                self.apart(*is_subshell, |shell| shell.list(body, input))
            }
            ShellNodeKind::Branches { words, lists } => {
                self.resolve_all(words);
                let mut input = if has_input { input } else { self.input.take() };
                self.apart(false, |shell| {
                    for list in lists {
                        shell.list(list, input.take());
                    }
                });
                None
            }
            ShellNodeKind::Loop { variable, words, body } => {
                self.apart(false, |shell| shell.for_loop(variable, words, body));
                None
            }
            ShellNodeKind::Function { name, body } => {
                self.functions.insert(name.clone(), Rc::new((**body).clone()));
                self.node(body, None, false);
                Some(String::new())
            }
            ShellNodeKind::Test { words } => {
                self.resolve_all(words);
                Some(String::new())
            }
        };
        let is_compound = !matches!(node.kind, ShellNodeKind::Simple { .. });
        let folder = if is_compound { directory } else { Rc::clone(&self.directory) };
        for output in &redirected.outputs {
            self.found.write(&folder, output, text.as_deref());
        }
        if redirected.outputs.is_empty() {
            text
        } else {
            // After a redirection, only errors may go through the pipe.
            Some(String::new()).filter(|_| !is_piped_on)
        }
    }

    /// Follows a part that does not change the shell itself if it is a subshell, as every part of a pipeline is.
    fn apart<T>(&mut self, is_subshell: bool, part: impl FnOnce(&mut Self) -> T) -> T {
        if !is_subshell && !self.is_apart {
            return part(self);
        }
        let was_apart = std::mem::replace(&mut self.is_apart, false);
        let directory = Rc::clone(&self.directory);
        let variables = self.variables.clone();
        let result = part(self);
        self.directory = directory;
        self.variables = variables;
        self.is_apart = was_apart;
        result
    }

    fn for_loop(&mut self, variable: &str, words: &[TreeWord], body: &ShellTree) {
        let values = self.resolve_all(words);
        // A glob stands for the files that it matches.
        let is_glob = |word: &ShellWord| word.text.contains(['*', '?']) && !word.text.contains(['$', '`']);
        let known: Vec<&ShellWord> = values.iter().filter(|word| word.is_known || is_glob(word)).collect();
        if values.is_empty() || known.len() < values.len() || !self.found.affords(64 * known.len()) {
            self.variables.forget(variable);
            self.list(body, None);
        }
        for word in known.into_iter().take(MAX_ROUNDS) {
            self.variables.set(variable, &word.text);
            self.list(body, None);
        }
        self.variables.forget(variable);
    }

    /// Follows a script inside this one; `None` if it nests too deep or there is too much of it.
    fn script(&mut self, text: &str, dialect: Dialect, input: Option<String>) -> Option<String> {
        if self.depth >= MAX_DEPTH || !self.found.affords(text.len()) {
            self.unread = Some(Unread::TooDeep);
            return None;
        }
        self.depth += 1;
        let joint = self.joint;
        let directory = Rc::clone(&self.directory);
        let outer = std::mem::replace(&mut self.dialect, dialect);
        let parsed = parsed(text, dialect, self.depth);
        if let Some(unread) = parsed.unread {
            self.unread.get_or_insert(unread);
        }
        self.joint = joint;
        let printed = self.list(&parsed.tree, input);
        self.dialect = outer;
        self.directory = directory;
        self.depth -= 1;
        printed
    }

    /// Follows a script in a substitution.
    fn substitution(&mut self, tree: &ShellTree) -> Option<String> {
        let (origin, joint) = (self.origin, self.joint);
        self.origin = CommandOrigin::Substitution;
        self.joint = Connector::Then;
        let printed = self.apart(true, |shell| shell.list(tree, None));
        (self.origin, self.joint) = (origin, joint);
        printed
    }

    fn redirected(&mut self, redirections: &[Redirection]) -> Redirected {
        let mut redirected = Redirected::default();
        for one in redirections {
            self.redirect(one, &mut redirected);
        }
        redirected
    }

    fn redirect(&mut self, one: &Redirection, redirected: &mut Redirected) {
        let is_input = matches!(one.descriptor, None | Some(0));
        let is_output = matches!(one.descriptor, None | Some(1));
        if one.kind == RedirectionKind::Document {
            let word = one.document.as_ref().and_then(|place| place.get());
            let text = word.map(|word| self.resolve_text(word)).unwrap_or_default();
            if is_input {
                redirected.input = Some(Some(text));
            }
            return;
        }
        if one.kind == RedirectionKind::Text {
            let text = self.resolve_text(&one.target);
            if is_input {
                redirected.input = Some(Some(text + "\n"));
            }
            return;
        }
        let commands = self.commands.len();
        let mut words = self.resolve(&one.target);
        let mut target = words.pop().unwrap_or_default();
        if !words.is_empty() {
            // Several words are an error for Bash, and for Zsh one file, unless braces or globs made them.
            self.commands.truncate(commands);
            target = self.resolve_whole(&one.target);
            target.is_known &= !target.text.contains(['*', '?', '{']);
        }
        let names_descriptor = target.text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        let appends = matches!(one.kind, RedirectionKind::Append | RedirectionKind::AllAppend);
        let is_file = !target.text.is_empty();
        match one.kind {
            RedirectionKind::Input | RedirectionKind::Both | RedirectionKind::CopyInput => {
                if is_input {
                    redirected.input = Some(None);
                }
                if one.kind != RedirectionKind::CopyInput && is_file {
                    let is_written = one.kind == RedirectionKind::Both;
                    redirected.files.push(RedirectedFile { file: target, is_written });
                }
            }
            RedirectionKind::CopyOutput if names_descriptor => {
                // The output goes to a descriptor, whose file is not tracked.
                target.is_known = false;
                if is_output && target.text != "1" {
                    redirected.outputs.push(ShellOutput { file: target, appends: false });
                }
            }
            _ => {
                if is_file {
                    redirected.files.push(RedirectedFile { file: target.clone(), is_written: true });
                }
                if is_output {
                    redirected.outputs.push(ShellOutput { file: target, appends });
                }
            }
        }
    }
}

/// What the redirections of a command say.
#[derive(Debug, Clone, Default)]
struct Redirected {
    /// The standard input, if it is redirected; the inner `None` means unknown text.
    input: Option<Option<String>>,
    outputs: Vec<ShellOutput>,
    files: Vec<RedirectedFile>,
}

/// A file that output is redirected to.
#[derive(Debug, Clone)]
struct ShellOutput {
    file: ShellWord,
    /// Whether the output is added at the end of the file.
    appends: bool,
}

/// A simple command before its words are known.
struct SimpleNode<'t> {
    assignments: &'t [TreeWord],
    words: &'t [TreeWord],
    written: &'t str,
    redirected: &'t Redirected,
    /// The number of commands before those of its substitutions.
    first: usize,
}

#[cfg(test)]
mod tests;
