//! A session starts, continues after its context was compacted, or ends.

use super::{HookReply, NexusHook, crew};
use crate::context::{brief, snapshot};
use crate::contract::{Tag, Tagged};
use crate::model::ContextPart;
use crate::nexus::SessionMoment;
use crate::ops::nexus::change::NexusChange;

/// Creates the folders, starts the tracker, and lists what there is to read.
pub(super) fn start(hook: &mut NexusHook<'_>) -> HookReply {
    // A subagent is not a session.
    if hook.event.agent_id.is_some() {
        return HookReply::default();
    }
    let is_new = matches!(hook.event.cause.as_deref(), None | Some("startup" | "clear"));
    let session = hook.session().map(str::to_owned);
    hook.apply(&NexusChange::BeginSession { keep: !is_new, session, at: hook.now() });
    let knowledge = snapshot::knowledge(&hook.nexus.knowledge());
    if hook.event.cause.as_deref() != Some("compact") {
        let tasks = hook.task_outlines();
        let tasks = tasks.as_ref().and_then(brief::tasks);
        return HookReply::of_all([(ContextPart::Tasks, tasks), (ContextPart::Knowledge, knowledge)]);
    }
    let mode = hook.mode();
    let (plan, tasks) = (hook.plan(), hook.tasks());
    // The agent has forgotten what its mode means.
    let tagged = mode.as_ref().map(|mode| Tagged { tag: Tag::of_mode(mode.mode, mode.auto), payload: "" });
    let directive = crew::directives(hook, tagged.as_slice(), true, None);
    let mode = mode.as_ref().map(snapshot::mode);
    let mode = mode.map(|mode| [Some(mode), directive].into_iter().flatten().collect::<Vec<_>>().join("\n"));
    let agents = hook.nexus.tracked(&hook.harness);
    let agents = hook.report(agents).unwrap_or_default();
    HookReply::of_all([
        (ContextPart::Mode, mode),
        (ContextPart::Tasks, tasks.as_ref().and_then(snapshot::tasks)),
        (ContextPart::Plan, plan.as_ref().map(snapshot::plan)),
        (ContextPart::Agents, snapshot::agents(&agents)),
        (ContextPart::Knowledge, knowledge),
    ])
}

/// Removes the state of this session, and says what is left to do. The state of the project stays.
pub(super) fn end(hook: &mut NexusHook<'_>) -> HookReply {
    let (session, at) = (hook.session().map(str::to_owned), hook.now());
    // Another session may still need its lines.
    let moment = SessionMoment { session: session.as_deref(), at: &at };
    if !hook.nexus.has_other_sessions(&hook.harness, moment) {
        let rotated = hook.nexus.rotate_tool_log(&hook.harness);
        hook.report(rotated);
    }
    hook.apply(&NexusChange::EndSession { session, at });
    let left = hook.task_outlines().as_ref().and_then(brief::unfinished);
    HookReply::of(ContextPart::Tasks, left)
}
