//! Tells a new session what the earlier ones did.

use std::path::Path;
use std::time::Duration;

use crate::config::settings::Settings;
use crate::context::{self, Candidates, Limits, Rendered, Setting};
use crate::model::{Event, Project};
use crate::ops::observations::careful_reader::CarefulReader;
use crate::ops::observations::remember;
use crate::ops::observations::salvage::{self, Repair};
use crate::ops::on_time::on_time;
use crate::store::{Reader, StoreError};
use crate::system::budget::Budget;
use crate::system::clock;

/// A session that starts does not wait for whoever holds the database.
const WAIT: Duration = Duration::from_millis(200);

/// So many of the last observations are weighed.
const RECENT: usize = 200;

/// Composes what the session of this event is told; `None` if there is nothing to tell.
pub(crate) fn session(
    event: &Event,
    settings: &Settings,
    budget: Budget,
) -> Result<Option<Rendered>, StoreError> {
    let limits = limits(settings, event.cause.as_deref());
    if !is_wanted(&limits, settings) {
        return Ok(None);
    }
    let (cwd, settings) = (event.cwd.clone(), settings.clone());
    on_time(budget, move || within(&cwd, &limits, &settings, budget.within(WAIT)))
}

/// Says whether the past is asked for the session of this event.
pub(crate) fn is_asked(event: &Event, settings: &Settings) -> bool {
    is_wanted(&limits(settings, event.cause.as_deref()), settings)
}

/// Composes what a session in this folder would be told.
pub(crate) fn in_folder(
    cwd: &Path,
    limits: &Limits,
    settings: &Settings,
) -> Result<Option<Rendered>, StoreError> {
    within(cwd, limits, settings, WAIT)
}

fn within(
    cwd: &Path,
    limits: &Limits,
    settings: &Settings,
    timeout: Duration,
) -> Result<Option<Rendered>, StoreError> {
    if !is_wanted(limits, settings) {
        return Ok(None);
    }
    let open = || remember::reader_within(timeout, Repair::Brief);
    let reader = open()?;
    // Opening the memory notices damage; what can be read of it comes back before the past is asked.
    salvage::advance(Repair::Brief);
    let Some(reader) = reader.map_or_else(open, |reader| Ok(Some(reader)))? else { return Ok(None) };
    let reader = CarefulReader::new(reader, Repair::Brief, timeout);
    let project = remember::project(cwd, settings);
    reader.ask(|reader| compose(reader, project.as_ref(), limits)).map(Some)
}

fn is_wanted(limits: &Limits, settings: &Settings) -> bool {
    limits.budget > 0 && settings.remember
}

/// Returns how much the settings allow to tell a session that starts for this cause.
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

fn compose(reader: &Reader, project: Option<&Project>, limits: &Limits) -> Result<Rendered, StoreError> {
    let candidates = candidates(reader, project, limits)?;
    let setting =
        Setting { project: project.map(|project| project.name.as_str()), clock: &clock::local_times() };
    Ok(context::render(context::choose(candidates, limits), limits, &setting))
}

fn candidates(reader: &Reader, project: Option<&Project>, limits: &Limits) -> Result<Candidates, StoreError> {
    let mut candidates = Candidates::default();
    if let Some(project) = project {
        candidates.open_failures = reader.open_failures(project, limits.rows)?;
        candidates.edits = reader.recent_edits(project, limits.rows)?;
        candidates.prompts = reader.acted_prompts(project, limits.rows)?;
        candidates.commits = reader.recent_of_kind(project, "git_commit", limits.rows)?;
        candidates.recent = reader.trail(project, RECENT)?;
    }
    if limits.other_projects > 0 {
        candidates.other_projects = reader.recent_elsewhere(project, limits.other_projects)?;
    }
    Ok(candidates)
}
