//! The eleven requests about plan, tasks and history, with the contract's names, and what only people ask for.

mod board;
pub(super) mod request;
mod response;

pub(crate) use board::{
    BoardExportWire, ClaimedWire, GraphEdgeWire, GraphNodeWire, GraphWire, NamedTaskWire, RemovedWire,
    ReopenedWire, TaskShownWire,
};
pub(crate) use request::{
    ArtifactWriteRequest, HistorySearchRequest, NexusRequest, OpenTasksChoice, PlanChange, PlanDecideRequest,
    PlanStartRequest, PlanUpdateRequest, PreviousPlanChoice, TaskAddRequest, TaskClaimRequest, TaskEdit,
    TaskListRequest, TaskUpdateRequest,
};
pub(crate) use response::{
    ArchivedWire, ArtifactTextJson, ArtifactWire, ClosedWire, ContextWire, CycleWire, DecidedWire,
    HistoryWire, IssueChangedWire, IssueWire, MemoryHintWire, NexusResponse, PlanCountsWire, PlanStartedWire,
    PlanStatusWire, PreviousPlanWire, TaskCountsWire, TaskListWire, TaskSummaryWire, TaskWire,
};
