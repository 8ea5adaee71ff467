//! Answers a request, wherever it came from.

use std::collections::HashSet;
use std::path::Path;

use super::nexus::{self, notes};
use super::observations::memory::{self, Memory, MemoryError};
use super::project;
use crate::api::{FoundPageWire, Only, Refusal, Request, Response, Scope, SearchRequest};
use crate::model::{Filter, Observation, ObservationId, Project, Search};
use crate::store::StoreError;
use crate::system::clock;

/// Answers a request from a caller in this folder.
pub(crate) fn dispatch(request: Request, cwd: &Path) -> Result<Response, Refusal> {
    let answer = match request {
        Request::Search(request) => search(request, cwd).map(Response::Found),
        Request::GetObservations(request) => {
            memory::list(|memory| Ok(memory.get(&request.ids)?)).map(|rows| listed(rows, cwd))
        }
        Request::Timeline(request) => timeline(request.anchor, request.before, request.after, cwd),
        Request::RecentContext(request) => {
            let project = project(request.scope, &request.only, cwd);
            let recent = |memory: &Memory| {
                if request.only == Only::default() {
                    return Ok(memory.recent_with_others(project.as_ref(), request.limit)?);
                }
                let filter = memory.filter(project, &request.only)?;
                Ok(memory.recent_filtered(&filter, request.limit)?)
            };
            memory::list(recent).map(|rows| listed(rows, cwd))
        }
        Request::Nexus(request) => {
            return nexus::answer(request, cwd).map(|answer| Response::Nexus(Box::new(answer)));
        }
        Request::Notes(request) => {
            return notes::answer(request, cwd).map(|answer| Response::Notes(Box::new(answer)));
        }
    };
    answer.map_err(|error| refusal(&error))
}

fn search(request: SearchRequest, cwd: &Path) -> Result<FoundPageWire, MemoryError> {
    let SearchRequest { query, scope, obs_type, only, order, limit, offset } = request;
    let mut note = None;
    let mut theirs = None;
    let hits = memory::list(|memory| {
        let filter = memory.filter(project(scope, &only, cwd), &only)?;
        let filter = Filter { types: obs_type.into_iter().collect(), ..filter };
        let search = Search { text: query, filter, order, limit, offset, excerpts: false };
        theirs = of_colleagues(&search);
        let page = memory.search(&search)?;
        note = page.ranked_since.map(|since| {
            let since = clock::iso(since);
            format!(
                "more rows match than were ranked: these are the best since {since}; `until` {since} shows older ones"
            )
        });
        let rows = memory.get(&page.hits.iter().map(|hit| hit.id).collect::<Vec<_>>())?;
        let seen: HashSet<ObservationId> = visible(rows, cwd).into_iter().map(|row| row.id).collect();
        Ok(page.hits.into_iter().filter(|hit| seen.contains(&hit.id)).collect())
    })?;
    let notes: Vec<String> = [note, theirs].into_iter().flatten().collect();
    let note = (!notes.is_empty()).then(|| notes.join("\n"));
    Ok(FoundPageWire { hits: hits.into_iter().map(Into::into).collect(), note })
}

/// Returns what colleagues' rows say, fenced as the data that it is.
#[cfg(feature = "team")]
fn of_colleagues(search: &Search) -> Option<String> {
    super::sharing::colleagues::fenced(search)
}

#[cfg(not(feature = "team"))]
fn of_colleagues(_: &Search) -> Option<String> {
    None
}

fn timeline(anchor: ObservationId, before: usize, after: usize, cwd: &Path) -> Result<Response, MemoryError> {
    let memory = memory::open()?.ok_or(StoreError::AnchorNotFound)?;
    let mut timeline = memory.timeline(anchor, before, after)?;
    if visible(vec![timeline.anchor.clone()], cwd).is_empty() {
        return Err(StoreError::AnchorNotFound.into());
    }
    timeline.before = visible(timeline.before, cwd);
    timeline.after = visible(timeline.after, cwd);
    Ok(Response::Timeline(Box::new(timeline.into())))
}

/// Returns the project of a scope, even of one that was never heard of; `None` means all projects, also for a caller that is not in a project.
fn project(scope: Scope, only: &Only, cwd: &Path) -> Option<Project> {
    match scope {
        // A caller that names a session means all of it, in every folder.
        Scope::Current if only.session.is_some() => None,
        Scope::Current => project::of_folder(cwd),
        Scope::All => None,
        Scope::Named(name) => Some(Project { name, ..Project::default() }),
    }
}

fn listed(rows: Vec<Observation>, cwd: &Path) -> Response {
    Response::Observations(visible(rows, cwd).into_iter().map(Into::into).collect())
}

/// Leaves out what an agent in this folder must not see: rows of projects that are kept apart.
fn visible(mut rows: Vec<Observation>, cwd: &Path) -> Vec<Observation> {
    project::keep_apart(&mut rows, project::of_folder(cwd).as_ref());
    rows
}

fn refusal(error: &MemoryError) -> Refusal {
    Refusal::new(match error.hint() {
        Some(hint) => format!("{error}; {hint}"),
        None => error.to_string(),
    })
}
