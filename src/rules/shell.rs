//! Finds the files that a Bash command writes, so that rules on file contents hold for them too.
//!
//! The command is read and never run: expansions stay as they are written, every branch counts, and the body
//! of a loop counts once. What other programs do to files on their own is known of a few, such as `sed -i`.
//! Neither are paths cleaned; that is left to the caller, who knows the folder.

use std::mem;
use std::rc::Rc;

use found::Found;
use lexer::{Separator, Token, Word};
use variables::Variables;

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
    /// As it is written, behind the folders that the command has changed to before.
    pub(crate) path: String,
    /// The text that goes into the file, whether it replaces the file or is added to it; absent where only
    /// running the command would tell.
    pub(crate) content: Option<String>,
}

/// Returns the files that a Bash command writes, with their contents where the command spells them out.
pub(crate) fn changes(command: &str) -> Found {
    let mut found = Found::new(command.len());
    Shell::new(&mut found, Rc::from(""), 0).run(command);
    found
}

/// How deep scripts inside of scripts are read.
const DEEPEST: usize = 3;

/// One shell at work.
struct Shell<'a> {
    found: &'a mut Found,
    depth: usize,
    /// Where the command's `cd`s have led from the folder it started in, which is empty.
    directory: Rc<str>,
    /// The groups that are open around the current command.
    groups: Vec<Group>,
    command: Command,
    variables: Variables,
    /// What the first command to read the script's or the group's standard input will find there.
    input: Option<String>,
    /// What the groups have printed so far, each from its own start on.
    output: String,
    /// Whether that is all that the innermost group has printed.
    is_known: bool,
    /// How many `case`s are open in the innermost group, where `)` ends a pattern.
    cases: usize,
    /// Between `[[` and `]]`, where `<` and `>` compare.
    in_test: bool,
}

struct Group {
    kind: GroupKind,
    /// The folder that it was opened in, which is where its redirections lead.
    directory: Rc<str>,
    output_start: usize,
    /// What holds for the group around.
    is_known: bool,
    cases: usize,
}

#[derive(PartialEq)]
enum GroupKind {
    /// `(…)`, which comes back to the folder that it was opened in.
    Subshell,
    /// `{…}`
    Braces,
}

/// The command that is being gathered.
#[derive(Default)]
struct Command {
    words: Vec<Word>,
    /// Set where this is a group that has just closed, rather than words.
    closed: Option<Closed>,
    outputs: Vec<Word>,
    /// What was redirected to its standard input.
    input: Option<Option<String>>,
    /// What the command before the pipe prints, where there is a pipe.
    piped: Option<Option<String>>,
}

struct Closed {
    directory: Rc<str>,
    output_start: usize,
    is_known: bool,
}

impl<'a> Shell<'a> {
    fn new(found: &'a mut Found, directory: Rc<str>, depth: usize) -> Shell<'a> {
        Shell {
            found,
            depth,
            directory,
            groups: Vec::new(),
            command: Command::default(),
            variables: Variables::default(),
            input: None,
            output: String::new(),
            is_known: true,
            cases: 0,
            in_test: false,
        }
    }

    /// Reads a script, and returns what it prints.
    fn run(mut self, script: &str) -> Option<String> {
        for token in lexer::tokens(script) {
            match token {
                Token::Word(word) if self.in_test => self.in_test = word.text != "]]",
                _ if self.in_test => {}
                Token::Word(word) => self.word(word),
                Token::Output(file) => self.command.outputs.push(file),
                Token::Input(text) => self.command.input = Some(text),
                Token::Script(script) => drop(self.run_inner(script, None)),
                Token::Separator(separator) => self.finish(separator),
                Token::Open => self.open(GroupKind::Subshell),
                Token::Close if self.cases > 0 => self.finish(Separator::List),
                Token::Close => self.close(),
            }
        }
        self.finish(Separator::List);
        self.is_known.then_some(self.output)
    }

    fn run_inner(&mut self, script: &str, input: Option<String>) -> Option<String> {
        if self.depth == DEEPEST || !self.found.affords(script.len()) {
            return None;
        }
        let mut inner = Shell::new(self.found, Rc::clone(&self.directory), self.depth + 1);
        inner.input = input;
        inner.run(script)
    }

    fn word(&mut self, word: Word) {
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
        self.groups.push(Group {
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
        self.command = Command { closed: Some(closed), ..Command::default() };
    }

    /// Returns what stands for a compound command that was not followed.
    fn closed_unknown(&self) -> Closed {
        let directory = Rc::clone(&self.directory);
        Closed { directory, output_start: self.output.len(), is_known: false }
    }

    /// Ends the command that was being gathered, and sends what it prints on its way.
    fn finish(&mut self, separator: Separator) {
        // Between a pipe and the command that it feeds, there may be newlines.
        if self.command.is_empty() {
            return;
        }
        let command = mem::take(&mut self.command);
        let is_in_pipeline = command.piped.is_some() || separator != Separator::List;
        let stays = command.outputs.is_empty() && separator != Separator::Pipe;
        let mut directory = Rc::clone(&self.directory);
        let text = match command.closed {
            // What a group has printed belongs to the group around it without moving, however deep they nest.
            Some(closed) if stays => {
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
            self.found.write(&directory, &self.variables.fill_in(output), text.as_deref());
        }
        if separator == Separator::Pipe {
            // After a redirection, only errors may go through the pipe.
            self.command.piped = Some(text.filter(|_| command.outputs.is_empty()));
        } else if stays {
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

impl Command {
    fn is_empty(&self) -> bool {
        self.words.is_empty() && self.closed.is_none() && self.outputs.is_empty() && self.input.is_none()
    }
}

#[cfg(test)]
mod tests;
