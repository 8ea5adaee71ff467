//! The variables that a command sets itself to literal values, as in `F=src/a.ts; cat > "$F"`.

use std::collections::HashMap;

use super::found::MAX_PATH;
use super::lexer::ShellWord;

#[derive(Debug, Default)]
pub(super) struct ShellVariables {
    values: HashMap<String, String>,
}

impl ShellVariables {
    /// Records assignments; deletes a variable whose new value only running the command would show.
    pub(super) fn assign(&mut self, words: &[ShellWord]) {
        for word in words {
            let Some((name, value)) = word.text.split_once('=') else { continue };
            if word.is_known && value.len() < MAX_PATH && !name.ends_with('+') {
                self.values.insert(name.to_owned(), value.to_owned());
            } else {
                self.values.remove(name.trim_end_matches('+'));
            }
        }
    }

    /// Fills in the known variables of a word; the result is known if no other expansion is left.
    pub(super) fn fill_in(&self, word: &ShellWord) -> ShellWord {
        let has_variables = !word.is_known && word.text.contains('$');
        match has_variables.then(|| self.filled(&word.text)).flatten() {
            Some(text) => ShellWord { text, is_known: true, is_bare: word.is_bare },
            None => word.clone(),
        }
    }

    fn filled(&self, text: &str) -> Option<String> {
        let mut pieces = text.split('$');
        let mut filled = pieces.next()?.to_owned();
        for piece in pieces {
            let (name, rest) = match piece.strip_prefix('{') {
                Some(braced) => braced.split_once('}')?,
                None => piece.split_at(
                    piece.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(piece.len()),
                ),
            };
            filled.push_str(self.values.get(name)?);
            filled.push_str(rest);
            if filled.len() > MAX_PATH {
                return None;
            }
        }
        (!filled.contains(['*', '?', '{', '`', '(', '<', '>'])).then_some(filled)
    }
}
