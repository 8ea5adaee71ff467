//! The history: all closed cycles of plan and tasks.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Plan, Task};

/// The content of `history.json`; cycles stay as written, whichever version wrote them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct History {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) schema_version: Option<String>,
    #[serde(default)]
    pub(crate) cycles: Vec<Value>,
    #[serde(flatten)]
    pub(crate) rest: Map<String, Value>,
}

/// A cycle that is being closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Cycle {
    pub(crate) schema_version: &'static str,
    pub(crate) completed_at: String,
    pub(crate) branch: String,
    pub(crate) plan: Option<Plan>,
    pub(crate) tasks: Vec<Task>,
}

impl Cycle {
    /// The version of the contract whose format we write.
    pub(crate) const VERSION: &str = "0.11";
}

impl History {
    /// Returns an unused id for the next plan.
    pub(crate) fn next_plan_id(&self) -> u64 {
        let ids = self.cycles.iter().filter_map(|cycle| cycle["plan"]["id"].as_f64());
        ids.fold(0, |max, id| max.max(id as u64)) + 1
    }
}
