//! The protocol about hints: its methods, the requests, and their answers. Each request knows the type of its answer, so
//! that a client and the server speak of the same thing.

mod answer;
mod error;
mod method;
pub(super) mod request;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub(crate) use self::answer::{
    BumpWire, ComponentsWire, DeleteHintWire, ElsewhereWire, EnvNamesWire, ExportWire, FoundHintWire,
    GetHintWire, ListedComponentWire, QueryWire, SetHintWire, StoreComponentWire, StoreWire, SuggestWire,
};
pub(crate) use self::error::HintErrorWire;
pub(crate) use self::method::HintMethod;
pub(crate) use self::request::{
    BumpRequest, DeleteHintRequest, EnvNamesRequest, ExportRequest, GetHintRequest, HintRequest,
    ImportRequest, ListComponentsRequest, QueryRequest, SetHintRequest, SuggestRequest,
};
use crate::model::ImportReport;

/// A question about hints.
pub(crate) trait HintQuestion: Serialize {
    const METHOD: HintMethod;
    type Answer: DeserializeOwned;

    /// Returns the parameters of the call.
    fn params(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(params)) => params,
            // All requests are structs with text keys.
            _ => Map::new(),
        }
    }
}

impl HintQuestion for SetHintRequest {
    const METHOD: HintMethod = HintMethod::SetHint;
    type Answer = SetHintWire<'static>;
}

impl HintQuestion for GetHintRequest {
    const METHOD: HintMethod = HintMethod::GetHint;
    type Answer = GetHintWire<'static>;
}

impl HintQuestion for QueryRequest {
    const METHOD: HintMethod = HintMethod::Query;
    type Answer = QueryWire<'static>;
}

impl HintQuestion for DeleteHintRequest {
    const METHOD: HintMethod = HintMethod::DeleteHint;
    type Answer = DeleteHintWire<'static>;
}

impl HintQuestion for ListComponentsRequest {
    const METHOD: HintMethod = HintMethod::ListComponents;
    type Answer = ComponentsWire<'static>;
}

impl HintQuestion for BumpRequest {
    const METHOD: HintMethod = HintMethod::Bump;
    type Answer = BumpWire<'static>;
}

impl HintQuestion for ExportRequest {
    const METHOD: HintMethod = HintMethod::Export;
    type Answer = ExportWire<StoreWire>;
}

impl HintQuestion for ImportRequest {
    const METHOD: HintMethod = HintMethod::Import;
    type Answer = ImportReport;
}

impl HintQuestion for EnvNamesRequest {
    const METHOD: HintMethod = HintMethod::EnvNames;
    type Answer = EnvNamesWire;
}

impl HintQuestion for SuggestRequest {
    const METHOD: HintMethod = HintMethod::Suggest;
    type Answer = SuggestWire;
}
