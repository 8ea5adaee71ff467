//! A session starts, continues after its context was compacted, or ends.

use super::{HookReply, NexusHook};
use crate::context::{brief, snapshot};
use crate::model::ContextPart;
use crate::ops::nexus::change::NexusChange;

/// Creates the folders, starts the tracker, and lists what there is to read.
pub(super) fn start(hook: &mut NexusHook<'_>) -> HookReply {
    // A subagent is not a session.
    if hook.event.agent_id.is_some() {
        return HookReply::default();
    }
    let is_new = matches!(hook.event.cause.as_deref(), None | Some("startup" | "clear"));
    hook.apply(&NexusChange::BeginSession { keep: !is_new });
    let knowledge = snapshot::knowledge(&hook.nexus.knowledge());
    if hook.event.cause.as_deref() != Some("compact") {
        return HookReply::of(ContextPart::Knowledge, knowledge);
    }
    let mode = hook.mode();
    let (plan, tasks) = (hook.plan(), hook.tasks());
    let agents = hook.nexus.tracked(&hook.harness);
    let agents = hook.report(agents).unwrap_or_default();
    HookReply::of_all([
        (ContextPart::Mode, mode.as_ref().map(snapshot::mode)),
        (ContextPart::Tasks, tasks.as_ref().and_then(snapshot::tasks)),
        (ContextPart::Plan, plan.as_ref().map(snapshot::plan)),
        (ContextPart::Agents, snapshot::agents(&agents)),
        (ContextPart::Knowledge, knowledge),
    ])
}

/// Removes the state of this session, and says what is left to do. The state of the project stays.
pub(super) fn end(hook: &mut NexusHook<'_>) -> HookReply {
    let own_mode = hook.mode().is_some();
    hook.apply(&NexusChange::EndSession { own_mode });
    let rotated = hook.nexus.rotate_tool_log(&hook.harness);
    hook.report(rotated);
    let left = hook.task_outlines().as_ref().and_then(brief::unfinished);
    HookReply::of(ContextPart::Tasks, left)
}
