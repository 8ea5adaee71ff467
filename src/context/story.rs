//! The stories of earlier sessions: what was asked, how it ended, and which commits came of it.

use std::collections::HashSet;

use crate::model::{Observation, ObservationType, SessionId, Timestamp, TodoItem};
use crate::recall;

/// What one session did, as far as it is worth a line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SessionStory<'r> {
    pub(super) session: &'r SessionId,
    pub(super) began: Timestamp,
    pub(super) ended: Timestamp,
    pub(super) is_over: bool,
    /// Whether the agent has said its last word and waits for the user.
    pub(super) is_waiting: bool,
    pub(super) actions: usize,
    pub(super) branch: Option<&'r str>,
    pub(super) worktree: Option<&'r str>,
    /// The last prompt that says what is wanted.
    pub(super) ask: Option<&'r Observation>,
    /// What the agent said at the end.
    pub(super) outcome: Option<&'r Observation>,
    /// The newest first.
    pub(super) commits: Vec<&'r Observation>,
    /// Files that were changed after the last commit or push.
    pub(super) uncommitted: Vec<&'r str>,
    /// The agent's own list of what is to do, in its last state.
    pub(super) todo: Vec<TodoItem>,
}

/// Tells the sessions of these rows, the newest session first; `rows` are the newest first.
pub(super) fn stories(rows: &[Observation]) -> Vec<SessionStory<'_>> {
    let mut sessions: Vec<&SessionId> = Vec::new();
    let mut seen = HashSet::new();
    for row in rows {
        if seen.insert(&row.session_id) {
            sessions.push(&row.session_id);
        }
    }
    sessions.into_iter().map(|session| story(session, rows)).collect()
}

fn story<'r>(session: &'r SessionId, rows: &'r [Observation]) -> SessionStory<'r> {
    let own = || rows.iter().filter(|row| row.session_id == *session);
    let mut story = SessionStory {
        session,
        began: own().next_back().map_or(Timestamp(0), |row| row.timestamp),
        ended: own().next().map_or(Timestamp(0), |row| row.timestamp),
        is_over: own().any(|row| row.obs_type == ObservationType::SessionEnd),
        is_waiting: own().next().is_some_and(|row| row.obs_type == ObservationType::Outcome),
        actions: own().filter(|row| is_action(row)).count(),
        branch: own().find_map(|row| row.branch()),
        worktree: own().next().and_then(|row| row.worktree()),
        ask: None,
        outcome: None,
        commits: own().filter(|row| is_commit(row)).collect(),
        uncommitted: Vec::new(),
        todo: own().filter(|row| row.agent_id().is_none()).find_map(Observation::todo).unwrap_or_default(),
    };
    (story.ask, story.outcome) = ask_and_outcome(&own().collect::<Vec<_>>());
    let mut files = HashSet::new();
    for row in own().take_while(|row| !recall::hands_over(row)) {
        let changes = matches!(row.obs_type, ObservationType::FileEdit | ObservationType::FileWrite);
        if let Some(path) = row.file_path.as_deref().filter(|path| changes && files.insert(path.to_owned())) {
            story.uncommitted.push(path);
        }
    }
    story
}

/// Returns what was asked and how it ended, of the last turn in which something was done; `rows` are the newest first.
///
/// After it the agent may answer a question, or remark that a task in the background has ended; this is not how the
/// work ended.
fn ask_and_outcome<'r>(rows: &[&'r Observation]) -> (Option<&'r Observation>, Option<&'r Observation>) {
    let is_outcome = |row: &&&Observation| row.obs_type == ObservationType::Outcome;
    let mut last_words = None;
    let mut deed = 0;
    for (at, row) in rows.iter().enumerate() {
        if row.obs_type == ObservationType::Outcome {
            last_words = Some(*row);
        } else if row.is_prompt() {
            last_words = None;
        } else if is_action(row) && !is_look(row) {
            deed = at;
            break;
        }
    }
    let (later, before) = rows.split_at(deed);
    let ask = before.iter().find(|row| is_ask(row)).or_else(|| rows.iter().find(|row| is_ask(row)));
    let ask = ask.or_else(|| rows.iter().find(|row| row.is_prompt()));
    let outcome = last_words.or_else(|| later.iter().chain(before).find(is_outcome).copied());
    (ask.copied(), outcome)
}

fn is_look(row: &Observation) -> bool {
    match row.obs_type {
        ObservationType::Command | ObservationType::CommandError => recall::only_looks(row),
        ObservationType::FileRead | ObservationType::Search => true,
        _ => false,
    }
}

/// Returns whether a row is something that the agent did.
fn is_action(row: &Observation) -> bool {
    !matches!(
        row.obs_type,
        ObservationType::SessionStart
            | ObservationType::SessionEnd
            | ObservationType::UserPrompt
            | ObservationType::Outcome
            | ObservationType::Summary
    )
}

/// Returns whether a row is a prompt that says what is wanted; "yes", "go on", "7" and "no, use the other one" belong to
/// the one before them.
fn is_ask(row: &Observation) -> bool {
    row.is_prompt() && recall::says_what_is_wanted(&row.content) && !recall::takes_back(&row.content)
}

pub(super) fn is_commit(row: &Observation) -> bool {
    row.metadata.as_ref().and_then(|metadata| metadata.kind()) == Some("git_commit")
}
