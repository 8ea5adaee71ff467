//! Answers a request, wherever it came from.

use std::path::Path;

use super::nexus::{self, notes};
use super::observations::memory::{self, MemoryError};
use super::project;
use crate::api::{Refusal, Request, Response, Scope, SearchRequest};
use crate::model::{Filter, ObservationId, Project, Search};
use crate::store::StoreError;

/// Answers a request from a caller in this folder.
pub(crate) fn dispatch(request: Request, cwd: &Path) -> Result<Response, Refusal> {
    let answer = match request {
        Request::Search(request) => {
            let search = search(request, cwd);
            let hits = memory::list(|memory| memory.search(&search));
            hits.map(|hits| Response::Found(hits.into_iter().map(Into::into).collect()))
        }
        Request::GetObservations(request) => memory::list(|memory| memory.get(&request.ids)).map(listed),
        Request::Timeline(request) => timeline(request.anchor, request.before, request.after),
        Request::RecentContext(request) => {
            let project = project(request.scope, cwd);
            memory::list(|memory| memory.recent_with_others(project.as_ref(), request.limit)).map(listed)
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

fn search(request: SearchRequest, cwd: &Path) -> Search {
    let SearchRequest { query, scope, obs_type, order, limit, offset } = request;
    let filter =
        Filter { project: project(scope, cwd), types: obs_type.into_iter().collect(), ..Filter::default() };
    Search { text: query, filter, order, limit, offset, excerpts: false }
}

fn timeline(anchor: ObservationId, before: usize, after: usize) -> Result<Response, MemoryError> {
    let memory = memory::open()?.ok_or(StoreError::AnchorNotFound)?;
    let timeline = memory.timeline(anchor, before, after)?;
    Ok(Response::Timeline(Box::new(timeline.into())))
}

/// Returns the project of a scope, even of one that was never heard of; `None` means all projects, also for a caller that is not in a project.
fn project(scope: Scope, cwd: &Path) -> Option<Project> {
    match scope {
        Scope::Current => project::of_folder(cwd),
        Scope::All => None,
        Scope::Named(name) => Some(Project { name, root: None }),
    }
}

fn listed(observations: Vec<crate::model::Observation>) -> Response {
    Response::Observations(observations.into_iter().map(Into::into).collect())
}

fn refusal(error: &MemoryError) -> Refusal {
    Refusal::new(match error.hint() {
        Some(hint) => format!("{error}; {hint}"),
        None => error.to_string(),
    })
}
