//! Cuts a Bash command line into the tokens that matter for finding written files.
//!
//! It knows words, quotes and redirections; what the tokens mean together is left to the parent.

use super::cursor::{Cursor, ends_word};
use super::document::Document;
use super::escape::unescape;
use super::nest::{self, Nest};

/// Returns the tokens of a command line; whatever is left open ends with the text.
pub(super) fn tokens(source: &str) -> Vec<Token<'_>> {
    let cursor = Cursor { source, at: 0 };
    let mut lexer = Lexer { cursor, tokens: Vec::new(), documents: Vec::new(), subshells_until: 0 };
    while let Some(byte) = lexer.cursor.peek(0)
        && lexer.tokens.len() < MOST_TOKENS
    {
        lexer.token(byte);
    }
    lexer.read_documents();
    lexer.tokens
}

/// No command that means well has more; the rest of one that does would only cost memory.
const MOST_TOKENS: usize = 1 << 20;

#[derive(Debug)]
pub(super) enum Token<'a> {
    Word(Word),
    /// Standard output goes to this file.
    Output(Word),
    /// Standard input is this text, where the command line spells it out.
    Input(Option<String>),
    /// The inside of a command substitution, ahead of the word that it is in.
    Script(&'a str),
    Separator(Separator),
    Open,
    Close,
}

/// A word without its quotes, its expansions as they are written.
#[derive(Debug, Clone)]
pub(super) struct Word {
    pub(super) text: String,
    /// No expansion can make it anything else.
    pub(super) is_known: bool,
    /// Nothing in it is quoted, so it may be a keyword.
    pub(super) is_bare: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Separator {
    Pipe,
    Background,
    /// Any end after which the same shell goes on: `;`, `&&`, `||` or a newline.
    List,
}

struct Lexer<'a> {
    cursor: Cursor<'a>,
    tokens: Vec<Token<'a>>,
    /// The here-documents of this line, each with the place of its `Input`, if it is one.
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
                self.operator(1, Token::Separator(Separator::List));
                self.read_documents();
            }
            (b';', _) => self.operator(1, Token::Separator(Separator::List)),
            (b'&', Some(b'&')) | (b'|', Some(b'|')) => self.operator(2, Token::Separator(Separator::List)),
            (b'&', Some(b'>')) => {
                self.cursor.advance(1);
                self.redirection("");
            }
            (b'&', _) => self.operator(1, Token::Separator(Separator::Background)),
            (b'|', Some(b'&')) => self.operator(2, Token::Separator(Separator::Pipe)),
            (b'|', _) => self.operator(1, Token::Separator(Separator::Pipe)),
            (b'(', Some(b'(')) if self.cursor.at >= self.subshells_until => self.double_parenthesis(),
            (b'(', _) => self.operator(1, Token::Open),
            (b')', _) => self.operator(1, Token::Close),
            (b'<' | b'>', next) if next != Some(b'(') => self.redirection(""),
            _ => self.descriptor_or_word(),
        }
    }

    fn operator(&mut self, length: usize, token: Token<'a>) {
        self.cursor.advance(length);
        self.tokens.push(token);
    }

    /// Takes `((…))` for one word that no command is called by.
    fn double_parenthesis(&mut self) {
        let start = self.cursor.at;
        self.cursor.advance(2);
        nest::skip(&mut self.cursor, Nest::Arithmetic);
        if self.cursor.peek(0) == Some(b')') {
            let text = "((".to_owned();
            self.operator(1, Token::Word(Word { text, is_known: false, is_bare: true }));
            return;
        }
        // These are subshells after all, as Bash would find too. The guess is not made again for any inside
        // of them, or deep nesting would be read once per level.
        self.subshells_until = self.cursor.at;
        self.cursor.at = start;
        self.operator(1, Token::Open);
    }

    fn descriptor_or_word(&mut self) {
        let digits = self.cursor.until(|byte| !byte.is_ascii_digit());
        if digits > 0 && matches!(self.cursor.peek(digits), Some(b'<' | b'>')) {
            let descriptor = self.cursor.take(digits);
            self.redirection(descriptor);
        } else {
            let word = self.word();
            self.tokens.push(Token::Word(word));
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
                self.tokens.push(Token::Input(None));
            }
            return;
        }
        self.cursor.skip_blanks();
        let mut target = self.word();
        match operator {
            "<<<" if is_input => self.tokens.push(Token::Input(Some(target.text + "\n"))),
            "<" | "<&" | "<>" if is_input => self.tokens.push(Token::Input(None)),
            ">&" if target.text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') => {
                // The output leaves for a descriptor, whose file nobody follows here.
                target.is_known = false;
                if is_output && target.text != "1" {
                    self.tokens.push(Token::Output(target));
                }
            }
            ">" | ">>" | ">|" | ">&" if is_output => self.tokens.push(Token::Output(target)),
            _ => {}
        }
    }

    fn read_documents(&mut self) {
        for (document, place) in std::mem::take(&mut self.documents) {
            let text = document.read(&mut self.cursor);
            if let Some(token) = place.and_then(|place| self.tokens.get_mut(place)) {
                *token = Token::Input(Some(text));
            }
        }
    }

    fn word(&mut self) -> Word {
        let ends =
            |byte| ends_word(byte) || matches!(byte, b'\'' | b'"' | b'\\' | b'$' | b'`' | b'*' | b'?' | b'{');
        let mut word = Word { text: String::new(), is_known: true, is_bare: true };
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
                    // A `[` is no reason to doubt: where the glob has no match, as in `app/[id]/page.tsx`, it
                    // stands for itself.
                    word.is_known &= !matches!(byte, b'*' | b'?' | b'{');
                    word.text.push_str(self.cursor.run(ends));
                }
            }
        }
        word
    }

    fn double_quoted(&mut self, word: &mut Word) {
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

    /// Takes what a `$` or a backtick starts; `braces` says whether that is in double quotes.
    fn expansion(&mut self, word: &mut Word, braces: Nest) {
        let rest = self.cursor.rest();
        let is_bare = braces == Nest::Braces;
        let starts_path = word.is_known && word.text.is_empty();
        match (self.cursor.peek(0), self.cursor.peek(1)) {
            (Some(b'`'), _) => {
                self.cursor.advance(1);
                let script = self.cursor.through_unescaped(b'`');
                word.is_known = false;
                word.text.extend(["`", script, "`"]);
                self.tokens.push(Token::Script(script));
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
    fn substitution(&mut self, word: &mut Word) {
        let start = self.cursor.at + 2;
        self.nested(word, 2, Nest::Commands);
        let script = self.cursor.slice(start, self.cursor.at);
        self.tokens.push(Token::Script(script.strip_suffix(')').unwrap_or(script)));
    }

    /// Takes a construct as it is written, from its opening of the given length to its end.
    fn nested(&mut self, word: &mut Word, opening: usize, nest: Nest) {
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
