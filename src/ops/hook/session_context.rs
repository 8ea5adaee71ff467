//! Shows a new session what earlier sessions did.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use super::{before_act, obstacles};
use crate::config::settings::Settings;
use crate::context::{self, BriefingInput, Candidates, ContextLimits, Rendered, Setting};
use crate::model::{NewObservation, Observation, ObservationId, ObservationType, Project, SessionId};
use crate::ops::observations::careful_reader::CarefulReader;
use crate::ops::observations::remember;
use crate::ops::observations::salvage::{self, Repair};
use crate::ops::on_time::on_time;
use crate::ops::project;
use crate::ops::turn::Turn;
use crate::recall;
use crate::store::{Reader, StoreError};
use crate::system::clock;
use crate::system::project::ProjectPlace;
use crate::system::repository::Worktree;

/// How long a new session waits for the database.
const READ_TIMEOUT: Duration = Duration::from_millis(200);

/// The briefing is made from this many of the latest observations.
const MAX_DEEDS: usize = 900;
/// With fewer observations than this, a project has little to tell.
const FEW_ROWS: usize = 20;

/// Of other projects, at most this many failures are searched for a way out.
const MAX_FAILURES_ELSEWHERE: usize = 10;

/// Where a session starts.
struct Beginning {
    project: Option<Project>,
    branch: Option<String>,
    worktree: Option<String>,
    session: Option<SessionId>,
}

/// Composes the context for the session of this event; `None` if there is nothing to show.
pub(crate) fn session(turn: &Turn<'_>) -> Result<Option<Rendered>, StoreError> {
    if !is_asked(turn) {
        return Ok(None);
    }
    let limits = limits(&turn.settings, turn.event.cause.as_deref());
    let branch = turn.place.worktree().and_then(Worktree::branch);
    let worktree = turn.place.worktree().and_then(Worktree::linked_name);
    let session = turn.event.session.clone();
    let beginning = Beginning { project: turn.project().cloned(), branch, worktree, session };
    let budget = turn.budget;
    on_time(budget, move || {
        let Some(reader) = reader_within(budget.within(READ_TIMEOUT))? else { return Ok(None) };
        let rendered = reader.ask(|reader| compose(reader, &beginning, &limits));
        reader.leave_open();
        rendered.map(Some)
    })
}

/// Returns whether the memory is queried for the session of this event.
pub(super) fn is_asked(turn: &Turn<'_>) -> bool {
    is_wanted(&limits(&turn.settings, turn.event.cause.as_deref()), &turn.settings)
}

/// Composes the context that a session in this folder would get.
pub(crate) fn in_folder(
    cwd: &Path,
    limits: &ContextLimits,
    settings: &Settings,
) -> Result<Option<Rendered>, StoreError> {
    if !is_wanted(limits, settings) {
        return Ok(None);
    }
    let place = ProjectPlace::find(None, cwd);
    let branch = place.worktree().and_then(Worktree::branch);
    let project =
        project::of_place(&place, settings).map(|project| project::identified(project, &place, settings));
    let worktree = place.worktree().and_then(Worktree::linked_name);
    let beginning = Beginning { project, branch, worktree, session: None };
    let Some(reader) = reader_within(READ_TIMEOUT)? else { return Ok(None) };
    reader.ask(|reader| compose(reader, &beginning, limits)).map(Some)
}

/// Opens the memory, and restores what can still be read of a damaged one.
fn reader_within(timeout: Duration) -> Result<Option<CarefulReader>, StoreError> {
    let open = || remember::reader_within(timeout, Repair::Brief);
    let reader = open()?;
    // Opening the memory notices damage; what can still be read is restored before the memory is queried.
    salvage::advance(Repair::Brief);
    let reader = reader.map_or_else(open, |reader| Ok(Some(reader)))?;
    Ok(reader.map(|reader| CarefulReader::new(reader, Repair::Brief, timeout)))
}

fn is_wanted(limits: &ContextLimits, settings: &Settings) -> bool {
    limits.budget > 0 && settings.remember
}

/// Returns how much context the settings allow for a session that starts for this cause.
pub(crate) fn limits(settings: &Settings, cause: Option<&str>) -> ContextLimits {
    let limits = ContextLimits {
        rows: settings.context_rows,
        other_projects: settings.context_other_projects,
        budget: settings.context_budget,
        ..ContextLimits::default()
    };
    match cause {
        Some("compact") => limits.expanded(),
        // A cleared session begins something new: it has no thread of its own to go on with. Replayed on real sessions,
        // the last actions of the cleared one took the room of what the new one needed.
        Some("clear") => ContextLimits { trail: 0, ..limits.expanded() },
        _ => limits,
    }
}

fn compose(reader: &Reader, beginning: &Beginning, limits: &ContextLimits) -> Result<Rendered, StoreError> {
    let candidates = candidates(reader, beginning, limits)?;
    let title =
        beginning.project.as_ref().map(|project| reader.project_title(project)).transpose()?.flatten();
    let name = beginning.project.as_ref().map(|project| project.name.as_str());
    let setting = Setting { project: title.as_deref().or(name), clock: &clock::local_times() };
    let mut rendered = context::render(&candidates, limits, &setting);
    rendered.records = candidates.past.records;
    Ok(rendered)
}

fn candidates(
    reader: &Reader,
    beginning: &Beginning,
    limits: &ContextLimits,
) -> Result<Candidates, StoreError> {
    let mut candidates = Candidates::default();
    let past = &mut candidates.past;
    past.now = clock::timestamp();
    past.session.clone_from(&beginning.session);
    past.branch.clone_from(&beginning.branch);
    past.worktree.clone_from(&beginning.worktree);
    if let Some(project) = &beginning.project {
        past.rows = reader.deeds(project, MAX_DEEDS)?;
        past.obstacles = obstacles::obstacles(reader, project)?;
        past.records = reader.tell_records(&may_be_told(past))?;
        before_act::keep(project, past);
        if limits.trail > 0 {
            candidates.trail = reader.trail(project, limits.trail * 4)?;
        }
    }
    // Other projects fill in only while there is little to tell about this one.
    if limits.other_projects > 0 && candidates.past.rows.len() < FEW_ROWS {
        let rows = reader.recent_elsewhere(beginning.project.as_ref(), limits.other_projects * 5)?;
        candidates.other_projects = worth_telling_elsewhere(reader, rows)?;
        keep_private(&mut candidates.other_projects);
    }
    Ok(candidates)
}

/// Leaves out what is of projects whose settings say that they are private, or cannot be read any more.
fn keep_private(rows: &mut Vec<Observation>) {
    let mut known: HashMap<String, bool> = HashMap::new();
    rows.retain(|row| {
        let Some(root) = &row.project_root else { return true };
        *known.entry(root.clone()).or_insert_with(|| project::may_be_told_elsewhere(Path::new(root)))
    });
}

/// Returns the rows that the briefing and its table choose from.
fn may_be_told(past: &BriefingInput) -> Vec<ObservationId> {
    let is_told = |row: &&Observation| {
        matches!(
            row.obs_type,
            ObservationType::FileEdit | ObservationType::FileWrite | ObservationType::Command
        )
    };
    let rows = past.rows.iter().filter(is_told).map(|row| row.id);
    rows.chain(past.obstacles.iter().map(|obstacle| obstacle.failure.id)).collect()
}

/// Returns what is worth telling of other projects: commits, what the agent said at the end, and failures that were
/// overcome, with the way out.
fn worth_telling_elsewhere(reader: &Reader, rows: Vec<Observation>) -> Result<Vec<Observation>, StoreError> {
    let (mut told, mut failures) = (Vec::new(), 0);
    for row in rows {
        let kind = row.metadata.as_ref().and_then(|metadata| metadata.kind());
        if row.obs_type == ObservationType::Outcome || kind == Some("git_commit") {
            told.push(row);
        } else if row.obs_type == ObservationType::CommandError && failures < MAX_FAILURES_ELSEWHERE {
            failures += 1;
            told.extend(overcome(reader, row.id)?);
        }
    }
    Ok(told)
}

/// Returns a failure whose text is the way out, if something else than running it again was one.
fn overcome(reader: &Reader, id: ObservationId) -> Result<Option<Observation>, StoreError> {
    let Some((failure, after)) = reader.failure_and_after(id)? else { return Ok(None) };
    let remedy = recall::remedy(&failure, &after).filter(|remedy| remedy.is_by_command(&failure));
    let remedy = remedy.filter(|_| failure.signature.is_some() && !recall::only_looks(&failure));
    Ok(remedy.map(|remedy| {
        let cause = recall::shown_cause(&failure);
        let program = failure.program.as_deref().unwrap_or_default();
        let text = format!("{program}: {cause} → {}", context::describe_way_out(&failure, &remedy));
        let seen = NewObservation { content: text, signature: None, ..failure.seen };
        Observation { id, seen }
    }))
}
