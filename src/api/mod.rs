//! nudge's own protocol: the requests, the answers and the refusals.
//!
//! Plain data. A call is parsed into a `Request` once, at the edge; `ops::dispatch` answers it, in this process or in
//! another one.

pub(crate) mod allow;
mod argument;
mod arguments;
pub(crate) mod backfill;
pub(crate) mod doctor;
pub(crate) mod failures;
pub(crate) mod hints;
pub(crate) mod learn;
pub(crate) mod list;
pub(crate) mod machines;
pub(crate) mod memory;
pub(crate) mod nexus;
pub(crate) mod notes;
pub(crate) mod pause;
pub(crate) mod problem;
pub(crate) mod replay;
pub(crate) mod report;
mod request;
mod response;
pub(crate) mod rules;
pub(crate) mod setup;
pub(crate) mod sharing;
pub(crate) mod status;
mod strict;
#[cfg(feature = "team")]
pub(crate) mod team;
pub(crate) mod today;
mod tools;
pub(crate) mod trust;
pub(crate) mod uninstall;
pub(crate) mod view;
pub(crate) mod why;

pub(crate) use request::{Only, Request, Scope, SearchRequest};
pub(crate) use response::{FoundPageWire, FoundWire, ObservationWire, Refusal, Response, RpcErrorWire};
pub(crate) use strict::{Requests, parse_requests, read_strictly};
pub(crate) use tools::{Tool, ToolChoice, ToolEffect};
