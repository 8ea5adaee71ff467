//! Finds the files that a Bash command writes, so that rules on file contents apply to them too.
//!
//! The command is parsed and never run: expansions stay as written, every branch counts, and the body of a loop counts
//! once. Only a few programs that change files themselves are known, such as `sed -i`. Paths are not normalized; the
//! caller does that, since it knows the folder.

use std::mem;
use std::rc::Rc;

use found::ShellChanges;
use lexer::{Separator, ShellOutput, ShellToken, ShellWord};
use variables::ShellVariables;

mod cursor;
mod document;
mod escape;
mod execute;
mod files;
mod found;
mod lexer;
mod nest;
mod output;
mod variables;

/// One file that a shell command would write.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ShellWrite {
    /// As written, relative to the folder in which the whole command starts.
    pub(crate) path: String,
    /// The text that is written, whether it replaces the file or is appended; `None` if only running the command would
    /// show it.
    pub(crate) content: Option<String>,
    /// The text is added at the end of the file.
    pub(crate) appends: bool,
}

/// Returns the files that a Bash command writes, with their contents if the command contains them literally.
pub(crate) fn changes(command: &str) -> ShellChanges {
    let mut found = ShellChanges::new(command.len());
    ShellReader::new(&mut found, Rc::from(""), 0).run(command);
    found
}

/// How deep scripts inside scripts are followed.
const MAX_DEPTH: usize = 3;

/// The state of one shell while its script is followed.
struct ShellReader<'a> {
    found: &'a mut ShellChanges,
    depth: usize,
    /// The current folder relative to the one that the command started in; empty at the start.
    directory: Rc<str>,
    /// The groups that are open around the current command.
    groups: Vec<ShellGroup>,
    command: ShellCommand,
    variables: ShellVariables,
    /// The standard input of the script or group, for the first command that reads it.
    input: Option<String>,
    /// What the open groups have printed so far; each group's part begins at its `output_start`.
    output: String,
    /// Whether that is the whole output of the innermost group.
    is_known: bool,
    /// The number of open `case`s in the innermost group, in which `)` ends a pattern.
    cases: usize,
    /// Between `[[` and `]]`, where `<` and `>` are comparisons.
    in_test: bool,
}

struct ShellGroup {
    kind: GroupKind,
    /// The folder that it was opened in; its redirections are relative to it.
    directory: Rc<str>,
    output_start: usize,
    /// The values of the surrounding group.
    is_known: bool,
    cases: usize,
}

#[derive(PartialEq)]
enum GroupKind {
    /// `(…)`, which restores the folder that it was opened in.
    Subshell,
    /// `{…}`
    Braces,
}

/// The command whose words are being collected.
#[derive(Default)]
struct ShellCommand {
    words: Vec<ShellWord>,
    /// Set if this is a group that has just closed, rather than words.
    closed: Option<Closed>,
    outputs: Vec<ShellOutput>,
    /// The redirected standard input; the inner `None` means unknown text.
    input: Option<Option<String>>,
    /// The output of the command before the pipe, if there is a pipe.
    piped: Option<Option<String>>,
}

struct Closed {
    directory: Rc<str>,
    output_start: usize,
    is_known: bool,
}

impl<'a> ShellReader<'a> {
    fn new(found: &'a mut ShellChanges, directory: Rc<str>, depth: usize) -> ShellReader<'a> {
        ShellReader {
            found,
            depth,
            directory,
            groups: Vec::new(),
            command: ShellCommand::default(),
            variables: ShellVariables::default(),
            input: None,
            output: String::new(),
            is_known: true,
            cases: 0,
            in_test: false,
        }
    }

    /// Follows a script, and returns what it prints.
    fn run(mut self, script: &str) -> Option<String> {
        for token in lexer::tokens(script) {
            match token {
                ShellToken::Word(word) if self.in_test => self.in_test = word.text != "]]",
                _ if self.in_test => {}
                ShellToken::Word(word) => self.word(word),
                ShellToken::Output(file) => self.command.outputs.push(file),
                ShellToken::Input(text) => self.command.input = Some(text),
                ShellToken::Script(script) => drop(self.run_inner(script, None)),
                ShellToken::Separator(separator) => self.finish(separator),
                ShellToken::Open => self.open(GroupKind::Subshell),
                ShellToken::Close if self.cases > 0 => self.finish(Separator::List),
                ShellToken::Close => self.close(),
            }
        }
        self.finish(Separator::List);
        self.is_known.then_some(self.output)
    }

    fn run_inner(&mut self, script: &str, input: Option<String>) -> Option<String> {
        if self.depth == MAX_DEPTH || !self.found.affords(script.len()) {
            return None;
        }
        let mut inner = ShellReader::new(self.found, Rc::clone(&self.directory), self.depth + 1);
        inner.input = input;
        inner.run(script)
    }

    fn word(&mut self, word: ShellWord) {
        if self.command.closed.is_some() {
            self.finish(Separator::List);
        }
        let words = &mut self.command.words;
        if let [keyword, _] = &words[..]
            && keyword.text == "function"
            && word.text == "{"
        {
            words.clear();
        }
        if !words.is_empty() || !word.is_bare {
            words.push(word);
            return;
        }
        match word.text.as_str() {
            "{" => self.open(GroupKind::Braces),
            "}" => self.close(),
            "if" | "then" | "elif" | "else" | "while" | "until" | "do" | "!" => {}
            "fi" | "done" | "esac" => {
                self.cases = self.cases.saturating_sub(usize::from(word.text == "esac"));
                self.command.closed = Some(self.closed_unknown());
            }
            text => {
                self.in_test = text == "[[";
                self.cases += usize::from(text == "case");
                self.command.words.push(word);
            }
        }
    }

    fn open(&mut self, kind: GroupKind) {
        // Words before a parenthesis name a function.
        if !self.command.words.is_empty() || self.command.closed.is_some() {
            self.finish(Separator::List);
        }
        self.input = self.command.piped.take().unwrap_or_else(|| self.input.take());
        self.groups.push(ShellGroup {
            kind,
            directory: Rc::clone(&self.directory),
            output_start: self.output.len(),
            is_known: mem::replace(&mut self.is_known, true),
            cases: mem::take(&mut self.cases),
        });
    }

    fn close(&mut self) {
        self.finish(Separator::List);
        self.input = None;
        let closed = match self.groups.pop() {
            Some(group) => {
                if group.kind == GroupKind::Subshell {
                    self.directory = Rc::clone(&group.directory);
                }
                self.cases = group.cases;
                let is_known = mem::replace(&mut self.is_known, group.is_known);
                Closed { directory: group.directory, output_start: group.output_start, is_known }
            }
            None => self.closed_unknown(),
        };
        self.command = ShellCommand { closed: Some(closed), ..ShellCommand::default() };
    }

    /// Returns the result of a compound command that was not followed.
    fn closed_unknown(&self) -> Closed {
        let directory = Rc::clone(&self.directory);
        Closed { directory, output_start: self.output.len(), is_known: false }
    }

    /// Ends the current command, and passes its output on.
    fn finish(&mut self, separator: Separator) {
        // There may be newlines between a pipe and the next command.
        if self.command.is_empty() {
            return;
        }
        let command = mem::take(&mut self.command);
        let is_in_pipeline = command.piped.is_some() || separator != Separator::List;
        let prints_here = command.outputs.is_empty() && separator != Separator::Pipe;
        let mut directory = Rc::clone(&self.directory);
        let text = match command.closed {
            // The output of a group becomes part of the surrounding group's without copying, at any depth.
            Some(closed) if prints_here => {
                self.is_known &= closed.is_known;
                return;
            }
            Some(closed) => {
                directory = closed.directory;
                let text = self.output.split_off(closed.output_start);
                closed.is_known.then_some(text)
            }
            None => {
                let input = command.input.or(command.piped).flatten();
                self.execute(&command.words, input, is_in_pipeline)
            }
        };
        for output in &command.outputs {
            let file = self.variables.fill_in(&output.file);
            self.found.write(&directory, &ShellOutput { file, appends: output.appends }, text.as_deref());
        }
        if separator == Separator::Pipe {
            // After a redirection, only errors may go through the pipe.
            self.command.piped = Some(text.filter(|_| command.outputs.is_empty()));
        } else if prints_here {
            self.print(text);
        }
    }

    fn print(&mut self, text: Option<String>) {
        match text {
            Some(text) if self.found.affords(text.len()) => self.output.push_str(&text),
            _ => self.is_known = false,
        }
    }
}

impl ShellCommand {
    fn is_empty(&self) -> bool {
        self.words.is_empty() && self.closed.is_none() && self.outputs.is_empty() && self.input.is_none()
    }
}

#[cfg(test)]
mod tests;
