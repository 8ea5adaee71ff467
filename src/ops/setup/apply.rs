//! Carries a plan out: all of it, or nothing.
//!
//! The journal is written before files that it has to know the way back of, and put in place after those that it can
//! forget; everything that needs room or rights is done before the first file changes.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Change, Journaled, Plan};
use crate::journal::agent_files::{self, CommitError, Staged};
use crate::journal::setup_journal as journal;
use crate::journal::setup_journal::{Journal, Record, StagedJournal};
use crate::model::{Problem, Reach};

/// Another program may write a file again and again; it is planned for the new text this often.
const MAX_ATTEMPTS: usize = 20;
const PAUSE: Duration = Duration::from_millis(3);

/// Carries a plan out; what fails leaves everything as it was. If another program writes one of the files meanwhile, it
/// is planned again for what is there now.
pub(crate) fn apply(
    plan: &mut Plan,
    reach: Reach,
    plan_again: impl Fn() -> Result<Plan, Problem>,
) -> Result<(), Problem> {
    let mut attempts = 1;
    loop {
        match attempt(plan, reach) {
            Ok(()) => return Ok(()),
            Err(Failed::Changed(problem)) if attempts == MAX_ATTEMPTS => return Err(problem),
            Err(Failed::Changed(_)) => {}
            Err(Failed::For(problem)) => return Err(problem),
        }
        attempts += 1;
        std::thread::sleep(PAUSE);
        let notes = std::mem::take(&mut plan.notes);
        // What was said of it is said already.
        *plan = Plan { notes, ..plan_again()? };
    }
}

/// Why a plan was not carried out.
enum Failed {
    /// A file was written meanwhile.
    Changed(Problem),
    For(Problem),
}

impl From<Problem> for Failed {
    fn from(problem: Problem) -> Failed {
        Failed::For(problem)
    }
}

fn attempt(plan: &Plan, reach: Reach) -> Result<(), Failed> {
    let mut journal = Journal::take().map_err(|error| unkept(&error))?;
    let staged = stage(plan, &journal, reach)?;
    keep(plan, &staged, &mut journal).map_err(|error| unkept(&error))?;
    let next = forget(plan, &journal).map_err(|error| unkept(&error))?;
    for (done, (change, staged)) in plan.changes.iter().zip(staged).enumerate() {
        match staged.commit() {
            Ok(()) => {}
            Err(CommitError::Failed(problem)) => {
                return Err(put_back(plan, done, &mut journal, reach, problem).into());
            }
            Err(CommitError::Changed) => {
                let problem = put_back(plan, done, &mut journal, reach, changed(&change.path));
                return Err(Failed::Changed(problem));
            }
        }
    }
    if let Some(Err(error)) = next.map(StagedJournal::commit) {
        return Err(put_back(plan, plan.changes.len(), &mut journal, reach, unkept(&error)).into());
    }
    clear(plan, &journal);
    Ok(())
}

/// Takes a plan back that was carried out, because what it wrote does not work; returns why, and what is left to do.
pub(crate) fn revert(plan: &Plan, reach: Reach, why: Problem) -> Problem {
    match Journal::take() {
        Ok(mut journal) => put_back(plan, plan.changes.len(), &mut journal, reach, why),
        Err(error) => why.hint(format!("it could not be put back: {error}; try `nudge setup --undo`")),
    }
}

/// Prepares every file, if it still is what the plan was made for.
fn stage(plan: &Plan, journal: &Journal, reach: Reach) -> Result<Vec<Staged>, Failed> {
    for change in &plan.changes {
        let path = agent_files::real(&change.path);
        // Who has the journal is alone, so what is not finished never will be.
        for left in agent_files::find_unfinished(agent_files::folders_of(&path)) {
            drop(std::fs::remove_file(left));
        }
        if agent_files::read(&change.path)? != change.before
            || journal.record(&path) != change.previous.as_ref()
        {
            return Err(Failed::Changed(changed(&change.path)));
        }
    }
    let stage = |change: &Change| {
        agent_files::stage(&change.path, change.before.as_deref(), change.after.as_deref(), reach)
    };
    Ok(plan.changes.iter().map(stage).collect::<Result<_, Problem>>()?)
}

/// Writes down the way back of what is about to be written: a record of what was not done is no harm, the other way
/// round is.
fn keep(plan: &Plan, staged: &[Staged], journal: &mut Journal) -> io::Result<()> {
    let mut is_changed = false;
    for (change, staged) in plan.changes.iter().zip(staged) {
        let Journaled::Keep { origin, made_folders } = &change.record else { continue };
        let path = agent_files::real(&change.path);
        let backup = origin.as_ref().map(|text| journal.back_up(&path, text)).transpose()?;
        let after = change.after.as_deref().map_or(0, journal::sum);
        let mut made_folders: Vec<PathBuf> = made_folders.clone();
        made_folders.extend(staged.missing_folders.clone());
        made_folders.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
        made_folders.dedup();
        journal.keep(Record { path, after, backup, made_folders });
        is_changed = true;
    }
    if is_changed { journal.stage(&[])?.commit() } else { Ok(()) }
}

/// Prepares the journal without what is undone; it is put in place when the files are.
fn forget(plan: &Plan, journal: &Journal) -> io::Result<Option<StagedJournal>> {
    let is_undone = |change: &&Change| matches!(change.record, Journaled::Forget { .. });
    let undone = plan.changes.iter().filter(is_undone).map(|change| agent_files::real(&change.path));
    let paths: Vec<PathBuf> = undone.chain(plan.stale.iter().map(|record| record.path.clone())).collect();
    (!paths.is_empty()).then(|| journal.stage(&paths)).transpose()
}

/// Removes what the files that are back no longer need: their folders, and our copies.
fn clear(plan: &Plan, journal: &Journal) {
    for change in &plan.changes {
        if let (Journaled::Forget { made_folders }, None) = (&change.record, &change.after) {
            agent_files::remove_folders(made_folders);
        }
        if matches!(change.record, Journaled::Forget { .. }) && change.previous.is_some() {
            journal.remove_copies(&agent_files::real(&change.path));
        }
    }
    for record in &plan.stale {
        agent_files::remove_folders(&record.made_folders);
        journal.remove_copies(&record.path);
    }
}

/// Puts back what was done, and all records; returns why, with what could not be put back.
fn put_back(plan: &Plan, done: usize, journal: &mut Journal, reach: Reach, why: Problem) -> Problem {
    let mut left = Vec::new();
    for (index, change) in plan.changes.iter().enumerate().rev() {
        let path = agent_files::real(&change.path);
        let made = journal.record(&path).map(|record| record.made_folders.clone()).unwrap_or_default();
        if index < done && restore(change, reach).is_none() {
            left.push(format!("`{}`", change.path.display()));
            continue;
        }
        if change.before.is_none() {
            agent_files::remove_folders(&made);
        }
        match &change.previous {
            Some(record) => journal.keep(record.clone()),
            None => {
                journal.forget(&path);
                journal.remove_copies(&path);
            }
        }
    }
    // A record too many is no harm.
    drop(journal.stage(&[]).and_then(StagedJournal::commit));
    match (left.as_slice(), &why.hint) {
        ([], Some(_)) => why,
        ([], None) => why.hint("nothing was changed"),
        _ => why.hint(format!("{} could not be put back; try `nudge setup --undo`", left.join(" and "))),
    }
}

/// Writes what was there before, unless somebody has written since: the journal still knows what we did.
fn restore(change: &Change, reach: Reach) -> Option<()> {
    let is_ours = agent_files::read(&change.path).is_ok_and(|text| text == change.after);
    let (now, then) = (change.after.as_deref(), change.before.as_deref());
    let staged = is_ours.then(|| agent_files::stage(&change.path, now, then, reach))?.ok()?;
    staged.commit().ok()
}

fn changed(path: &Path) -> Problem {
    let problem = Problem::error("this file was changed meanwhile").at(&path.display().to_string(), 0, 0);
    problem.hint("nothing was changed; try again")
}

fn unkept(error: &io::Error) -> Problem {
    Problem::error(format!("the way back could not be kept: {error}"))
        .hint("see `nudge doctor`; nothing was changed")
}
