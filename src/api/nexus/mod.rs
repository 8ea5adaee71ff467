//! The eleven requests about plan, tasks and history, with the contract's names.

pub(super) mod request;
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
