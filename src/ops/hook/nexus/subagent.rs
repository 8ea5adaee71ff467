//! A subagent starts, resumes, or stops: the tracker records it, and it learns what it needs to know of the project.

use super::{HookReply, NexusHook};
use crate::context::{brief, snapshot};
use crate::contract::{self, edited_since};
use crate::model::{ContextPart, TaskStatus, TrackedAgent};
use crate::ops::nexus::change::NexusChange;
use crate::ops::nexus::tracked::find;
use crate::redact;
use crate::system::clock;

/// Maximum number of characters kept of an agent's last message.
const MAX_MESSAGE: usize = 2_000;

pub(super) fn start(hook: &mut NexusHook<'_>) -> HookReply {
    let (at, role) = (hook.now(), role(hook));
    let id = hook.event.agent_id.clone();
    let tracked = hook.nexus.tracked(&hook.harness).unwrap_or_default();
    let known = find(&tracked, id.as_deref(), None).map(|known| tracked[known].clone());
    let session = hook.session().map(str::to_owned);
    hook.apply(&NexusChange::StartAgent { id: id.clone(), role: role.clone(), at: at.clone(), session });
    if let Some(agent_id) = id.filter(|_| hook.turn.settings.task_status) {
        hook.apply(&NexusChange::TakeTask { agent_id, role: role.clone(), at });
    }
    HookReply::of_all([
        (ContextPart::Role, role.as_deref().and_then(limits)),
        (ContextPart::Agents, known.and_then(|before| changed_since(&before, &tracked))),
        (ContextPart::Knowledge, snapshot::knowledge(&hook.nexus.knowledge())),
    ])
}

pub(super) fn stop(hook: &mut NexusHook<'_>) -> HookReply {
    let (id, role) = (hook.event.agent_id.clone(), role(hook));
    record_stop(hook, id, role.as_deref(), hook.event.closing_message.as_deref())
}

/// Records what a stopped subagent did and said last, and names the tasks that it left open.
pub(super) fn record_stop(
    hook: &mut NexusHook<'_>,
    id: Option<String>,
    role: Option<&str>,
    words: Option<&str>,
) -> HookReply {
    let at = hook.now();
    let files = id.as_deref().map_or(Ok(Vec::new()), |id| hook.nexus.files_touched(&hook.harness, id));
    let files = hook.report(files).unwrap_or_default();
    let message = words.and_then(|words| last_message(hook, words));
    // A task whose agent gave up stays open; the warning below names it.
    if message.as_deref().is_some_and(|message| !contract::sounds_failed(message)) {
        complete_tasks(hook, id.clone());
    }
    let session = hook.session().map(str::to_owned);
    hook.apply(&NexusChange::StopAgent {
        id: id.clone(),
        role: role.map(str::to_owned),
        at,
        message,
        files,
        session,
    });
    let (Some(tasks), Some(id)) = (hook.tasks(), id) else { return HookReply::default() };
    let name = role.unwrap_or(&id);
    let left = brief::left_open(name, tasks.left_by(&id, role), tasks.pending_for(role));
    HookReply::of(ContextPart::Tasks, left)
}

fn role(hook: &NexusHook<'_>) -> Option<String> {
    hook.event.agent_type.as_deref().and_then(contract::role)
}

/// Says what an agent of the contract may not do, before it tries.
fn limits(role: &str) -> Option<String> {
    let limits = contract::limits(contract::agent(role)?.capabilities)?;
    Some(format!("In this project the agent `{role}` {limits}."))
}

/// Says which files of a resuming agent others have changed.
fn changed_since(before: &TrackedAgent, agents: &[TrackedAgent]) -> Option<String> {
    let edited = edited_since(before, agents, clock::timestamp());
    let (foreign, own): (Vec<&String>, Vec<&String>) =
        before.touched().iter().partition(|file| edited.contains(file));
    let named =
        |files: Vec<&String>| files.iter().map(|file| format!("`{file}`")).collect::<Vec<_>>().join(", ");
    match (foreign.is_empty(), own.is_empty()) {
        (false, _) => Some(format!(
            "Since this agent stopped, another one has changed {}: read it again before anything is decided or edited.",
            named(foreign)
        )),
        (true, false) => Some(format!("This agent is resuming: read {} again before editing.", named(own))),
        (true, true) => None,
    }
}

/// Returns the agent's redacted last message; `None` if the patterns for secrets are broken.
fn last_message(hook: &NexusHook<'_>, words: &str) -> Option<String> {
    Some(redact::excerpt(words, MAX_MESSAGE, hook.turn.secrets().ok()?))
}

/// Completes the tasks of an agent that is done, if the user wants that.
fn complete_tasks(hook: &mut NexusHook<'_>, id: Option<String>) {
    let wanted = id.filter(|_| hook.turn.settings.task_status);
    if let Some(owner) = wanted {
        let (at, from, to) = (hook.now(), TaskStatus::InProgress, TaskStatus::Completed);
        hook.apply(&NexusChange::MoveTasks { owner, from, to, at });
    }
}
