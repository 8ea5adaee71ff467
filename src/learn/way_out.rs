//! What ended the failures of one cause: what several sessions did that worked.

use std::collections::HashSet;

use super::met::{MIN_SESSIONS, MetFailure};
use crate::context;
use crate::model::{Observation, ObservationId, ObservationType, SessionId};
use crate::recall::{self, Remedy};
use crate::shell::{self, Doing, SimpleCommand};

/// The longest command that is quoted, in characters.
const MAX_QUOTED: usize = 120;
/// A piece of a text with fewer characters than this says nothing.
const MIN_PIECE: usize = 3;

/// How something ended a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum WayOutKind {
    /// Another command was run instead.
    Instead,
    /// A command was run first, and then it worked.
    First,
    /// The same was run without something.
    Without,
    /// A file was changed, and then it worked.
    Edit,
}

/// What ended a failure in several sessions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WayOut {
    pub(crate) kind: WayOutKind,
    /// The command or the file, as one plain and short line.
    pub(crate) text: String,
    /// What the sessions have in common: an option, a word, a program or the name of a file.
    pub(crate) mark: String,
    /// The observation that shows it.
    pub(crate) id: ObservationId,
    /// In how many sessions it was so.
    pub(crate) sessions: usize,
    /// The options that the command which worked has and the ones that failed do not.
    pub(crate) options: Vec<String>,
}

/// One thing that may have ended one failure.
struct SeenEnding<'r> {
    kind: WayOutKind,
    mark: String,
    session: &'r SessionId,
    shown: &'r Observation,
    part: Option<SimpleCommand>,
}

/// Returns what ended the failures of a cause in several sessions; `failures` are the newest first.
pub(super) fn shared(failures: &[MetFailure<'_>]) -> Option<WayOut> {
    let endings: Vec<SeenEnding<'_>> = failures.iter().flat_map(endings).collect();
    let sessions = |ending: &SeenEnding<'_>| {
        let same = endings.iter().filter(|other| (other.kind, &other.mark) == (ending.kind, &ending.mark));
        same.map(|other| other.session).collect::<HashSet<_>>().len()
    };
    let signature = failures.first().and_then(|failure| failure.row.signature.as_deref()).unwrap_or_default();
    // The first of the best is the newest, because `min_by_key` keeps the first.
    let best = endings.iter().min_by_key(|ending| {
        let is_text = ending.kind == WayOutKind::Instead && !is_option(&ending.mark);
        // Of several words that had to go, the one that the message names is the reason; the longest says most.
        let is_gone = ending.kind == WayOutKind::Without;
        let is_unnamed = is_gone && !signature.contains(&ending.mark);
        let brevity = if is_gone { usize::MAX - ending.mark.len() } else { 0 };
        (std::cmp::Reverse(sessions(ending)), ending.kind, is_text, is_unnamed, brevity)
    })?;
    let count = sessions(best);
    if count < MIN_SESSIONS {
        return None;
    }
    let known: HashSet<&str> = failures.iter().flat_map(|failure| failure_options(failure.row)).collect();
    let part_options = best.part.iter().flat_map(options).filter(|option| !known.contains(option));
    let text = match (&best.part, best.kind) {
        (_, WayOutKind::Edit) => quoted(&best.mark),
        (Some(part), _) => quoted_part(part),
        (None, _) => quoted(recall::command(best.shown)),
    };
    Some(WayOut {
        kind: best.kind,
        text,
        mark: quoted(&best.mark),
        id: best.shown.id,
        sessions: count,
        options: part_options.map(str::to_owned).collect(),
    })
}

fn failure_options(row: &Observation) -> Vec<&str> {
    recall::command(row).split_whitespace().filter(|word| is_option(word)).map(option_name).collect()
}

fn endings<'r>(failure: &'r MetFailure<'_>) -> Vec<SeenEnding<'r>> {
    let Some(remedy) = failure.remedy.as_ref().filter(|remedy| remedy.is_visible(failure.row)) else {
        return Vec::new();
    };
    let mut all = changed(failure.row, remedy);
    for step in &remedy.steps {
        all.extend(match step.obs_type {
            ObservationType::Command => first(failure.row, step),
            _ => edit(failure.row, step),
        });
    }
    all
}

/// Returns what is new in the command that worked, and what is gone from it.
fn changed<'r>(failure: &'r Observation, remedy: &'r Remedy) -> Vec<SeenEnding<'r>> {
    let program = failure.program.as_deref();
    let failed: Vec<SimpleCommand> = shell::parts(recall::command(failure));
    let of_program = |part: &SimpleCommand| shell::program(part).as_deref() == program;
    let worked = shell::parts(recall::command(&remedy.success));
    // A program that is not installed was replaced by another one, which has no name in common.
    let acting = |part: &SimpleCommand| shell::doing(part) != Doing::Preparing;
    let part =
        worked.iter().find(|part| of_program(part)).or_else(|| worked.iter().find(|part| acting(part)));
    let Some(part) = part else { return Vec::new() };
    let known: HashSet<String> = failed.iter().flat_map(marks).collect();
    let now: Vec<String> = marks(part);
    let new =
        now.iter().filter(|mark| !known.contains(*mark)).map(|mark| (WayOutKind::Instead, mark.clone()));
    let before = failed.iter().find(|part| of_program(part)).filter(|_| of_program(part));
    let before = before.map(marks).unwrap_or_default();
    let gone = before.into_iter().filter(|mark| !now.contains(mark)).map(|mark| (WayOutKind::Without, mark));
    new.chain(gone)
        .map(|(kind, mark)| SeenEnding {
            kind,
            mark,
            session: &failure.session_id,
            shown: &remedy.success,
            part: Some(part.clone()),
        })
        .collect()
}

/// Returns the programs that were run in between.
fn first<'r>(failure: &'r Observation, step: &'r Observation) -> Vec<SeenEnding<'r>> {
    let acting =
        shell::parts(recall::command(step)).into_iter().filter(|part| shell::doing(part) == Doing::Acting);
    let named = acting.filter_map(|part| Some((shell::program(&part)?, part)));
    let named = named.filter(|(program, _)| Some(program.as_str()) != failure.program.as_deref());
    named
        .map(|(program, part)| SeenEnding {
            kind: WayOutKind::First,
            mark: program,
            session: &failure.session_id,
            shown: step,
            part: Some(part),
        })
        .collect()
}

fn edit<'r>(failure: &'r Observation, step: &'r Observation) -> Vec<SeenEnding<'r>> {
    let name = step.file_path.as_deref().and_then(|path| path.rsplit('/').next());
    let ending = name.map(|name| SeenEnding {
        kind: WayOutKind::Edit,
        mark: name.to_owned(),
        session: &failure.session_id,
        shown: step,
        part: None,
    });
    ending.into_iter().collect()
}

/// Returns what can be told of a command: its options without their values, its words, and the names in its texts.
fn marks(part: &SimpleCommand) -> Vec<String> {
    let mut marks = Vec::new();
    let mut before = "";
    for word in &part.words {
        if is_option(word) {
            marks.push(option_name(word).to_owned());
        } else if !word.contains(char::is_whitespace) {
            marks.push(word.clone());
        } else if !recall::PROSE_OPTIONS.contains(&before) {
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
            marks.extend(word.split(|c: char| !is_part(c)).map(str::to_owned));
        }
        before = word;
    }
    let says_something = |mark: &String| {
        is_option(mark)
            || mark.chars().count() >= MIN_PIECE
                && mark.contains(char::is_alphabetic)
                && mark.len() <= MAX_QUOTED
    };
    marks.retain(says_something);
    marks
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

fn option_name(word: &str) -> &str {
    word.split('=').next().unwrap_or(word)
}

fn options(part: &SimpleCommand) -> impl Iterator<Item = &str> {
    part.words.iter().filter(|word| is_option(word)).map(|word| option_name(word))
}

/// Returns a command as one short line; texts inside it are left out, because nobody knows what they say.
fn quoted_part(part: &SimpleCommand) -> String {
    let shown =
        |word: &String| if word.contains(char::is_whitespace) { "…".to_owned() } else { word.clone() };
    quoted(&part.words.iter().map(shown).collect::<Vec<_>>().join(" "))
}

/// Returns a text as one plain and short line that fits between two backticks and has no variable of a message in it.
pub(super) fn quoted(text: &str) -> String {
    let line = context::plain_line(text).replace('`', "'").replace("{{", "{ {");
    match line.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests;
