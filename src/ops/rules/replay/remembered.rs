//! Commands that only the memory still has: the agents have deleted their transcripts.

use std::collections::HashSet;
use std::convert::Infallible;
use std::path::PathBuf;

use super::SharedRun;
use super::past_call::{FiringPlace, PastTrial};
use super::tally::ReplayTally;
use super::trier::RuleTrier;
use crate::harness;
use crate::model::{Event, Filter, Hook, Observation, ObservationType, ToolAction, ToolCall, ToolResult};
use crate::ops::observations::database::DATABASE_TIMEOUT;
use crate::ops::observations::remember;
use crate::ops::observations::salvage::Repair;
use crate::redact::OwnPatterns;
use crate::store::{Reader, StoreError};

/// Returns the folders of all projects in the memory.
pub(super) fn roots() -> Result<Vec<PathBuf>, StoreError> {
    let roots = reader()?.map(|reader| reader.project_roots()).transpose()?.unwrap_or_default();
    Ok(roots.into_iter().map(PathBuf::from).collect())
}

fn reader() -> Result<Option<Reader>, StoreError> {
    remember::reader_within(DATABASE_TIMEOUT, Repair::Never)
}

/// Tries the rules on the commands of sessions that no transcript has.
pub(super) fn replay(shared: &SharedRun<'_>, tally: &mut ReplayTally) -> Result<(), StoreError> {
    let Some(reader) = reader()? else { return Ok(()) };
    let filter = Filter {
        project: shared.project.clone(),
        types: vec![ObservationType::Command, ObservationType::CommandError],
        since: Some(shared.request.since),
        ..Filter::default()
    };
    let trier = RuleTrier::new(&shared.packed);
    let mut spoken = HashSet::new();
    let counts_successes = shared.request.counts_successes;
    let mut trial = PastTrial { trier: &trier, tally, spoken: &mut spoken, facts: None, counts_successes };
    let done = reader.export(&filter, |row| {
        if !shared.known_sessions.contains(&row.session_id.0) && !shared.request.is_over() {
            one(&mut trial, &row);
        }
        Ok::<(), Infallible>(())
    })?;
    done.unwrap_or_else(|never| match never {});
    Ok(())
}

fn one(trial: &mut PastTrial<'_>, row: &Observation) {
    // What a rule blocked was not run; what only looks was observed without its command.
    let is_call = !row.is_failed_look() && row.kind() != Some("rule");
    let Some(command) = row.metadata.as_ref().and_then(|metadata| metadata.command()).filter(|_| is_call)
    else {
        return;
    };
    if command.ends_with('…') {
        trial.tally.unreplayed.cut_commands += 1;
        return;
    }
    let known = row.harness().and_then(harness::by_id);
    let has_failed = row.obs_type == ObservationType::CommandError;
    let event = Event {
        hook: if has_failed { Hook::PostToolUseFailure } else { Hook::PostToolUse },
        harness: known.map_or(harness::DEFAULT, |agent| agent.id),
        session: Some(row.session_id.clone()),
        tool_use_id: row.tool_use_id().map(str::to_owned),
        cwd: row.project_root.clone().map(PathBuf::from).unwrap_or_default(),
        tool: Some(ToolCall {
            name: row.tool_name.clone().unwrap_or_else(|| "Bash".to_owned()),
            action: ToolAction::Command { command: command.to_owned() },
        }),
        result: Some(ToolResult {
            failed: has_failed,
            unfinished: row.is_unfinished(),
            ..ToolResult::default()
        }),
        ..Event::default()
    };
    let none = OwnPatterns::default();
    let root = event.cwd.clone();
    let place = FiringPlace { root: &root, project: row.project.clone(), own: &none };
    trial.tally.remembered += 1;
    trial.run(event, None, row.is_interrupted(), &place, (row.timestamp, None));
}
