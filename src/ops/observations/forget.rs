//! Deletes observations permanently, and pins others so that they are kept forever.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::PathBuf;

use super::memory::{self, MemoryError};
use super::{database, remember, salvage};
use crate::config::paths;
use crate::journal::{allowances, trace};
use crate::model::{Forgotten, ObservationId, Selection, SessionId, Timestamp, Trace, TracedTarget};
use crate::ops::project;
use crate::ops::trace::shown_session;
#[cfg(feature = "team")]
use crate::store::TeamCopy;
use crate::store::{self, Reader, StoreError};

/// What to forget, as a person names it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ForgetRequest {
    /// Named exactly: ids, a search or a time.
    Selection(Selection),
    /// The same, but only of the project that this folder is in.
    Here(Selection, PathBuf),
    Session(String),
    Project(String),
}

/// What is selected, and what forgetting it would remove.
pub(crate) struct ForgetProposal {
    pub(crate) selection: Selection,
    pub(crate) forgotten: Forgotten,
}

/// Returns what forgetting would remove; `None` if nothing was ever remembered.
pub(crate) fn propose(wanted: ForgetRequest) -> Result<Option<ForgetProposal>, MemoryError> {
    // Rows that are still to be restored from a damaged file would otherwise come back after they were forgotten.
    if let Some(database) = paths::database() {
        salvage::finish(&database)?;
    }
    let Some(reader) = remember::reader()? else { return Ok(None) };
    let selection = select(&reader, wanted)?;
    let forgotten = reader.would_forget(&selection)?;
    Ok(Some(ForgetProposal { selection, forgotten }))
}

/// Forgets what was proposed; afterwards its text is in none of nudge's files, except damaged ones.
pub(crate) fn forget(selection: &Selection) -> Result<Forgotten, StoreError> {
    let Some(mut store) = remember::store()? else { return Ok(Forgotten::default()) };
    let moments = store.selected_moments(selection)?;
    #[cfg(feature = "team")]
    let keys = store.selected_keys(selection)?;
    let forgotten = store.forget(selection)?;
    // What this user has shared is in the copy of the team's rows, too.
    #[cfg(feature = "team")]
    if let Some(copy) = paths::team_copy() {
        // If this fails, nothing shows these rows all the same, and the next exchange deletes them.
        drop(TeamCopy::remove_from(&copy, &keys, database::DATABASE_TIMEOUT));
    }
    remove_from_trace(&moments)?;
    // A call that waits for a person has its text; forgetting does not wait for it.
    allowances::clear_waiting();
    Ok(forgotten)
}

/// Removes the lines of the trace that name what the forgotten observations named: those of the same session and time,
/// and those with the same file or command, such as the one from before a command ran.
pub(crate) fn remove_from_trace(moments: &[(SessionId, Timestamp)]) -> io::Result<()> {
    let mut by_session: HashMap<String, BTreeSet<i64>> = HashMap::new();
    for (session, at) in moments {
        by_session.entry(shown_session(session)).or_default().insert(at.0);
    }
    let is_of_moment = |trace: &Trace| {
        let at = i64::try_from(trace.at / 1_000).unwrap_or(i64::MAX);
        let near = at.saturating_sub(SAME_MOMENT_SECONDS)..=at.saturating_add(SAME_MOMENT_SECONDS);
        let times = trace.session.as_ref().and_then(|session| by_session.get(&session.0));
        times.is_some_and(|times| times.range(near).next().is_some())
    };
    let lines = trace::read().traces;
    let targets: Vec<&TracedTarget> =
        lines.iter().filter(|line| is_of_moment(line)).filter_map(|line| line.target.as_ref()).collect();
    let is_named = |trace: &Trace| trace.target.as_ref().is_some_and(|target| targets.contains(&target));
    trace::revise(|trace| (!is_of_moment(&trace) && !is_named(&trace)).then_some(trace)).map(drop)
}

/// A hook writes its line after its observation; on a busy machine that may take a while.
const SAME_MOMENT_SECONDS: i64 = 5;

/// Returns the damaged files that are kept; they may contain any text.
pub(crate) fn damaged_files() -> Vec<PathBuf> {
    paths::database().map_or_else(Vec::new, |database| store::damaged_files(&database))
}

/// Deletes the damaged files permanently, after restoring everything that can be read from them.
pub(crate) fn delete_damaged() -> Result<usize, StoreError> {
    let Some(database) = paths::database() else { return Ok(0) };
    if !salvage::finish(&database)? {
        return Err(StoreError::Busy);
    }
    let count = store::damaged_files(&database).len();
    store::delete_damaged(&database)?;
    Ok(count)
}

/// Returns how many torn lines were set aside from the spool: they may contain a piece of any text.
pub(crate) fn torn_lines() -> usize {
    database::open_spool().map_or(0, |spool| spool.rejected_lines())
}

/// Pins or unpins observations; returns the ids that do not exist, `None` if nothing was ever remembered.
pub(crate) fn set_pinned(
    ids: &[ObservationId],
    pinned: bool,
) -> Result<Option<Vec<ObservationId>>, StoreError> {
    let Some(mut store) = remember::store()? else { return Ok(None) };
    let mut missing = Vec::new();
    for id in ids {
        if !store.set_pinned(*id, pinned)? {
            missing.push(*id);
        }
    }
    Ok(Some(missing))
}

fn select(reader: &Reader, wanted: ForgetRequest) -> Result<Selection, MemoryError> {
    Ok(match wanted {
        ForgetRequest::Selection(selection) => selection,
        ForgetRequest::Here(selection, folder) => {
            let project = project::of_folder(&folder).ok_or(MemoryError::NoProject)?;
            Selection::Within(project, Box::new(selection))
        }
        ForgetRequest::Session(id) => Selection::Session(memory::find_session(reader, &id)?),
        ForgetRequest::Project(name) => Selection::Project(memory::find_one_project(reader, &name)?),
    })
}
