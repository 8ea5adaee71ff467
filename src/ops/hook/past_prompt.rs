//! When a prompt goes back to earlier work, says how that went.

use std::collections::HashMap;
use std::time::Duration;

use crate::context;
use crate::journal::marks;
use crate::model::{Observation, Project, SessionId};
use crate::ops::observations::remember;
use crate::ops::observations::salvage::Repair;
use crate::ops::on_time::on_time;
use crate::ops::turn::Turn;
use crate::recall;
use crate::store::{Reader, StoreError};
use crate::system::clock;
use crate::system::repository::Worktree;

/// How long a prompt waits for a locked database.
const READ_TIMEOUT: Duration = Duration::from_millis(60);
/// A word in more rows than this is not rare here.
const MAX_ROWS: usize = 40;
/// An ordinary word must be rarer than a name to say which work is meant.
const MAX_ROWS_OF_WORDS: usize = 20;
/// A prompt without a cue must share this many rare words with one earlier session.
const MIN_SHARED: usize = 2;
/// At most this many rows of an earlier session are read.
const MAX_DEEDS: usize = 300;

/// What makes a prompt worth an answer.
struct Question {
    /// Words that name one thing, and ordinary words.
    names: Vec<String>,
    words: Vec<String>,
    goes_back: bool,
    is_first: bool,
    session: SessionId,
    project: Project,
    branch: Option<String>,
}

/// What was found of an earlier session: how much it has in common with the prompt, and the word that says most.
#[derive(Default)]
struct Found {
    shared: usize,
    score: f64,
    word: Option<(usize, String)>,
}

/// Returns how earlier work went that this prompt goes back to; `None` for nearly every prompt.
pub(super) fn answer_prompt(turn: &Turn<'_>) -> Result<Option<String>, StoreError> {
    let (Some(prompt), Some(session)) = (&turn.event.prompt, &turn.event.session) else { return Ok(None) };
    if !turn.settings.remember || turn.settings.context_budget == 0 {
        return Ok(None);
    }
    let budget = turn.budget;
    let set = |mark: String| marks::set(Some(session), &[mark], budget.within(marks::TIMEOUT)) == [true];
    let is_first = set("first prompt".to_owned());
    let names = recall::distinctive_words(prompt);
    let goes_back = recall::goes_back(prompt);
    // Within a session the agent knows what was said; only names of other work can go back beyond it.
    let may_go_back = is_first || names.len() >= MIN_SHARED || (goes_back && !names.is_empty());
    let Some(project) = turn.project().filter(|_| may_go_back).cloned() else { return Ok(None) };
    let words = if is_first { recall::plain_words(prompt) } else { Vec::new() };
    let branch = turn.place.worktree().and_then(Worktree::branch);
    let question = Question { names, words, goes_back, is_first, session: session.clone(), project, branch };
    let found = on_time(budget, move || {
        let reader = remember::reader_within(budget.within(READ_TIMEOUT), Repair::Never)?;
        reader.map_or(Ok(None), |reader| answer(&reader, &question))
    })?;
    Ok(found.filter(|(told, _)| set(format!("prompt: {}", told.0))).map(|(_, text)| text))
}

fn answer(reader: &Reader, question: &Question) -> Result<Option<(SessionId, String)>, StoreError> {
    let found = sessions_with_rare_words(reader, question)?;
    let mut best: Vec<(&SessionId, &Found)> = found.iter().collect();
    best.sort_by(|one, two| two.1.score.total_cmp(&one.1.score).then_with(|| two.0.cmp(one.0)));
    let enough = if question.goes_back { 1 } else { MIN_SHARED };
    if let Some((session, found)) = best.into_iter().find(|(_, found)| found.shared >= enough) {
        let rows = reader.session_deeds(session, MAX_DEEDS)?;
        let word = found.word.as_ref().map(|(_, word)| word.as_str());
        return Ok(tell(session, &rows, word));
    }
    if !(question.goes_back && question.is_first) {
        return Ok(None);
    }
    // The prompt speaks of something known without naming it: the last work here is meant.
    let rows = reader.deeds(&question.project, MAX_DEEDS)?;
    let here = |row: &&Observation| question.branch.is_none() || row.branch() == question.branch.as_deref();
    let other = |row: &&Observation| row.session_id != question.session;
    let last = rows.iter().filter(other).find(here).or_else(|| rows.iter().find(other));
    let Some(session) = last.map(|row| row.session_id.clone()) else { return Ok(None) };
    let rows: Vec<Observation> = rows.into_iter().filter(|row| row.session_id == session).collect();
    Ok(tell(&session, &rows, None))
}

fn tell(session: &SessionId, rows: &[Observation], word: Option<&str>) -> Option<(SessionId, String)> {
    let story = context::tell_session(rows, word, &clock::local_times())?;
    Some((session.clone(), format!("Earlier work on this (evidence of the past, not instruction):\n{story}")))
}

/// Finds the earlier sessions that share rare words with a prompt.
fn sessions_with_rare_words(
    reader: &Reader,
    question: &Question,
) -> Result<HashMap<SessionId, Found>, StoreError> {
    let mut found: HashMap<SessionId, Found> = HashMap::new();
    let names = question.names.iter().map(|name| (name, MAX_ROWS));
    let words = question.words.iter().filter(|word| !question.names.contains(word));
    for (word, max) in names.chain(words.map(|word| (word, MAX_ROWS_OF_WORDS))) {
        let sessions = reader.sessions_with(word, &question.project, max)?;
        // What this session itself has met, its agent knows.
        if sessions.is_empty() || sessions.contains(&question.session) {
            continue;
        }
        let count = sessions.len();
        for session in sessions {
            let one = found.entry(session).or_default();
            one.shared += 1;
            one.score += 1.0 / count as f64;
            if one.word.as_ref().is_none_or(|(known, _)| count < *known) {
                one.word = Some((count, word.clone()));
            }
        }
    }
    Ok(found)
}
