//! Carries a plan out: all of it, or nothing.
//!
//! The journal is written before files whose original it must record, and replaced after those that it can forget;
//! everything that needs disk space or permissions is done before the first file changes.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Change, Journaled, SetupPlan};
use crate::journal::agent_files::{self, CommitError, Staged};
use crate::journal::setup_journal as journal;
use crate::journal::setup_journal::{Journal, Record, StagedJournal};
use crate::model::{InstallScope, Problem};

/// Maximum number of attempts when another program keeps writing a file.
const MAX_ATTEMPTS: usize = 20;
const RETRY_INTERVAL: Duration = Duration::from_millis(3);

/// Carries a plan out; a failure leaves everything as it was. If another program writes one of the files in the
/// meantime, a new plan is made for the new text.
pub(crate) fn apply(
    plan: &mut SetupPlan,
    reach: InstallScope,
    plan_again: impl Fn() -> Result<SetupPlan, Problem>,
) -> Result<(), Problem> {
    let mut attempts = 1;
    loop {
        match attempt(plan, reach) {
            Ok(()) => return Ok(()),
            Err(AttemptError::Changed(problem)) if attempts == MAX_ATTEMPTS => return Err(problem),
            Err(AttemptError::Changed(_)) => {}
            Err(AttemptError::Other(problem)) => return Err(problem),
        }
        attempts += 1;
        std::thread::sleep(RETRY_INTERVAL);
        let notes = std::mem::take(&mut plan.notes);
        // The user has already seen the notes.
        *plan = SetupPlan { notes, ..plan_again()? };
    }
}

/// Why an attempt failed.
enum AttemptError {
    /// Another program wrote a file in the meantime.
    Changed(Problem),
    Other(Problem),
}

impl From<Problem> for AttemptError {
    fn from(problem: Problem) -> AttemptError {
        AttemptError::Other(problem)
    }
}

fn attempt(plan: &SetupPlan, reach: InstallScope) -> Result<(), AttemptError> {
    let mut journal = Journal::take().map_err(|error| journal_problem(&error))?;
    let staged = stage(plan, &journal, reach)?;
    keep(plan, &staged, &mut journal).map_err(|error| journal_problem(&error))?;
    let next = forget(plan, &journal).map_err(|error| journal_problem(&error))?;
    for (done, (change, staged)) in plan.changes.iter().zip(staged).enumerate() {
        match staged.commit() {
            Ok(()) => {}
            Err(CommitError::Failed(problem)) => {
                return Err(roll_back(plan, done, &mut journal, reach, problem).into());
            }
            Err(CommitError::Changed) => {
                let problem = roll_back(plan, done, &mut journal, reach, changed(&change.path));
                return Err(AttemptError::Changed(problem));
            }
        }
    }
    // Before the journal forgets them: a process that is killed here leaves nothing that nobody knows of.
    clear_folders(plan);
    if let Some(Err(error)) = next.map(StagedJournal::commit) {
        return Err(roll_back(plan, plan.changes.len(), &mut journal, reach, journal_problem(&error)).into());
    }
    clear(plan, &journal);
    Ok(())
}

/// Reverts a plan that was carried out, because what it wrote does not work; returns why, and what is left to do.
pub(crate) fn revert(plan: &SetupPlan, reach: InstallScope, why: Problem) -> Problem {
    match Journal::take() {
        Ok(mut journal) => roll_back(plan, plan.changes.len(), &mut journal, reach, why),
        Err(error) => why.hint(format!("it could not be restored: {error}; try `nudge setup --undo`")),
    }
}

/// Prepares every file, if it is still the one that the plan was made for.
fn stage(plan: &SetupPlan, journal: &Journal, reach: InstallScope) -> Result<Vec<Staged>, AttemptError> {
    let changed_paths = plan.changes.iter().map(|change| agent_files::real(&change.path));
    for path in changed_paths.chain(plan.stale.iter().map(|record| record.path.clone())) {
        // Only one process has the journal, so unfinished files will never be finished.
        for left in agent_files::find_unfinished(agent_files::folders_of(&path)) {
            drop(std::fs::remove_file(left));
        }
    }
    for change in &plan.changes {
        let path = agent_files::real(&change.path);
        if agent_files::read(&change.path)? != change.before
            || journal.record(&path) != change.previous.as_ref()
        {
            return Err(AttemptError::Changed(changed(&change.path)));
        }
    }
    let stage = |change: &Change| {
        agent_files::stage(&change.path, change.before.as_deref(), change.after.as_deref(), reach)
    };
    Ok(plan.changes.iter().map(stage).collect::<Result<_, Problem>>()?)
}

/// Records the original of what is about to be written. A record of a change that was not made does no harm; a change
/// without a record does.
fn keep(plan: &SetupPlan, staged: &[Staged], journal: &mut Journal) -> io::Result<()> {
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

/// Prepares the journal without the undone files; it replaces the old one after the files do.
fn forget(plan: &SetupPlan, journal: &Journal) -> io::Result<Option<StagedJournal>> {
    let is_undone = |change: &&Change| matches!(change.record, Journaled::Forget { .. });
    let undone = plan.changes.iter().filter(is_undone).map(|change| agent_files::real(&change.path));
    let paths: Vec<PathBuf> = undone.chain(plan.stale.iter().map(|record| record.path.clone())).collect();
    (!paths.is_empty()).then(|| journal.stage(&paths)).transpose()
}

/// Removes the folders that restored files no longer need.
fn clear_folders(plan: &SetupPlan) {
    for change in &plan.changes {
        if let (Journaled::Forget { made_folders }, None) = (&change.record, &change.after) {
            agent_files::remove_folders(made_folders);
        }
    }
    for record in &plan.stale {
        agent_files::remove_folders(&record.made_folders);
    }
}

/// Removes the backup copies that restored files no longer need.
fn clear(plan: &SetupPlan, journal: &Journal) {
    for change in &plan.changes {
        if matches!(change.record, Journaled::Forget { .. }) && change.previous.is_some() {
            journal.remove_copies(&agent_files::real(&change.path));
        }
    }
    for record in &plan.stale {
        journal.remove_copies(&record.path);
    }
}

/// Restores what was changed, and all records; returns why, with what could not be restored.
fn roll_back(
    plan: &SetupPlan,
    done: usize,
    journal: &mut Journal,
    reach: InstallScope,
    why: Problem,
) -> Problem {
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
    // An unneeded record does no harm.
    drop(journal.stage(&[]).and_then(StagedJournal::commit));
    match (left.as_slice(), &why.hint) {
        ([], Some(_)) => why,
        ([], None) => why.hint("nothing was changed"),
        _ => why.hint(format!("{} could not be restored; try `nudge setup --undo`", left.join(" and "))),
    }
}

/// Writes the text from before, unless somebody has written the file since: the journal still has the record.
fn restore(change: &Change, reach: InstallScope) -> Option<()> {
    let is_ours = agent_files::read(&change.path).is_ok_and(|text| text == change.after);
    let (now, then) = (change.after.as_deref(), change.before.as_deref());
    let staged = is_ours.then(|| agent_files::stage(&change.path, now, then, reach))?.ok()?;
    staged.commit().ok()
}

fn changed(path: &Path) -> Problem {
    let problem =
        Problem::error("this file was changed in the meantime").at(&path.display().to_string(), 0, 0);
    problem.hint("nothing was changed; try again")
}

fn journal_problem(error: &io::Error) -> Problem {
    Problem::error(format!("the record for undoing this could not be stored: {error}"))
        .hint("see `nudge doctor`; nothing was changed")
}
