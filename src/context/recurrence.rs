//! What the agent sees when a failure comes back: what worked then, as a difference that can be seen.

use std::borrow::Cow;

use super::plain;
use crate::model::{Observation, ObservationId, ObservationType, Project, Timestamp};
use crate::recall::{self, Remedy, Undone};

/// Maximum number of characters quoted from an earlier session.
const MAX_QUOTE: usize = 200;
/// Maximum number of characters of a step in a short description.
const MAX_STEP: usize = 90;
/// Maximum number of characters of what the agent said.
const MAX_SAID: usize = 240;

/// A failure that happened before.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Recurrence {
    /// The earlier failure that says most.
    pub(crate) earlier: Observation,
    pub(crate) remedy: Option<Remedy>,
    pub(crate) times: usize,
    pub(crate) sessions: usize,
}

impl Recurrence {
    /// Returns what identifies the text, so that it is shown once in a session.
    pub(crate) fn cause_id(&self) -> ObservationId {
        self.earlier.id
    }
}

/// Describes a recurrence in two or three lines.
pub(crate) fn describe_recurrence(
    found: &Recurrence,
    here: Option<&Project>,
    clock: &dyn Fn(Timestamp) -> String,
) -> String {
    let earlier = &found.earlier;
    let elsewhere = match &earlier.project {
        Some(project) if here.is_none_or(|here| !earlier.is_of(here)) => {
            format!(", in project {}", quote(project))
        }
        _ => String::new(),
    };
    let often = match (found.times, found.sessions) {
        (0 | 1, _) => String::new(),
        (times, 1) => format!("{times} times, "),
        (times, sessions) => format!("{times} times in {sessions} sessions, last "),
    };
    let program = quote(earlier.program.as_deref().unwrap_or("this program"));
    let first = format!(
        "Seen before: `{program}` failed like this ({often}{}{elsewhere}, observation #{}; evidence of the past, not instruction).",
        clock(earlier.timestamp),
        earlier.id.0
    );
    let Some(remedy) = &found.remedy else {
        return format!("{first}\nNo way out of it was found then: {}", quote(recall::shown_cause(earlier)));
    };
    let mut lines = vec![first, format!("What worked then: {}.", describe_remedy(earlier, remedy))];
    // What an agent of another project said is about other things.
    let is_here = here.is_some_and(|here| earlier.project.as_deref() == Some(&here.name));
    lines.extend(said(remedy).filter(|_| is_here).map(|said| format!("The agent said: {said}")));
    lines.join("\n")
}

/// Describes how the last change of a file was undone, in one line, and returns the rows that it is made from.
pub(crate) fn describe_undone(path: &str, undone: &Undone<'_>) -> (String, Vec<ObservationId>) {
    let path = quote(path);
    match undone {
        Undone::Refused { refusal } => {
            let words: String = quote(&refusal.content).chars().take(MAX_SAID).collect();
            let text = format!("{path}: the user refused the last change: \"{words}\" (#{})", refusal.id.0);
            (text, vec![refusal.id])
        }
        Undone::Reverted { change, command } => {
            let gist = change.content.split_once(": ").map_or("", |(_, gist)| gist);
            let gist: String = quote(gist).chars().take(MAX_STEP).collect();
            let by = quote(recall::command(command));
            let text =
                format!("{path}: the last change ({gist}) was taken back by `{by}` (#{})", command.id.0);
            (text, vec![change.id, command.id])
        }
    }
}

/// Describes what was done between a failure and the success, in one line.
fn describe_remedy(failure: &Observation, remedy: &Remedy) -> String {
    let mut steps: Vec<String> = remedy.steps.iter().map(step).collect();
    let worked = recall::command(&remedy.success);
    let then = if steps.is_empty() { "" } else { "then " };
    let failed = recall::command(failure);
    let success = match recall::difference(failure.program.as_deref(), failed, worked) {
        Some(difference) => format!("{then}`{}` ({})", quote(worked), quote(&difference)),
        None if recall::is_same_act(failed, worked) => {
            format!("{then}the same command succeeded")
        }
        None => format!("{then}`{}` succeeded", quote(worked)),
    };
    steps.push(format!("{success} (#{})", remedy.success.id.0));
    steps.join("; ")
}

/// Describes the way out in few words: what was changed or run last, and what was different in the command that worked.
pub(crate) fn describe_way_out(failure: &Observation, remedy: &Remedy) -> String {
    let (failed, worked) = (recall::command(failure), recall::command(&remedy.success));
    let difference = recall::difference(failure.program.as_deref(), failed, worked);
    let is_same = recall::is_same_act(failed, worked);
    // Two steps share the room of one.
    let max = if remedy.steps.is_empty() || is_same { MAX_STEP } else { MAX_STEP / 2 };
    let folder = split_folder(failed).map(|(folder, _)| folder);
    let short = |text: &str| {
        let text = with_short_folder(without_folder(folder, text));
        super::plain_line(&text).chars().take(max).collect::<String>()
    };
    let last = remedy.steps.last().map(|step| match (&step.file_path, step.content.split_once(": ")) {
        (Some(_), Some((_, gist))) => match changed_files(remedy).as_slice() {
            [] => short(gist),
            files @ ([_] | [_, _]) => format!("{}: {}", files.join(", "), short(gist)),
            files => format!("{} were changed", files.join(", ")),
        },
        _ => format!("`{}`", short(recall::command(step))),
    });
    let then = match difference {
        Some(difference) => Some(short(&difference)),
        None if is_same && last.is_some() => None,
        None if is_same => Some("it worked when it was run again".to_owned()),
        None => Some(format!("`{}`", short(worked))),
    };
    let parts: Vec<String> = last.into_iter().chain(then).collect();
    let way = without_branch(&parts.join("; then "), remedy.success.branch());
    format!("{way} (#{})", remedy.success.id.0)
}

/// Branches that a command may mean whatever is checked out.
const LASTING_BRANCHES: [&str; 5] = ["main", "master", "trunk", "develop", "dev"];

/// Returns a way out with `BRANCH` instead of the branch that was checked out then, which the next reader is not on.
pub(super) fn without_branch(way: &str, branch: Option<&str>) -> String {
    let Some(branch) = branch.filter(|branch| !LASTING_BRANCHES.contains(branch)) else {
        return way.to_owned();
    };
    let is_end = |c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '/' | '.' | '#');
    way.split_inclusive(is_end)
        .map(|piece| {
            let word = piece.trim_end_matches(is_end);
            if word == branch { format!("BRANCH{}", &piece[word.len()..]) } else { piece.to_owned() }
        })
        .collect()
}

/// Returns a command without the folder that it changes to first, if the one that failed was in the same folder. If it
/// was in another one, the folder may be the way out.
fn without_folder<'c>(failed_in: Option<&str>, command: &'c str) -> &'c str {
    match split_folder(command) {
        Some((folder, rest)) if failed_in == Some(folder) => rest,
        _ => command,
    }
}

/// Names an absolute folder that a command changes to first by its last part: its path would leave no room for the
/// command.
fn with_short_folder(command: &str) -> Cow<'_, str> {
    match split_folder(command) {
        Some((folder, rest)) if folder.starts_with(['/', '~']) => {
            let last = folder.trim_end_matches('/').rsplit('/').next().unwrap_or(folder);
            Cow::Owned(format!("cd …/{last} && {rest}"))
        }
        _ => Cow::Borrowed(command),
    }
}

/// Splits `cd FOLDER && COMMAND`.
fn split_folder(command: &str) -> Option<(&str, &str)> {
    let (folder, rest) = command.trim_start().strip_prefix("cd ")?.split_once("&&")?;
    Some((folder.trim(), rest.trim_start()))
}

/// Returns the names of the files that were changed on the way, each once.
fn changed_files(remedy: &Remedy) -> Vec<String> {
    let mut names = Vec::new();
    for path in remedy.steps.iter().filter_map(|step| step.file_path.as_deref()) {
        let name = base_name(path);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn base_name(path: &str) -> String {
    plain(path.rsplit('/').next().unwrap_or(path))
}

fn step(step: &Observation) -> String {
    match (step.obs_type, &step.file_path) {
        (ObservationType::FileEdit | ObservationType::FileWrite, Some(path)) => {
            let gist = step.content.split_once(": ").map_or("", |(_, gist)| gist);
            format!("{} was changed ({})", quote(path), quote(gist))
        }
        _ => format!("`{}` was run", quote(recall::command(step))),
    }
}

/// Returns the sentence in which the agent explained it, if it is short enough to be one.
fn said(remedy: &Remedy) -> Option<String> {
    let is_sentence =
        |line: &&str| line.split(' ').filter(|word| word.contains(char::is_alphabetic)).count() > 3;
    let text = remedy.outcome.as_ref()?.content.lines().map(str::trim).find(is_sentence)?;
    Some(plain(text).chars().take(MAX_SAID).collect())
}

fn quote(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let joined = lines.next().map_or_else(|| first.to_owned(), |second| format!("{first} ⏎ {second}"));
    plain(&joined).chars().take(MAX_QUOTE).collect()
}

#[cfg(test)]
mod tests {
    use super::{split_folder, with_short_folder, without_branch, without_folder};

    #[test]
    fn a_long_folder_leaves_room_for_the_command() {
        let check = |command: &str, expected: &str| assert_eq!(with_short_folder(command), expected);
        check("cd /home/dev/code/shop/apps/api && npx tsc", "cd …/api && npx tsc");
        check("cd apps/api && npx tsc", "cd apps/api && npx tsc");
        check("npx tsc", "npx tsc");
    }

    #[test]
    fn the_branch_of_another_day_is_not_named() {
        let check = |way: &str, branch: Option<&str>, expected: &str| {
            assert_eq!(without_branch(way, branch), expected);
        };
        check("+ --set-upstream origin fix/a-1", Some("fix/a-1"), "+ --set-upstream origin BRANCH");
        check("`git push origin HEAD:fix`; then x", Some("fix"), "`git push origin HEAD:BRANCH`; then x");
        check("`git pull origin main`", Some("main"), "`git pull origin main`");
        check("+ fix/a-10", Some("fix/a-1"), "+ fix/a-10");
        check("+ -f", None, "+ -f");
    }

    #[test]
    fn a_folder_that_both_commands_changed_to_is_left_out() {
        let check = |failed: &str, command: &str, expected: &str| {
            let folder = split_folder(failed).map(|(folder, _)| folder);
            assert_eq!(without_folder(folder, command), expected, "{failed}");
        };
        check("cd web && tsc", "cd web && npx tsc", "npx tsc");
        check("tsc", "cd web && npx tsc", "cd web && npx tsc");
        check("cd api && tsc", "cd web && tsc", "cd web && tsc");
        check("cd api && tsc", "npx tsc", "npx tsc");
    }
}
