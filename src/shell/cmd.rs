//! Parses the command interpreter of Windows: `&`, `|`, parentheses, `^` and `%NAME%`.

use super::cursor::Cursor;
use super::parse::{MAX_DEPTH, ParsedScript, beginning_of};
use super::tree::{
    Connector, Redirection, RedirectionKind, ShellNode, ShellNodeKind, ShellStep, ShellTree, TreeWord,
    Unread, WordPiece,
};

/// Parses a script that is already this deep inside others.
pub(super) fn parse_cmd(source: &str, depth: usize) -> ParsedScript {
    let mut parser = CmdParser { cursor: Cursor { source, at: 0 }, depth, unread: None };
    let mut tree = ShellTree::default();
    while parser.cursor.peek(0).is_some() {
        tree.steps.extend(parser.list().steps);
        parser.cursor.advance(1);
    }
    ParsedScript { tree, unread: parser.unread, document_bytes: 0 }
}

struct CmdParser<'a> {
    cursor: Cursor<'a>,
    depth: usize,
    unread: Option<Unread>,
}

impl CmdParser<'_> {
    /// Reads commands up to a closing parenthesis, which is left, or the end.
    fn list(&mut self) -> ShellTree {
        let mut tree = ShellTree::default();
        let mut joint = Connector::Then;
        loop {
            self.cursor.advance(self.cursor.until(|byte| !byte.is_ascii_whitespace() && byte != b'@'));
            if matches!(self.cursor.peek(0), None | Some(b')')) {
                return tree;
            }
            let mut commands = Vec::new();
            loop {
                commands.extend(self.command());
                if self.cursor.peek(0) != Some(b'|') || self.cursor.peek(1) == Some(b'|') {
                    break;
                }
                self.cursor.advance(1);
            }
            if !commands.is_empty() {
                tree.steps.push(ShellStep { joint, commands, is_background: false });
            }
            let rest = self.cursor.rest();
            (joint, _) = match () {
                () if rest.starts_with("&&") => (Connector::And, self.cursor.advance(2)),
                () if rest.starts_with("||") => (Connector::Or, self.cursor.advance(2)),
                () if rest.starts_with(['&', '\n']) => (Connector::Then, self.cursor.advance(1)),
                () => (Connector::Then, ()),
            };
        }
    }

    fn command(&mut self) -> Option<ShellNode> {
        self.skip_blanks();
        let start = self.cursor.at;
        if self.cursor.peek(0) == Some(b'(') {
            if self.depth >= MAX_DEPTH {
                self.unread = Some(Unread::TooDeep);
                self.cursor.at = self.cursor.source.len();
                return None;
            }
            self.depth += 1;
            self.cursor.advance(1);
            let body = self.list();
            self.depth -= 1;
            if self.cursor.peek(0).is_none() {
                self.unread.get_or_insert(Unread::Unfinished);
            }
            self.cursor.advance(1);
            self.skip_blanks();
            let written = beginning_of(self.cursor.slice(start, self.cursor.at));
            let kind = ShellNodeKind::Group { body, is_subshell: false };
            return Some(ShellNode { kind, redirections: Vec::new(), written });
        }
        let (mut words, mut redirections): (Vec<TreeWord>, Vec<Redirection>) = (Vec::new(), Vec::new());
        loop {
            self.skip_blanks();
            match (self.cursor.peek(0), self.cursor.peek(1)) {
                (None | Some(b'&' | b'|' | b'\n' | b')'), _) => break,
                (Some(b'0'..=b'9'), Some(b'>')) => self.cursor.advance(1),
                (Some(b'>'), next) => {
                    let is_double = next == Some(b'>');
                    self.cursor.advance(1 + usize::from(is_double));
                    if self.cursor.peek(0) == Some(b'&') {
                        self.cursor.advance(2);
                        continue;
                    }
                    self.skip_blanks();
                    let kind = if is_double { RedirectionKind::Append } else { RedirectionKind::Output };
                    let target = self.word();
                    redirections.push(Redirection { kind, descriptor: None, target, document: None });
                }
                (Some(b'<'), _) => {
                    self.cursor.advance(1);
                    self.skip_blanks();
                    let target = self.word();
                    let kind = RedirectionKind::Input;
                    redirections.push(Redirection { kind, descriptor: None, target, document: None });
                }
                (Some(b'('), _) => self.cursor.advance(1),
                _ => {
                    let before = self.cursor.at;
                    let word = self.word();
                    if self.cursor.at == before {
                        self.cursor.advance(1);
                        continue;
                    }
                    let is = |name: &str| word.bare().is_some_and(|text| text.eq_ignore_ascii_case(name));
                    if words.is_empty()
                        && (is("rem") || word.bare().is_some_and(|text| text.starts_with("::")))
                    {
                        self.cursor.skip_line();
                        return None;
                    }
                    // What a loop or a condition runs is a command of its own.
                    if is("do") || is("else") || words.is_empty() && is("call") {
                        words.clear();
                        continue;
                    }
                    words.push(word);
                }
            }
        }
        let is_set =
            words.first().and_then(TreeWord::bare).is_some_and(|name| name.eq_ignore_ascii_case("set"));
        let assignments = if is_set { words.drain(..).skip(1).collect() } else { Vec::new() };
        if words.is_empty() && assignments.is_empty() && redirections.is_empty() {
            return None;
        }
        let written = beginning_of(self.cursor.slice(start, self.cursor.at));
        Some(ShellNode { kind: ShellNodeKind::Simple { assignments, words }, redirections, written })
    }

    fn skip_blanks(&mut self) {
        loop {
            match (self.cursor.peek(0), self.cursor.peek(1)) {
                (Some(b' ' | b'\t' | b'\r' | b',' | b';'), _) => self.cursor.advance(1),
                (Some(b'^'), Some(b'\n')) => self.cursor.advance(2),
                (Some(b'^'), Some(b'\r')) => self.cursor.advance(3),
                _ => return,
            }
        }
    }

    fn word(&mut self) -> TreeWord {
        let ends = |byte: u8| {
            byte.is_ascii_whitespace()
                || matches!(byte, b'&' | b'|' | b'(' | b')' | b'<' | b'>' | b',' | b';')
        };
        let mut word = TreeWord::default();
        while let Some(byte) = self.cursor.peek(0) {
            match byte {
                b'"' => {
                    self.cursor.advance(1);
                    let text = self.cursor.take(self.cursor.until(|byte| matches!(byte, b'"' | b'\n')));
                    word.push_text(text, true);
                    self.cursor.advance(usize::from(self.cursor.peek(0) == Some(b'"')));
                }
                b'^' => {
                    self.cursor.advance(1);
                    let length = self.cursor.rest().chars().next().map_or(1, char::len_utf8);
                    word.push_text(self.cursor.take(length), true);
                }
                b'%' => {
                    let rest = self.cursor.rest();
                    let length = rest[1..].find('%').map(|at| at + 2).filter(|length| {
                        rest[1..length - 1].bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                            && *length > 2
                    });
                    let written = self.cursor.take(length.unwrap_or(1)).to_owned();
                    match length {
                        Some(_) => {
                            let name = written.trim_matches('%').to_owned();
                            word.pieces.push(WordPiece::Variable {
                                name,
                                default: None,
                                written,
                                is_quoted: false,
                            });
                        }
                        None => word.push_text("%", false),
                    }
                }
                _ if ends(byte) => break,
                _ => {
                    let text = self.cursor.run(|byte| ends(byte) || matches!(byte, b'"' | b'^' | b'%'));
                    word.push_text(text, false);
                }
            }
        }
        if word.pieces.is_empty() {
            word.push_text("", true);
        }
        word
    }
}
