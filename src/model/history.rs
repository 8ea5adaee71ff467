//! The history: all closed cycles of plan and tasks, and what their shape has no place for.

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

/// The content of `history.extension.json`: goal and decisions of the cycles, which the contract's shape leaves out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HistoryExtension {
    #[serde(default)]
    pub(crate) extends: String,
    #[serde(default)]
    pub(crate) cycle_extensions: Vec<CycleExtension>,
    #[serde(flatten)]
    pub(crate) rest: Map<String, Value>,
}

/// What a cycle had besides plan and tasks; time and branch say which cycle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CycleExtension {
    pub(crate) completed_at: String,
    pub(crate) branch: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) goal: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) decisions: Vec<String>,
    /// The open tasks that stayed on the board.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) carried: Vec<u64>,
    /// When the cycle was opened again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reopened_at: Option<String>,
    #[serde(flatten)]
    pub(crate) rest: Map<String, Value>,
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

    /// Returns the cycle that was closed at this time on this branch.
    pub(crate) fn find(&self, completed_at: &str, branch: &str) -> Option<&Value> {
        self.cycles.iter().find(|cycle| cycle["completed_at"] == completed_at && cycle["branch"] == branch)
    }
}

impl Default for HistoryExtension {
    fn default() -> HistoryExtension {
        HistoryExtension {
            extends: "history.json".to_owned(),
            cycle_extensions: Vec::new(),
            rest: Map::new(),
        }
    }
}

impl HistoryExtension {
    /// Returns what belongs to a cycle of the history.
    pub(crate) fn of_cycle(&self, cycle: &Value) -> Option<&CycleExtension> {
        let is_its = |one: &&CycleExtension| {
            cycle["completed_at"] == one.completed_at.as_str() && cycle["branch"] == one.branch.as_str()
        };
        self.cycle_extensions.iter().find(is_its)
    }

    /// Adds what belongs to a cycle, replacing what was there.
    pub(crate) fn put(&mut self, extension: CycleExtension) {
        self.remove(&extension.completed_at, &extension.branch);
        self.cycle_extensions.push(extension);
    }

    /// Removes what belongs to a cycle; returns whether there was something.
    pub(crate) fn remove(&mut self, completed_at: &str, branch: &str) -> bool {
        let before = self.cycle_extensions.len();
        self.cycle_extensions.retain(|one| one.completed_at != completed_at || one.branch != branch);
        self.cycle_extensions.len() < before
    }
}
