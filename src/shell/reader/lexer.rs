//! Splits a Bash command line into the tokens that matter for finding written files.
//!
//! It knows words, quotes and redirections; the parent module interprets the tokens.

use super::cursor::{Cursor, ends_word};
use super::document::Document;
use super::escape::unescape;
use super::nest::{self, Nest};

/// Returns the tokens of a command line; unclosed constructs end with the text.
pub(super) fn tokens(source: &str) -> Vec<ShellToken<'_>> {
    let cursor = Cursor { source, at: 0 };
    let mut lexer = Lexer { cursor, tokens: Vec::new(), documents: Vec::new(), subshells_until: 0 };
    while let Some(byte) = lexer.cursor.peek(0)
        && lexer.tokens.len() < MAX_TOKENS
    {
        lexer.token(byte);
    }
    lexer.read_documents();
    lexer.tokens
}

/// No legitimate command has more; the rest of one that does would only waste RAM.
const MAX_TOKENS: usize = 1 << 20;

#[derive(Debug)]
pub(super) enum ShellToken<'a> {
    Word(ShellWord),
    /// Standard output goes to this file.
    Output(ShellOutput),
    /// Standard input is this text, if the command line contains it literally.
    Input(Option<String>),
    /// The script of a command substitution, before the word that contains it.
    Script(&'a str),
    Separator(Separator),
    Open,
    Close,
}

/// A file that output is redirected to.
#[derive(Debug)]
pub(super) struct ShellOutput {
    pub(super) file: ShellWord,
    /// Whether the output is added at the end of the file.
    pub(super) appends: bool,
}

/// A word without its quotes, with its expansions as written.
#[derive(Debug, Clone)]
pub(super) struct ShellWord {
    pub(super) text: String,
    /// It contains no expansion that could change it.
    pub(super) is_known: bool,
    /// Nothing in it is quoted, so it may be a keyword.
    pub(super) is_bare: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Separator {
    Pipe,
    Background,
    /// Any end after which the same shell continues: `;`, `&&`, `||` or a newline.
    List,
}

struct Lexer<'a> {
    cursor: Cursor<'a>,
    tokens: Vec<ShellToken<'a>>,
    /// The here-documents of this line, each with the index of its `Input` token, if it is standard input.
    documents: Vec<(Document, Option<usize>)>,
    /// Up to here, `((` was found to open subshells rather than arithmetic.
    subshells_until: usize,
}

impl<'a> Lexer<'a> {
    fn token(&mut self, byte: u8) {
        match (byte, self.cursor.peek(1)) {
            (b' ' | b'\t' | b'\r', _) | (b'\\', Some(b'\n')) => self.cursor.skip_blanks(),
            (b'#', _) => self.cursor.skip_line(),
            (b'\n', _) => {
                self.operator(1, ShellToken::Separator(Separator::List));
                self.read_documents();
            }
            (b';', _) => self.operator(1, ShellToken::Separator(Separator::List)),
            (b'&', Some(b'&')) | (b'|', Some(b'|')) => {
                self.operator(2, ShellToken::Separator(Separator::List));
            }
            (b'&', Some(b'>')) => {
                self.cursor.advance(1);
                self.redirection("");
            }
            (b'&', _) => self.operator(1, ShellToken::Separator(Separator::Background)),
            (b'|', Some(b'&')) => self.operator(2, ShellToken::Separator(Separator::Pipe)),
            (b'|', _) => self.operator(1, ShellToken::Separator(Separator::Pipe)),
            (b'(', Some(b'(')) if self.cursor.at >= self.subshells_until => self.double_parenthesis(),
            (b'(', _) => self.operator(1, ShellToken::Open),
            (b')', _) => self.operator(1, ShellToken::Close),
            (b'<' | b'>', next) if next != Some(b'(') => self.redirection(""),
            _ => self.descriptor_or_word(),
        }
    }

    fn operator(&mut self, length: usize, token: ShellToken<'a>) {
        self.cursor.advance(length);
        self.tokens.push(token);
    }

    /// Treats `((…))` as one word that is not the name of any command.
    fn double_parenthesis(&mut self) {
        let start = self.cursor.at;
        self.cursor.advance(2);
        nest::skip(&mut self.cursor, Nest::Arithmetic);
        if self.cursor.peek(0) == Some(b')') {
            let text = "((".to_owned();
            self.operator(1, ShellToken::Word(ShellWord { text, is_known: false, is_bare: true }));
            return;
        }
        // These are subshells after all, as Bash would decide too. The guess is not repeated inside them, or deep
        // nesting would be scanned once per level.
        self.subshells_until = self.cursor.at;
        self.cursor.at = start;
        self.operator(1, ShellToken::Open);
    }

    fn descriptor_or_word(&mut self) {
        let digits = self.cursor.until(|byte| !byte.is_ascii_digit());
        if digits > 0 && matches!(self.cursor.peek(digits), Some(b'<' | b'>')) {
            let descriptor = self.cursor.take(digits);
            self.redirection(descriptor);
        } else {
            let word = self.word();
            self.tokens.push(ShellToken::Word(word));
        }
    }

    fn redirection(&mut self, descriptor: &str) {
        const OPERATORS: [&str; 9] = ["<<<", "<<", "<&", "<>", "<", ">>", ">|", ">&", ">"];
        let rest = self.cursor.rest();
        let operator = OPERATORS.into_iter().find(|operator| rest.starts_with(operator)).unwrap_or_default();
        let is_input = matches!(descriptor, "" | "0");
        let is_output = matches!(descriptor, "" | "1");
        self.cursor.advance(operator.len());
        if operator == "<<" {
            let document = Document::open(&mut self.cursor);
            self.documents.push((document, is_input.then_some(self.tokens.len())));
            if is_input {
                self.tokens.push(ShellToken::Input(None));
            }
            return;
        }
        self.cursor.skip_blanks();
        let mut target = self.word();
        match operator {
            "<<<" if is_input => self.tokens.push(ShellToken::Input(Some(target.text + "\n"))),
            "<" | "<&" | "<>" if is_input => self.tokens.push(ShellToken::Input(None)),
            ">&" if target.text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') => {
                // The output goes to a descriptor, whose file is not tracked.
                target.is_known = false;
                if is_output && target.text != "1" {
                    self.tokens.push(ShellToken::Output(ShellOutput { file: target, appends: false }));
                }
            }
            ">" | ">>" | ">|" | ">&" if is_output => {
                let appends = operator == ">>";
                self.tokens.push(ShellToken::Output(ShellOutput { file: target, appends }));
            }
            _ => {}
        }
    }

    fn read_documents(&mut self) {
        for (document, place) in std::mem::take(&mut self.documents) {
            let text = document.read(&mut self.cursor);
            if let Some(token) = place.and_then(|place| self.tokens.get_mut(place)) {
                *token = ShellToken::Input(Some(text));
            }
        }
    }

    fn word(&mut self) -> ShellWord {
        let ends =
            |byte| ends_word(byte) || matches!(byte, b'\'' | b'"' | b'\\' | b'$' | b'`' | b'*' | b'?' | b'{');
        let mut word = ShellWord { text: String::new(), is_known: true, is_bare: true };
        while let Some(byte) = self.cursor.peek(0) {
            word.is_bare &= !matches!(byte, b'\'' | b'"' | b'\\');
            match (byte, self.cursor.peek(1)) {
                (b'"', _) => self.double_quoted(&mut word),
                (b'$' | b'`', _) => self.expansion(&mut word, Nest::Braces),
                (b'\'', _) => {
                    self.cursor.advance(1);
                    word.text.push_str(self.cursor.through(b'\''));
                }
                (b'\\', Some(b'\n')) => self.cursor.advance(2),
                (b'\\', _) => {
                    self.cursor.advance(1);
                    word.text.push_str(self.cursor.run(ends));
                }
                (b'<' | b'>', Some(b'(')) => self.substitution(&mut word),
                // The list of an array, or an extended glob.
                (b'(', _) if word.is_bare && word.text.ends_with(['=', '@', '!', '?', '*', '+']) => {
                    self.nested(&mut word, 1, Nest::Commands);
                }
                _ if ends_word(byte) => break,
                _ => {
                    // A `[` is not a problem: if the glob has no match, as in `app/[id]/page.tsx`, it stays literal.
                    word.is_known &= !matches!(byte, b'*' | b'?' | b'{');
                    word.text.push_str(self.cursor.run(ends));
                }
            }
        }
        word
    }

    fn double_quoted(&mut self, word: &mut ShellWord) {
        let ends = |byte| matches!(byte, b'"' | b'\\' | b'$' | b'`');
        self.cursor.advance(1);
        while let Some(byte) = self.cursor.peek(0) {
            match (byte, self.cursor.peek(1)) {
                (b'"', _) => return self.cursor.advance(1),
                (b'$' | b'`', _) => self.expansion(word, Nest::QuotedBraces),
                (b'\\', Some(b'\n')) => self.cursor.advance(2),
                (b'\\', Some(escaped)) if ends(escaped) => {
                    self.cursor.advance(1);
                    word.text.push_str(self.cursor.run(ends));
                }
                _ => word.text.push_str(self.cursor.run(ends)),
            }
        }
    }

    /// Takes the expansion that a `$` or a backtick starts; `braces` says whether it is in double quotes.
    fn expansion(&mut self, word: &mut ShellWord, braces: Nest) {
        let rest = self.cursor.rest();
        let is_bare = braces == Nest::Braces;
        let starts_path = word.is_known && word.text.is_empty();
        match (self.cursor.peek(0), self.cursor.peek(1)) {
            (Some(b'`'), _) => {
                self.cursor.advance(1);
                let script = self.cursor.through_unescaped(b'`');
                word.is_known = false;
                word.text.extend(["`", script, "`"]);
                self.tokens.push(ShellToken::Script(script));
            }
            (_, Some(b'\'')) if is_bare => {
                word.is_bare = false;
                self.cursor.advance(2);
                word.text.push_str(&unescape(self.cursor.through_unescaped(b'\'')));
            }
            (_, Some(b'"')) if is_bare => self.cursor.advance(1),
            (_, Some(b'(')) if rest.starts_with("$((") => self.nested(word, 2, Nest::Arithmetic),
            (_, Some(b'(')) => self.substitution(word),
            (_, Some(b'{')) => {
                self.nested(word, 2, braces);
                word.is_known = starts_path && (rest.starts_with("${HOME}") || rest.starts_with("${PWD}/"));
            }
            (_, Some(next)) if is_name(next) => {
                let length = rest.bytes().skip(1).take_while(|&byte| is_name(byte)).count();
                let name = self.cursor.take(1 + length);
                word.is_known = starts_path && (name == "$HOME" || name == "$PWD");
                word.text.push_str(name);
            }
            (_, Some(b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-')) => {
                word.is_known = false;
                word.text.push_str(self.cursor.take(2));
            }
            _ => word.text.push_str(self.cursor.take(1)),
        }
    }

    /// Takes a `$(…)`, `<(…)` or `>(…)`.
    fn substitution(&mut self, word: &mut ShellWord) {
        let start = self.cursor.at + 2;
        self.nested(word, 2, Nest::Commands);
        let script = self.cursor.slice(start, self.cursor.at);
        self.tokens.push(ShellToken::Script(script.strip_suffix(')').unwrap_or(script)));
    }

    /// Takes a construct as written, from its opening of the given length to its end.
    fn nested(&mut self, word: &mut ShellWord, opening: usize, nest: Nest) {
        let start = self.cursor.at;
        self.cursor.advance(opening);
        nest::skip(&mut self.cursor, nest);
        word.is_known = false;
        word.text.push_str(self.cursor.slice(start, self.cursor.at));
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
