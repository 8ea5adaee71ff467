//! Which commands a rule could speak before: patterns for `match.command` that fit all failures of a cause.
//!
//! A candidate says only what the failures have in common. Whether it also fits calls that work is found out by trying it on
//! the past.

use std::collections::{HashMap, HashSet};

use super::met::MIN_SESSIONS;
use super::recurrence::RecurringFailure;
use super::way_out::WayOutKind;
use crate::model::{Observation, ObservationId};
use crate::recall;
use crate::shell::{self, SimpleCommand};

/// A longer word of a command belongs to one call only.
const MAX_WORD: usize = 60;
/// At most this many words of a command make a pattern.
const MAX_WORDS: usize = 8;
/// A piece of a text with fewer characters than this occurs in every other command.
const MIN_PIECE: usize = 4;
/// At most this many exceptions are written.
const MAX_EXCEPTIONS: usize = 4;

/// Programs that run the command behind them, and whose own arguments are options, settings and numbers; rules look
/// behind them by themselves.
const WRAPPERS: [&str; 11] =
    ["sudo", "doas", "env", "timeout", "gtimeout", "time", "nice", "nohup", "stdbuf", "setsid", "command"];

/// A pattern for `match.command`, with its exceptions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct LearnedPattern {
    pub(crate) command: String,
    pub(crate) unless: Vec<String>,
}

/// Returns the patterns that are worth trying, the best first if they turn out to be equal: one that is silent about what
/// worked, then the plainest. `rows` is what was done, the newest first.
pub(crate) fn candidates(cause: &RecurringFailure<'_>, rows: &[Observation]) -> Vec<LearnedPattern> {
    if let Some(missing) = recall::missing_program(cause.signature()).filter(|name| is_plain(name)) {
        return vec![LearnedPattern { command: missing.to_owned(), unless: Vec::new() }];
    }
    let Some((program, parts)) = failing_parts(cause) else { return Vec::new() };
    let Some(common) = common_words(&parts) else { return Vec::new() };
    let command = common.join(" ");
    let mut found = Vec::new();
    let without = cause.way_out.as_ref().filter(|way| way.kind == WayOutKind::Without);
    if let Some(mark) = without.map(|way| way.mark.as_str()).filter(|mark| is_plain(mark)) {
        // What had to go is what to speak before.
        let command = match common.iter().any(|word| word == mark) {
            true => command.clone(),
            false if mark.starts_with('-') => format!("{command} {mark}"),
            false => format!("{command} *{mark}*"),
        };
        found.push(LearnedPattern { command, unless: Vec::new() });
    }
    if let Some(way) = cause.way_out.as_ref().filter(|way| way.kind == WayOutKind::Instead) {
        // What worked must not be warned of. An option may stand anywhere behind the program and its task.
        let is_known = |word: &&str| common.iter().any(|known| known == word);
        let name: Vec<&str> = program.split(' ').filter(is_known).collect();
        let name = if name.first() == Some(&common[0].as_str()) { name.join(" ") } else { common[0].clone() };
        let options = way.options.iter().filter(|option| is_plain(option)).take(MAX_EXCEPTIONS);
        let by_options: Vec<String> = options.map(|option| format!("{name} {option}")).collect();
        // Another program needs no exception.
        let is_word =
            |mark: &&String| is_plain(mark) && !mark.starts_with('-') && !way.text.starts_with(mark.as_str());
        let by_mark = Some(&way.mark).filter(is_word);
        let by_mark = by_mark.map(|mark| format!("{name} *{mark}*")).into_iter().collect();
        let exceptions = [by_options, by_mark].into_iter().filter(|unless: &Vec<String>| !unless.is_empty());
        let narrowing = telling_word(cause, &program, &parts, rows, Some(&way.mark));
        for unless in exceptions {
            found.push(LearnedPattern { command: command.clone(), unless: unless.clone() });
            let narrow = narrowing.iter().map(|word| format!("{command} *{word}*"));
            found.extend(narrow.map(|command| LearnedPattern { command, unless: unless.clone() }));
        }
    }
    found.push(LearnedPattern { command: command.clone(), unless: Vec::new() });
    if let Some(word) = telling_word(cause, &program, &parts, rows, None) {
        found.push(LearnedPattern { command: format!("{command} *{word}*"), unless: Vec::new() });
    }
    found
}

/// Returns a word that all failures have, also inside of a quoted text, and no other run of the program has; runs with
/// the word that is excepted do not matter.
fn telling_word(
    cause: &RecurringFailure<'_>,
    program: &str,
    parts: &[SimpleCommand],
    rows: &[Observation],
    excepted: Option<&str>,
) -> Option<String> {
    let failed: HashSet<ObservationId> = cause.ids().into_iter().collect();
    let name = program.split(' ').next().unwrap_or(program);
    // Most rows are about other programs, and are not taken apart.
    let others = rows.iter().filter(|row| !failed.contains(&row.id) && recall::command(row).contains(name));
    let others: Vec<SimpleCommand> = others
        .flat_map(|row| shell::parts(recall::command(row)))
        .filter(|part| shell::program(part).as_deref() == Some(program))
        .filter(|part| excepted.is_none_or(|word| !part.words.iter().any(|other| other.contains(word))))
        .collect();
    // Without any other run, every word tells.
    let known: HashSet<&str> = others.iter().flat_map(pieces).collect();
    let is_in_all = |piece: &&str| parts.iter().all(|part| pieces(part).any(|other| other == *piece));
    let telling = parts.first().into_iter().flat_map(pieces);
    let telling =
        telling.filter(|piece| !known.contains(piece) && is_plain(piece) && !is_of_this_call(piece));
    // A word that the message names is the reason; of the others, the longest is the most particular.
    let signature = cause.signature();
    let best = telling.filter(is_in_all).max_by_key(|piece| (signature.contains(*piece), piece.len()))?;
    (!others.is_empty()).then(|| best.to_owned())
}

/// Returns the words of a command that may tell it from others, also those inside of a quoted text.
fn pieces(part: &SimpleCommand) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':' | '@' | '+');
    let pieces = part.words.iter().skip(1).flat_map(move |word| word.split(move |c: char| !is_part(c)));
    let pieces = pieces.map(|piece| piece.trim_matches(['.', ':', '-', '/']));
    pieces.filter(|piece| piece.len() >= MIN_PIECE)
}

/// Returns the program that failed in most sessions, and the parts of the command lines that ran it, the newest first.
fn failing_parts(cause: &RecurringFailure<'_>) -> Option<(String, Vec<SimpleCommand>)> {
    let mut sessions: HashMap<&str, Vec<&str>> = HashMap::new();
    for failure in &cause.failures {
        let (Some(program), session) = (failure.row.program.as_deref(), failure.row.session_id.0.as_str())
        else {
            continue;
        };
        let known = sessions.entry(program).or_default();
        if !known.contains(&session) {
            known.push(session);
        }
    }
    let (program, count) = sessions
        .iter()
        .map(|(program, known)| (*program, known.len()))
        .max_by_key(|(program, count)| (*count, *program))?;
    if count < MIN_SESSIONS {
        return None;
    }
    let of_program = |part: &SimpleCommand| shell::program(part).as_deref() == Some(program);
    let part = |row: &Observation| shell::parts(recall::command(row)).into_iter().find(of_program);
    let rows = cause.failures.iter().map(|failure| failure.row);
    let parts: Vec<SimpleCommand> =
        rows.filter(|row| row.program.as_deref() == Some(program)).filter_map(part).collect();
    (!parts.is_empty()).then(|| (program.to_owned(), parts))
}

/// Returns the words that all these commands have, the program first; `None` if they do not begin with the same program.
fn common_words(parts: &[SimpleCommand]) -> Option<Vec<String>> {
    let words: Vec<&[String]> = parts.iter().map(|part| unwrapped(&part.words)).collect();
    let name = |words: &[String]| words.first().and_then(|word| word.rsplit('/').next()).map(str::to_owned);
    let program = name(words.first()?).filter(|name| is_plain(name))?;
    if words.iter().any(|words| name(words).as_ref() != Some(&program)) {
        return None;
    }
    let mut common = vec![program];
    // Plain words must come in the same order in all of them.
    let mut places = vec![1; words.len()];
    for word in words[0].iter().skip(1).filter(|word| is_plain(word) && !is_of_this_call(word)) {
        if common.len() == MAX_WORDS {
            break;
        }
        if word.starts_with('-') {
            let option = word.split('=').next().unwrap_or(word);
            let has = |words: &&[String]| words.iter().any(|other| other.split('=').next() == Some(option));
            if words.iter().all(has) && !common.iter().any(|known| known == option) {
                common.push(option.to_owned());
            }
            continue;
        }
        let found: Option<Vec<usize>> = words
            .iter()
            .zip(&places)
            .map(|(words, from)| Some(from + words.get(*from..)?.iter().position(|other| other == word)? + 1))
            .collect();
        if let Some(found) = found {
            places = found;
            common.push(word.clone());
        }
    }
    Some(common)
}

/// Returns the words behind programs that only run another one: `gh pr diff` of `timeout 60 gh pr diff`.
fn unwrapped(words: &[String]) -> &[String] {
    let mut rest = words;
    while let Some((first, behind)) = rest.split_first() {
        if !WRAPPERS.contains(&first.rsplit('/').next().unwrap_or(first)) {
            break;
        }
        let is_own = |word: &&String| {
            word.starts_with('-') || word.contains('=') || word.starts_with(|c: char| c.is_ascii_digit())
        };
        rest = &behind[behind.iter().take_while(is_own).count()..];
    }
    rest
}

/// Returns whether a word means itself in a pattern; a placeholder of a secret has brackets.
fn is_plain(word: &str) -> bool {
    let is_part = |c: char| {
        c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | '@' | '+' | '=' | ',' | '%')
    };
    !word.is_empty() && word.chars().count() <= MAX_WORD && word.chars().all(is_part)
}

/// Returns whether a word belongs to one call or one machine: a number, or a path from the root.
fn is_of_this_call(word: &str) -> bool {
    word.starts_with('/') || !word.contains(char::is_alphabetic)
}

#[cfg(test)]
mod tests;
