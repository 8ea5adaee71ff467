//! The calls in a Starlark file whose arguments are literals. Nothing is computed: what is not a literal is reported.

/// A value that is written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Literal {
    Text(String),
    List(Vec<Literal>),
    /// A number, a truth value or nothing.
    Other,
}

/// A statement at the top of the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StarlarkCall {
    pub(super) line: usize,
    pub(super) name: String,
    /// The arguments by name; nothing if one of them is not a literal.
    pub(super) arguments: Option<Vec<(String, Literal)>>,
}

/// Lists may be nested up to this depth.
const MAX_DEPTH: usize = 8;

/// Returns the statements of a file, in their order; one that is not a call has its first word as its name.
pub(super) fn calls(text: &str) -> Vec<StarlarkCall> {
    let mut reader = StarlarkReader { rest: text, line: 1 };
    let mut calls = Vec::new();
    loop {
        reader.skip_space();
        if reader.rest.is_empty() {
            return calls;
        }
        let line = reader.line;
        let name = reader.word();
        reader.skip_space();
        let arguments = if reader.take('(') { reader.arguments() } else { None };
        if arguments.is_none() {
            reader.skip_statement();
        }
        if !name.is_empty() || arguments.is_none() {
            calls.push(StarlarkCall { line, name, arguments });
        }
    }
}

struct StarlarkReader<'t> {
    rest: &'t str,
    line: usize,
}

impl StarlarkReader<'_> {
    fn step(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        self.line += usize::from(c == '\n');
        Some(c)
    }

    fn take(&mut self, wanted: char) -> bool {
        let is_there = self.rest.starts_with(wanted);
        if is_there {
            self.step();
        }
        is_there
    }

    fn skip_space(&mut self) {
        while let Some(c) = self.rest.chars().next() {
            if c == '#' {
                while self.rest.chars().next().is_some_and(|c| c != '\n') {
                    self.step();
                }
            } else if c.is_whitespace() || c == ';' || self.rest.starts_with("\\\n") {
                self.step();
            } else {
                return;
            }
        }
    }

    fn word(&mut self) -> String {
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.to_owned()
    }

    /// Reads `name = literal, …)`; nothing if something else stands there.
    fn arguments(&mut self) -> Option<Vec<(String, Literal)>> {
        let mut arguments = Vec::new();
        loop {
            self.skip_space();
            if self.take(')') {
                return Some(arguments);
            }
            let name = self.word();
            self.skip_space();
            if name.is_empty() || !self.take('=') || self.rest.starts_with('=') {
                return None;
            }
            arguments.push((name, self.literal(MAX_DEPTH)?));
            self.skip_space();
            if !self.take(',') && !self.rest.starts_with(')') {
                return None;
            }
        }
    }

    fn literal(&mut self, depth: usize) -> Option<Literal> {
        self.skip_space();
        match self.rest.chars().next()? {
            '"' | '\'' => self.text(false),
            'r' | 'R' if self.rest[1..].starts_with(['"', '\'']) => {
                self.step();
                self.text(true)
            }
            open @ ('[' | '(') if depth > 0 => {
                self.step();
                let close = if open == '[' { ']' } else { ')' };
                let mut items = Vec::new();
                loop {
                    self.skip_space();
                    if self.take(close) {
                        return Some(Literal::List(items));
                    }
                    items.push(self.literal(depth - 1)?);
                    self.skip_space();
                    if !self.take(',') && !self.rest.starts_with(close) {
                        return None;
                    }
                }
            }
            c if c.is_ascii_digit() || c == '-' => {
                self.take('-');
                self.word();
                Some(Literal::Other)
            }
            _ => matches!(self.word().as_str(), "True" | "False" | "None").then_some(Literal::Other),
        }
    }

    /// Reads a text in quotes; two texts beside each other are not one in Starlark.
    fn text(&mut self, is_raw: bool) -> Option<Literal> {
        let quote = self.step()?;
        let triple: String = std::iter::repeat_n(quote, 2).collect();
        let is_triple = self.rest.starts_with(&triple);
        if is_triple {
            self.step();
            self.step();
        }
        let mut text = String::new();
        loop {
            let c = self.step()?;
            if c == quote && !is_triple {
                return Some(Literal::Text(text));
            }
            if c == quote && self.rest.starts_with(&triple) {
                self.step();
                self.step();
                return Some(Literal::Text(text));
            }
            match c {
                '\n' if !is_triple => return None,
                '\\' if is_raw => {
                    text.push('\\');
                    text.push(self.step()?);
                }
                '\\' => match self.step()? {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    'r' => text.push('\r'),
                    '\n' => {}
                    c @ ('\\' | '"' | '\'') => text.push(c),
                    // Codes of characters are rare in commands.
                    _ => return None,
                },
                c => text.push(c),
            }
        }
    }

    /// Passes over the rest of a statement: to the end of a line at which no bracket is open.
    fn skip_statement(&mut self) {
        let mut open = 0_i32;
        while let Some(c) = self.rest.chars().next() {
            match c {
                '"' | '\'' => {
                    self.text(false);
                    continue;
                }
                '#' => {
                    self.skip_space();
                    if open <= 0 {
                        return;
                    }
                    continue;
                }
                '(' | '[' | '{' => open += 1,
                ')' | ']' | '}' => open -= 1,
                // The block of a function or a loop is indented.
                '\n' if open <= 0 && !self.rest[1..].starts_with([' ', '\t']) => return,
                _ => {}
            }
            self.step();
        }
    }
}
