//! Tells code, comments and strings of a source text apart, and blanks what is not wanted.
//!
//! No syntax tree: one pass from the beginning, which keeps every newline and the length, so that lines and columns stay
//! what they are. What is not understood counts as code. A fragment is read as if a file began with it.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::language::{Language, Quirk, StringEscape, StringForm};

/// The part of a source text that a pattern is searched in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum CodePart {
    Code,
    Comments,
    Strings,
}

impl CodePart {
    pub(crate) const ALL: [CodePart; 3] = [CodePart::Code, CodePart::Comments, CodePart::Strings];
    pub(crate) const NAMES: [&'static str; 3] = ["code", "comments", "strings"];

    pub(crate) fn name(self) -> &'static str {
        match self {
            CodePart::Code => "code",
            CodePart::Comments => "comments",
            CodePart::Strings => "strings",
        }
    }
}

/// Returns the text with everything but one part blanked: as many spaces as it has bytes, and the same newlines.
pub(crate) fn only(text: &str, language: &Language, part: CodePart) -> String {
    let mut reader = PartReader {
        text: text.as_bytes(),
        language,
        part,
        at: 0,
        kept: Vec::with_capacity(text.len()),
        frames: vec![Frame::Code { close: 0, depth: 0 }],
        last: 0,
        word: 0..0,
        heredocs: Vec::new(),
        has_page: false,
        is_page: false,
    };
    reader.has_page = language.has(Quirk::PhpPages) && text.contains("<?");
    reader.is_page = reader.has_page;
    while reader.at < reader.text.len() {
        reader.step();
    }
    // Parts begin and end at ASCII characters, so no character is cut.
    String::from_utf8(reader.kept).unwrap_or_else(|_| text.to_owned())
}

struct PartReader<'t> {
    text: &'t [u8],
    language: &'t Language,
    part: CodePart,
    at: usize,
    kept: Vec<u8>,
    /// Strings contain code, which contains strings.
    frames: Vec<Frame>,
    /// The last byte of code that is not white space; 0 at the beginning. A string counts as `"`.
    last: u8,
    /// The word of code before this point.
    word: std::ops::Range<usize>,
    /// Heredocs whose text begins in the next line.
    heredocs: Vec<Heredoc>,
    /// Whether there is a page around the code, as in PHP.
    has_page: bool,
    /// Whether this point is in that page.
    is_page: bool,
}

#[derive(Clone)]
enum Frame {
    /// Code up to this closing bracket; `depth` of them were opened inside.
    Code {
        close: u8,
        depth: usize,
    },
    Text(Rc<OpenString>),
}

/// A string that is being read.
struct OpenString {
    close: Vec<u8>,
    escape: StringEscape,
    lines: bool,
    /// What begins code; empty if nothing does.
    code: Vec<u8>,
    /// Whether `{{` is a brace.
    doubled_braces: bool,
}

struct Heredoc {
    end: Vec<u8>,
    /// Whether the end may be indented.
    indented: bool,
}

/// Strings in strings deeper than this count as text.
const MAX_DEPTH: usize = 64;
/// A pattern that is longer is not one.
const MAX_REGEX: usize = 2_000;
/// Words before a quote or a `/` after which a string or a pattern may follow.
const OPERAND_EXPECTED: [&str; 24] = [
    "return",
    "typeof",
    "case",
    "in",
    "of",
    "delete",
    "void",
    "throw",
    "new",
    "else",
    "do",
    "instanceof",
    "yield",
    "await",
    "from",
    "import",
    "export",
    "default",
    "extends",
    "if",
    "unless",
    "when",
    "and",
    "or",
];

impl PartReader<'_> {
    fn step(&mut self) {
        if self.is_page {
            return self.page();
        }
        match self.frames.last().cloned() {
            Some(Frame::Text(open)) => self.in_string(&open),
            Some(Frame::Code { close, depth }) => self.in_code(close, depth),
            None => self.frames.push(Frame::Code { close: 0, depth: 0 }),
        }
    }

    fn rest(&self) -> &[u8] {
        &self.text[self.at..]
    }

    fn starts(&self, with: &[u8]) -> bool {
        !with.is_empty() && self.rest().starts_with(with)
    }

    fn before(&self) -> u8 {
        self.at.checked_sub(1).map_or(0, |before| self.text[before])
    }

    /// Takes the next bytes as a part of the text.
    fn take(&mut self, count: usize, part: CodePart) {
        let end = self.at.saturating_add(count).min(self.text.len());
        let bytes = &self.text[self.at..end];
        if part == self.part {
            self.kept.extend_from_slice(bytes);
        } else {
            let blank = |byte: &u8| if matches!(byte, b'\n' | b'\r') { *byte } else { b' ' };
            self.kept.extend(bytes.iter().map(blank));
        }
        if part == CodePart::Code {
            for at in self.at..end {
                let byte = self.text[at];
                if is_word(byte) {
                    self.word = if self.word.end == at && !self.word.is_empty() {
                        self.word.start..at + 1
                    } else {
                        at..at + 1
                    };
                }
                if !byte.is_ascii_whitespace() {
                    self.last = byte;
                }
            }
        } else if part == CodePart::Strings {
            self.last = b'"';
        }
        self.at = end;
    }

    fn in_code(&mut self, close: u8, depth: usize) {
        let byte = self.text[self.at];
        if byte == b'\n' && !self.heredocs.is_empty() {
            self.take(1, CodePart::Code);
            return self.heredoc_texts();
        }
        if self.comment() || self.string() {
            return;
        }
        if close != 0 {
            let open = if close == b')' { b'(' } else { b'{' };
            if byte == close && depth == 0 {
                self.frames.pop();
                return self.take(1, CodePart::Strings);
            }
            let depth = if byte == open { depth + 1 } else { depth - usize::from(byte == close) };
            if let Some(frame) = self.frames.last_mut() {
                *frame = Frame::Code { close, depth };
            }
        }
        if self.has_page && self.starts(b"?>") && close == 0 {
            self.is_page = true;
            return self.take(2, CodePart::Code);
        }
        self.take(1, CodePart::Code);
    }

    /// Takes a comment, if one begins here.
    fn comment(&mut self) -> bool {
        let language = self.language;
        for (open, close) in language.block_comments {
            if !self.starts(open.as_bytes())
                || (language.has(Quirk::LineStart) && !matches!(self.before(), 0 | b'\n'))
            {
                continue;
            }
            let length = self.block_length(open.as_bytes(), close.as_bytes());
            self.take(length, CodePart::Comments);
            return true;
        }
        let is_comment = |open: &&str| self.starts(open.as_bytes()) && self.may_begin_comment(open);
        if !language.line_comments.iter().any(is_comment) {
            return false;
        }
        let length = self.rest().iter().position(|byte| *byte == b'\n').unwrap_or(self.rest().len());
        self.take(length, CodePart::Comments);
        true
    }

    fn may_begin_comment(&self, open: &str) -> bool {
        let (language, before) = (self.language, self.before());
        if open == "#" {
            let is_spaced =
                matches!(before, 0 | b';' | b'&' | b'|' | b'(' | b')') || before.is_ascii_whitespace();
            let is_attribute = language.has(Quirk::Attributes) && self.starts(b"#[");
            return (is_spaced || !language.has(Quirk::SpacedHash)) && !is_attribute;
        }
        open != "//" || before != b':' || !language.has(Quirk::Addresses)
    }

    /// Returns the length of a block comment; one that never ends goes to the end.
    fn block_length(&self, open: &[u8], close: &[u8]) -> usize {
        let rest = self.rest();
        let (mut at, mut depth) = (open.len(), 1);
        while at < rest.len() {
            if rest[at..].starts_with(close) {
                (at, depth) = (at + close.len(), depth - 1);
                if depth == 0 {
                    return at;
                }
            } else if self.language.nested && rest[at..].starts_with(open) {
                (at, depth) = (at + open.len(), depth + 1);
            } else {
                at += 1;
            }
        }
        rest.len()
    }

    /// Begins a string, if one begins here.
    fn string(&mut self) -> bool {
        if self.frames.len() > MAX_DEPTH {
            return false;
        }
        let byte = self.text[self.at];
        let language = self.language;
        let may_be = matches!(
            byte,
            b'"' | b'\'' | b'`' | b'/' | b'<' | b'%' | b'$' | b'#' | b'[' | b'r' | b'R' | b'b' | b'c' | b'@'
        );
        if !may_be {
            return false;
        }
        for quirk in language.quirks {
            let taken = match quirk {
                Quirk::RustRaw => self.rust_raw(),
                Quirk::Lifetimes => self.rust_quote(),
                Quirk::SwiftRaw => self.swift_raw(),
                Quirk::CppRaw => self.cpp_raw(),
                Quirk::CsharpStrings => self.csharp_string(),
                Quirk::RegexLiterals => self.regex_literal(),
                Quirk::ShellHeredocs => self.shell_heredoc(),
                Quirk::RubyHeredocs => self.ruby_heredoc() || self.ruby_list(),
                Quirk::PhpHeredocs => self.php_heredoc(),
                _ => false,
            };
            if taken {
                return true;
            }
        }
        if byte == b'\'' && language.has(Quirk::DigitQuotes) && self.is_after_number() {
            return false;
        }
        let is_quote = matches!(byte, b'"' | b'\'');
        if is_quote && language.has(Quirk::Apostrophes) && self.is_apostrophe() {
            return false;
        }
        if is_quote && language.has(Quirk::AfterEquals) && self.last != b'=' {
            return false;
        }
        let Some(form) = language.strings.iter().find(|form| self.starts(form.open.as_bytes())) else {
            return false;
        };
        let mut open = OpenString::of(form);
        if language.has(Quirk::PythonPrefixes) && self.has_python_code() {
            (open.code, open.doubled_braces) = (b"{".to_vec(), true);
        }
        self.open(form.open.len(), open);
        true
    }

    fn open(&mut self, length: usize, open: OpenString) {
        self.take(length, CodePart::Strings);
        self.frames.push(Frame::Text(Rc::new(open)));
    }

    fn in_string(&mut self, open: &OpenString) {
        let byte = self.text[self.at];
        let is_code = self.starts(&open.code);
        if is_code && open.doubled_braces && self.starts(b"{{") {
            return self.take(2, CodePart::Strings);
        }
        if is_code && self.frames.len() <= MAX_DEPTH {
            // PHP's `{$` belongs to the code with its sign.
            let length = if open.code == b"{$" { 1 } else { open.code.len() };
            self.take(length, CodePart::Strings);
            self.last = b'(';
            let close = if open.code.ends_with(b"(") { b')' } else { b'}' };
            return self.frames.push(Frame::Code { close, depth: 0 });
        }
        if open.escape == StringEscape::Backslash
            && byte == b'\\'
            && (open.lines || self.rest().get(1) != Some(&b'\n'))
        {
            return self.take(2, CodePart::Strings);
        }
        if self.starts(&open.close) {
            let twice = [open.close.as_slice(), open.close.as_slice()].concat();
            if open.escape == StringEscape::Doubled && self.starts(&twice) {
                return self.take(twice.len(), CodePart::Strings);
            }
            self.frames.pop();
            return self.take(open.close.len(), CodePart::Strings);
        }
        if byte == b'\n' && !open.lines {
            // It never ended: most likely it was no string, and the next line is none either.
            self.frames.pop();
            return;
        }
        self.take(1, CodePart::Strings);
    }

    /// Returns whether the byte before is the end of a word that no string can follow.
    fn is_apostrophe(&self) -> bool {
        let before = self.before();
        (is_word(before) || before >= 0x80) && !self.is_operand_expected_after_word()
    }

    fn is_operand_expected_after_word(&self) -> bool {
        let word = std::str::from_utf8(&self.text[self.word.clone()]).unwrap_or_default();
        OPERAND_EXPECTED.contains(&word)
    }

    fn is_after_number(&self) -> bool {
        self.word.end == self.at && self.text.get(self.word.start).is_some_and(u8::is_ascii_digit)
    }

    fn is_after_word(&self) -> bool {
        is_word(self.before())
    }

    fn rust_raw(&mut self) -> bool {
        let rest = self.rest();
        let prefix = [&b"br"[..], b"cr", b"r"].into_iter().find(|prefix| rest.starts_with(prefix));
        let Some(prefix) = prefix.filter(|_| !self.is_after_word()) else { return false };
        let hashes = rest[prefix.len()..].iter().take_while(|byte| **byte == b'#').count();
        if rest.get(prefix.len() + hashes) != Some(&b'"') {
            return false;
        }
        let close = [&b"\""[..], &b"#".repeat(hashes)].concat();
        self.open(prefix.len() + hashes + 1, OpenString::raw(close));
        true
    }

    fn rust_quote(&mut self) -> bool {
        let rest = self.rest();
        if rest.first() != Some(&b'\'') {
            return false;
        }
        let length = if rest.get(1) == Some(&b'\\') {
            // `'\u{1f600}'` is the longest.
            let end = rest.iter().skip(3).take(12).position(|byte| *byte == b'\'');
            end.map(|end| end + 4)
        } else {
            let width = rest.get(1).map_or(1, |first| width(*first));
            (rest.get(1 + width) == Some(&b'\'') && rest.get(1) != Some(&b'\'')).then_some(width + 2)
        };
        // Without a second quote it is a lifetime, which is code.
        match length {
            Some(length) => self.take(length, CodePart::Strings),
            None => self.take(1, CodePart::Code),
        }
        true
    }

    fn swift_raw(&mut self) -> bool {
        // Inside of a run of `#` it was asked already.
        if self.before() == b'#' {
            return false;
        }
        let rest = self.rest();
        let hashes = rest.iter().take_while(|byte| **byte == b'#').count();
        let quotes = rest[hashes..].iter().take_while(|byte| **byte == b'"').count();
        if hashes == 0 || quotes == 0 {
            return false;
        }
        let quotes = if quotes >= 3 { 3 } else { 1 };
        let (marks, quote) = (b"#".repeat(hashes), b"\"".repeat(quotes));
        let open = OpenString {
            close: [quote.as_slice(), &marks].concat(),
            code: [&b"\\"[..], &marks, b"("].concat(),
            lines: quotes == 3,
            ..OpenString::raw(Vec::new())
        };
        self.open(hashes + quotes, open);
        true
    }

    fn cpp_raw(&mut self) -> bool {
        // `R` may have the prefix of an encoding, which is code.
        let is_prefixed = || {
            let word = std::str::from_utf8(&self.text[self.word.clone()]).unwrap_or_default();
            self.word.end == self.at && matches!(word, "u8" | "u" | "U" | "L")
        };
        if !self.starts(b"R\"") || (self.is_after_word() && !is_prefixed()) {
            return false;
        }
        let name = self.rest()[2..].iter().take(17).position(|byte| *byte == b'(');
        let Some(length) = name else { return false };
        let close = [&b")"[..], &self.rest()[2..2 + length], b"\""].concat();
        self.open(2 + length + 1, OpenString::raw(close));
        true
    }

    fn csharp_string(&mut self) -> bool {
        if matches!(self.before(), b'$' | b'@') {
            return false;
        }
        let rest = self.rest();
        let dollars = rest.iter().take_while(|byte| matches!(byte, b'$' | b'@')).count();
        let prefix = &rest[..dollars];
        let quotes = rest[dollars..].iter().take_while(|byte| **byte == b'"').count();
        if quotes == 0 {
            return false;
        }
        let has_code = prefix.contains(&b'$');
        let is_verbatim = prefix.contains(&b'@');
        let is_raw = quotes >= 3 && !is_verbatim;
        let open = match () {
            () if is_raw => OpenString {
                code: if has_code { b"{".repeat(prefix.len()) } else { Vec::new() },
                ..OpenString::raw(b"\"".repeat(quotes))
            },
            () => OpenString {
                close: b"\"".to_vec(),
                escape: if is_verbatim { StringEscape::Doubled } else { StringEscape::Backslash },
                lines: is_verbatim,
                code: if has_code { b"{".to_vec() } else { Vec::new() },
                doubled_braces: has_code,
            },
        };
        self.open(dollars + if is_raw { quotes } else { 1 }, open);
        true
    }

    /// Takes a pattern where an operand is expected: what is before it decides, as in every highlighter.
    fn regex_literal(&mut self) -> bool {
        let rest = self.rest();
        if rest.first() != Some(&b'/') || matches!(rest.get(1), Some(b'/' | b'*' | b' ' | b'=') | None) {
            return false;
        }
        let is_arrow = || {
            let code = self.text[..self.at].trim_ascii_end();
            code.ends_with(b"=>")
        };
        let is_expected = match self.last {
            0 | b'(' | b',' | b'=' | b':' | b'[' | b'!' | b'&' | b'|' | b'?' | b'{' | b';' | b'~' => true,
            b'>' => is_arrow(),
            last if is_word(last) => self.is_operand_expected_after_word(),
            _ => false,
        };
        if !is_expected {
            return false;
        }
        let (mut at, mut in_class) = (1, false);
        loop {
            match rest.get(at).filter(|_| at < MAX_REGEX) {
                None | Some(b'\n') => return false,
                Some(b'\\') => at += 1,
                Some(b'[') => in_class = true,
                Some(b']') => in_class = false,
                Some(b'/') if !in_class => break,
                Some(_) => {}
            }
            at += 1;
        }
        let flags = rest[at + 1..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        self.take(at + 1 + flags, CodePart::Strings);
        true
    }

    fn has_python_code(&self) -> bool {
        let prefix = &self.text[self.word.clone()];
        self.word.end == self.at
            && prefix.len() <= 3
            && prefix.iter().all(|byte| b"rRbBfFuUtT".contains(byte))
            && prefix.iter().any(|byte| b"fFtT".contains(byte))
    }

    fn shell_heredoc(&mut self) -> bool {
        if !self.starts(b"<<") || self.starts(b"<<<") || self.before() == b'<' {
            return false;
        }
        let rest = &self.rest()[2..];
        let dash = usize::from(rest.first() == Some(&b'-'));
        let spaces = rest[dash..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        self.heredoc(2 + dash + spaces, dash == 1, false)
    }

    fn ruby_heredoc(&mut self) -> bool {
        if !self.starts(b"<<") {
            return false;
        }
        let mark = usize::from(matches!(self.rest().get(2), Some(b'~' | b'-')));
        let first = self.rest().get(2 + mark);
        // `list <<item` appends; the name of a heredoc is written in capitals, or quoted.
        let is_named = first.is_some_and(|byte| byte.is_ascii_uppercase() || matches!(byte, b'"' | b'\''));
        let is_operator = mark == 0 && (self.is_after_word() || matches!(self.before(), b')' | b']'));
        is_named && !is_operator && self.heredoc(2 + mark, mark == 1, false)
    }

    fn php_heredoc(&mut self) -> bool {
        self.starts(b"<<<") && self.heredoc(3, true, true)
    }

    /// Takes the start of a heredoc, whose name is at this offset, and notes where it ends.
    fn heredoc(&mut self, offset: usize, indented: bool, may_continue: bool) -> bool {
        let rest = &self.rest()[offset.min(self.rest().len())..];
        let quote = rest.first().copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'\\' | b'`'));
        let start = usize::from(quote.is_some());
        let length = rest[start..].iter().take_while(|byte| is_word(**byte) || **byte >= 0x80).count();
        let end = rest[start..start + length].to_vec();
        if end.first().is_none_or(u8::is_ascii_digit) {
            return false;
        }
        let closing = usize::from(quote.is_some_and(|quote| quote != b'\\'));
        self.take(offset + start + length + closing, CodePart::Strings);
        self.heredocs.push(Heredoc { end, indented: indented || may_continue });
        true
    }

    /// Takes the texts of the heredocs that the line before has announced.
    fn heredoc_texts(&mut self) {
        for heredoc in std::mem::take(&mut self.heredocs) {
            while self.at < self.text.len() {
                let rest = self.rest();
                let length = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
                let line = rest[..length].trim_ascii_end();
                let line = if heredoc.indented { line.trim_ascii_start() } else { line };
                // PHP continues with code behind the name.
                let is_end = line.strip_prefix(heredoc.end.as_slice()).is_some_and(|behind| {
                    behind.first().is_none_or(|byte| matches!(byte, b';' | b')' | b',' | b']'))
                });
                self.take(length, CodePart::Strings);
                if is_end {
                    break;
                }
            }
        }
        self.last = b';';
    }

    /// Takes `%w[…]` and its relatives.
    fn ruby_list(&mut self) -> bool {
        let rest = self.rest();
        if rest.first() != Some(&b'%')
            || !matches!(rest.get(1), Some(b'q' | b'Q' | b'w' | b'W' | b'i' | b'I' | b'r' | b's' | b'x'))
        {
            return false;
        }
        let close = match rest.get(2) {
            Some(b'(') => b')',
            Some(b'[') => b']',
            Some(b'{') => b'}',
            Some(b'<') => b'>',
            Some(mark @ (b'|' | b'!' | b'/')) => *mark,
            _ => return false,
        };
        let open = OpenString { escape: StringEscape::Backslash, ..OpenString::raw(vec![close]) };
        self.open(3, open);
        true
    }

    /// Takes the page around PHP, up to the code.
    fn page(&mut self) {
        if self.starts(b"<?") {
            self.is_page = false;
            return self.take(2, CodePart::Code);
        }
        if self.starts(b"<!--") {
            let length = self.block_length(b"<!--", b"-->");
            return self.take(length, CodePart::Comments);
        }
        self.take(1, CodePart::Code);
    }
}

impl OpenString {
    fn of(form: &StringForm) -> OpenString {
        OpenString {
            close: form.close.as_bytes().to_vec(),
            escape: form.escape,
            lines: form.lines,
            code: form.code.as_bytes().to_vec(),
            doubled_braces: false,
        }
    }

    /// A string of several lines without escapes.
    fn raw(close: Vec<u8>) -> OpenString {
        OpenString { close, escape: StringEscape::None, lines: true, code: Vec::new(), doubled_braces: false }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns the number of bytes of a character that begins with this one.
fn width(first: u8) -> usize {
    match first {
        0..0x80 => 1,
        0x80..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    }
}

#[cfg(test)]
mod tests;
