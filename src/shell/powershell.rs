//! Parses PowerShell, as far as its commands, pipelines, blocks and words go, into the same tree as other shells.

use super::cursor::Cursor;
use super::parse::{MAX_DEPTH, ParsedScript, beginning_of};
use super::tree::{
    Connector, Redirection, RedirectionKind, ShellNode, ShellNodeKind, ShellStep, ShellTree, TreeWord,
    Unread, WordPiece,
};

/// Parses a script that is already this deep inside others.
pub(super) fn parse_powershell(source: &str, depth: usize) -> ParsedScript {
    let mut parser = PowerShellParser { cursor: Cursor { source, at: 0 }, depth, unread: None };
    let mut tree = ShellTree::default();
    while parser.cursor.peek(0).is_some() {
        tree.steps.extend(parser.list().steps);
        // A closing bracket that nothing opened.
        if parser.cursor.peek(0).is_some() {
            parser.unread.get_or_insert(Unread::Malformed);
            parser.cursor.advance(1);
        }
    }
    ParsedScript { tree, unread: parser.unread, document_bytes: 0 }
}

struct PowerShellParser<'a> {
    cursor: Cursor<'a>,
    depth: usize,
    unread: Option<Unread>,
}

/// Words before a condition or a block that are no commands.
#[rustfmt::skip]
const KEYWORDS: [&str; 18] = [
    "if", "else", "elseif", "while", "do", "until", "foreach", "for", "switch", "try", "catch", "finally", "return", "throw",
    "begin", "process", "end", "param",
];

fn ends_word(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || matches!(byte, b';' | b'|' | b'(' | b')' | b'{' | b'}' | b'&' | b'>' | b'<' | b',')
}

impl PowerShellParser<'_> {
    /// Reads commands up to a closing bracket, which is left, or the end.
    fn list(&mut self) -> ShellTree {
        let mut tree = ShellTree::default();
        let mut joint = Connector::Then;
        loop {
            self.skip_blanks(true);
            match self.cursor.peek(0) {
                None | Some(b')' | b'}') => return tree,
                Some(b';' | b',') => {
                    self.cursor.advance(1);
                    continue;
                }
                _ => {}
            }
            let before = self.cursor.at;
            let commands = self.pipeline();
            if !commands.is_empty() {
                tree.steps.push(ShellStep { joint, commands, is_background: false });
            }
            self.skip_blanks(false);
            let rest = self.cursor.rest();
            joint = Connector::Then;
            if rest.starts_with("&&") || rest.starts_with("||") {
                joint = if rest.starts_with('&') { Connector::And } else { Connector::Or };
                self.cursor.advance(2);
            }
            if self.cursor.at == before {
                self.cursor.advance(1);
            }
        }
    }

    fn pipeline(&mut self) -> Vec<ShellNode> {
        let mut commands = Vec::new();
        loop {
            commands.extend(self.command());
            self.skip_blanks(false);
            if self.cursor.peek(0) != Some(b'|') || self.cursor.peek(1) == Some(b'|') {
                return commands;
            }
            self.cursor.advance(1);
            self.skip_blanks(true);
        }
    }

    fn skip_blanks(&mut self, with_lines: bool) {
        loop {
            match (self.cursor.peek(0), self.cursor.peek(1)) {
                (Some(b'\n'), _) if !with_lines => return,
                (Some(byte), _) if byte.is_ascii_whitespace() => self.cursor.advance(1),
                (Some(b'`'), Some(b'\n')) => self.cursor.advance(2),
                (Some(b'`'), Some(b'\r')) => self.cursor.advance(3),
                (Some(b'#'), _) => self.cursor.skip_line(),
                (Some(b'<'), Some(b'#')) => {
                    let end = self.cursor.rest().find("#>").map_or(usize::MAX / 2, |at| at + 2);
                    self.cursor.advance(end);
                }
                _ => return,
            }
        }
    }

    /// Reads a bracketed list; the cursor is at its opening bracket.
    fn nested(&mut self) -> ShellTree {
        if self.depth >= MAX_DEPTH {
            self.unread = Some(Unread::TooDeep);
            self.cursor.at = self.cursor.source.len();
            return ShellTree::default();
        }
        self.depth += 1;
        self.cursor.advance(1);
        let tree = self.list();
        self.depth -= 1;
        if self.cursor.peek(0).is_none() {
            self.unread.get_or_insert(Unread::Unfinished);
        }
        self.cursor.advance(1);
        tree
    }

    fn command(&mut self) -> Option<ShellNode> {
        let start = self.cursor.at;
        let (mut assignments, mut words, mut redirections) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            self.skip_blanks(false);
            let Some(byte) = self.cursor.peek(0) else { break };
            match (byte, self.cursor.peek(1)) {
                (b'{' | b'(', _) if words.is_empty() && assignments.is_empty() => {
                    let body = self.nested();
                    let written = beginning_of(self.cursor.slice(start, self.cursor.at));
                    let kind = ShellNodeKind::Group { body, is_subshell: false };
                    return Some(ShellNode { kind, redirections, written });
                }
                (b'&', Some(b'&')) => break,
                // The call operator, before the name of a program.
                (b'&' | b'.', next)
                    if words.is_empty()
                        && next.is_none_or(|next| matches!(next, b' ' | b'\'' | b'"' | b'{' | b'$')) =>
                {
                    self.cursor.advance(1);
                }
                (b'&', _) => {
                    self.cursor.advance(1);
                    break;
                }
                (b'>', next) => {
                    let is_double = next == Some(b'>');
                    self.cursor.advance(1 + usize::from(is_double));
                    self.skip_blanks(false);
                    if self.cursor.peek(0) == Some(b'&') {
                        self.cursor.advance(2);
                        continue;
                    }
                    let kind = if is_double { RedirectionKind::Append } else { RedirectionKind::Output };
                    let target = self.word();
                    redirections.push(Redirection { kind, descriptor: None, target, document: None });
                }
                (b'{' | b'(', _) => words.push(self.word()),
                // The items of a list are words of their own.
                (b',', _) if !words.is_empty() => self.cursor.advance(1),
                (byte, _) if byte == b'\n' || ends_word(byte) => break,
                (b'0'..=b'9' | b'*', Some(b'>')) => {
                    self.cursor.advance(1);
                    let rest = self.cursor.rest();
                    let length = if rest.starts_with(">&1") { 3 } else { 0 };
                    self.cursor.advance(length);
                }
                _ => {
                    let word = self.word();
                    let is_keyword =
                        |text: &str| KEYWORDS.iter().any(|keyword| keyword.eq_ignore_ascii_case(text));
                    if words.is_empty() && word.bare().is_some_and(is_keyword) {
                        continue;
                    }
                    if words.is_empty() && word.bare() == Some("=") {
                        continue;
                    }
                    // `$x = 'value'`: what stands behind it is a command or a value.
                    if words.is_empty()
                        && let Some(name) = assigned(&word, self.cursor.rest())
                    {
                        self.skip_blanks(false);
                        self.cursor.advance(1);
                        self.skip_blanks(false);
                        if matches!(self.cursor.peek(0), Some(b'\'' | b'"')) {
                            let mut value = TreeWord::literal(&format!("{name}="));
                            value.pieces.extend(self.word().pieces);
                            assignments.push(value);
                        }
                        continue;
                    }
                    words.push(word);
                }
            }
        }
        if words.is_empty() && assignments.is_empty() && redirections.is_empty() {
            return None;
        }
        let written = beginning_of(self.cursor.slice(start, self.cursor.at));
        Some(ShellNode { kind: ShellNodeKind::Simple { assignments, words }, redirections, written })
    }

    fn word(&mut self) -> TreeWord {
        let mut word = TreeWord::default();
        while let Some(byte) = self.cursor.peek(0) {
            match (byte, self.cursor.peek(1)) {
                (b'\'', _) => self.single_quoted(&mut word),
                (b'"', _) => self.double_quoted(&mut word),
                (b'@', Some(mark @ (b'\'' | b'"'))) if word.pieces.is_empty() => {
                    self.here_string(&mut word, mark);
                }
                (b'`', Some(_)) => {
                    self.cursor.advance(1);
                    let length = self.cursor.rest().chars().next().map_or(1, char::len_utf8);
                    word.push_text(self.cursor.take(length), true);
                }
                (b'$' | b'@', Some(b'(')) => {
                    self.cursor.advance(1);
                    self.block(&mut word, false);
                }
                (b'(' | b'{', _) if word.pieces.is_empty() => self.block(&mut word, false),
                (b'$', _) => self.variable(&mut word, false),
                _ if ends_word(byte) => break,
                _ => {
                    let ends = |byte| ends_word(byte) || matches!(byte, b'\'' | b'"' | b'`' | b'$');
                    word.push_text(self.cursor.run(ends), false);
                }
            }
        }
        if word.pieces.is_empty() {
            word.push_text("", true);
        }
        word
    }

    fn block(&mut self, word: &mut TreeWord, is_quoted: bool) {
        let start = self.cursor.at;
        let script = self.nested();
        let written = self.cursor.slice(start, self.cursor.at).to_owned();
        word.pieces.push(WordPiece::Unknown { written, scripts: vec![script], is_quoted });
    }

    fn variable(&mut self, word: &mut TreeWord, is_quoted: bool) {
        let rest = self.cursor.rest();
        if rest.starts_with("${") {
            let length = rest.find('}').map_or(rest.len(), |at| at + 1);
            let written = self.cursor.take(length).to_owned();
            let name = written.trim_start_matches("${").trim_end_matches('}').to_ascii_lowercase();
            word.pieces.push(WordPiece::Variable { name, default: None, written, is_quoted });
            return;
        }
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':');
        let length = rest.bytes().skip(1).take_while(|byte| is_name(byte)).count();
        let written = self.cursor.take(1 + length).to_owned();
        if length == 0 {
            word.push_text(&written, is_quoted);
            return;
        }
        let name = written[1..].to_ascii_lowercase();
        word.pieces.push(WordPiece::Variable { name, default: None, written, is_quoted });
    }

    fn single_quoted(&mut self, word: &mut TreeWord) {
        self.cursor.advance(1);
        word.push_text("", true);
        loop {
            let text = self.cursor.take(self.cursor.until(|byte| byte == b'\''));
            word.push_text(text, true);
            if self.cursor.peek(0).is_none() {
                self.unread.get_or_insert(Unread::Unfinished);
                return;
            }
            self.cursor.advance(1);
            if self.cursor.peek(0) != Some(b'\'') {
                return;
            }
            self.cursor.advance(1);
            word.push_text("'", true);
        }
    }

    fn double_quoted(&mut self, word: &mut TreeWord) {
        self.cursor.advance(1);
        word.push_text("", true);
        loop {
            match (self.cursor.peek(0), self.cursor.peek(1)) {
                (None, _) => {
                    self.unread.get_or_insert(Unread::Unfinished);
                    return;
                }
                (Some(b'"'), Some(b'"')) => {
                    self.cursor.advance(2);
                    word.push_text("\"", true);
                }
                (Some(b'"'), _) => return self.cursor.advance(1),
                (Some(b'`'), Some(_)) => {
                    self.cursor.advance(1);
                    let letter = self.cursor.rest().chars().next().unwrap_or_default();
                    self.cursor.advance(letter.len_utf8());
                    let text = match letter {
                        'n' => "\n".to_owned(),
                        't' => "\t".to_owned(),
                        'r' => "\r".to_owned(),
                        other => other.to_string(),
                    };
                    word.push_text(&text, true);
                }
                (Some(b'$'), Some(b'(')) => {
                    self.cursor.advance(1);
                    self.block(word, true);
                }
                (Some(b'$'), _) => self.variable(word, true),
                _ => word.push_text(self.cursor.run(|byte| matches!(byte, b'"' | b'`' | b'$')), true),
            }
        }
    }

    /// Reads `@'…'@`, whose quotes are on lines of their own.
    fn here_string(&mut self, word: &mut TreeWord, mark: u8) {
        self.cursor.advance(2);
        let end = format!("\n{}@", char::from(mark));
        let rest = self.cursor.rest();
        let length = rest.find(&end).unwrap_or_else(|| {
            self.unread.get_or_insert(Unread::Unfinished);
            rest.len()
        });
        let text = self.cursor.take(length);
        word.push_text(text.trim_start_matches(['\r', '\n']), true);
        self.cursor.advance(end.len());
    }
}

/// Returns the name of the variable that a word is, if it is assigned here.
fn assigned(word: &TreeWord, rest: &str) -> Option<String> {
    let [WordPiece::Variable { name, .. }] = word.pieces.as_slice() else { return None };
    let rest = rest.trim_start_matches([' ', '\t']);
    (rest.starts_with('=') && !rest.starts_with("==")).then(|| name.clone())
}
