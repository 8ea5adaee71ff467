//! Parses patterns for commands, and says what is wrong with one that can never match.

use super::element::{Element, ElementAtom, ProgramGlob, WordGlob, without_braces};
use super::{CommandPattern, StagePattern};
use crate::shell::options::{before_subcommand, contains, takes_value};

/// A letter of a pattern; one that is quoted or escaped has no meaning of its own.
type PatternLetter = (char, bool);

/// Maximum number of alternatives of one word.
const MAX_ALTERNATIVES: usize = 64;

impl CommandPattern {
    /// Parses a pattern; the error says what is wrong with it.
    pub(crate) fn new(source: &str) -> Result<CommandPattern, String> {
        let mut stages = Vec::new();
        for words in split(source)? {
            let stage = parse_stage(&words, !stages.is_empty())?;
            stages.push(stage);
        }
        Ok(CommandPattern { stages })
    }
}

/// Splits a pattern into the words of each command.
fn split(source: &str) -> Result<Vec<Vec<Vec<PatternLetter>>>, String> {
    let mut stages: Vec<Vec<Vec<PatternLetter>>> = vec![Vec::new()];
    let mut word: Option<Vec<PatternLetter>> = None;
    let mut letters = source.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next() {
                        Some(end) if end == letter => break,
                        Some('\\') if letter == '"' => word.extend(letters.next().map(|one| (one, true))),
                        Some(one) => word.push((one, true)),
                        None => return Err("a quotation mark is not closed".to_owned()),
                    }
                }
            }
            '\\' => match letters.next() {
                Some(one) => word.get_or_insert_default().push((one, true)),
                None => return Err("nothing follows the backslash at the end".to_owned()),
            },
            '|' => {
                stages.last_mut().into_iter().for_each(|stage| stage.extend(word.take()));
                if stages.last().is_some_and(Vec::is_empty) {
                    return Err("a command is missing beside `|`".to_owned());
                }
                stages.push(Vec::new());
            }
            ';' | '&' | '\n' => {
                return Err(format!("`{}` does not join commands in a pattern", letter.escape_default()));
            }
            '<' | '>' => {
                return Err(
                    "a redirection is no word of a command; `on: { does: change, file: … }` finds files"
                        .to_owned(),
                );
            }
            '`' => return Err("a backtick never is a word of a command".to_owned()),
            letter if letter.is_whitespace() => {
                stages.last_mut().into_iter().for_each(|stage| stage.extend(word.take()));
            }
            letter => word.get_or_insert_default().push((letter, false)),
        }
    }
    stages.last_mut().into_iter().for_each(|stage| stage.extend(word.take()));
    match stages.last() {
        Some(last) if !last.is_empty() => Ok(stages),
        _ if stages.len() > 1 => Err("a command is missing beside `|`".to_owned()),
        _ => Err("it names no program".to_owned()),
    }
}

fn parse_stage(words: &[Vec<PatternLetter>], is_behind_pipe: bool) -> Result<StagePattern, String> {
    let (program, rest) = words.split_first().ok_or("it names no program")?;
    let programs = expand(program)?
        .iter()
        .map(|name| parse_program(name, is_behind_pipe && rest.is_empty()))
        .collect::<Result<Vec<_>, _>>()?;
    let name = programs.first().map(|program| program.name.pieces.concat()).unwrap_or_default();
    let mut elements: Vec<Element> = Vec::new();
    let mut subcommand = String::new();
    for word in rest {
        let alternatives: Vec<ElementAtom> =
            expand(word)?.iter().map(|letters| parse_atom(letters)).collect();
        // A word behind an option that takes one is its value, and not an operand.
        if let (Some(ElementAtom::Long(option)), [ElementAtom::Word(value)]) =
            (elements.last().and_then(|last| last.alternatives.first()).cloned(), alternatives.as_slice())
            && (takes_value(&name, &subcommand, &option)
                || subcommand.is_empty()
                    && before_subcommand(&name).is_some_and(|valued| contains(valued, &option)))
        {
            elements.pop();
            elements.push(Element { alternatives: vec![ElementAtom::LongValue(option, value.clone())] });
            continue;
        }
        if let (true, [ElementAtom::Word(glob)]) = (subcommand.is_empty(), alternatives.as_slice()) {
            subcommand = glob.pieces.join("*");
        }
        elements.push(Element { alternatives });
    }
    Ok(StagePattern { programs, elements })
}

fn parse_program(letters: &[PatternLetter], is_alone_behind_pipe: bool) -> Result<ProgramGlob, String> {
    let text: String = letters.iter().map(|(letter, _)| *letter).collect();
    if text.starts_with('-') {
        return Err(format!("`{text}` is a flag, but the first word is the program"));
    }
    if text.contains(char::is_whitespace) || text.is_empty() {
        return Err(
            "the name of a program has no blanks; write its words without quotes around them".to_owned()
        );
    }
    if text.contains('=') {
        return Err(format!(
            "`{text}` is an assignment, which is no part of a command; name the program first"
        ));
    }
    const KEYWORDS: [&str; 12] =
        ["if", "then", "else", "elif", "fi", "while", "until", "do", "done", "esac", "{", "}"];
    if KEYWORDS.contains(&text.as_str()) {
        return Err(format!("`{text}` is a keyword of the shell, and never a program"));
    }
    // Programs are compared by their base name.
    let start = letters.iter().rposition(|(letter, _)| matches!(letter, '/' | '\\')).map_or(0, |at| at + 1);
    let name = letters.get(start..).filter(|name| !name.is_empty()).ok_or("a folder is not a program")?;
    let name = name.strip_suffix(&[('.', false), ('e', false), ('x', false), ('e', false)]).unwrap_or(name);
    Ok(ProgramGlob { name: glob(name), is_any_shell: is_alone_behind_pipe && text == "sh" })
}

fn glob(letters: &[PatternLetter]) -> WordGlob {
    let mut pieces = vec![String::new()];
    for (letter, is_quoted) in letters {
        match letter {
            '*' if !is_quoted => pieces.push(String::new()),
            letter => pieces.last_mut().into_iter().for_each(|piece| piece.push(*letter)),
        }
    }
    let pieces = pieces.iter().map(|piece| without_braces(piece).into_owned()).collect();
    WordGlob { pieces }
}

fn parse_atom(letters: &[PatternLetter]) -> ElementAtom {
    let word = glob(letters);
    let text: String = letters.iter().map(|(letter, _)| *letter).collect();
    let is_glob = word.pieces.len() > 1;
    if let Some(letter) = text.strip_prefix('/')
        && !letter.is_empty()
        && letter.len() <= 2
        && letter.chars().all(|c| c.is_ascii_alphabetic() || c == '?')
    {
        return ElementAtom::Slash(letter.to_owned());
    }
    if text.len() < 2 || !text.starts_with('-') || text == "--" {
        return ElementAtom::Word(word);
    }
    if let Some((name, value)) =
        text.split_once('=').filter(|(name, _)| name.starts_with("--") && !name.contains('*'))
    {
        let value = letters.len() - value.chars().count();
        return ElementAtom::LongValue(name.to_owned(), glob(&letters[value..]));
    }
    let letters = &text[1..];
    match () {
        () if is_glob => ElementAtom::Dashed(word),
        () if text.starts_with("--") => ElementAtom::Long(text),
        () if letters.chars().all(|c| c.is_ascii_alphanumeric()) => ElementAtom::Letters(letters.to_owned()),
        () => ElementAtom::Dashed(word),
    }
}

/// Expands the `{a,b}` of a word.
fn expand(word: &[PatternLetter]) -> Result<Vec<Vec<PatternLetter>>, String> {
    let is = |wanted: char| move |letter: &PatternLetter| *letter == (wanted, false);
    let Some(open) = word.iter().position(is('{')) else { return Ok(vec![word.to_vec()]) };
    // `${HOME}` and the `{}` of `find` are no choices.
    let is_variable = open > 0 && word[open - 1] == ('$', false);
    let (mut depth, mut start) = (0_usize, open + 1);
    let mut choices: Vec<&[PatternLetter]> = Vec::new();
    let mut end = None;
    for (at, letter) in word.iter().enumerate().skip(open + 1) {
        match letter {
            ('{', false) => depth += 1,
            ('}', false) if depth > 0 => depth -= 1,
            ('}', false) => {
                choices.push(&word[start..at]);
                end = Some(at);
                break;
            }
            (',', false) if depth == 0 => {
                choices.push(&word[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    let end = end.ok_or("a `{` is not closed; write `\\{` for the letter")?;
    let literal = [&word[open..=end]];
    let choices = if is_variable || choices.len() < 2 { &literal[..] } else { &choices[..] };
    let is_literal = choices == literal;
    let mut all = Vec::new();
    for rest in expand(&word[end + 1..])? {
        for choice in choices {
            let middles = if is_literal { vec![choice.to_vec()] } else { expand(choice)? };
            for middle in middles {
                all.push([&word[..open], &middle, &rest].concat());
                if all.len() > MAX_ALTERNATIVES {
                    return Err(format!("more than {MAX_ALTERNATIVES} alternatives in one word"));
                }
            }
        }
    }
    Ok(all)
}
