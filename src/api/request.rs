//! The requests, each with its defaults and limits, parsed from the arguments of a tool call.

use serde_json::{Map, Value};

use super::Refusal;
use super::arguments::{Arguments, Bounds};
use super::nexus::{NexusRequest, NexusTool};
use super::notes::{NotesRequest, NotesTool};
use crate::model::{ObservationId, ObservationType, Order};

/// A request to the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Request {
    Search(SearchRequest),
    GetObservations(GetObservationsRequest),
    Timeline(TimelineRequest),
    RecentContext(RecentContextRequest),
    Nexus(NexusRequest),
    Notes(NotesRequest),
}

/// The tools, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    Search,
    GetObservations,
    Timeline,
    RecentContext,
    /// For the project's `.nexus/`: only for callers in that project.
    Nexus(NexusTool),
    /// For its notes in `.nexus/memory/`.
    Notes(NotesTool),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SearchRequest {
    pub(crate) query: String,
    pub(crate) scope: Scope,
    pub(crate) obs_type: Option<ObservationType>,
    pub(crate) order: Order,
    pub(crate) limit: usize,
    pub(crate) offset: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GetObservationsRequest {
    pub(crate) ids: Vec<ObservationId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TimelineRequest {
    pub(crate) anchor: ObservationId,
    pub(crate) before: usize,
    pub(crate) after: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecentContextRequest {
    pub(crate) scope: Scope,
    pub(crate) limit: usize,
}

/// Which projects' observations are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The project that the caller is in.
    Current,
    All,
    Named(String),
}

/// Maximum number of observations that are fetched at once.
const MAX_IDS: usize = 50;

const SEARCH_LIMIT: Bounds = Bounds { default: 20, min: 1, max: 100 };
const RECENT_LIMIT: Bounds = Bounds { default: 30, min: 1, max: 100 };
/// No search ranks its hits further down than this.
const OFFSET: Bounds = Bounds { default: 0, min: 0, max: 100_000 };
/// The seed sets no limit here; this one keeps a typing mistake from fetching a whole session.
const NEIGHBOURS: Bounds = Bounds { default: 5, min: 0, max: 500 };

impl Tool {
    pub(crate) const ALL: [Tool; 19] = [
        Tool::Search,
        Tool::GetObservations,
        Tool::Timeline,
        Tool::RecentContext,
        Tool::Nexus(NexusTool::PlanStart),
        Tool::Nexus(NexusTool::PlanStatus),
        Tool::Nexus(NexusTool::PlanUpdate),
        Tool::Nexus(NexusTool::PlanDecide),
        Tool::Nexus(NexusTool::TaskList),
        Tool::Nexus(NexusTool::TaskAdd),
        Tool::Nexus(NexusTool::TaskUpdate),
        Tool::Nexus(NexusTool::TaskClose),
        Tool::Nexus(NexusTool::HistorySearch),
        Tool::Nexus(NexusTool::Context),
        Tool::Nexus(NexusTool::ArtifactWrite),
        Tool::Notes(NotesTool::Store),
        Tool::Notes(NotesTool::Search),
        Tool::Notes(NotesTool::Gc),
        Tool::Notes(NotesTool::StoreRule),
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Tool::Search => "search",
            Tool::GetObservations => "get_observations",
            Tool::Timeline => "timeline",
            Tool::RecentContext => "recent_context",
            Tool::Nexus(tool) => tool.name(),
            Tool::Notes(tool) => tool.name(),
        }
    }

    /// Returns whether the tool works on `.nexus/` of the caller's project, and refuses as that contract requires.
    pub(crate) fn is_of_project(self) -> bool {
        matches!(self, Tool::Nexus(_) | Tool::Notes(_))
    }

    pub(crate) fn by_name(name: &str) -> Option<Tool> {
        Tool::ALL.into_iter().find(|tool| tool.name() == name)
    }
}

impl Request {
    /// Returns the requested scope, if the request has one.
    pub(crate) fn scope(&self) -> Option<&Scope> {
        match self {
            Request::Search(request) => Some(&request.scope),
            Request::RecentContext(request) => Some(&request.scope),
            Request::GetObservations(_) | Request::Timeline(_) | Request::Nexus(_) | Request::Notes(_) => {
                None
            }
        }
    }

    /// Parses the arguments of a call; unknown ones are ignored, because agents add their own.
    pub(crate) fn parse(tool: Tool, given: &Map<String, Value>) -> Result<Request, Refusal> {
        let arguments = Arguments(given);
        Ok(match tool {
            Tool::Nexus(tool) => Request::Nexus(NexusRequest::parse(tool, given)?),
            Tool::Notes(tool) => Request::Notes(NotesRequest::parse(tool, given)?),
            Tool::Search => Request::Search(parse_search(&arguments)?),
            Tool::GetObservations => Request::GetObservations(parse_get_observations(&arguments)?),
            Tool::Timeline => {
                let anchor = arguments.integer("anchor")?;
                let anchor =
                    anchor.ok_or_else(|| Refusal::new("`anchor` is required: the id of an observation"))?;
                Request::Timeline(TimelineRequest {
                    anchor: ObservationId(anchor),
                    before: arguments.count("before", &NEIGHBOURS)?,
                    after: arguments.count("after", &NEIGHBOURS)?,
                })
            }
            Tool::RecentContext => Request::RecentContext(RecentContextRequest {
                scope: arguments.scope("project")?,
                limit: arguments.count("limit", &RECENT_LIMIT)?,
            }),
        })
    }
}

fn parse_search(arguments: &Arguments<'_>) -> Result<SearchRequest, Refusal> {
    let query = arguments.text("query")?;
    let query = query.ok_or_else(|| Refusal::new("`query` is required: what to look for"))?;
    if query.trim().is_empty() {
        return Err(Refusal::new("`query` must not be empty"));
    }
    Ok(SearchRequest {
        query: query.to_owned(),
        scope: arguments.scope("project")?,
        obs_type: arguments.one_of("obs_type", ObservationType::ALL.map(|kind| (kind.name(), kind)))?,
        order: arguments
            .one_of("order", [("relevance", Order::Relevance), ("blended", Order::Blended)])?
            .unwrap_or_default(),
        limit: arguments.count("limit", &SEARCH_LIMIT)?,
        offset: arguments.count("offset", &OFFSET)?,
    })
}

fn parse_get_observations(arguments: &Arguments<'_>) -> Result<GetObservationsRequest, Refusal> {
    let ids = arguments.integers("ids")?;
    let ids = ids.ok_or_else(|| Refusal::new("`ids` is required: a list of observation ids"))?;
    match ids.len() {
        0 => Err(Refusal::new("ids array must not be empty")),
        // Leaving the rest out would look as if they were deleted.
        count if count > MAX_IDS => Err(Refusal::new(format!(
            "`ids` has {count} entries, and at most {MAX_IDS} are fetched at once: ask for the rest in another call"
        ))),
        _ => Ok(GetObservationsRequest { ids: ids.into_iter().map(ObservationId).collect() }),
    }
}

#[cfg(test)]
mod tests;
