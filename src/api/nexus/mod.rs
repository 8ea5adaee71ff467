//! The eleven requests about plan, tasks and history, with the contract's names.

mod request;
mod response;

pub(crate) use request::{
    ArtifactWriteRequest, HistorySearchRequest, NexusRequest, PlanChange, PlanDecideRequest,
    PlanStartRequest, PlanUpdateRequest, TaskAddRequest, TaskUpdateRequest,
};
pub(crate) use response::{
    ArchivedWire, ArtifactWire, ClosedWire, ContextWire, CycleWire, DecidedWire, HistoryWire,
    IssueChangedWire, IssueWire, MemoryHintWire, NexusResponse, PlanCountsWire, PlanStartedWire,
    PlanStatusWire, TaskCountsWire, TaskListWire, TaskSummaryWire, TaskWire,
};

/// The tools, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NexusTool {
    PlanStart,
    PlanStatus,
    PlanUpdate,
    PlanDecide,
    TaskList,
    TaskAdd,
    TaskUpdate,
    TaskClose,
    HistorySearch,
    Context,
    ArtifactWrite,
}

impl NexusTool {
    pub(crate) fn name(self) -> &'static str {
        match self {
            NexusTool::PlanStart => "nx_plan_start",
            NexusTool::PlanStatus => "nx_plan_status",
            NexusTool::PlanUpdate => "nx_plan_update",
            NexusTool::PlanDecide => "nx_plan_decide",
            NexusTool::TaskList => "nx_task_list",
            NexusTool::TaskAdd => "nx_task_add",
            NexusTool::TaskUpdate => "nx_task_update",
            NexusTool::TaskClose => "nx_task_close",
            NexusTool::HistorySearch => "nx_history_search",
            NexusTool::Context => "nx_context",
            NexusTool::ArtifactWrite => "nx_artifact_write",
        }
    }
}
