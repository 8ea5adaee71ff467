//! Subagents in an agent whose hooks do not name them: the call that starts one is all that is seen, and while it lasts,
//! the session's calls are taken for the subagent's.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::{HookReply, NexusHook, NexusRefusal, subagent};
use crate::contract::{self, Deed};
use crate::model::{AgentStatus, ToolAction, ToolCall, TrackedAgent};
use crate::ops::nexus::change::NexusChange;

/// Records the subagent that this call starts.
pub(super) fn start(hook: &mut NexusHook<'_>) {
    let Some((id, role)) = started(hook) else { return };
    let session = hook.session().map(str::to_owned);
    hook.apply(&NexusChange::StartAgent { id: Some(id), role, at: hook.now(), session });
}

/// Records that the subagent of this call has stopped, and says what it left open.
pub(super) fn stop(hook: &mut NexusHook<'_>) -> HookReply {
    let Some((id, role)) = started(hook) else { return HookReply::default() };
    let words = hook.event.result.as_ref().map(|result| result.output.clone());
    subagent::record_stop(hook, Some(id), role.as_deref(), words.as_deref())
}

/// Records that no subagent runs: between two turns of the main conversation there is none. The call of one that the user
/// interrupted never ends.
pub(super) fn stop_all(hook: &mut NexusHook<'_>) {
    for agent in running(hook) {
        let session = hook.session().map(str::to_owned);
        let (id, role, at) = (agent.agent_id, agent.agent_name, hook.now());
        let files = id.as_deref().map_or(Ok(Vec::new()), |id| hook.nexus.files_touched(&hook.harness, id));
        let files = hook.report(files).unwrap_or_default();
        hook.apply(&NexusChange::StopAgent { id, role, at, message: None, files, session });
    }
}

/// Returns why none of the subagents at work may run this command. Other tools are in the list of those that may use them.
pub(super) fn refusal(
    hook: &NexusHook<'_>,
    call: &ToolCall,
    deeds: impl FnOnce() -> Vec<Deed>,
) -> Option<NexusRefusal> {
    let running = running(hook);
    if running.is_empty() || !matches!(call.action, ToolAction::Command { .. }) {
        return None;
    }
    let deeds = deeds();
    let refusals = running.into_iter().map(|agent| refusal_of(&agent.agent_name?, call, &deeds));
    refusals.collect::<Option<Vec<NexusRefusal>>>()?.into_iter().next()
}

/// Returns why an agent of this type must not make this call, signed with its role.
pub(super) fn refusal_of(agent_type: &str, call: &ToolCall, deeds: &[Deed]) -> Option<NexusRefusal> {
    let reason = contract::refusal(agent_type, call, deeds)?;
    Some(NexusRefusal { reason, by: format!("role {}", contract::role(agent_type)?) })
}

/// Returns the id of the subagent that makes this call, if only one can be.
pub(super) fn caller(hook: &NexusHook<'_>) -> Option<String> {
    match running(hook).as_slice() {
        [only] => only.agent_id.clone(),
        _ => None,
    }
}

/// Returns the subagents of this session that are at work.
fn running(hook: &NexusHook<'_>) -> Vec<TrackedAgent> {
    if hook.turn.agent.names_subagents {
        return Vec::new();
    }
    let own = format!("{}:", hook.session().unwrap_or_default());
    let mut agents = hook.nexus.tracked(&hook.harness).unwrap_or_default();
    agents.retain(|agent| {
        let is_own = agent.agent_id.as_ref().is_some_and(|id| id.starts_with(&own));
        is_own && agent.status == Some(AgentStatus::Running)
    });
    agents
}

/// Returns the id and the role of the subagent that this call starts. The call has no id of its own, so session, role and
/// task make one.
fn started(hook: &NexusHook<'_>) -> Option<(String, Option<String>)> {
    let ToolAction::Agent { agent_type, text, .. } = &hook.event.tool.as_ref()?.action else { return None };
    if hook.turn.agent.names_subagents {
        return None;
    }
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let id = format!("{}:{:016x}", hook.session().unwrap_or_default(), hasher.finish());
    Some((id, agent_type.as_deref().and_then(contract::role)))
}
