//! Queries with operators: `AND`, `OR`, `NOT`, `"phrase"`, `prefix*`, `NEAR(a b, 5)`, `^first`, `a + b`, `content: x`.
//!
//! The text is parsed by FTS5's own rules of precedence and written again with every word quoted and every group in
//! parentheses, so that `foo-bar AND src/main.rs` is not a syntax error. A text that does not follow the rules is not
//! such a query.

use super::quoted;
use crate::store::words;

#[derive(Debug, Clone, PartialEq)]
enum QueryToken {
    And,
    Or,
    Not,
    Open,
    Close,
    Plus,
    Near,
    Column(&'static str),
    Term { text: String, prefix: bool, first: bool },
}

/// The columns that a user may name.
const COLUMNS: [&str; 2] = ["content", "file_path"];

/// SQLite refuses deep and long expressions; nobody writes them by hand.
const MAX_TOKENS: usize = 96;
const MAX_DEPTH: usize = 12;

/// Returns the expression if the text uses operators correctly. The quotes of the text must be balanced.
pub(super) fn parse_expression(text: &str) -> Option<String> {
    let tokens = tokens(text);
    let has_operators = text.contains('"')
        || tokens.iter().any(|token| {
            matches!(
                token,
                QueryToken::And | QueryToken::Or | QueryToken::Not | QueryToken::Near | QueryToken::Column(_)
            ) || matches!(token, QueryToken::Term { prefix: true, .. })
        });
    if !has_operators || tokens.len() > MAX_TOKENS {
        return None;
    }
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0 };
    let expression = parser.or()?;
    (parser.at == tokens.len()).then_some(expression)
}

/// Returns an operator that has nothing on one of its sides, with what it lacks.
pub(super) fn lone_operator(text: &str) -> Option<(&'static str, &'static str)> {
    let tokens = tokens(text);
    let name = |token: &QueryToken| match token {
        QueryToken::And => Some("AND"),
        QueryToken::Or => Some("OR"),
        QueryToken::Not => Some("NOT"),
        _ => None,
    };
    let first = tokens.first().and_then(name).map(|name| (name, "before"));
    let last = tokens.last().and_then(name).map(|name| (name, "after"));
    let mut pairs = tokens.windows(2);
    let between = || pairs.find_map(|pair| name(&pair[0]).and(name(&pair[1]))).map(|name| (name, "before"));
    // A text of a single word is no expression.
    if tokens.len() < 2 { None } else { first.or(last).or_else(between) }
}

fn tokens(text: &str) -> Vec<QueryToken> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("()") {
            rest = after;
        } else if c == '"' {
            let (string, after) = parse_string(&rest[1..]);
            let starred = after.starts_with('*');
            rest = if starred { &after[1..] } else { after };
            tokens.push(QueryToken::Term { text: string, prefix: starred, first: false });
        } else if c == '(' || c == ')' {
            tokens.push(if c == '(' { QueryToken::Open } else { QueryToken::Close });
            rest = &rest[1..];
        } else if c.is_whitespace() {
            rest = &rest[c.len_utf8()..];
        } else {
            let end = rest.find(|c: char| c.is_whitespace() || "\"()".contains(c)).unwrap_or(rest.len());
            parse_chunk(&rest[..end], rest[end..].starts_with('('), &mut tokens);
            rest = &rest[end..];
        }
    }
    tokens
}

/// Parses a string up to its closing quote; a doubled quote stands for one quote.
fn parse_string(text: &str) -> (String, &str) {
    let mut string = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('"') {
        string.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match rest.strip_prefix('"') {
            Some(after) => {
                string.push('"');
                rest = after;
            }
            None => return (string, rest),
        }
    }
    string.push_str(rest);
    (string, "")
}

fn parse_chunk(chunk: &str, before_group: bool, tokens: &mut Vec<QueryToken>) {
    match chunk {
        "AND" => return tokens.push(QueryToken::And),
        "OR" => return tokens.push(QueryToken::Or),
        "NOT" => return tokens.push(QueryToken::Not),
        "+" => return tokens.push(QueryToken::Plus),
        "NEAR" if before_group => return tokens.push(QueryToken::Near),
        _ => {}
    }
    let mut term = chunk;
    for column in COLUMNS {
        if let Some(after) = term.strip_prefix(column).and_then(|rest| rest.strip_prefix(':')) {
            tokens.push(QueryToken::Column(column));
            term = after;
        }
    }
    let first = term.starts_with('^');
    let text = term.trim_matches(|c| c == '^' || c == '*');
    // `src/*` and `a * b` are ordinary text: a star means a prefix only directly after a word.
    let prefix = term.ends_with('*') && text.ends_with(words::is_word);
    if text.chars().any(char::is_alphanumeric) {
        tokens.push(QueryToken::Term { text: text.to_owned(), prefix, first });
    }
}

struct Parser<'t> {
    tokens: &'t [QueryToken],
    at: usize,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn or(&mut self) -> Option<String> {
        self.list(&QueryToken::Or, " OR ", Parser::and)
    }

    fn and(&mut self) -> Option<String> {
        self.list(&QueryToken::And, " AND ", Parser::not)
    }

    fn not(&mut self) -> Option<String> {
        let mut left = self.row()?;
        let mut nested = 0;
        while self.eat(&QueryToken::Not) {
            nested += 1;
            left = format!("({left} NOT {})", self.row()?);
        }
        (nested <= MAX_DEPTH).then_some(left)
    }

    /// Parses terms without an operator between them: all of them must match, and they bind more tightly than any
    /// operator.
    fn row(&mut self) -> Option<String> {
        let mut all = vec![self.primary()?];
        while matches!(
            self.tokens.get(self.at),
            Some(QueryToken::Term { .. } | QueryToken::Open | QueryToken::Near | QueryToken::Column(_))
        ) {
            all.push(self.primary()?);
        }
        Some(if all.len() == 1 { all.remove(0) } else { format!("({})", all.join(" AND ")) })
    }

    fn primary(&mut self) -> Option<String> {
        match self.next()? {
            QueryToken::Column(column) => Some(format!("({column} : {})", self.primary()?)),
            QueryToken::Open => self.group(),
            QueryToken::Near => self.near(),
            QueryToken::Term { text, prefix, first } => self.phrase(text, *prefix, *first),
            _ => None,
        }
    }

    fn group(&mut self) -> Option<String> {
        self.depth += 1;
        let inner = if self.depth > MAX_DEPTH { None } else { self.or() };
        self.depth -= 1;
        let inner = inner?;
        self.eat(&QueryToken::Close).then_some(inner)
    }

    fn near(&mut self) -> Option<String> {
        self.eat(&QueryToken::Open).then_some(())?;
        let mut terms = Vec::new();
        let mut distance = 10;
        while let Some(QueryToken::Term { text, prefix, .. }) = self.tokens.get(self.at) {
            self.at += 1;
            // There is no token for a comma: `NEAR(a b, 5)` arrives as `a`, `b,`, `5`.
            let is_last = self.tokens.get(self.at) == Some(&QueryToken::Close);
            let after_comma = matches!(self.tokens.get(self.at.wrapping_sub(2)),
                Some(QueryToken::Term { text, .. }) if text.ends_with(','));
            match text.parse::<u16>() {
                Ok(number) if is_last && after_comma => distance = number,
                _ => terms.push(format!("{}{}", quoted(text), if *prefix { " *" } else { "" })),
            }
        }
        (self.eat(&QueryToken::Close) && !terms.is_empty())
            .then(|| format!("NEAR({}, {distance})", terms.join(" ")))
    }

    fn phrase(&mut self, text: &str, prefix: bool, first: bool) -> Option<String> {
        let mut phrase = format!("{}{}", if first { "^ " } else { "" }, quoted(text));
        let mut prefix = prefix;
        while self.eat(&QueryToken::Plus) {
            let QueryToken::Term { text, prefix: starred, first: false } = self.next()? else { return None };
            phrase = format!("{phrase} + {}", quoted(text));
            prefix = *starred;
        }
        Some(format!("{phrase}{}", if prefix { " *" } else { "" }))
    }

    fn list(
        &mut self,
        operator: &QueryToken,
        text: &str,
        operand: fn(&mut Self) -> Option<String>,
    ) -> Option<String> {
        let mut all = vec![operand(self)?];
        while self.eat(operator) {
            all.push(operand(self)?);
        }
        Some(if all.len() == 1 { all.remove(0) } else { format!("({})", all.join(text)) })
    }

    fn next(&mut self) -> Option<&'t QueryToken> {
        self.at += 1;
        self.tokens.get(self.at - 1)
    }

    fn eat(&mut self, token: &QueryToken) -> bool {
        let found = self.tokens.get(self.at) == Some(token);
        self.at += usize::from(found);
        found
    }
}
