//! The requests, parsed from the arguments of a tool call.

use super::Refusal;
use super::arguments::Arguments;
use super::nexus::NexusRequest;
use super::notes::NotesRequest;
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SearchRequest {
    pub(crate) query: String,
    pub(crate) scope: Scope,
    pub(crate) obs_type: Option<ObservationType>,
    pub(crate) only: Only,
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
    pub(crate) only: Only,
    pub(crate) limit: usize,
}

/// What narrows a list of observations, as the caller wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Only {
    /// A date, a time, or how long ago.
    pub(crate) since: Option<String>,
    pub(crate) until: Option<String>,
    /// The id of a session, or the beginning of it.
    pub(crate) session: Option<String>,
    /// The id of an agent.
    pub(crate) harness: Option<String>,
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
pub(super) const MAX_IDS: usize = 50;

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
}

pub(super) fn parse_search(arguments: &Arguments<'_>) -> Result<Request, Refusal> {
    let query = arguments.text("query")?;
    let query = query.ok_or_else(|| Refusal::new("`query` is required: what to look for"))?;
    if query.trim().is_empty() {
        return Err(Refusal::new("`query` must not be empty"));
    }
    Ok(Request::Search(SearchRequest {
        query: query.to_owned(),
        scope: arguments.scope("project")?,
        obs_type: arguments.one_of("obs_type", ObservationType::ALL.map(|kind| (kind.name(), kind)))?,
        only: parse_only(arguments)?,
        order: match parse_order(arguments, "order")? {
            Some(order) => order,
            None => parse_order(arguments, "orderBy")?.unwrap_or_default(),
        },
        limit: arguments.count("limit")?,
        offset: arguments.count("offset")?,
    }))
}

fn parse_order(arguments: &Arguments<'_>, name: &str) -> Result<Option<Order>, Refusal> {
    arguments.one_of(name, [("relevance", Order::Relevance), ("blended", Order::Blended)])
}

pub(super) fn parse_get_observations(arguments: &Arguments<'_>) -> Result<Request, Refusal> {
    let ids = arguments.integers("ids")?;
    let ids = ids.ok_or_else(|| Refusal::new("`ids` is required: a list of observation ids"))?;
    match ids.len() {
        0 => Err(Refusal::new("ids array must not be empty")),
        // Leaving the rest out would look as if they were deleted.
        count if count > MAX_IDS => Err(Refusal::new(format!(
            "`ids` has {count} entries, and at most {MAX_IDS} are fetched at once: ask for the rest in another call"
        ))),
        _ => {
            let ids = ids.into_iter().map(ObservationId).collect();
            Ok(Request::GetObservations(GetObservationsRequest { ids }))
        }
    }
}

pub(super) fn parse_timeline(arguments: &Arguments<'_>) -> Result<Request, Refusal> {
    let anchor = arguments.integer("anchor")?;
    let anchor = anchor.ok_or_else(|| Refusal::new("`anchor` is required: the id of an observation"))?;
    Ok(Request::Timeline(TimelineRequest {
        anchor: ObservationId(anchor),
        before: arguments.count("before")?,
        after: arguments.count("after")?,
    }))
}

pub(super) fn parse_recent_context(arguments: &Arguments<'_>) -> Result<Request, Refusal> {
    Ok(Request::RecentContext(RecentContextRequest {
        scope: arguments.scope("project")?,
        only: parse_only(arguments)?,
        limit: arguments.count("limit")?,
    }))
}

fn parse_only(arguments: &Arguments<'_>) -> Result<Only, Refusal> {
    let text = |name: &str| {
        let text = arguments.text(name)?.map(str::trim);
        Ok(text.filter(|text| !text.is_empty()).map(str::to_owned))
    };
    Ok(Only {
        since: text("since")?,
        until: text("until")?,
        session: text("session")?,
        harness: text("harness")?,
    })
}

#[cfg(test)]
mod tests;
