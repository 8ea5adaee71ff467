//! What commands about the board print as JSON, where the contract has no tool.

use serde::Serialize;

use crate::model::{Task, TaskStatus};

/// An open task, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct NamedTaskWire {
    pub(crate) id: u64,
    pub(crate) title: String,
}

/// One task, with what it waits for and what waits for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct TaskShownWire {
    pub(crate) task: Task,
    /// It can begin now.
    pub(crate) ready: bool,
    pub(crate) waits_for: Vec<NamedTaskWire>,
    pub(crate) waited_for_by: Vec<NamedTaskWire>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ClaimedWire {
    pub(crate) claimed: bool,
    pub(crate) task: Task,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct RemovedWire {
    pub(crate) removed: bool,
    pub(crate) task: Task,
    /// The tasks that no longer wait for it.
    pub(crate) released: Vec<u64>,
}

/// A closed cycle that is open again.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ReopenedWire {
    pub(crate) reopened: bool,
    pub(crate) cycle: String,
    pub(crate) plan: bool,
    pub(crate) tasks: usize,
}

/// Which task waits for which.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct GraphWire {
    pub(crate) nodes: Vec<GraphNodeWire>,
    pub(crate) edges: Vec<GraphEdgeWire>,
    /// Tasks that wait for each other.
    pub(crate) circles: Vec<Vec<u64>>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct GraphNodeWire {
    pub(crate) id: u64,
    pub(crate) title: String,
    pub(crate) status: TaskStatus,
    pub(crate) ready: bool,
}

/// A task, and one that waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct GraphEdgeWire {
    pub(crate) from: u64,
    pub(crate) to: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct BoardExportWire {
    pub(crate) format: &'static str,
    pub(crate) text: String,
}
