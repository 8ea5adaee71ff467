//! Parses a command line as Bash and its relatives do: lists, pipelines, groups, conditionals, loops, functions.
//!
//! It never fails. What is malformed or never ends is reported, and what could be read is in the tree all the same.
//! Every step moves forward in the text, and what nests deeper than `MAX_DEPTH` is not followed, so the work is bounded.

use std::cell::OnceCell;
use std::rc::Rc;

use super::cursor::{Cursor, ends_word};
use super::document::Document;
use super::tree::{
    Connector, Redirection, RedirectionKind, ShellNode, ShellNodeKind, ShellStep, ShellTree, TreeWord, Unread,
};

mod word;

/// How deep commands may be inside each other.
pub(super) const MAX_DEPTH: usize = 32;

/// Maximum length of a command as it is written; a message shows less.
const MAX_WRITTEN: usize = 1024;

/// A tree, and what was wrong with its text.
#[derive(Debug)]
pub(super) struct ParsedScript {
    pub(super) tree: ShellTree,
    pub(super) unread: Option<Unread>,
    /// The bytes of the here-documents, which are data unless a shell reads them.
    pub(super) document_bytes: usize,
}

/// Parses a script that is already this deep inside others.
pub(super) fn parse(source: &str, depth: usize) -> ParsedScript {
    let mut parser = ShellParser::new(source, depth);
    let tree = parser.script();
    ParsedScript { tree, unread: parser.unread, document_bytes: parser.document_bytes }
}

/// Returns the beginning of a command, as long as it is kept.
pub(super) fn beginning_of(text: &str) -> String {
    let text = text.trim_end();
    text[..text.floor_char_boundary(MAX_WRITTEN)].to_owned()
}

struct ShellParser<'a> {
    cursor: Cursor<'a>,
    depth: usize,
    /// The here-documents of this line, whose texts follow.
    pending: Vec<(Document, Rc<OnceCell<TreeWord>>)>,
    unread: Option<Unread>,
    document_bytes: usize,
    /// Up to here, `((` was found to open subshells rather than arithmetic.
    subshells_until: usize,
    /// The keywords that end the open compound commands, outermost first.
    open: Vec<&'static [&'static str]>,
    /// The number of open parentheses.
    parentheses: usize,
}

/// Maximum number of commands of one list; what is behind them is not read.
pub(super) const MAX_STEPS: usize = 4_096;

/// Words that have a meaning of their own at the beginning of a command.
#[rustfmt::skip]
const RESERVED: [&str; 21] = [
    "if", "then", "elif", "else", "fi", "while", "until", "for", "select", "do", "done", "case", "esac",
    "function", "{", "}", "!", "[[", "time", "coproc", "in",
];

impl<'a> ShellParser<'a> {
    fn new(source: &'a str, depth: usize) -> ShellParser<'a> {
        ShellParser {
            cursor: Cursor { source, at: 0 },
            depth,
            pending: Vec::new(),
            unread: None,
            document_bytes: 0,
            subshells_until: 0,
            open: Vec::new(),
            parentheses: 0,
        }
    }

    fn script(&mut self) -> ShellTree {
        let tree = self.list();
        self.read_documents();
        tree
    }

    fn report(&mut self, unread: Unread) {
        self.unread.get_or_insert(unread);
    }

    /// Goes one level deeper for a part of the text; too deep, the rest of the text is left alone.
    fn deeper<T: Default>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_DEPTH {
            self.unread = Some(Unread::TooDeep);
            self.cursor.at = self.cursor.source.len();
            return T::default();
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Reads commands up to the keyword or parenthesis that ends what is open.
    fn list(&mut self) -> ShellTree {
        let mut tree = ShellTree::default();
        let mut joint = Connector::Then;
        loop {
            self.skip_separators();
            let Some(byte) = self.cursor.peek(0) else { break };
            if tree.steps.len() >= MAX_STEPS {
                self.report(Unread::TooLong);
                self.cursor.at = self.cursor.source.len();
                break;
            }
            if byte == b')' && self.parentheses > 0 || self.is_at_case_end() || self.is_at_end_keyword() {
                break;
            }
            let commands = self.pipeline();
            self.skip_blanks();
            let (length, next, is_background) = self.connector();
            if !commands.is_empty() {
                tree.steps.push(ShellStep { joint, commands, is_background });
            }
            self.cursor.advance(length);
            joint = next;
        }
        tree
    }

    /// Returns what stands after a pipeline: its length, what it means for the next one, and whether it is `&`.
    fn connector(&self) -> (usize, Connector, bool) {
        match (self.cursor.peek(0), self.cursor.peek(1)) {
            (Some(b'&'), Some(b'&')) => (2, Connector::And, false),
            (Some(b'|'), Some(b'|')) => (2, Connector::Or, false),
            (Some(b'&'), _) => (1, Connector::Then, true),
            (Some(b';'), next) if next != Some(b';') && next != Some(b'&') => (1, Connector::Then, false),
            _ => (0, Connector::Then, false),
        }
    }

    fn is_at_case_end(&self) -> bool {
        self.cursor.peek(0) == Some(b';')
            && matches!(self.cursor.peek(1), Some(b';' | b'&'))
            && self.open.last().is_some_and(|ends| ends.contains(&"esac"))
    }

    fn is_at_end_keyword(&self) -> bool {
        let Some(word) = self.keyword() else { return false };
        self.open.iter().any(|ends| ends.contains(&word))
    }

    /// Skips blanks, comments, line breaks with the here-documents behind them, and separators without a command.
    fn skip_separators(&mut self) {
        loop {
            match self.cursor.peek(0) {
                Some(b'\n') => self.line_break(),
                Some(b';') if !self.is_at_case_end() => {
                    if self.cursor.peek(1) == Some(b';') {
                        self.report(Unread::Malformed);
                    }
                    self.cursor.advance(1);
                }
                Some(b'|' | b'&') if self.cursor.peek(1) != Some(b'>') => {
                    self.report(Unread::Malformed);
                    self.cursor.advance(1);
                }
                Some(b' ' | b'\t' | b'\r' | b'#' | b'\\') => {
                    let before = self.cursor.at;
                    self.skip_blanks();
                    if self.cursor.at == before {
                        return;
                    }
                }
                _ => return,
            }
        }
    }

    fn skip_newlines(&mut self) {
        loop {
            self.skip_blanks();
            if self.cursor.peek(0) != Some(b'\n') {
                return;
            }
            self.line_break();
        }
    }

    /// Skips blanks and a comment.
    fn skip_blanks(&mut self) {
        self.cursor.skip_blanks();
        if self.cursor.peek(0) == Some(b'#') && self.starts_word() {
            self.cursor.skip_line();
        }
    }

    fn starts_word(&self) -> bool {
        let before = self.cursor.at.checked_sub(1).and_then(|at| self.cursor.source.as_bytes().get(at));
        before.is_none_or(|byte| ends_word(*byte))
    }

    fn line_break(&mut self) {
        self.cursor.advance(1);
        self.read_documents();
    }

    fn read_documents(&mut self) {
        for (document, place) in std::mem::take(&mut self.pending) {
            let inside = self.parentheses > 0;
            let body = document.body(&mut self.cursor, inside);
            self.document_bytes += body.len();
            let text = document.plain(body);
            let word = if document.is_literal(body) {
                TreeWord::literal(&text)
            } else {
                self.deeper(|parser| parser.expanded_document(&text))
            };
            drop(place.set(word));
        }
    }

    fn expanded_document(&mut self, body: &str) -> TreeWord {
        let mut inner = ShellParser::new(body, self.depth);
        let word = inner.document_word();
        if let Some(unread) = inner.unread {
            self.report(unread);
        }
        word
    }

    fn pipeline(&mut self) -> Vec<ShellNode> {
        let mut commands = Vec::new();
        loop {
            commands.extend(self.command());
            self.skip_blanks();
            let length = match (self.cursor.peek(0), self.cursor.peek(1)) {
                (Some(b'|'), Some(b'|')) => return commands,
                (Some(b'|'), Some(b'&')) => 2,
                (Some(b'|'), _) => 1,
                _ => return commands,
            };
            self.cursor.advance(length);
            self.skip_newlines();
            if self.cursor.peek(0).is_none() {
                self.report(Unread::Unfinished);
                return commands;
            }
        }
    }

    /// Returns the reserved word at this place.
    fn keyword(&self) -> Option<&'static str> {
        let rest = self.cursor.rest();
        let length = rest.bytes().take(9).position(ends_word).unwrap_or(rest.len());
        RESERVED.into_iter().find(|word| Some(*word) == rest.get(..length))
    }

    fn take_keyword(&mut self, word: &'static str) -> bool {
        let is_here = self.keyword() == Some(word);
        if is_here {
            self.cursor.advance(word.len());
        }
        is_here
    }

    fn expect_keyword(&mut self, word: &'static str) {
        if !self.take_keyword(word) {
            let unread = if self.cursor.peek(0).is_none() { Unread::Unfinished } else { Unread::Malformed };
            self.report(unread);
        }
    }

    fn command(&mut self) -> Option<ShellNode> {
        self.skip_prefixes();
        let start = self.cursor.at;
        let kind = match (self.cursor.peek(0)?, self.keyword()) {
            (b'(', _) => self.parenthesis(),
            (b')', _) if self.parentheses == 0 => {
                self.report(Unread::Malformed);
                self.cursor.advance(1);
                nothing()
            }
            (_, Some("{")) => self.deeper(ShellParser::braces),
            (_, Some("if")) => self.deeper(ShellParser::conditional),
            (_, Some("while" | "until")) => self.deeper(ShellParser::while_loop),
            (_, Some("for" | "select")) => self.deeper(ShellParser::for_loop),
            (_, Some("case")) => self.deeper(ShellParser::case),
            (_, Some("function")) => self.deeper(ShellParser::named_function),
            (_, Some("[[")) => self.test(),
            (_, Some(word @ ("fi" | "done" | "esac" | "}" | "then" | "elif" | "else" | "do"))) => {
                if self.is_at_end_keyword() {
                    return None;
                }
                self.report(Unread::Malformed);
                self.cursor.advance(word.len());
                nothing()
            }
            _ => return self.simple(),
        };
        let mut node = ShellNode { kind, redirections: Vec::new(), written: String::new() };
        loop {
            self.cursor.skip_blanks();
            match self.redirection() {
                Some(redirection) => node.redirections.push(redirection),
                None => break,
            }
        }
        node.written = self.written(start);
        Some(node)
    }

    /// Skips the keywords before a command that say nothing about what it runs.
    fn skip_prefixes(&mut self) {
        loop {
            self.skip_blanks();
            match self.keyword() {
                Some(word @ ("!" | "coproc")) => self.cursor.advance(word.len()),
                Some("time") if self.is_time_of_compound() => {
                    self.cursor.advance(4);
                    self.cursor.skip_blanks();
                    if self.cursor.rest().starts_with("-p") {
                        self.cursor.advance(2);
                    }
                }
                Some(word @ ("then" | "elif" | "else" | "do")) if !self.is_at_end_keyword() => {
                    self.report(Unread::Malformed);
                    self.cursor.advance(word.len());
                }
                _ => return,
            }
        }
    }

    fn is_time_of_compound(&self) -> bool {
        let rest = self.cursor.rest().get(4..).unwrap_or_default().trim_start_matches([' ', '\t']);
        let rest = rest.strip_prefix("-p").unwrap_or(rest).trim_start_matches([' ', '\t']);
        rest.starts_with(['(', '!'])
            || ["{ ", "{\n", "if ", "for ", "while ", "until ", "case "]
                .iter()
                .any(|word| rest.starts_with(word))
    }

    fn written(&self, start: usize) -> String {
        beginning_of(self.cursor.slice(start, self.cursor.at))
    }

    /// Reads a list inside a compound command that one of these keywords ends.
    fn list_until(&mut self, ends: &'static [&'static str]) -> ShellTree {
        self.open.push(ends);
        let list = self.list();
        self.open.pop();
        list
    }

    fn braces(&mut self) -> ShellNodeKind {
        self.cursor.advance(1);
        let body = self.list_until(&["}"]);
        self.expect_keyword("}");
        ShellNodeKind::Group { body, is_subshell: false }
    }

    fn conditional(&mut self) -> ShellNodeKind {
        let mut lists = Vec::new();
        self.cursor.advance(2);
        loop {
            lists.push(self.list_until(&["then", "elif", "else", "fi"]));
            let is_open = self.take_keyword("then") || self.take_keyword("elif") || self.take_keyword("else");
            if !is_open {
                break;
            }
        }
        self.expect_keyword("fi");
        ShellNodeKind::Branches { words: Vec::new(), lists }
    }

    fn while_loop(&mut self) -> ShellNodeKind {
        self.cursor.advance(5);
        let condition = self.list_until(&["do", "done"]);
        let body = self.loop_body();
        ShellNodeKind::Branches { words: Vec::new(), lists: vec![condition, body] }
    }

    fn loop_body(&mut self) -> ShellTree {
        self.skip_separators();
        if self.keyword() == Some("{") {
            self.cursor.advance(1);
            let body = self.list_until(&["}"]);
            self.expect_keyword("}");
            return body;
        }
        self.expect_keyword("do");
        let body = self.list_until(&["done"]);
        self.expect_keyword("done");
        body
    }

    fn for_loop(&mut self) -> ShellNodeKind {
        let length = self.keyword().map_or(3, str::len);
        self.cursor.advance(length);
        self.cursor.skip_blanks();
        if self.cursor.rest().starts_with("((") {
            self.cursor.advance(2);
            let words = vec![self.arithmetic_word()];
            let body = self.loop_body();
            return ShellNodeKind::Branches { words, lists: vec![body] };
        }
        let variable = self.word().bare().unwrap_or_default().to_owned();
        self.skip_newlines();
        let mut words = Vec::new();
        if self.take_keyword("in") {
            loop {
                self.skip_blanks();
                match self.cursor.peek(0) {
                    Some(byte) if !ends_word(byte) || self.is_at_process() => words.push(self.word()),
                    _ => break,
                }
            }
        }
        let body = self.loop_body();
        ShellNodeKind::Loop { variable, words, body }
    }

    fn case(&mut self) -> ShellNodeKind {
        self.cursor.advance(4);
        self.cursor.skip_blanks();
        let mut words = vec![self.word()];
        self.skip_newlines();
        self.expect_keyword("in");
        let mut lists = Vec::new();
        loop {
            self.skip_newlines();
            if self.cursor.peek(0).is_none() || self.keyword() == Some("esac") {
                break;
            }
            let before = self.cursor.at;
            self.cursor.advance(usize::from(self.cursor.peek(0) == Some(b'(')));
            loop {
                self.cursor.skip_blanks();
                match self.cursor.peek(0) {
                    Some(b')') => {
                        self.cursor.advance(1);
                        break;
                    }
                    Some(b'|') => self.cursor.advance(1),
                    Some(byte) if !ends_word(byte) => words.push(self.word()),
                    _ => {
                        self.report(Unread::Malformed);
                        break;
                    }
                }
            }
            lists.push(self.list_until(&["esac"]));
            if self.is_at_case_end() || self.cursor.rest().starts_with(";;") {
                self.cursor.advance(2);
                self.cursor.advance(usize::from(self.cursor.peek(0) == Some(b'&')));
            } else if self.cursor.rest().starts_with(";&") {
                self.cursor.advance(2);
            } else if self.keyword() != Some("esac") || self.cursor.at == before {
                break;
            }
        }
        self.expect_keyword("esac");
        ShellNodeKind::Branches { words, lists }
    }

    fn named_function(&mut self) -> ShellNodeKind {
        self.cursor.advance(8);
        self.cursor.skip_blanks();
        let name = self.word().bare().unwrap_or_default().to_owned();
        self.cursor.skip_blanks();
        if self.cursor.peek(0) == Some(b'(') {
            self.cursor.advance(1);
            self.cursor.skip_blanks();
            self.cursor.advance(usize::from(self.cursor.peek(0) == Some(b')')));
        }
        self.function(name)
    }

    fn function(&mut self, name: String) -> ShellNodeKind {
        self.skip_newlines();
        match self.command() {
            Some(body) => ShellNodeKind::Function { name, body: Box::new(body) },
            None => {
                self.report(Unread::Unfinished);
                nothing()
            }
        }
    }

    fn parenthesis(&mut self) -> ShellNodeKind {
        if self.cursor.peek(1) == Some(b'(') && self.is_arithmetic(2) {
            self.cursor.advance(2);
            return ShellNodeKind::Test { words: vec![self.arithmetic_word()] };
        }
        self.deeper(|parser| {
            parser.cursor.advance(1);
            let body = parser.parenthesised();
            ShellNodeKind::Group { body, is_subshell: true }
        })
    }

    /// Reads a list up to its closing parenthesis, which is taken too.
    fn parenthesised(&mut self) -> ShellTree {
        self.parentheses += 1;
        let open = std::mem::take(&mut self.open);
        let body = self.list();
        self.open = open;
        self.parentheses -= 1;
        if self.cursor.peek(0) == Some(b')') {
            self.cursor.advance(1);
        } else {
            self.report(Unread::Unfinished);
        }
        body
    }

    /// Reads `[[ … ]]`, in which `<`, `>`, `(` and `&&` are not what they are elsewhere.
    fn test(&mut self) -> ShellNodeKind {
        self.cursor.advance(2);
        let mut words = Vec::new();
        loop {
            self.cursor.skip_blanks();
            match self.cursor.peek(0) {
                None => {
                    self.report(Unread::Unfinished);
                    break;
                }
                Some(b'\n') => self.line_break(),
                Some(byte) if ends_word(byte) => self.cursor.advance(1),
                Some(_) => {
                    let word = self.word();
                    if word.bare() == Some("]]") {
                        break;
                    }
                    words.push(word);
                }
            }
        }
        ShellNodeKind::Test { words }
    }

    fn simple(&mut self) -> Option<ShellNode> {
        let start = self.cursor.at;
        let (mut assignments, mut words, mut redirections) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            self.cursor.skip_blanks();
            if let Some(redirection) = self.redirection() {
                redirections.push(redirection);
                continue;
            }
            match self.cursor.peek(0) {
                Some(b'#') if self.starts_word() => break,
                Some(b'(') if assignments.is_empty() && redirections.is_empty() && words.len() == 1 => {
                    let before = self.cursor.at;
                    self.cursor.advance(1);
                    self.cursor.skip_blanks();
                    let name: Option<&str> = words.first().and_then(TreeWord::bare);
                    if let (Some(b')'), Some(name)) = (self.cursor.peek(0), name) {
                        let name = name.to_owned();
                        self.cursor.advance(1);
                        let kind = self.deeper(|parser| parser.function(name));
                        let written = self.written(start);
                        return Some(ShellNode { kind, redirections, written });
                    }
                    self.cursor.at = before;
                    self.report(Unread::Malformed);
                    break;
                }
                Some(b'(') => {
                    self.report(Unread::Malformed);
                    break;
                }
                Some(byte) if !ends_word(byte) || self.is_at_process() => {
                    let word = self.word();
                    if words.is_empty() && is_assignment(&word) {
                        assignments.push(word);
                    } else {
                        words.push(word);
                    }
                }
                _ => break,
            }
        }
        if self.cursor.at == start {
            // Nothing here begins a command; the caller must not see the same place again.
            self.report(Unread::Malformed);
            self.cursor.advance(1);
            return None;
        }
        let written = self.written(start);
        Some(ShellNode { kind: ShellNodeKind::Simple { assignments, words }, redirections, written })
    }

    fn is_at_process(&self) -> bool {
        matches!(self.cursor.peek(0), Some(b'<' | b'>')) && self.cursor.peek(1) == Some(b'(')
    }

    fn redirection(&mut self) -> Option<Redirection> {
        const OPERATORS: [(&str, RedirectionKind); 11] = [
            ("<<<", RedirectionKind::Text),
            ("<<", RedirectionKind::Document),
            ("<&", RedirectionKind::CopyInput),
            ("<>", RedirectionKind::Both),
            ("<", RedirectionKind::Input),
            ("&>>", RedirectionKind::AllAppend),
            ("&>", RedirectionKind::AllOutput),
            (">>", RedirectionKind::Append),
            (">|", RedirectionKind::Output),
            (">&", RedirectionKind::CopyOutput),
            (">", RedirectionKind::Output),
        ];
        let digits = self.cursor.until(|byte| !byte.is_ascii_digit());
        let rest = self.cursor.rest().get(digits..).unwrap_or_default();
        let (operator, kind) = OPERATORS.into_iter().find(|(operator, _)| rest.starts_with(operator))?;
        if digits > 0 && rest.starts_with('&') || self.is_at_process() {
            return None;
        }
        let descriptor = self.cursor.take(digits).parse().ok();
        self.cursor.advance(operator.len());
        if kind == RedirectionKind::Document {
            let document = Document::open(&mut self.cursor);
            let place = Rc::new(OnceCell::new());
            self.pending.push((document, Rc::clone(&place)));
            return Some(Redirection {
                kind,
                descriptor,
                target: TreeWord::default(),
                document: Some(place),
            });
        }
        self.cursor.skip_blanks();
        if self.cursor.peek(0).is_none_or(ends_word) && !self.is_at_process() {
            self.report(Unread::Malformed);
        }
        let target = self.word();
        Some(Redirection { kind, descriptor, target, document: None })
    }
}

fn nothing() -> ShellNodeKind {
    ShellNodeKind::default()
}

impl Default for ShellNodeKind {
    /// A compound command without anything in it.
    fn default() -> Self {
        ShellNodeKind::Branches { words: Vec::new(), lists: Vec::new() }
    }
}

/// Returns whether a word is `NAME=value`, `NAME+=value` or `NAME[key]=value`.
fn is_assignment(word: &TreeWord) -> bool {
    let Some(super::tree::WordPiece::Text { text, is_quoted: false }) = word.pieces.first() else {
        return false;
    };
    text.split_once('=').is_some_and(|(name, _)| {
        let name = name.strip_suffix('+').unwrap_or(name);
        let name = name.split_once('[').map_or(name, |(name, _)| name);
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

#[cfg(test)]
mod tests;
