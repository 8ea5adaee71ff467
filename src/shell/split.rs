//! Splits a command line into the simple commands it runs, and each of these into words.

use super::tables::{SHELLS, WRAPPERS};

/// A simple command of a line: `git push -u` in `cd x && git push -u 2>&1 | tail`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct SimpleCommand {
    /// Its words without quotation marks, and without assignments before it and redirections.
    pub(crate) words: Vec<String>,
    /// What connects it with the part before it.
    pub(crate) joint: Connector,
}

/// What separates two parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Connector {
    /// `;`, a line break, `&`, or the beginning.
    #[default]
    Then,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|` or `|&`: it reads what the part before it prints.
    Pipe,
}

/// At most this many parts of a line are read: a script of a thousand lines is not one command.
const MAX_PARTS: usize = 64;

/// How often a shell may be inside another one.
const MAX_NESTED: usize = 3;

/// A shell behind more words than this is an argument.
const MAX_BEFORE_SHELL: usize = 6;

/// Keywords that stand before a command and are not one.
const KEYWORDS: [&str; 13] =
    ["if", "then", "else", "elif", "fi", "while", "until", "do", "done", "!", "{", "}", "time"];

/// Returns the simple commands of a line, in their order.
pub(crate) fn parts(line: &str) -> Vec<SimpleCommand> {
    let mut splitter = Splitter { chars: line.char_indices().peekable(), line, ..Splitter::default() };
    splitter.run();
    with_inner(splitter.parts, MAX_NESTED)
}

/// Replaces `bash -lc "…"` by the commands in it.
fn with_inner(parts: Vec<SimpleCommand>, depth: usize) -> Vec<SimpleCommand> {
    if depth == 0 || !parts.iter().any(|part| inner_text(part).is_some()) {
        return parts;
    }
    let mut all = Vec::new();
    for part in parts {
        let Some(text) = inner_text(&part) else {
            all.push(part);
            continue;
        };
        let mut splitter =
            Splitter { chars: text.char_indices().peekable(), line: text, ..Splitter::default() };
        splitter.run();
        let mut inner = with_inner(splitter.parts, depth - 1);
        if inner.is_empty() {
            all.push(part);
        } else {
            inner[0].joint = part.joint;
            all.append(&mut inner);
        }
    }
    all.truncate(MAX_PARTS);
    all
}

/// Returns the text that a shell is given to run: what follows `-c`, behind wrappers such as `timeout 60`.
fn inner_text(part: &SimpleCommand) -> Option<&str> {
    let is_shell = |word: &String| {
        let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
        SHELLS.contains(&name.strip_suffix(".exe").unwrap_or(name))
    };
    let shell = part.words.iter().take(MAX_BEFORE_SHELL).position(is_shell)?;
    // `docker exec x sh -c "…"` and `ssh host bash -c "…"` run elsewhere, and are programs of their own.
    let is_wrapped = part.words[..shell].iter().all(|word| {
        WRAPPERS.iter().any(|(wrapper, _)| *wrapper == word)
            || word.starts_with(['-', '+'])
            || word.starts_with(|c: char| c.is_ascii_digit())
            || is_assignment(word)
    });
    let rest = &part.words[shell + 1..];
    let option = rest.iter().position(|word| {
        word.starts_with('-') && !word.starts_with("--") && word.ends_with('c')
            || word.eq_ignore_ascii_case("-command")
            || word.eq_ignore_ascii_case("/c")
    })?;
    let are_options = rest[..option].iter().all(|word| word.starts_with('-'));
    rest.get(option + 1).map(String::as_str).filter(|_| is_wrapped && are_options)
}

struct Splitter<'l> {
    line: &'l str,
    chars: std::iter::Peekable<std::str::CharIndices<'l>>,
    parts: Vec<SimpleCommand>,
    part: SimpleCommand,
    word: Option<String>,
    /// Whether the word had quotation marks, so that it is not a keyword, a redirection or an assignment.
    quoted: bool,
    /// The next word is where a redirection leads to.
    redirected: bool,
    /// The ends of here documents whose text begins with the next line.
    heredocs: Vec<String>,
    /// The next word is the end of a here document.
    heredoc_follows: bool,
}

impl Default for Splitter<'_> {
    fn default() -> Self {
        Splitter {
            line: "",
            chars: "".char_indices().peekable(),
            parts: Vec::new(),
            part: SimpleCommand::default(),
            word: None,
            quoted: false,
            redirected: false,
            heredocs: Vec::new(),
            heredoc_follows: false,
        }
    }
}

impl Splitter<'_> {
    fn run(&mut self) {
        while let Some((at, c)) = self.chars.next() {
            if self.parts.len() >= MAX_PARTS {
                return;
            }
            match c {
                // A path of Windows keeps its backslashes.
                '\\' if self.is_in_windows_path() => self.push('\\'),
                '\\' => match self.chars.next() {
                    Some((_, '\n')) | None => {}
                    Some((_, next)) => self.push(next),
                },
                '\'' => self.quote('\'', false),
                '"' => self.quote('"', true),
                '$' if self.next_is('\'') => {}
                '$' if self.next_is('(') => {
                    let text = self.nested(at);
                    self.word.get_or_insert_default().push_str(text);
                }
                '`' => {
                    let end = self.line[at + 1..].find('`').map_or(self.line.len(), |end| at + end + 2);
                    self.skip_to(end);
                    self.word.get_or_insert_default().push_str(&self.line[at..end]);
                }
                '#' if self.word.is_none() => self.skip_to_line_end(),
                '\n' => {
                    self.end_part(Connector::Then);
                    self.skip_heredocs();
                }
                ';' | '(' | ')' => self.end_part(Connector::Then),
                '&' if self.next_is('>') => self.redirect(),
                '&' if self.take('&') => self.end_part(Connector::And),
                '&' if self.word.as_deref().is_some_and(|word| word.ends_with(['>', '<'])) => self.push('&'),
                '&' => self.end_part(Connector::Then),
                '|' if self.take('|') => self.end_part(Connector::Or),
                '|' => {
                    self.take('&');
                    self.end_part(Connector::Pipe);
                }
                '>' | '<' => self.angle(c),
                c if c.is_whitespace() => self.end_word(),
                c => self.push(c),
            }
        }
        self.end_part(Connector::Then);
    }

    fn is_in_windows_path(&mut self) -> bool {
        let begins = self.word.as_deref().is_some_and(|word| {
            word.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | ':' | '_'))
        });
        begins && self.chars.peek().is_some_and(|(_, c)| c.is_alphanumeric() || *c == '.')
    }

    fn next_is(&mut self, wanted: char) -> bool {
        self.chars.peek().is_some_and(|(_, c)| *c == wanted)
    }

    fn take(&mut self, wanted: char) -> bool {
        let is_next = self.next_is(wanted);
        if is_next {
            self.chars.next();
        }
        is_next
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    /// Reads a quoted text into the current word.
    fn quote(&mut self, end: char, escapes: bool) {
        self.quoted = true;
        let mut text = self.word.take().unwrap_or_default();
        while let Some((at, c)) = self.chars.next() {
            match c {
                c if c == end => break,
                '\\' if escapes => text.extend(self.chars.next().map(|(_, c)| c)),
                '$' if escapes && self.next_is('(') => text.push_str(self.nested(at)),
                c => text.push(c),
            }
        }
        self.word = Some(text);
    }

    /// Passes over a `$(…)` that begins here, with the here documents in it.
    ///
    /// What the inner command prints is unknown, and its text says nothing about the outer one.
    fn nested(&mut self, start: usize) -> &'static str {
        let text = &self.line[start..];
        let bytes = text.as_bytes();
        let (mut at, mut depth, mut quote) = (0, 0_usize, None);
        while at < bytes.len() {
            match (quote, bytes[at]) {
                (Some(open), byte) if byte == open => quote = None,
                (Some(_), _) => {}
                (None, b'\\') => at += 1,
                (None, b'\'' | b'"') => quote = Some(bytes[at]),
                (None, b'<') if text[at..].starts_with("<<") && !text[at..].starts_with("<<<") => {
                    at += heredoc_length(&text[at..]).saturating_sub(1);
                }
                (None, b'(') => depth += 1,
                (None, b')') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        break;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        self.skip_to(start + at.saturating_add(1));
        "$(…)"
    }

    fn skip_to(&mut self, end: usize) {
        while self.chars.peek().is_some_and(|(at, _)| *at < end) {
            self.chars.next();
        }
    }

    fn skip_to_line_end(&mut self) {
        while self.chars.peek().is_some_and(|(_, c)| *c != '\n') {
            self.chars.next();
        }
    }

    /// Reads `>`, `>>`, `<`, `<<` and the like; a number before them belongs to them.
    fn angle(&mut self, c: char) {
        if self.word.as_deref().is_some_and(|word| word.chars().all(|c| c.is_ascii_digit())) {
            self.word = None;
        } else {
            self.end_word();
        }
        if c == '<' && self.take('<') {
            self.take('-');
            self.heredoc_follows = !self.take('<');
            self.redirected = !self.heredoc_follows;
            return;
        }
        if self.next_is('(') {
            // A process in the place of a file.
            return;
        }
        self.take('>');
        self.take('|');
        self.redirect();
    }

    fn redirect(&mut self) {
        while self.take('>') || self.take('&') {}
        self.redirected = true;
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        let quoted = std::mem::take(&mut self.quoted);
        if std::mem::take(&mut self.heredoc_follows) {
            self.heredocs.push(word);
            return;
        }
        if std::mem::take(&mut self.redirected) {
            return;
        }
        let is_first = self.part.words.is_empty();
        if is_first && !quoted && (KEYWORDS.contains(&word.as_str()) || is_assignment(&word)) {
            return;
        }
        self.part.words.push(word);
    }

    fn end_part(&mut self, next: Connector) {
        self.end_word();
        self.redirected = false;
        let joint = self.part.joint;
        let part = std::mem::take(&mut self.part);
        self.part.joint = if part.words.is_empty() && next == Connector::Then { joint } else { next };
        if !part.words.is_empty() {
            self.parts.push(part);
        }
    }

    /// Passes over the texts of here documents, which begin after the line that names them.
    fn skip_heredocs(&mut self) {
        for end in std::mem::take(&mut self.heredocs) {
            let start = self.chars.peek().map_or(self.line.len(), |(at, _)| *at);
            let mut after = start;
            for line in self.line[start..].split_inclusive('\n') {
                after += line.len();
                if line.trim() == end {
                    break;
                }
            }
            self.skip_to(after);
        }
    }
}

/// Returns whether a word is `NAME=value`.
pub(super) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// Returns the length of a here document: from its `<<` to the end of the line that closes it.
fn heredoc_length(text: &str) -> usize {
    let Some((first, _)) = text.split_once('\n') else { return text.len() };
    let name = first.trim_start_matches(['<', '-', ' ']);
    let name = name.trim_start_matches(['\'', '"', '\\']);
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').map_or(name, |end| &name[..end]);
    let mut length = first.len() + 1;
    for line in text[length..].split_inclusive('\n') {
        length += line.len();
        if line.trim() == end {
            return length;
        }
    }
    length
}
