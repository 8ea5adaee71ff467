//! Shows a new session what earlier sessions did.

use std::path::Path;
use std::time::Duration;

use super::{before_act, obstacles};
use crate::config::settings::Settings;
use crate::context::{self, Candidates, Limits, Rendered, Setting};
use crate::model::{Event, Observation, ObservationType, Project, SessionId};
use crate::ops::observations::careful_reader::CarefulReader;
use crate::ops::observations::remember;
use crate::ops::observations::salvage::{self, Repair};
use crate::ops::on_time::on_time;
use crate::store::{Reader, StoreError};
use crate::system::budget::Budget;
use crate::system::clock;
use crate::system::repository::Worktree;

/// How long a new session waits for the database.
const READ_TIMEOUT: Duration = Duration::from_millis(200);

/// The briefing is made from this many of the latest observations.
const MAX_DEEDS: usize = 900;
/// With fewer observations than this, a project has little to tell.
const FEW_ROWS: usize = 20;

/// Where a session starts.
struct Place<'p> {
    project: Option<Project>,
    branch: Option<String>,
    session: Option<&'p SessionId>,
}

/// Composes the context for the session of this event; `None` if there is nothing to show.
pub(crate) fn session(
    event: &Event,
    settings: &Settings,
    budget: Budget,
) -> Result<Option<Rendered>, StoreError> {
    let limits = limits(settings, event.cause.as_deref());
    if !is_wanted(&limits, settings) {
        return Ok(None);
    }
    let (cwd, session, settings) = (event.cwd.clone(), event.session.clone(), settings.clone());
    on_time(budget, move || within(&cwd, session.as_ref(), &limits, &settings, budget.within(READ_TIMEOUT)))
}

/// Returns whether the memory is queried for the session of this event.
pub(crate) fn is_asked(event: &Event, settings: &Settings) -> bool {
    is_wanted(&limits(settings, event.cause.as_deref()), settings)
}

/// Composes the context that a session in this folder would get.
pub(crate) fn in_folder(
    cwd: &Path,
    limits: &Limits,
    settings: &Settings,
) -> Result<Option<Rendered>, StoreError> {
    within(cwd, None, limits, settings, READ_TIMEOUT)
}

fn within(
    cwd: &Path,
    session: Option<&SessionId>,
    limits: &Limits,
    settings: &Settings,
    timeout: Duration,
) -> Result<Option<Rendered>, StoreError> {
    if !is_wanted(limits, settings) {
        return Ok(None);
    }
    let open = || remember::reader_within(timeout, Repair::Brief);
    let reader = open()?;
    // Opening the memory notices damage; what can still be read is restored before the memory is queried.
    salvage::advance(Repair::Brief);
    let Some(reader) = reader.map_or_else(open, |reader| Ok(Some(reader)))? else { return Ok(None) };
    let reader = CarefulReader::new(reader, Repair::Brief, timeout);
    let branch = Worktree::find(cwd).as_ref().and_then(Worktree::branch);
    let place = Place { project: remember::project(cwd, settings), branch, session };
    reader.ask(|reader| compose(reader, &place, limits)).map(Some)
}

fn is_wanted(limits: &Limits, settings: &Settings) -> bool {
    limits.budget > 0 && settings.remember
}

/// Returns how much context the settings allow for a session that starts for this cause.
pub(crate) fn limits(settings: &Settings, cause: Option<&str>) -> Limits {
    let limits = Limits {
        rows: settings.context_rows,
        other_projects: settings.context_other_projects,
        budget: settings.context_budget,
        ..Limits::default()
    };
    let lost_its_window = matches!(cause, Some("compact" | "clear"));
    if lost_its_window { limits.expanded() } else { limits }
}

fn compose(reader: &Reader, place: &Place<'_>, limits: &Limits) -> Result<Rendered, StoreError> {
    let candidates = candidates(reader, place, limits)?;
    let setting = Setting {
        project: place.project.as_ref().map(|project| project.name.as_str()),
        clock: &clock::local_times(),
    };
    Ok(context::render(&candidates, limits, &setting))
}

fn candidates(reader: &Reader, place: &Place<'_>, limits: &Limits) -> Result<Candidates, StoreError> {
    let mut candidates = Candidates::default();
    let past = &mut candidates.past;
    past.now = remember::now();
    past.session = place.session.cloned();
    past.branch.clone_from(&place.branch);
    if let Some(project) = &place.project {
        past.rows = reader.deeds(project, MAX_DEEDS)?;
        past.obstacles = obstacles::obstacles(reader, project)?;
        before_act::keep(project, &past.obstacles, &past.rows);
        if limits.trail > 0 {
            candidates.trail = reader.trail(project, limits.trail)?;
        }
    }
    // Other projects fill in only while there is little to tell about this one.
    if limits.other_projects > 0 && candidates.past.rows.len() < FEW_ROWS {
        let rows = reader.recent_elsewhere(place.project.as_ref(), limits.other_projects * 5)?;
        candidates.other_projects = rows.into_iter().filter(is_worth_telling_elsewhere).collect();
    }
    Ok(candidates)
}

/// Of other projects only what was achieved is worth telling: commits, and what the agent said at the end.
fn is_worth_telling_elsewhere(row: &Observation) -> bool {
    let kind = row.metadata.as_ref().and_then(|metadata| metadata.kind());
    row.obs_type == ObservationType::Outcome || kind == Some("git_commit")
}
