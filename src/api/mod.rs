//! Our own protocol: what can be asked, what is answered, and why not.
//!
//! Plain data. Whoever asks is read into a `Request` once, at the edge; `ops::dispatch` answers it, in this process or in
//! another one.

mod arguments;
mod hint;
pub(crate) mod nexus;
pub(crate) mod notes;
mod request;
mod response;

pub(crate) use hint::HintMethod;
pub(crate) use request::{Request, Scope, SearchRequest, Tool};
pub(crate) use response::{FoundWire, ObservationWire, Refusal, Response};
