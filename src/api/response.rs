//! The answers, in the seed's format: callers read their JSON.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::nexus::NexusResponse;
use super::notes::NotesResponse;
use crate::model::{
    HintFlaw, Metadata, Observation, ObservationId, ObservationType, SearchHit, SessionId, Timeline,
    Timestamp,
};

/// An answer; in JSON it is a bare list, or the timeline's map.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Response {
    Found(FoundPageWire),
    Observations(Vec<ObservationWire>),
    Timeline(Box<TimelineWire>),
    Nexus(Box<NexusResponse>),
    Notes(Box<NotesResponse>),
}

/// The hits of a search; in JSON a bare list.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(transparent)]
pub(crate) struct FoundPageWire {
    pub(crate) hits: Vec<FoundWire>,
    /// What the caller should know about the list, beside it.
    #[serde(skip)]
    pub(crate) note: Option<String>,
}

/// Why a request is refused, as a sentence for the caller; it contains no path.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refusal {
    message: String,
    /// For programs, if the seed defines one: the code, and `data` with its `reason`.
    coded: Option<(i64, Value)>,
}

/// A JSON-RPC error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RpcErrorWire {
    code: i64,
    message: String,
    data: Value,
}

/// What a search shows of an observation; the time has the format of the caller.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct FoundWire<At = Timestamp> {
    id: ObservationId,
    timestamp: At,
    obs_type: ObservationType,
    content_preview: String,
    file_path: Option<String>,
    session_id: SessionId,
    /// How many equal observations it stands for; left out if it stands only for itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<usize>,
}

/// Everything that is shown of an observation; the time has the format of the caller.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ObservationWire<At = Timestamp> {
    id: ObservationId,
    timestamp: At,
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

    /// Refuses with a JSON-RPC code and data.
    pub(crate) fn coded(code: i64, message: impl Into<String>, data: Value) -> Refusal {
        Refusal { message: message.into(), coded: Some((code, data)) }
    }

    /// Refuses with one of the seed's codes; `data.reason` is its name.
    pub(crate) fn of_hint(flaw: HintFlaw) -> Refusal {
        let HintFlaw { code, detail, data: more } = flaw;
        let mut data = Map::new();
        data.insert("reason".into(), code.name().into());
        data.insert("detail".into(), detail.as_str().into());
        data.extend(more);
        Refusal::coded(code.number(), detail, Value::Object(data))
    }

    /// Refuses with an error for which the seed defines no code.
    pub(crate) fn internal(message: &str) -> Refusal {
        Refusal::coded(-32603, message, json!({ "reason": "E_INTERNAL", "detail": message }))
    }

    /// Reads a JSON-RPC error that was kept.
    pub(crate) fn of_error(error: RpcErrorWire) -> Refusal {
        Refusal::coded(error.code, error.message, error.data)
    }

    /// Returns the refusal as a JSON-RPC error, if it has a code.
    pub(crate) fn to_error(&self) -> Option<Value> {
        self.rpc_error().map(|error| json!(error))
    }

    pub(crate) fn rpc_error(&self) -> Option<RpcErrorWire> {
        let (code, data) = self.coded.clone()?;
        Some(RpcErrorWire { code, message: self.message.clone(), data })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl<At: From<Timestamp>> From<SearchHit> for FoundWire<At> {
    fn from(hit: SearchHit) -> FoundWire<At> {
        FoundWire {
            id: hit.id,
            timestamp: hit.timestamp.into(),
            obs_type: hit.obs_type,
            content_preview: hit.content_preview,
            file_path: hit.file_path,
            session_id: hit.session_id,
            times: (hit.times > 1).then_some(hit.times),
        }
    }
}

impl<At: From<Timestamp>> From<Observation> for ObservationWire<At> {
    fn from(Observation { id, seen }: Observation) -> ObservationWire<At> {
        ObservationWire {
            id,
            timestamp: seen.timestamp.into(),
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
        let to_wire = |rows: Vec<Observation>| rows.into_iter().map(ObservationWire::from).collect();
        TimelineWire {
            anchor: timeline.anchor.into(),
            before: to_wire(timeline.before),
            after: to_wire(timeline.after),
        }
    }
}
