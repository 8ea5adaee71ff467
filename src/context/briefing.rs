//! The briefing: what a colleague would say before somebody continues their work, in at most two dozen lines.

use std::collections::HashSet;

use super::changed::changed_files;
use super::line::{BriefingLine, short};
use super::obstacle::obstacle_lines;
use super::past::BriefingInput;
use super::story::{SessionStory, stories};
use super::works::works;
use super::{Setting, plain};
use crate::model::{Observation, ObservationId, REFUSAL, Timestamp, TodoItem, counted};
use crate::recall;

/// Maximum length of a quoted prompt and of what the agent said, in characters.
const MAX_ASK: usize = 110;
const MAX_OUTCOME: usize = 200;
/// An earlier session is one line of about 110 characters: what was asked, and how it ended.
const MAX_EARLIER_ASK: usize = 44;
const MAX_EARLIER_END: usize = 66;
/// Maximum length of a commit, in characters.
const MAX_COMMIT: usize = 58;
/// The number of earlier sessions, commits and files that are named.
const EARLIER: usize = 4;
const COMMITS: usize = 4;
const FILES: usize = 20;
/// At most this many earlier sessions matter as much as what works here.
const FIRST_EARLIER: usize = 2;
/// Open items of a list, and words of the user, that are named.
const OPEN_ITEMS: usize = 4;
const WISHES: usize = 3;
/// Another session that did something within this many seconds is at work right now.
const AT_WORK: i64 = 600;
/// The name of a file says which file it is if it is longer than this; else its path is needed.
const TELLING_NAME: usize = 7;

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
        lines.extend(texts.into_iter().map(|text| BriefingLine::new(rank, text)));
    };
    for story in own.iter().filter(|story| says_something(story)) {
        add(0, whole("This session so far", story, setting));
        add(1, open_items(story).into_iter().collect());
    }
    if let Some((last, rest)) = earlier.split_first() {
        add(0, whole(&format!("Last session {}", where_it_was(last, past)), last, setting));
        add(1, unfinished(last));
        let mut seen = HashSet::new();
        let rest =
            rest.iter().filter_map(|story| in_one_line(story)).filter(|line| seen.insert(line.said.clone()));
        let mut rest: Vec<String> = rest
            .take(EARLIER)
            .map(|line| format!("  {} {}", (setting.clock)(line.ended), line.said))
            .collect();
        let more = rest.split_off(rest.len().min(FIRST_EARLIER));
        add(2, (!rest.is_empty()).then(|| "Before it:".to_owned()).into_iter().chain(rest).collect());
        add(3, more);
    }
    add(2, commits(&past.rows).into_iter().collect());
    add(1, files(past).into_iter().collect());
    add(2, works(&past.rows).into_iter().collect());
    add(2, wishes(past, setting).into_iter().collect());
    lines.extend(obstacle_lines(past));
    let others = at_work.iter().map(|story| {
        let ask = story.ask.map(|ask| format!(": \"{}\"", short(&ask.content, MAX_ASK))).unwrap_or_default();
        format!("Another session is at work {} right now{ask}", where_it_was(story, past))
    });
    // Two sessions of which nothing is known are said once.
    let mut said = HashSet::new();
    let others = others.filter(|text| said.insert(text.clone())).take(2);
    lines.extend(others.map(|text| BriefingLine::new(0, text)));
    let was_here = |story: &&SessionStory<'_>| story.actions > 0 && is_of_worktree(story, past);
    let is_new_here = !own.iter().chain(&earlier).any(was_here);
    if let Some(text) = place(past, is_new_here) {
        lines.insert(0, BriefingLine { is_place: true, ..BriefingLine::new(0, text) });
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
    let mut lines = vec![format!(
        "{title} ({}, {}){ask}",
        (setting.clock)(story.ended),
        counted(story.actions, "action")
    )];
    lines.extend(end_of(story).map(|end| format!("  ended: {end}")));
    lines
}

/// An earlier session in one line.
struct EarlierLine {
    ended: Timestamp,
    said: String,
}

fn in_one_line(story: &SessionStory<'_>) -> Option<EarlierLine> {
    let ask = story.ask?;
    let commit = || story.commits.first().and_then(|commit| subject(commit));
    let end = short(&end_of(story).or_else(commit)?, MAX_EARLIER_END);
    let said = format!("\"{}\" -> {end}", short(&ask.content, MAX_EARLIER_ASK));
    Some(EarlierLine { ended: story.ended, said })
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
    short(&joined.replace("**", ""), MAX_OUTCOME)
}
const MIN_SAID: usize = 4;

/// Returns how a session ended, in the agent's words. If it only remarked at the end that a task in the background was
/// over, the last commit says more.
fn end_of(story: &SessionStory<'_>) -> Option<String> {
    let text = &story.outcome?.content;
    let commit = story.commits.first().and_then(|commit| subject(commit));
    let end = if is_remark(text) { commit } else { None };
    end.or_else(|| Some(said(text))).filter(|said| says_more_than_done(said))
}

/// What agents say first when a task in the background has ended after their work was done.
const REMARKS: [&str; 5] =
    ["background task", "background command", "task notification", "a notification", "the notification"];
/// The remark is in the first characters.
const REMARK_WITHIN: usize = 100;

fn is_remark(text: &str) -> bool {
    let start: String = text.chars().take(REMARK_WITHIN).collect::<String>().to_lowercase();
    REMARKS.iter().any(|remark| start.contains(remark))
}

/// Returns whether the agent's last words say anything: "Done." and "OK" do not.
fn says_more_than_done(said: &str) -> bool {
    said.split_whitespace().nth(2).is_some()
}

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
    let hash: String = fact("commit").unwrap_or_default().chars().take(9).collect();
    Some(short(format!("{hash} {}", fact("subject")?).trim_start(), MAX_COMMIT))
}

/// Lists the files of this work, those that the session is most likely to touch first.
fn files(past: &BriefingInput) -> Option<String> {
    let changed = changed_files(past);
    let mut paths: Vec<&str> = changed.iter().filter_map(|file| file.row.file_path.as_deref()).collect();
    if paths.is_empty() {
        return None;
    }
    let more = paths.len().saturating_sub(FILES);
    paths.truncate(FILES);
    let names: Vec<String> = paths.iter().map(|path| name_among(path, &paths)).collect();
    let more = if more > 0 { format!(" (+{more})") } else { String::new() };
    Some(format!("Files changed last: {}{more}", names.join(" ")))
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
