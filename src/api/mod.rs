//! nudge's own protocol: the requests, the answers and the refusals.
//!
//! Plain data. A call is parsed into a `Request` once, at the edge; `ops::dispatch` answers it, in this process or in
//! another one.

mod argument;
mod arguments;
mod hint;
mod hint_answer;
mod hint_request;
pub(crate) mod nexus;
pub(crate) mod notes;
mod request;
mod response;
mod strict;
pub(crate) mod today;
mod tools;

pub(crate) use hint::HintMethod;
pub(crate) use hint_answer::{
    BumpWire, ComponentsWire, DeleteHintWire, ElsewhereWire, ExportWire, FoundHintWire, GetHintWire,
    ListedComponentWire, QueryWire, SetHintWire,
};
pub(crate) use hint_request::{
    BumpRequest, DeleteHintRequest, ExportRequest, GetHintRequest, HintRequest, ImportMode, ImportRequest,
    QueryRequest, SetHintRequest, SuggestRequest, SuggestTrigger,
};
pub(crate) use request::{Request, Scope, SearchRequest};
pub(crate) use response::{FoundWire, ObservationWire, Refusal, Response};
pub(crate) use strict::{Requests, parse_requests, read_strictly};
pub(crate) use tools::{Effect, Tool};
