//! Connects agents with us, and undoes it: what would change is a plan, which is shown before it is carried out.

mod proof;
mod undo;

use std::path::{Path, PathBuf};

use crate::config::agent_files::{self, Staged};
use crate::config::setup_journal::{self as journal, Record};
use crate::model::{AgentFile, Connection, Problem, Reach};
use crate::wiring::{self, Presence, Unfit};

pub(crate) use proof::{NO_REPLY, answer, prove};
pub(crate) use undo::plan_undo;

/// What is to change in the files of one agent.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) changes: Vec<Change>,
    /// What the user should know of it.
    pub(crate) notes: Vec<Problem>,
}

/// What is to change in one file.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) path: PathBuf,
    /// The text as it is; `None` if there is no file.
    pub(crate) before: Option<String>,
    /// The text as it will be; `None` if the file goes.
    pub(crate) after: Option<String>,
    record: Journaled,
    /// What the journal says now.
    previous: Option<Record>,
}

/// What the journal says of the file afterwards.
#[derive(Debug)]
enum Journaled {
    /// This was there before us, and these folders were made for the file then.
    Keep {
        origin: Option<String>,
        made_folders: Vec<PathBuf>,
    },
    Forget {
        made_folders: Vec<PathBuf>,
    },
}

/// Plans what connects an agent; a file that has all of it already is left out.
pub(crate) fn plan(connection: &Connection) -> Result<Plan, Problem> {
    let mut plan = Plan::default();
    for file in &connection.files {
        plan.changes.extend(connect(file, &mut plan.notes)?);
    }
    Ok(plan)
}

/// Returns the files, other than those of the plan, that connect the agent already: every event would come twice.
pub(crate) fn connected_elsewhere(connection: &Connection) -> Vec<String> {
    let own: Vec<PathBuf> = connection.files.iter().map(|file| agent_files::real(&file.path)).collect();
    let mut found = Vec::new();
    for path in &connection.elsewhere {
        let Ok(Some(text)) = agent_files::read(path) else { continue };
        if wiring::has_plugin(&text) {
            found.push(format!("the plugin that `{}` switches on", path.display()));
        }
        if !own.contains(&agent_files::real(path)) && wiring::connects(&text) {
            found.push(format!("`{}`", path.display()));
        }
    }
    found
}

/// Returns the files of other agents that this one reads too, and that connect those.
pub(crate) fn connected_by_others(connection: &Connection) -> Vec<String> {
    let connects = |path: &&PathBuf| {
        agent_files::read(path).is_ok_and(|text| text.is_some_and(|text| wiring::connects(&text)))
    };
    connection.also_reads.iter().filter(connects).map(|path| format!("`{}`", path.display())).collect()
}

fn connect(file: &AgentFile, notes: &mut Vec<Problem>) -> Result<Option<Change>, Problem> {
    let unfit = |unfit: Unfit| refused(&file.path, &unfit);
    let before = agent_files::read(&file.path)?;
    let text = before.clone().unwrap_or_default();
    if file.is_strict && !wiring::is_plain_json(&text) {
        let what = "this has comments or trailing commas, for which the agent passes the whole file over";
        let note = Problem::warning(what).at(&file.path.display().to_string(), 0, 0);
        notes.push(note.hint("take them out, or nothing in it holds"));
    }
    if wiring::presence(&text, &file.content).map_err(unfit)? == Presence::Complete {
        return Ok(None);
    }
    let record = journal::record(&agent_files::real(&file.path));
    let untouched = record.as_ref().filter(|record| before.is_some() && record.after == journal::sum(&text));
    let (origin, base) = match untouched.map(|record| record.backup.as_deref().map(journal::backed_up)) {
        // Nobody has changed what an earlier version of us wrote, so it starts from what was there before that.
        Some(None) => (None, String::new()),
        Some(Some(Some(origin))) => (Some(origin.clone()), origin),
        Some(Some(None)) | None => {
            let base = wiring::without(&text, &file.content);
            let base = if text.is_empty() { Ok(text.clone()) } else { base }.map_err(unfit)?;
            let origin = match &record {
                _ if before.is_none() => None,
                // After edits of others, what we wrote once is no part of what was there before us.
                Some(record) if record.backup.is_none() && wiring::is_bare(&base, &file.content) => None,
                Some(_) => Some(base.clone()),
                None => before.clone(),
            };
            (origin, base)
        }
    };
    let base = wiring::without(&base, &file.content).unwrap_or(base);
    let after = wiring::with(&base, &file.content).map_err(unfit)?;
    let previous = record;
    let made_folders = previous.as_ref().map(|record| record.made_folders.clone()).unwrap_or_default();
    let record = Journaled::Keep { origin, made_folders };
    Ok(Some(Change { path: file.path.clone(), before, after: Some(after), record, previous }))
}

/// Carries a plan out: all of it, or nothing.
pub(crate) fn apply(plan: &Plan, reach: Reach) -> Result<(), Problem> {
    let mut staged: Vec<(&Change, Staged)> = Vec::new();
    for change in &plan.changes {
        if agent_files::read(&change.path)? != change.before {
            let problem =
                Problem::error("this file was changed meanwhile").hint("nothing was changed; try again");
            return Err(problem.at(&change.path.display().to_string(), 0, 0));
        }
        staged.push((change, agent_files::stage(&change.path, change.after.as_deref(), reach)?));
    }
    let mut done: Vec<&Change> = Vec::new();
    for (change, staged) in staged {
        if let Err(problem) = carry_out(change, staged) {
            done.into_iter().rev().for_each(|change| take_back(change, reach));
            return Err(problem);
        }
        done.push(change);
    }
    Ok(())
}

/// Writes the journal before the file: what is in there but not done is no harm, the other way round is.
fn carry_out(change: &Change, staged: Staged) -> Result<(), Problem> {
    let path = agent_files::real(&change.path);
    let unkept = |error: std::io::Error| {
        Problem::error(format!("the way back could not be kept: {error}"))
            .hint("see `nudge doctor`; nothing was changed")
    };
    match &change.record {
        Journaled::Keep { origin, made_folders } => {
            let backup =
                origin.as_ref().map(|text| journal::back_up(&path, text)).transpose().map_err(unkept)?;
            let after = change.after.as_deref().map_or(0, journal::sum);
            let mut record = Record { path, after, backup, made_folders: made_folders.clone() };
            journal::keep(record.clone()).map_err(unkept)?;
            let made = staged.commit()?;
            if !made.is_empty() {
                record.made_folders = made;
                journal::keep(record).map_err(unkept)?;
            }
        }
        Journaled::Forget { made_folders } => {
            staged.commit()?;
            if change.after.is_none() {
                agent_files::remove_folders(made_folders);
            }
            journal::forget(&path).map_err(unkept)?;
        }
    }
    Ok(())
}

/// Puts back what was there; if even that fails, the journal still knows the way back.
fn take_back(change: &Change, reach: Reach) {
    let path = agent_files::real(&change.path);
    let made = journal::record(&path).map(|record| record.made_folders).unwrap_or_default();
    let staged = agent_files::stage(&change.path, change.before.as_deref(), reach);
    if staged.and_then(Staged::commit).is_err() {
        return;
    }
    if change.before.is_none() {
        agent_files::remove_folders(&made);
    }
    drop(match &change.previous {
        Some(record) => journal::keep(record.clone()),
        None => journal::forget(&path),
    });
}

/// Takes a plan back that was carried out, because what it wrote does not work.
pub(crate) fn revert(plan: &Plan, reach: Reach) {
    plan.changes.iter().rev().for_each(|change| take_back(change, reach));
}

fn refused(path: &Path, unfit: &Unfit) -> Problem {
    let problem = Problem::error(unfit.to_string()).at(&path.display().to_string(), 0, 0);
    problem.hint(match unfit {
        Unfit::Malformed { .. } => "nothing was changed; mend the file, and try again",
        Unfit::Taken(_) => "nothing was changed; rename that entry, and try again",
        Unfit::Shape { .. } => "nothing was changed; give it another form, and try again",
        Unfit::Foreign => "nothing was changed; move it away, and try again",
        Unfit::Entangled => "nothing was changed; take them out by hand",
    })
}
