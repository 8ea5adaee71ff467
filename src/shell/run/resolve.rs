//! The words of a command as the shell would give them to a program: quotes removed, braces expanded, and the variables
//! and substitutions filled in whose values the line itself shows.

use std::collections::HashMap;
use std::rc::Rc;

use super::Follower;
use crate::shell::tree::{TreeWord, WordPiece};

/// A word without its quotes, with unknown expansions as written.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ShellWord {
    pub(crate) text: String,
    /// It contains no expansion that could change it; `$HOME` at the beginning is known.
    pub(crate) is_known: bool,
    /// Nothing in it is quoted or expanded, so it may be a keyword or the name of an alias.
    pub(crate) is_bare: bool,
    /// The text with `$(…)` in the place of substitutions, if it has any.
    pub(crate) brief: Option<String>,
}

/// The variables that a command sets itself to literal values, as in `F=src/a.ts; cat > "$F"`.
#[derive(Debug, Clone, Default)]
pub(super) struct ShellVariables {
    values: Rc<HashMap<String, String>>,
    arrays: Rc<HashMap<String, Rc<[ShellWord]>>>,
    /// The arguments of the function that is followed.
    pub(super) arguments: Option<Rc<[ShellWord]>>,
}

/// Maximum number of words that one word may become.
const MAX_WORDS: usize = 64;

/// Maximum length of a variable's value; longer ones are no arguments.
const MAX_VALUE: usize = 16 << 10;

/// Maximum number of variables that are remembered.
const MAX_VARIABLES: usize = 1_000;

impl ShellWord {
    pub(super) fn known(text: &str) -> ShellWord {
        ShellWord { text: text.to_owned(), is_known: true, is_bare: false, brief: None }
    }

    /// Returns the text for people and statistics, in which substitutions are short.
    pub(crate) fn brief(&self) -> &str {
        self.brief.as_deref().unwrap_or(&self.text)
    }
}

impl ShellVariables {
    pub(super) fn set(&mut self, name: &str, value: &str) {
        if value.len() < MAX_VALUE && self.values.len() < MAX_VARIABLES {
            Rc::make_mut(&mut self.values).insert(name.to_owned(), value.to_owned());
        } else {
            self.forget(name);
        }
    }

    pub(super) fn forget(&mut self, name: &str) {
        if self.values.contains_key(name) {
            Rc::make_mut(&mut self.values).remove(name);
        }
    }

    /// Records `name=(…)`.
    pub(super) fn set_array(&mut self, name: &str, items: Vec<ShellWord>) {
        if self.arrays.len() < MAX_VARIABLES {
            Rc::make_mut(&mut self.arrays).insert(name.to_owned(), items.into());
        }
    }

    /// Returns the words of `$@` or `${name[@]}`.
    fn list(&self, name: &str) -> Option<Rc<[ShellWord]>> {
        match name.strip_suffix("[@]").or_else(|| name.strip_suffix("[*]")) {
            Some(name) => self.arrays.get(name).cloned(),
            None => self.arguments.clone().filter(|_| matches!(name, "@" | "*")),
        }
    }

    /// Records assignments; deletes a variable whose new value only running the command would show.
    pub(super) fn assign(&mut self, words: &[ShellWord]) {
        for word in words {
            let Some((name, value)) = word.text.split_once('=') else { continue };
            match name.strip_suffix('+') {
                Some(name) => match self.values.get(name).cloned() {
                    Some(old) if word.is_known => self.set(name, &(old + value)),
                    _ => self.forget(name),
                },
                None if word.is_known => self.set(name, value),
                None => self.forget(name),
            }
        }
    }

    fn get(&self, name: &str) -> Option<&str> {
        let position = name.parse::<usize>().ok().filter(|number| *number > 0);
        match (position, &self.arguments) {
            (Some(position), Some(arguments)) => {
                arguments.get(position - 1).filter(|word| word.is_known).map(|word| word.text.as_str())
            }
            (Some(_), None) => None,
            (None, _) => self.values.get(name).map(String::as_str),
        }
    }
}

/// A word while it grows.
#[derive(Default)]
struct GrowingWord {
    word: ShellWord,
    brief: String,
    has_scripts: bool,
    /// It is a word even if its text is empty.
    exists: bool,
}

impl GrowingWord {
    fn new() -> GrowingWord {
        let word = ShellWord { is_known: true, is_bare: true, ..ShellWord::default() };
        GrowingWord { word, ..GrowingWord::default() }
    }

    fn push(&mut self, text: &str, is_quoted: bool) {
        self.word.text.push_str(text);
        self.brief.push_str(text);
        self.exists |= is_quoted || !text.is_empty();
        self.word.is_bare &= !is_quoted;
        // A `[` is not a problem: if the glob has no match, as in `app/[id]/page.tsx`, it stays literal.
        self.word.is_known &= is_quoted || !text.contains(['*', '?']);
    }

    fn push_unknown(&mut self, written: &str, is_script: bool) {
        self.word.text.push_str(written);
        self.brief.push_str(if is_script { "$(…)" } else { written });
        self.has_scripts |= is_script;
        (self.exists, self.word.is_known, self.word.is_bare) = (true, false, false);
    }

    fn finish(mut self, words: &mut Vec<ShellWord>) {
        if self.exists {
            self.word.brief = self.has_scripts.then_some(self.brief);
            words.push(self.word);
        }
    }
}

/// The value of a piece that runs commands.
type PieceValue = Option<String>;

impl Follower {
    pub(super) fn resolve_all(&mut self, words: &[TreeWord]) -> Vec<ShellWord> {
        let mut resolved = Vec::with_capacity(words.len());
        for word in words {
            resolved.extend(self.resolve(word));
        }
        resolved
    }

    /// Returns the words that a word becomes; follows the scripts in it.
    pub(super) fn resolve(&mut self, word: &TreeWord) -> Vec<ShellWord> {
        let values = self.values(word);
        let mut words = Vec::new();
        for pieces in expand_braces(&word.pieces) {
            self.split(&pieces, &values, &mut words);
            if words.len() > MAX_WORDS {
                break;
            }
        }
        words
    }

    /// Returns the text of a word that is not split, such as the value of an assignment or a here-document.
    pub(super) fn resolve_text(&mut self, word: &TreeWord) -> String {
        self.resolve_whole(word).text
    }

    /// Resolves a word that stays one word.
    pub(super) fn resolve_whole(&mut self, word: &TreeWord) -> ShellWord {
        let values = self.values(word);
        let mut whole = GrowingWord::new();
        whole.exists = true;
        for (index, piece) in word.pieces.iter().enumerate() {
            self.push_piece(&mut whole, piece, values.get(index).cloned().flatten(), true);
        }
        whole.word.brief = whole.has_scripts.then_some(whole.brief);
        whole.word
    }

    /// Follows the scripts in a word; returns the value of each piece, if it is known.
    fn values(&mut self, word: &TreeWord) -> Vec<PieceValue> {
        let has_scripts = word
            .pieces
            .iter()
            .any(|piece| !matches!(piece, WordPiece::Text { .. } | WordPiece::Variable { .. }));
        if !has_scripts {
            return Vec::new();
        }
        let mut values = Vec::with_capacity(word.pieces.len());
        for piece in &word.pieces {
            values.push(match piece {
                WordPiece::Output { script, .. } => {
                    let text = self.substitution(script);
                    let is_known = |text: &String| text.len() < MAX_VALUE && !text.contains(['$', '`']);
                    let text = text.filter(is_known).filter(|text| self.found.affords(text.len()));
                    text.map(|text| text.trim_end_matches('\n').to_owned())
                }
                WordPiece::Process { script, written, is_input } => {
                    let text = self.substitution(script);
                    if *is_input {
                        self.found.print(written, text);
                    }
                    None
                }
                WordPiece::Unknown { scripts, .. } => {
                    for script in scripts {
                        self.substitution(script);
                    }
                    None
                }
                _ => None,
            });
        }
        values
    }

    fn split(&self, pieces: &[(usize, WordPiece)], values: &[PieceValue], words: &mut Vec<ShellWord>) {
        let mut word = GrowingWord::new();
        for (index, piece) in pieces {
            let value = values.get(*index).cloned().flatten();
            let fields = match piece {
                WordPiece::Variable { name, is_quoted, .. }
                    if matches!(name.as_str(), "@" | "*") || name.ends_with(']') =>
                {
                    match self.variables.list(name) {
                        Some(arguments) => {
                            for (position, argument) in arguments.iter().enumerate() {
                                if position > 0 {
                                    std::mem::replace(&mut word, GrowingWord::new()).finish(words);
                                }
                                word.push(&argument.text, *is_quoted);
                                word.word.is_known &= argument.is_known;
                            }
                            continue;
                        }
                        None => None,
                    }
                }
                WordPiece::Variable { name, default, is_quoted: false, .. } => {
                    let blank = (name == "IFS").then_some(" ");
                    self.variables.get(name).or(default.as_deref()).or(blank).map(str::to_owned)
                }
                // `${IFS:0:1}` and `${IFS%?}` are blanks, too.
                WordPiece::Unknown { written, is_quoted: false, .. } if written.starts_with("${IFS") => {
                    Some(" ".to_owned())
                }
                WordPiece::Output { is_quoted: false, .. } => value.clone(),
                _ => None,
            };
            let Some(text) = fields else {
                self.push_piece(&mut word, piece, value, false);
                continue;
            };
            // An unquoted value is split at its blanks.
            let mut parts = text.split([' ', '\t', '\n']).peekable();
            while let Some(part) = parts.next() {
                word.push(part, false);
                word.word.is_bare = false;
                if parts.peek().is_some() {
                    std::mem::replace(&mut word, GrowingWord::new()).finish(words);
                }
                if words.len() > MAX_WORDS {
                    return;
                }
            }
            word.has_scripts |= matches!(piece, WordPiece::Output { .. });
        }
        word.finish(words);
    }

    fn push_piece(&self, word: &mut GrowingWord, piece: &WordPiece, value: PieceValue, is_whole: bool) {
        match piece {
            WordPiece::Text { text, is_quoted } => word.push(text, *is_quoted || is_whole),
            WordPiece::Variable { name, default, written, is_quoted } => {
                let value = self.variables.get(name).or(default.as_deref());
                if let Some(value) = value {
                    word.push(value, *is_quoted || is_whole);
                    // The word of a loop may be a glob.
                    word.word.is_known &= !value.contains(['*', '?']);
                    return;
                }
                let before = &word.word.text;
                let starts_path = word.word.is_known && (before.is_empty() || before.ends_with('='));
                let is_folder = matches!(name.as_str(), "HOME" | "PWD") && default.is_none();
                let was_known = word.word.is_known;
                word.push_unknown(written, false);
                word.word.is_known = was_known && starts_path && is_folder;
            }
            WordPiece::Output { written, is_quoted, .. } => match value {
                Some(value) => {
                    let before = word.brief.clone();
                    word.push(&value, *is_quoted || is_whole);
                    word.brief = before + "$(…)";
                    word.has_scripts = true;
                }
                None => word.push_unknown(written, true),
            },
            WordPiece::Process { written, .. } | WordPiece::Unknown { written, .. } => {
                word.push_unknown(written, false);
            }
        }
    }
}

/// Expands `{a,b}` and `{1..3}` in the unquoted text of a word; every piece comes with its number.
fn expand_braces(pieces: &[WordPiece]) -> Vec<Vec<(usize, WordPiece)>> {
    let numbered = || pieces.iter().cloned().enumerate().collect::<Vec<_>>();
    let is_open =
        |piece: &WordPiece| matches!(piece, WordPiece::Text { text, is_quoted: false } if text.contains('{'));
    if !pieces.iter().any(is_open) {
        return vec![numbered()];
    }
    let letters: Vec<BraceLetter> = pieces.iter().enumerate().flat_map(letters_of).collect();
    if letters.len() > MAX_LETTERS {
        return vec![numbered()];
    }
    let mut budget = MAX_WORDS;
    let expanded = expand(&letters, &mut budget, 0);
    expanded.into_iter().map(|letters| joined(&letters, pieces)).collect()
}

/// A letter of unquoted text, or a whole other piece.
#[derive(Debug, Clone, Copy, PartialEq)]
enum BraceLetter {
    Letter(char),
    Piece(usize),
}

fn letters_of((index, piece): (usize, &WordPiece)) -> Vec<BraceLetter> {
    match piece {
        WordPiece::Text { text, is_quoted: false } => text.chars().map(BraceLetter::Letter).collect(),
        _ => vec![BraceLetter::Piece(index)],
    }
}

fn joined(letters: &[BraceLetter], pieces: &[WordPiece]) -> Vec<(usize, WordPiece)> {
    let mut all: Vec<(usize, WordPiece)> = Vec::new();
    for letter in letters {
        match letter {
            BraceLetter::Piece(index) => all.extend(pieces.get(*index).cloned().map(|piece| (*index, piece))),
            BraceLetter::Letter(letter) => match all.last_mut() {
                Some((_, WordPiece::Text { text, is_quoted: false })) => text.push(*letter),
                _ => all.push((usize::MAX, WordPiece::Text { text: letter.to_string(), is_quoted: false })),
            },
        }
    }
    all
}

/// Braces in a longer word are left alone.
const MAX_LETTERS: usize = 1_000;

/// How deep braces may be inside each other.
const MAX_BRACES: usize = 8;

fn expand(letters: &[BraceLetter], budget: &mut usize, depth: usize) -> Vec<Vec<BraceLetter>> {
    let is = |letter: char| move |one: &BraceLetter| *one == BraceLetter::Letter(letter);
    let mut from = 0;
    while let Some(open) = letters[from..].iter().position(is('{')).map(|at| from + at) {
        let Some((choices, end)) = choices_at(letters, open).filter(|_| depth < MAX_BRACES) else {
            from = open + 1;
            continue;
        };
        let mut all = Vec::new();
        let rests = expand(&letters[end..], budget, depth + 1);
        for choice in &choices {
            for middle in expand(choice, budget, depth + 1) {
                for rest in &rests {
                    if *budget == 0 {
                        return all;
                    }
                    *budget -= 1;
                    all.push([&letters[..open], &middle, rest].concat());
                }
            }
        }
        return all;
    }
    vec![letters.to_vec()]
}

/// Returns the choices of the braces that open here, and where they end.
fn choices_at(letters: &[BraceLetter], open: usize) -> Option<(Vec<Vec<BraceLetter>>, usize)> {
    // `${` is not the beginning of a choice, and neither is `{}`.
    let (mut depth, mut start) = (0_usize, open + 1);
    let mut choices = Vec::new();
    for (at, letter) in letters.iter().enumerate().skip(open + 1) {
        match letter {
            BraceLetter::Letter('{') => depth += 1,
            BraceLetter::Letter('}') if depth > 0 => depth -= 1,
            BraceLetter::Letter('}') => {
                if choices.is_empty() {
                    return Some((range(&letters[open + 1..at])?, at + 1));
                }
                choices.push(letters[start..at].to_vec());
                return Some((choices, at + 1));
            }
            BraceLetter::Letter(',') if depth == 0 => {
                choices.push(letters[start..at].to_vec());
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}

/// Returns the values of `1..3` or `a..c`, if there are not too many.
fn range(letters: &[BraceLetter]) -> Option<Vec<Vec<BraceLetter>>> {
    let text: Option<String> = letters
        .iter()
        .map(|letter| match letter {
            BraceLetter::Letter(letter) => Some(*letter),
            BraceLetter::Piece(_) => None,
        })
        .collect();
    let text = text?;
    let (first, last) = text.split_once("..")?;
    let values: Vec<String> = if let (Ok(first), Ok(last)) = (first.parse::<i64>(), last.parse::<i64>()) {
        let count = first.abs_diff(last) + 1;
        if count > MAX_WORDS as u64 || text.contains("..0") || first.to_string() != text.split("..").next()? {
            return None;
        }
        if first <= last {
            (first..=last).map(|number| number.to_string()).collect()
        } else {
            (last..=first).rev().map(|number| number.to_string()).collect()
        }
    } else {
        let single =
            |text: &str| text.chars().next().filter(|letter| letter.is_ascii_alphabetic() && text.len() == 1);
        let (first, last) = (single(first)?, single(last)?);
        let (low, high) = (first.min(last), first.max(last));
        let all: Vec<String> = (low..=high).filter(char::is_ascii_alphabetic).map(String::from).collect();
        if first <= last { all } else { all.into_iter().rev().collect() }
    };
    Some(values.into_iter().map(|value| value.chars().map(BraceLetter::Letter).collect()).collect())
}
