//! Groups the failures of the memory by their cause, for `nudge failures`: how often, since when, and what ended them.

use crate::api::Scope;
use crate::api::failures::{FailureCauseWire, FailuresWire, WayOutWire};
use crate::context;
use crate::model::{FailureRow, Observation, Timestamp};
use crate::recall::{self, Cause};
use crate::store::{Reader, StoreError};
use crate::system::clock;

use super::observations::memory::{Memory, MemoryError};

/// The causes are found among this many of the latest failures.
const MAX_FAILURES: usize = 1_000;
/// At most this many failures of a cause are searched for what ended it.
const MAX_TRIED: usize = 4;

/// Returns the causes of failures since a time: those of most sessions first, then the latest.
pub(crate) fn find(
    memory: Memory,
    scope: &Scope,
    since: Option<Timestamp>,
    limit: usize,
) -> Result<FailuresWire, MemoryError> {
    let project = memory.project(scope)?;
    memory.into_reader().ask(|reader| {
        let mut rows = reader.failures(project.as_ref(), MAX_FAILURES)?;
        // A full list may be the end of what was read, not of what there is.
        let is_whole = rows.len() < MAX_FAILURES;
        rows.retain(|row| since.is_none_or(|since| row.timestamp >= since));
        let failures = rows.len();
        let causes = recall::causes(rows);
        let total = causes.len();
        let mut items = Vec::new();
        for cause in causes.iter() {
            if items.len() == limit {
                break;
            }
            items.extend(describe(reader, cause)?);
        }
        Ok(FailuresWire { items, total: is_whole.then_some(total), failures })
    })
}

fn describe(reader: &Reader, cause: &Cause) -> Result<Option<FailureCauseWire>, StoreError> {
    let Some((newest, way_out)) = look(reader, &cause.failures)? else { return Ok(None) };
    let times = cause.failures.iter().map(|failure| failure.timestamp);
    Ok(Some(FailureCauseWire {
        id: newest.id.0,
        program: newest.program.clone(),
        command: recall::command(&newest).to_owned(),
        signature: cause.newest().signature.clone(),
        error: recall::shown_cause(&newest).to_owned(),
        project: newest.project.clone(),
        times: cause.failures.len(),
        sessions: cause.sessions(),
        first_at: clock::iso(times.clone().min().unwrap_or(newest.timestamp)),
        last_at: clock::iso(times.max().unwrap_or(newest.timestamp)),
        ended_by: way_out,
    }))
}

/// Returns the newest failure of a cause, and what ended it the last time that something did.
fn look(
    reader: &Reader,
    failures: &[FailureRow],
) -> Result<Option<(Observation, Option<WayOutWire>)>, StoreError> {
    let mut newest = None;
    for row in failures.iter().take(MAX_TRIED) {
        let Some((failure, after)) = reader.failure_and_after(row.id)? else { continue };
        let way_out = recall::remedy(&failure, &after).map(|remedy| {
            let id = remedy.success.id.0;
            let text = context::describe_way_out(&failure, &remedy);
            // The number is beside it, in a form that a shell does not take for a comment.
            let text = text.strip_suffix(&format!(" (#{id})")).unwrap_or(&text).to_owned();
            WayOutWire { id, text }
        });
        let newest = newest.get_or_insert(failure);
        if way_out.is_some() {
            return Ok(Some((newest.clone(), way_out)));
        }
    }
    Ok(newest.map(|failure| (failure, None)))
}
