//! The variables that a command sets itself, as in `F=src/a.ts; cat > "$F"`, where it spells their values out.

use std::collections::HashMap;

use super::found::LONGEST_PATH;
use super::lexer::Word;

#[derive(Debug, Default)]
pub(super) struct Variables {
    values: HashMap<String, String>,
}

impl Variables {
    /// Takes in assignments; a value that only running the command would tell is forgotten.
    pub(super) fn assign(&mut self, words: &[Word]) {
        for word in words {
            let Some((name, value)) = word.text.split_once('=') else { continue };
            if word.is_known && value.len() < LONGEST_PATH && !name.ends_with('+') {
                self.values.insert(name.to_owned(), value.to_owned());
            } else {
                self.values.remove(name.trim_end_matches('+'));
            }
        }
    }

    /// Returns the word with the variables that are known filled in; it is known if nothing else is open.
    pub(super) fn fill_in(&self, word: &Word) -> Word {
        let is_open = !word.is_known && word.text.contains('$');
        match is_open.then(|| self.filled(&word.text)).flatten() {
            Some(text) => Word { text, is_known: true, is_bare: word.is_bare },
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
            if filled.len() > LONGEST_PATH {
                return None;
            }
        }
        (!filled.contains(['*', '?', '{', '`', '(', '<', '>'])).then_some(filled)
    }
}
