//! Skips an expansion, however deep it nests.
//!
//! It keeps its own stack, so that a hostile command cannot exhaust the thread's.

use super::cursor::{Cursor, ends_word};
use super::document::Document;

/// What has been opened and not yet closed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Nest {
    /// Commands: `$(…)`, `<(…)`, `(…)`.
    Commands,
    /// Arithmetic, where `#` and `<<` have other meanings.
    Arithmetic,
    Quotes,
    Braces,
    /// `${…}` in double quotes, where a single quote is literal in most shells.
    QuotedBraces,
}

/// Moves past the end of a construct that is already open.
pub(super) fn skip(cursor: &mut Cursor<'_>, outermost: Nest) {
    let mut nests = vec![outermost];
    let mut documents = Vec::new();
    let mut starts_word = true;
    while let (Some(byte), Some(&nest)) = (cursor.peek(0), nests.last()) {
        let is_quoted = matches!(nest, Nest::Quotes | Nest::QuotedBraces);
        let started_word = std::mem::replace(&mut starts_word, ends_word(byte));
        cursor.advance(1);
        match (byte, nest) {
            (b'"', Nest::Quotes)
            | (b'}', Nest::Braces | Nest::QuotedBraces)
            | (b')', Nest::Commands | Nest::Arithmetic) => {
                nests.pop();
            }
            (b'"', _) => nests.push(Nest::Quotes),
            (b'\\', _) => cursor.advance(1),
            (b'\'', _) if !is_quoted => {
                cursor.through(b'\'');
            }
            (b'`', _) => {
                cursor.through_unescaped(b'`');
            }
            (b'$', _) => match cursor.peek(0) {
                Some(b'\'') if !is_quoted => {
                    cursor.advance(1);
                    cursor.through_unescaped(b'\'');
                }
                Some(b'{') => {
                    cursor.advance(1);
                    nests.push(if is_quoted { Nest::QuotedBraces } else { Nest::Braces });
                }
                Some(b'(') => {
                    cursor.advance(1);
                    nests.push(parentheses(cursor));
                    starts_word = true;
                }
                _ => {}
            },
            (b'(', Nest::Commands) => nests.push(parentheses(cursor)),
            (b'(', Nest::Arithmetic) => nests.push(Nest::Arithmetic),
            (b'#', Nest::Commands) if started_word => cursor.skip_line(),
            (b'<', Nest::Commands) if cursor.rest().starts_with("<<") => cursor.advance(2),
            (b'<', Nest::Commands) if cursor.peek(0) == Some(b'<') => {
                cursor.advance(1);
                documents.push(Document::open(cursor));
            }
            (b'\n', Nest::Commands) => documents.drain(..).for_each(|document| document.skip(cursor)),
            _ => {}
        }
    }
}

/// Returns what a parenthesis has opened, by whether another one follows.
fn parentheses(cursor: &Cursor<'_>) -> Nest {
    if cursor.peek(0) == Some(b'(') { Nest::Arithmetic } else { Nest::Commands }
}
