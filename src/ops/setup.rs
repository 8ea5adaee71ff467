//! Connects agents to nudge, and undoes that. The changes are a plan, which is shown before it is carried out.

mod apply;
mod documents;
mod doubles;
mod proof;
mod propose;
mod undo;
mod workplace;

use std::path::{Path, PathBuf};

use crate::journal::agent_files;
use crate::journal::setup_journal as journal;
use crate::journal::setup_journal::Record;
use crate::model::{AgentFile, Connection, Problem};
use crate::wiring::{self, Presence, WiringError};

pub(crate) use crate::harness::Agent;
pub(crate) use apply::{apply, revert};
pub(crate) use documents::{Installed, installed, is_document};
pub(crate) use doubles::{connected_by_others, connected_elsewhere, leave_project_aside, other_servers};
pub(crate) use proof::{NO_REPLY, answer, prove};
pub(crate) use propose::{SetupRequest, found, is_here, place, propose, write_and_prove};
pub(crate) use undo::plan_undo;
pub(crate) use workplace::{PreparedAgent, Workplace, backup_folder, names};

/// The planned changes to the files of one agent.
#[derive(Debug, Default)]
pub(crate) struct SetupPlan {
    pub(crate) changes: Vec<Change>,
    /// Records of files that are gone, or no longer contain nudge's entries; undo forgets them.
    pub(crate) stale: Vec<Record>,
    /// What the user should know about it.
    pub(crate) notes: Vec<Problem>,
}

/// The planned change to one file.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) path: PathBuf,
    /// The text as it is; `None` if there is no file.
    pub(crate) before: Option<String>,
    /// The text as it will be; `None` if the file is deleted.
    pub(crate) after: Option<String>,
    record: Journaled,
    /// What the journal says now.
    previous: Option<Record>,
}

/// What the journal says about the file afterwards.
#[derive(Debug)]
enum Journaled {
    /// The file's original text, and the folders that were created for it.
    Keep {
        origin: Option<String>,
        made_folders: Vec<PathBuf>,
    },
    Forget {
        made_folders: Vec<PathBuf>,
    },
}

/// Plans how to connect an agent; a file that already has all entries is left out.
pub(crate) fn plan(connection: &Connection) -> Result<SetupPlan, Problem> {
    let mut plan = SetupPlan::default();
    let (records, problem) = journal::look();
    for file in &connection.files {
        plan.changes.extend(connect(file, &records, &mut plan.notes)?);
    }
    plan.notes.extend(documents::note(&connection.files));
    plan.notes.extend(problem.filter(|_| !plan.changes.is_empty()));
    Ok(plan)
}

fn connect(
    file: &AgentFile,
    records: &[Record],
    notes: &mut Vec<Problem>,
) -> Result<Option<Change>, Problem> {
    let unfit = |unfit: WiringError| refused(&file.path, &unfit);
    let before = agent_files::read(&file.path)?;
    let text = before.clone().unwrap_or_default();
    if file.is_strict && !wiring::is_plain_json(&text) {
        let what = "this has comments, trailing commas or raw control characters, so the agent ignores the whole file";
        let note = Problem::warning(what).at(&file.path.display().to_string(), 0, 0);
        notes.push(note.hint("remove them, or nothing in it takes effect"));
    }
    let presence = wiring::presence(&text, &file.content).map_err(unfit)?;
    if presence == Presence::Complete || documents::is_foreign(file, before.as_deref()) {
        return Ok(None);
    }
    let previous = record_of(file, records);
    // A file without nudge's entries is not the one that setup wrote, so its text counts as the original.
    let record = previous.as_ref().filter(|_| presence != Presence::Absent);
    let copy = record.and_then(|record| journal::backed_up(record.backup.as_deref()?));
    let untouched = record.filter(|record| record.after == journal::sum(&text));
    let (origin, base) = match untouched.map(|record| (&record.backup, &copy)) {
        // Nobody has changed what an earlier version of nudge wrote, so the original text is the base.
        Some((None, _)) => (None, String::new()),
        Some((Some(_), Some(origin))) => (Some(origin.clone()), origin.clone()),
        Some((Some(_), None)) | None => {
            let base = wiring::back_to(copy.as_deref().unwrap_or_default(), &text, &file.content);
            let base = if text.is_empty() { Ok(text.clone()) } else { base }.map_err(unfit)?;
            let origin = match record {
                _ if before.is_none() => None,
                // After edits by others, the entries that setup wrote are still not part of the original.
                Some(record) if record.backup.is_none() && wiring::is_bare(&base, &file.content) => None,
                Some(_) => Some(base.clone()),
                None => before.clone(),
            };
            (origin, base)
        }
    };
    let base = wiring::without(&base, &file.content).unwrap_or(base);
    let after = wiring::with(&base, &file.content).map_err(unfit)?;
    // The folders that a killed setup created still belong to their file.
    let made = previous.as_ref().filter(|_| before.is_none() || record.is_some());
    let made_folders = made.map(|record| record.made_folders.clone()).unwrap_or_default();
    let record = Journaled::Keep { origin, made_folders };
    Ok(Some(Change { path: file.path.clone(), before, after: Some(after), record, previous }))
}

/// Removes the user's own files from a project's connection; returns a problem if there are any, as in the home folder.
pub(crate) fn part(project: &mut Connection, user: &Connection) -> Option<Problem> {
    let users: Vec<PathBuf> =
        user.files.iter().chain(&user.formerly).map(|file| agent_files::real(&file.path)).collect();
    let is_shared = |file: &AgentFile| users.contains(&agent_files::real(&file.path));
    let shared = project.files.iter().find(|file| is_shared(file))?.path.display().to_string();
    project.files.retain(|file| !is_shared(file));
    project.formerly.retain(|file| !is_shared(file));
    let problem = Problem::error("this is your own file in every project").at(&shared, 0, 0);
    Some(problem.hint("connect the agent for your user with `--user`"))
}

/// Leaves out the files whose links lead out of the project; returns a problem if there are any.
///
/// The links come with the repository, which must not choose which files of the user are written.
pub(crate) fn keep_inside(connection: &mut Connection, project: &Path) -> Option<Problem> {
    let link_out = |file: &AgentFile| agent_files::link_out(&file.path, project);
    let link = connection.files.iter().chain(&connection.formerly).find_map(link_out)?;
    connection.files.retain(|file| link_out(file).is_none());
    connection.formerly.retain(|file| link_out(file).is_none());
    let problem = Problem::error("this link leads out of the project").at(&link.display().to_string(), 0, 0);
    Some(problem.hint(
        "nothing was changed; replace the link with a file or folder of the project, or connect the agent for your user with `--user`",
    ))
}

fn record_of(file: &AgentFile, records: &[Record]) -> Option<Record> {
    let path = agent_files::real(&file.path);
    records.iter().find(|record| record.path == path).cloned()
}

fn refused(path: &Path, unfit: &WiringError) -> Problem {
    let problem = Problem::error(unfit.to_string()).at(&path.display().to_string(), 0, 0);
    problem.hint(match unfit {
        WiringError::Malformed { .. } => "nothing was changed; fix the file, and try again",
        WiringError::Taken(_) => "nothing was changed; rename that entry, and try again",
        WiringError::Shape { .. } => "nothing was changed; change its structure, and try again",
        WiringError::Foreign => "nothing was changed; move it away, and try again",
        WiringError::Entangled => "nothing was changed; remove them by hand",
    })
}
