//! Reads words: quotes, escapes and expansions, with the commands inside them.

use super::ShellParser;
use crate::shell::cursor::ends_word;
use crate::shell::escape::ansi_c;
use crate::shell::tree::{ShellTree, TreeWord, Unread, WordPiece};

/// What has been opened inside an expansion and not yet closed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum OpenQuote {
    Double,
    Brace,
    /// `${…}` in double quotes, where a single quote is literal.
    QuotedBrace,
    Parenthesis,
}

impl<'a> ShellParser<'a> {
    /// Reads a word; the cursor is at its first character.
    pub(super) fn word(&mut self) -> TreeWord {
        let ends = |byte| ends_word(byte) || matches!(byte, b'\'' | b'"' | b'\\' | b'$' | b'`');
        let mut word = TreeWord::default();
        while let Some(byte) = self.cursor.peek(0) {
            match (byte, self.cursor.peek(1)) {
                (b'"', _) => self.double_quoted(&mut word),
                (b'$' | b'`', _) => self.expansion(&mut word, false),
                (b'\'', _) => {
                    self.cursor.advance(1);
                    let text = self.cursor.take(self.cursor.until(|byte| byte == b'\''));
                    word.push_text(text, true);
                    self.close(b'\'');
                }
                (b'\\', Some(b'\n')) => self.cursor.advance(2),
                (b'\\', Some(next)) if is_windows_path(&word) && begins_name(next) => {
                    word.push_text(self.cursor.take(1), false);
                }
                (b'\\', Some(_)) => {
                    self.cursor.advance(1);
                    let length = self.cursor.rest().chars().next().map_or(1, char::len_utf8);
                    let text = self.cursor.take(length);
                    word.push_text(text, true);
                }
                // A backslash at the very end stays.
                (b'\\', None) => {
                    self.cursor.advance(1);
                    word.push_text("\\", true);
                }
                (b'<' | b'>', Some(b'(')) => self.process(&mut word),
                (b'(', _) if takes_parenthesis(&word) => self.nested(&mut word, 1, OpenQuote::Parenthesis),
                _ if ends_word(byte) => break,
                _ => word.push_text(self.cursor.run(ends), false),
            }
        }
        if word.pieces.is_empty() {
            // Quotes without anything in them are still a word.
            word.push_text("", true);
        }
        word
    }

    /// Reads the text of a here-document, in which quotes are ordinary characters.
    pub(super) fn document_word(&mut self) -> TreeWord {
        let ends = |byte| matches!(byte, b'\\' | b'$' | b'`');
        let mut word = TreeWord::default();
        while let Some(byte) = self.cursor.peek(0) {
            match (byte, self.cursor.peek(1)) {
                (b'$' | b'`', _) => self.expansion(&mut word, true),
                (b'\\', Some(b'\n')) => self.cursor.advance(2),
                (b'\\', Some(escaped)) if ends(escaped) => {
                    self.cursor.advance(1);
                    word.push_text(self.cursor.take(1), true);
                }
                _ => word.push_text(self.cursor.run(ends), true),
            }
        }
        word
    }

    /// Reads the rest of `((…))`.
    pub(super) fn arithmetic_word(&mut self) -> TreeWord {
        let start = self.cursor.at;
        let scripts = self.skip(OpenQuote::Parenthesis);
        if self.cursor.peek(0) == Some(b')') {
            self.cursor.advance(1);
        } else if self.cursor.peek(0).is_none() {
            self.report(Unread::Unfinished);
        }
        let written = self.cursor.slice(start, self.cursor.at).to_owned();
        TreeWord { pieces: vec![WordPiece::Unknown { written, scripts, is_quoted: true }] }
    }

    /// Takes the mark that ends what is open; its absence is reported.
    fn close(&mut self, mark: u8) {
        if self.cursor.peek(0) == Some(mark) {
            self.cursor.advance(1);
        } else {
            self.report(Unread::Unfinished);
        }
    }

    fn double_quoted(&mut self, word: &mut TreeWord) {
        let ends = |byte| matches!(byte, b'"' | b'\\' | b'$' | b'`');
        self.cursor.advance(1);
        word.push_text("", true);
        while let Some(byte) = self.cursor.peek(0) {
            match (byte, self.cursor.peek(1)) {
                (b'"', _) => break,
                (b'$' | b'`', _) => self.expansion(word, true),
                (b'\\', Some(b'\n')) => self.cursor.advance(2),
                (b'\\', Some(escaped)) if ends(escaped) => {
                    self.cursor.advance(1);
                    word.push_text(self.cursor.take(1), true);
                }
                _ => word.push_text(self.cursor.run(ends), true),
            }
        }
        self.close(b'"');
    }

    /// Takes the expansion that a `$` or a backtick starts.
    fn expansion(&mut self, word: &mut TreeWord, is_quoted: bool) {
        let rest = self.cursor.rest();
        match (self.cursor.peek(0), self.cursor.peek(1)) {
            (Some(b'`'), _) => self.backticks(word, is_quoted),
            (_, Some(b'\'')) if !is_quoted => {
                self.cursor.advance(2);
                let start = self.cursor.at;
                let text = self.cursor.through_unescaped(b'\'');
                if self.cursor.slice(start + text.len(), self.cursor.at) != "'" {
                    self.report(Unread::Unfinished);
                }
                word.push_text(&ansi_c(text), true);
            }
            (_, Some(b'"')) if !is_quoted => {
                self.cursor.advance(1);
                self.double_quoted(word);
            }
            (_, Some(b'(')) if rest.starts_with("$((") && self.is_arithmetic(3) => {
                self.nested(word, 2, OpenQuote::Parenthesis);
            }
            (_, Some(b'(')) => {
                let (script, written) = self.substitution();
                word.pieces.push(WordPiece::Output { script, written, is_quoted });
            }
            (_, Some(b'{')) => self.braced(word, is_quoted),
            (_, Some(next)) if next.is_ascii_alphabetic() || next == b'_' => {
                let length = rest
                    .bytes()
                    .skip(1)
                    .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
                    .count();
                let written = self.cursor.take(1 + length).to_owned();
                let name = written[1..].to_owned();
                word.pieces.push(WordPiece::Variable { name, default: None, written, is_quoted });
            }
            (_, Some(next)) if next.is_ascii_digit() || matches!(next, b'@' | b'*') => {
                let written = self.cursor.take(2).to_owned();
                let name = written[1..].to_owned();
                word.pieces.push(WordPiece::Variable { name, default: None, written, is_quoted });
            }
            (_, Some(b'#' | b'?' | b'$' | b'!' | b'-')) => {
                let written = self.cursor.take(2).to_owned();
                word.pieces.push(WordPiece::Unknown { written, scripts: Vec::new(), is_quoted });
            }
            _ => word.push_text(self.cursor.take(1), is_quoted),
        }
    }

    /// Returns whether two parentheses, which begin after this many characters, also end together: then they are
    /// arithmetic, and not a subshell inside something else.
    ///
    /// This only looks, and at quotes and parentheses alone. What was found to be subshells is not looked at again, or
    /// deep nesting would be scanned once per level.
    pub(super) fn is_arithmetic(&mut self, before: usize) -> bool {
        if self.cursor.at < self.subshells_until {
            return false;
        }
        let bytes = self.cursor.source.as_bytes();
        let (mut at, mut open, mut quote) = (self.cursor.at + before, 1_usize, None);
        while let Some(byte) = bytes.get(at) {
            at += 1;
            match (byte, quote) {
                (b'\\', None | Some(b'"' | b'$')) => at += 1,
                (b'\'', Some(b'$')) => quote = None,
                (_, Some(mark)) if *byte == mark => quote = None,
                // In `$'…'` a backslash escapes.
                (b'\'', None) if at > 1 && bytes[at - 2] == b'$' => quote = Some(b'$'),
                (b'\'' | b'"', None) => quote = Some(*byte),
                (b'(', None) => open += 1,
                (b')', None) => {
                    open -= 1;
                    if open == 0 {
                        break;
                    }
                }
                _ => {}
            }
        }
        let is_arithmetic = bytes.get(at).is_none_or(|byte| *byte == b')');
        if !is_arithmetic {
            self.subshells_until = self.subshells_until.max(at);
        }
        is_arithmetic
    }

    fn braced(&mut self, word: &mut TreeWord, is_quoted: bool) {
        let start = self.cursor.at;
        self.cursor.advance(2);
        let open = if is_quoted { OpenQuote::QuotedBrace } else { OpenQuote::Brace };
        let scripts = self.skip(open);
        let written = self.cursor.slice(start, self.cursor.at).to_owned();
        let inside = written.get(2..).unwrap_or_default();
        let inside = inside.strip_suffix('}').unwrap_or(inside);
        let length = inside.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        let is_list = matches!(inside, "@" | "*") || inside[length..] == *"[@]" || inside[length..] == *"[*]";
        let length = if is_list { inside.len() } else { length };
        let (name, rest) = inside.split_at(length);
        let default = rest.strip_prefix(":-").or_else(|| rest.strip_prefix('-'));
        let is_plain = default.is_none_or(|text| !text.contains(['$', '`', '\'', '"', '\\']));
        let piece = if !name.is_empty() && (rest.is_empty() || default.is_some() && is_plain) {
            let (name, default) = (name.to_owned(), default.map(str::to_owned));
            WordPiece::Variable { name, default, written, is_quoted }
        } else {
            WordPiece::Unknown { written, scripts, is_quoted }
        };
        word.pieces.push(piece);
    }

    fn backticks(&mut self, word: &mut TreeWord, is_quoted: bool) {
        self.cursor.advance(1);
        let start = self.cursor.at;
        let text = self.cursor.through_unescaped(b'`');
        if self.cursor.slice(start + text.len(), self.cursor.at) != "`" {
            self.report(Unread::Unfinished);
        }
        let script = self.inner_script(text, is_quoted);
        let written = format!("`{text}`");
        word.pieces.push(WordPiece::Output { script, written, is_quoted });
    }

    /// Parses the text between backticks, in which a backslash protects a few characters.
    fn inner_script(&mut self, text: &str, is_quoted: bool) -> ShellTree {
        let mut plain = String::with_capacity(text.len());
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            let is_escape = letter == '\\'
                && letters
                    .peek()
                    .is_some_and(|next| matches!(next, '`' | '\\' | '$') || is_quoted && *next == '"');
            plain.extend(if is_escape { letters.next() } else { Some(letter) });
        }
        self.deeper(|parser| {
            let mut inner = ShellParser::new(&plain, parser.depth);
            let script = inner.script();
            if let Some(unread) = inner.unread {
                parser.report(unread);
            }
            script
        })
    }

    /// Takes a `<(…)` or `>(…)`.
    fn process(&mut self, word: &mut TreeWord) {
        let is_input = self.cursor.peek(0) == Some(b'<');
        let (script, written) = self.substitution();
        word.pieces.push(WordPiece::Process { script, written, is_input });
    }

    /// Takes the two characters that open a script, the script, and its parenthesis.
    fn substitution(&mut self) -> (ShellTree, String) {
        let start = self.cursor.at;
        self.cursor.advance(2);
        let script = self.deeper(ShellParser::parenthesised);
        (script, self.cursor.slice(start, self.cursor.at).to_owned())
    }

    /// Takes a construct as written, from its opening of the given length to its end.
    fn nested(&mut self, word: &mut TreeWord, opening: usize, open: OpenQuote) {
        let start = self.cursor.at;
        self.cursor.advance(opening);
        let scripts = self.skip(open);
        let written = self.cursor.slice(start, self.cursor.at).to_owned();
        word.pieces.push(WordPiece::Unknown { written, scripts, is_quoted: false });
    }

    /// Moves past the end of what is open, and returns the scripts in it.
    fn skip(&mut self, outermost: OpenQuote) -> Vec<ShellTree> {
        let mut scripts = Vec::new();
        let mut open = vec![outermost];
        while let Some(&innermost) = open.last() {
            let Some(byte) = self.cursor.peek(0) else {
                self.report(Unread::Unfinished);
                break;
            };
            let is_quoted = matches!(innermost, OpenQuote::Double | OpenQuote::QuotedBrace);
            match (byte, self.cursor.peek(1), innermost) {
                (b'`', ..) => {
                    let mut word = TreeWord::default();
                    self.backticks(&mut word, is_quoted);
                    scripts.extend(scripts_of(word));
                    continue;
                }
                (b'$', Some(b'('), _) if !self.cursor.rest().starts_with("$((") => {
                    scripts.push(self.substitution().0);
                    continue;
                }
                (b'$', Some(b'('), _) => {
                    self.cursor.advance(1);
                    open.push(OpenQuote::Parenthesis);
                }
                (b'$', Some(b'{'), _) => {
                    self.cursor.advance(1);
                    open.push(if is_quoted { OpenQuote::QuotedBrace } else { OpenQuote::Brace });
                }
                (b'\\', ..) => self.cursor.advance(1),
                (b'$', Some(b'\''), _) if !is_quoted => {
                    self.cursor.advance(2);
                    let start = self.cursor.at;
                    let text = self.cursor.through_unescaped(b'\'');
                    if self.cursor.slice(start + text.len(), self.cursor.at) != "'" {
                        self.report(Unread::Unfinished);
                    }
                    continue;
                }
                (b'\'', ..) if !is_quoted => {
                    self.cursor.advance(1);
                    self.cursor.advance(self.cursor.until(|byte| byte == b'\''));
                    if self.cursor.peek(0).is_none() {
                        self.report(Unread::Unfinished);
                    }
                }
                (b'"', _, OpenQuote::Double)
                | (b'}', _, OpenQuote::Brace | OpenQuote::QuotedBrace)
                | (b')', _, OpenQuote::Parenthesis) => {
                    open.pop();
                }
                (b'"', ..) => open.push(OpenQuote::Double),
                (b'(', _, OpenQuote::Parenthesis) => open.push(OpenQuote::Parenthesis),
                _ => {}
            }
            self.cursor.advance(1);
        }
        scripts
    }
}

fn scripts_of(word: TreeWord) -> impl Iterator<Item = ShellTree> {
    word.pieces.into_iter().filter_map(|piece| match piece {
        WordPiece::Output { script, .. } => Some(script),
        _ => None,
    })
}

/// Returns whether a parenthesis after this text belongs to the word: the list of an array, or an extended glob.
fn takes_parenthesis(word: &TreeWord) -> bool {
    word.bare().is_some_and(|text| text.ends_with(['=', '@', '!', '?', '*', '+']) && text != "!")
}

/// Returns whether the name of a file or a folder may begin with this byte; an operator or a blank is escaped.
fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"_.*%~-\\".contains(&byte)
}

/// Returns whether this is the beginning of a path of Windows, whose backslashes agents do not always double.
fn is_windows_path(word: &TreeWord) -> bool {
    word.bare().is_some_and(|text| {
        let drive = text.as_bytes();
        matches!(text, "." | "..")
            || text.starts_with(".\\")
            || text.starts_with("..\\")
            || drive.len() > 1 && drive[0].is_ascii_alphabetic() && drive[1] == b':'
    })
}
