//! The answers, in the shapes that the seed gives them: their JSON is what callers read.

use std::fmt;

use serde::Serialize;
use serde_json::{Value, json};

use super::nexus::NexusResponse;
use super::notes::NotesResponse;
use crate::model::{
    Metadata, Observation, ObservationId, ObservationType, SearchHit, SessionId, Timeline, Timestamp,
};

/// An answer; as JSON a bare list, or the timeline's map.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Response {
    Found(Vec<FoundWire>),
    Observations(Vec<ObservationWire>),
    Timeline(Box<TimelineWire>),
    Nexus(Box<NexusResponse>),
    Notes(Box<NotesResponse>),
}

/// Why there is no answer, in a sentence for who asked; it names no path.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refusal {
    message: String,
    /// For programs, where the seed sets one: its number, and `data` with its `reason`.
    coded: Option<(i64, Value)>,
}

/// What a search shows of an observation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct FoundWire {
    id: ObservationId,
    timestamp: Timestamp,
    obs_type: ObservationType,
    content_preview: String,
    file_path: Option<String>,
    session_id: SessionId,
}

/// All of an observation that is told.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ObservationWire {
    id: ObservationId,
    timestamp: Timestamp,
    session_id: SessionId,
    project: Option<String>,
    obs_type: ObservationType,
    source_event: String,
    tool_name: Option<String>,
    content: String,
    file_path: Option<String>,
    metadata: Option<Metadata>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct TimelineWire {
    anchor: ObservationWire,
    before: Vec<ObservationWire>,
    after: Vec<ObservationWire>,
}

impl Refusal {
    pub(crate) fn new(message: impl Into<String>) -> Refusal {
        Refusal { message: message.into(), coded: None }
    }

    /// Refuses with a number and data, as JSON-RPC has them.
    pub(crate) fn coded(code: i64, message: impl Into<String>, data: Value) -> Refusal {
        Refusal { message: message.into(), coded: Some((code, data)) }
    }

    /// Returns the refusal as an error of JSON-RPC, if it has a number.
    pub(crate) fn to_error(&self) -> Option<Value> {
        let (code, data) = self.coded.as_ref()?;
        Some(json!({ "code": code, "message": self.message, "data": data }))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl From<SearchHit> for FoundWire {
    fn from(hit: SearchHit) -> FoundWire {
        FoundWire {
            id: hit.id,
            timestamp: hit.timestamp,
            obs_type: hit.obs_type,
            content_preview: hit.content_preview,
            file_path: hit.file_path,
            session_id: hit.session_id,
        }
    }
}

impl From<Observation> for ObservationWire {
    fn from(Observation { id, seen }: Observation) -> ObservationWire {
        ObservationWire {
            id,
            timestamp: seen.timestamp,
            session_id: seen.session_id,
            project: seen.project,
            obs_type: seen.obs_type,
            source_event: seen.source_event,
            tool_name: seen.tool_name,
            content: seen.content,
            file_path: seen.file_path,
            metadata: seen.metadata,
        }
    }
}

impl From<Timeline> for TimelineWire {
    fn from(timeline: Timeline) -> TimelineWire {
        let told = |rows: Vec<Observation>| rows.into_iter().map(ObservationWire::from).collect();
        TimelineWire {
            anchor: timeline.anchor.into(),
            before: told(timeline.before),
            after: told(timeline.after),
        }
    }
}
