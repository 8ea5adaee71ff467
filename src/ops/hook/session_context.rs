//! Shows a new session what earlier sessions did.

use std::path::Path;
use std::time::Duration;

use crate::config::settings::Settings;
use crate::context::{self, Candidates, Limits, Rendered, Setting};
use crate::model::Project;
use crate::ops::observations::careful_reader::CarefulReader;
use crate::ops::observations::remember;
use crate::ops::observations::salvage::{self, Repair};
use crate::ops::on_time::on_time;
use crate::ops::project;
use crate::ops::turn::Turn;
use crate::store::{Reader, StoreError};
use crate::system::clock;
use crate::system::project::Place;

/// How long a new session waits for the database.
const READ_TIMEOUT: Duration = Duration::from_millis(200);

/// How many of the latest observations are candidates.
const MAX_RECENT: usize = 200;

/// Composes the context for the session of this event; `None` if there is nothing to show.
pub(crate) fn session(turn: &Turn<'_>) -> Result<Option<Rendered>, StoreError> {
    if !is_asked(turn) {
        return Ok(None);
    }
    let limits = limits(&turn.settings, turn.event.cause.as_deref());
    let (budget, project) = (turn.budget, turn.project().cloned());
    on_time(budget, move || within(project.as_ref(), &limits, budget.within(READ_TIMEOUT)))
}

/// Returns whether the memory is queried for the session of this event.
pub(super) fn is_asked(turn: &Turn<'_>) -> bool {
    is_wanted(&limits(&turn.settings, turn.event.cause.as_deref()), &turn.settings)
}

/// Composes the context that a session in this folder would get.
pub(crate) fn in_folder(
    cwd: &Path,
    limits: &Limits,
    settings: &Settings,
) -> Result<Option<Rendered>, StoreError> {
    if !is_wanted(limits, settings) {
        return Ok(None);
    }
    let project = project::of_place(&Place::find(None, cwd), settings);
    within(project.as_ref(), limits, READ_TIMEOUT)
}

fn within(
    project: Option<&Project>,
    limits: &Limits,
    timeout: Duration,
) -> Result<Option<Rendered>, StoreError> {
    let open = || remember::reader_within(timeout, Repair::Brief);
    let reader = open()?;
    // Opening the memory notices damage; what can still be read is restored before the memory is queried.
    salvage::advance(Repair::Brief);
    let Some(reader) = reader.map_or_else(open, |reader| Ok(Some(reader)))? else { return Ok(None) };
    let reader = CarefulReader::new(reader, Repair::Brief, timeout);
    reader.ask(|reader| compose(reader, project, limits)).map(Some)
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
        candidates.recent = reader.trail(project, MAX_RECENT)?;
    }
    if limits.other_projects > 0 {
        candidates.other_projects = reader.recent_elsewhere(project, limits.other_projects)?;
    }
    Ok(candidates)
}
