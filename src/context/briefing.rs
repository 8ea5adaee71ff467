//! The briefing: what a colleague would say before somebody continues their work, in at most two dozen lines.

use std::collections::{HashMap, HashSet};

use super::story::{SessionStory, stories};
use super::works::works;
use super::{Setting, plain};
use crate::model::{
    Observation, ObservationId, ObservationType, REFUSAL, SessionId, TellRecord, Timestamp, TodoItem,
};
use crate::recall;

/// Maximum length of a quoted prompt, of what the agent said, and of a remedy, in characters.
const MAX_ASK: usize = 110;
const MAX_OUTCOME: usize = 200;
const MAX_LINE: usize = 150;
/// The number of earlier sessions, commits, files, commands and obstacles that are named.
const EARLIER: usize = 4;
const COMMITS: usize = 4;
const FILES: usize = 24;
const OBSTACLES: usize = 10;
const FIRST_OBSTACLES: usize = 8;
/// Open items of a list, and words of the user, that are named.
const OPEN_ITEMS: usize = 4;
const WISHES: usize = 3;
/// Another session that did something within this many seconds is at work right now.
const AT_WORK: i64 = 600;
/// The name of a file says which file it is if it is longer than this; else its path is needed.
const TELLING_NAME: usize = 7;

/// A cause of failures that may come back, and the way out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Obstacle {
    pub(crate) failure: Observation,
    pub(crate) times: usize,
    pub(crate) sessions: usize,
    /// The way out in one line; `None` if nobody found one.
    pub(crate) remedy: Option<String>,
    /// The shape of the command that failed, if another shape worked.
    pub(crate) failing_shape: Option<String>,
}

/// What the briefing is made from.
#[derive(Debug, Default)]
pub(crate) struct BriefingInput {
    /// What was done in the project, the newest first, without reads and searches.
    pub(crate) rows: Vec<Observation>,
    pub(crate) obstacles: Vec<Obstacle>,
    pub(crate) branch: Option<String>,
    /// The name of the linked worktree that the session is in.
    pub(crate) worktree: Option<String>,
    /// How often rows were told before, and whether that helped.
    pub(crate) records: HashMap<ObservationId, TellRecord>,
    /// The session that is to be briefed.
    pub(crate) session: Option<SessionId>,
    pub(crate) now: Timestamp,
}

/// A line of the briefing; when there is too little room, the lines with the highest rank go first.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BriefingLine {
    pub(super) rank: u8,
    pub(super) text: String,
    /// The failure that it tells of.
    pub(super) about: Option<ObservationId>,
}

/// Lists what goes wrong here, without what never concerned a session.
fn obstacle_lines(past: &BriefingInput) -> Vec<BriefingLine> {
    let is_fresh = |obstacle: &&Obstacle| !past.is_tired(obstacle.failure.id);
    let lines = past.obstacles.iter().filter(is_fresh).take(OBSTACLES).enumerate().map(|(at, obstacle)| {
        // A warning without a way out is worth less than how earlier sessions ended, unless session after session
        // meets it: then its own words have to do.
        let matters = obstacle.remedy.is_some() || obstacle.sessions > 1;
        let rank = if matters && at < FIRST_OBSTACLES { 1 } else { 4 };
        BriefingLine { rank, text: describe_obstacle(obstacle), about: Some(obstacle.failure.id) }
    });
    let lines: Vec<BriefingLine> = lines.collect();
    let heading = BriefingLine {
        rank: lines.iter().map(|line| line.rank).min().unwrap_or(4),
        text: "Goes wrong here:".to_owned(),
        about: None,
    };
    (!lines.is_empty()).then_some(heading).into_iter().chain(lines).collect()
}

impl BriefingInput {
    /// Returns whether a row was told often and never concerned a session.
    pub(super) fn is_tired(&self, id: ObservationId) -> bool {
        self.records.get(&id).is_some_and(|record| recall::is_tired(*record))
    }
}

/// Writes the briefing, line by line; empty if there is nothing to say.
pub(super) fn briefing(past: &BriefingInput, setting: &Setting<'_>) -> Vec<BriefingLine> {
    let stories = stories(&past.rows);
    let (own, others): (Vec<&SessionStory<'_>>, Vec<&SessionStory<'_>>) =
        stories.iter().partition(|story| Some(story.session) == past.session.as_ref());
    let (at_work, mut earlier): (Vec<&SessionStory<'_>>, Vec<&SessionStory<'_>>) =
        others.into_iter().partition(|story| is_at_work(story, past));
    earlier.retain(|story| says_something(story));
    // Sessions of this worktree and this branch come before those of others.
    earlier.sort_by_key(|story| (!is_of_worktree(story, past), !is_of_branch(story, past)));
    let mut lines = Vec::new();
    let mut add = |rank: u8, texts: Vec<String>| {
        lines.extend(texts.into_iter().map(|text| BriefingLine { rank, text, about: None }));
    };
    let is_new_here = !earlier.iter().any(|story| is_of_worktree(story, past));
    add(0, place(past, is_new_here).into_iter().collect());
    for story in own.iter().filter(|story| says_something(story)) {
        add(0, whole("This session so far", story, setting));
        add(1, open_items(story).into_iter().collect());
    }
    if let Some((last, rest)) = earlier.split_first() {
        add(0, whole(&format!("Last session {}", where_it_was(last, past)), last, setting));
        add(1, unfinished(last));
        let rest: Vec<String> =
            rest.iter().filter_map(|story| in_one_line(story, setting)).take(EARLIER).collect();
        add(3, (!rest.is_empty()).then(|| "Before it:".to_owned()).into_iter().chain(rest).collect());
    }
    add(3, commits(&past.rows).into_iter().collect());
    add(1, files(past).into_iter().collect());
    add(2, works(&past.rows).into_iter().collect());
    add(2, wishes(past, setting).into_iter().collect());
    lines.extend(obstacle_lines(past));
    for story in at_work.iter().take(2) {
        let ask = story.ask.map(|ask| format!(": \"{}\"", short(&ask.content, MAX_ASK))).unwrap_or_default();
        let text = format!("Another session is at work {} right now{ask}", where_it_was(story, past));
        lines.push(BriefingLine { rank: 0, text, about: None });
    }
    lines
}

fn is_at_work(story: &SessionStory<'_>, past: &BriefingInput) -> bool {
    !story.is_over && !story.is_waiting && past.now.since(story.ended) < AT_WORK && story.actions > 0
}

fn is_of_worktree(story: &SessionStory<'_>, past: &BriefingInput) -> bool {
    story.worktree == past.worktree.as_deref()
}

/// Says where a session was: here, or in another worktree.
fn where_it_was(story: &SessionStory<'_>, past: &BriefingInput) -> String {
    match story.worktree {
        _ if is_of_worktree(story, past) => "here".to_owned(),
        Some(worktree) => format!("in worktree {}", short(worktree, 60)),
        None => "in the main worktree".to_owned(),
    }
}

fn is_of_branch(story: &SessionStory<'_>, past: &BriefingInput) -> bool {
    past.branch.is_none() || story.branch == past.branch.as_deref()
}

fn says_something(story: &SessionStory<'_>) -> bool {
    story.actions > 0 && (story.ask.is_some() || story.outcome.is_some())
}

/// Returns the address of the last pull request of a branch; `rows` are the newest first.
fn request_of<'r>(rows: &'r [Observation], branch: &str) -> Option<&'r str> {
    rows.iter().filter(|row| row.branch() == Some(branch)).find_map(url)
}

/// Names the worktree, the branch and its pull request.
fn place(past: &BriefingInput, is_new: bool) -> Option<String> {
    let branch = past.branch.as_deref();
    let request = branch.and_then(|branch| request_of(&past.rows, branch)).map(plain);
    let worktree = past.worktree.as_deref().map(|name| format!("Worktree {}", plain(name)));
    let new = worktree.as_ref().filter(|_| is_new).map(|_| "nothing was done here yet".to_owned());
    let branch = branch.map(|branch| format!("Branch {}", plain(branch)));
    let parts: Vec<String> = worktree.into_iter().chain(branch).chain(request).chain(new).collect();
    (!past.rows.is_empty() && !parts.is_empty()).then(|| parts.join(", "))
}

/// Returns the address of the pull request or issue that a command printed.
fn url(row: &Observation) -> Option<&str> {
    row.metadata.as_ref()?.0.get("url")?.as_str()
}

fn whole(title: &str, story: &SessionStory<'_>, setting: &Setting<'_>) -> Vec<String> {
    let ask = story.ask.map(|ask| format!(": \"{}\"", short(&ask.content, MAX_ASK))).unwrap_or_default();
    let mut lines =
        vec![format!("{title} ({}, {} actions){ask}", (setting.clock)(story.ended), story.actions)];
    lines.extend(story.outcome.map(|outcome| format!("  ended: {}", said(&outcome.content))));
    lines
}

fn in_one_line(story: &SessionStory<'_>, setting: &Setting<'_>) -> Option<String> {
    let ask = story.ask?;
    let end = match (story.outcome, story.commits.first()) {
        (Some(outcome), _) => said(&outcome.content).chars().take(MAX_LINE).collect(),
        (None, Some(commit)) => subject(commit)?,
        (None, None) => return None,
    };
    Some(format!("  {} \"{}\" -> {end}", (setting.clock)(story.ended), short(&ask.content, MAX_ASK)))
}

/// One session in a few lines, and the rows that they are made from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToldSession {
    pub(crate) text: String,
    pub(crate) rows: Vec<ObservationId>,
}

/// Describes one session in at most three lines: what was asked, how it ended, its last commit and its pull request,
/// and the row that answers best. `rows` are the session's newest first.
pub(crate) fn tell_session(
    rows: &[Observation],
    request: Option<&str>,
    evidence: Option<&str>,
    clock: &dyn Fn(Timestamp) -> String,
) -> Option<ToldSession> {
    let stories = stories(rows);
    let story = stories.first().filter(|story| says_something(story))?;
    let ask = story.ask.map(|ask| format!("\"{}\" (#{})", short(&ask.content, MAX_ASK), ask.id.0));
    let end = story.outcome.map(|outcome| format!("{} (#{})", said(&outcome.content), outcome.id.0));
    let commit = story.commits.first().and_then(|commit| subject(commit));
    let request = rows.iter().find_map(url).or(request).map(plain);
    if end.is_none() && commit.is_none() {
        return None;
    }
    let mut lines = vec![format!(
        "{}: {}",
        clock(story.ended),
        ask.into_iter().chain(end).collect::<Vec<_>>().join(" -> ")
    )];
    let made: Vec<String> = commit.into_iter().chain(request).collect();
    if !made.is_empty() {
        lines.push(format!("  {}", made.join(" ")));
    }
    lines.extend(evidence.map(|evidence| format!("  {evidence}")));
    let told = story.commits.first().copied().into_iter().chain(story.outcome);
    Some(ToldSession { text: lines.join("\n"), rows: told.map(|row| row.id).collect() })
}

/// Returns what the agent said, as the sentence that says most: the first that is no heading and no mere "Done".
fn said(text: &str) -> String {
    let lines = text.lines().map(|line| line.trim().trim_start_matches(['#', '*', '-', '>', ' ']));
    let mut telling = lines.filter(|line| line.split_whitespace().take(MIN_SAID).count() == MIN_SAID);
    let first = telling.next().unwrap_or_else(|| text.trim());
    let more = telling.next().filter(|_| first.len() < MAX_OUTCOME / 2 || first.ends_with(':'));
    let joined = more.map_or_else(|| first.to_owned(), |more| format!("{first} {more}"));
    short(&joined, MAX_OUTCOME)
}
const MIN_SAID: usize = 4;

/// Says what the last session left undone: of its own list, and of what it changed.
fn unfinished(story: &SessionStory<'_>) -> Vec<String> {
    open_items(story).into_iter().chain(uncommitted(story)).collect()
}

/// Names the items of the agent's own list that are not done.
fn open_items(story: &SessionStory<'_>) -> Option<String> {
    let open: Vec<&TodoItem> = story.todo.iter().filter(|item| item.is_open()).collect();
    if open.is_empty() {
        return None;
    }
    let named: Vec<String> = open.iter().take(OPEN_ITEMS).map(|item| short(&item.text, 80)).collect();
    let (left, all) = (open.len(), story.todo.len());
    Some(format!("  unfinished, {left} of {all}: {}", named.join(" | ")))
}

/// Says what the user wants here, in the words with which they refused calls.
fn wishes(past: &BriefingInput, setting: &Setting<'_>) -> Option<String> {
    let mut seen = HashSet::new();
    let said =
        past.rows.iter().filter(|row| row.kind() == Some(REFUSAL) && recall::is_lasting_wish(&row.content));
    let said = said.filter(|row| seen.insert(row.content.as_str())).take(WISHES);
    let said: Vec<String> = said
        .map(|row| {
            format!(
                "\"{}\" ({}, #{})",
                short(&row.content, MAX_ASK),
                (setting.clock)(row.timestamp),
                row.id.0
            )
        })
        .collect();
    (!said.is_empty()).then(|| format!("The user refused calls with: {}", said.join("; ")))
}

/// Names the files that the last session changed and did not commit.
fn uncommitted(story: &SessionStory<'_>) -> Option<String> {
    if story.uncommitted.is_empty() {
        return None;
    }
    let names: Vec<String> =
        story.uncommitted.iter().take(6).map(|path| name_among(path, &story.uncommitted)).collect();
    let more = story.uncommitted.len().saturating_sub(names.len());
    let more = if more > 0 { format!(" (+{more})") } else { String::new() };
    Some(format!("  changed after its last commit: {}{more}", names.join(" ")))
}

fn commits(rows: &[Observation]) -> Option<String> {
    let mut seen = HashSet::new();
    let commits = rows.iter().filter(|row| super::story::is_commit(row)).filter_map(subject);
    let commits: Vec<String> = commits.filter(|commit| seen.insert(commit.clone())).take(COMMITS).collect();
    (!commits.is_empty()).then(|| format!("Commits: {}", commits.join(" | ")))
}

fn subject(commit: &Observation) -> Option<String> {
    let fact = |name: &str| commit.metadata.as_ref()?.0.get(name)?.as_str();
    Some(short(&format!("{} {}", fact("commit")?, fact("subject")?), 90))
}

/// Lists the files that this branch, and then the project, changed last.
fn files(past: &BriefingInput) -> Option<String> {
    let changed = past.rows.iter().filter(|row| is_change(row));
    let (here, elsewhere): (Vec<&Observation>, Vec<&Observation>) =
        changed.partition(|row| past.branch.is_none() || row.branch() == past.branch.as_deref());
    let mut seen = HashSet::new();
    let mut paths: Vec<&str> =
        here.into_iter().chain(elsewhere).filter_map(|row| row.file_path.as_deref()).collect();
    paths.retain(|path| seen.insert(*path));
    if paths.is_empty() {
        return None;
    }
    let more = paths.len().saturating_sub(FILES);
    paths.truncate(FILES);
    let names: Vec<String> = paths.iter().map(|path| name_among(path, &paths)).collect();
    let more = if more > 0 { format!(" (+{more})") } else { String::new() };
    Some(format!("Files changed last: {}{more}", names.join(" ")))
}

pub(super) fn is_change(row: &Observation) -> bool {
    matches!(row.obs_type, ObservationType::FileEdit | ObservationType::FileWrite)
}

/// Names a file among others: `index.ts` alone says nothing if there are two of them.
fn name_among(path: &str, all: &[&str]) -> String {
    let base = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let is_single = all.iter().filter(|other| base(other) == base(path)).count() < 2;
    let from = path.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
    if is_single { name(path) } else { plain(&path[from..]) }
}

fn name(path: &str) -> String {
    let base = path.rsplit('/').next().unwrap_or(path);
    plain(if base.len() > TELLING_NAME { base } else { path })
}

/// Describes what goes wrong and the way out, in one line.
pub(crate) fn describe_obstacle(obstacle: &Obstacle) -> String {
    let failure = &obstacle.failure;
    let program = failure.program.as_deref().unwrap_or_default();
    let cause =
        failure.signature.as_deref().and_then(|signature| signature.lines().next()).unwrap_or_default();
    let often = match (obstacle.times, obstacle.sessions) {
        (1, _) => String::new(),
        (times, 1) => format!(", {times} times"),
        (_, sessions) => format!(", {sessions} sessions"),
    };
    match &obstacle.remedy {
        Some(way) => {
            format!("  {}: {}{often} -> {}", short(program, 30), short(cause, 80), short(way, MAX_LINE))
        }
        None => format!("  {}: {}{often} (#{})", short(program, 30), short(cause, 80), failure.id.0),
    }
}

/// Makes one short line of a text of others.
pub(crate) fn plain_line(text: &str) -> String {
    short(text, MAX_LINE)
}

/// Shortens a text of others so that it fits into one line.
fn short(text: &str, max: usize) -> String {
    let joined: Vec<&str> = text.split_whitespace().collect();
    let clean = plain(&joined.join(" "));
    match clean.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &clean[..end]),
        None => clean,
    }
}
