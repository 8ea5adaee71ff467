//! A subagent starts, goes on, or stops: the tracker knows it, and it knows what it needs of the project.

use super::deed::Deed;
use super::tracked::find;
use super::{Said, Scene};
use crate::context::{brief, snapshot};
use crate::contract::{self, edited_since};
use crate::model::{Part, TaskStatus, TrackedAgent};
use crate::redact;

/// What an agent said last is kept up to here.
const MAX_MESSAGE: usize = 2_000;

pub(super) fn start(scene: &mut Scene<'_>) -> Said {
    let (at, role) = (scene.now(), role(scene));
    let id = scene.event.agent_id.clone();
    let tracked = scene.nexus.tracked(&scene.harness).unwrap_or_default();
    let known = find(&tracked, id.as_deref(), None).map(|known| tracked[known].clone());
    scene.make(&Deed::StartAgent { id, role: role.clone(), at });
    move_on(scene, TaskStatus::Pending, TaskStatus::InProgress);
    Said::of_all([
        (Part::Role, role.as_deref().and_then(limits)),
        (Part::Agents, known.and_then(|before| changed_since(&before, &tracked))),
        (Part::Knowledge, snapshot::knowledge(&scene.nexus.knowledge())),
    ])
}

pub(super) fn stop(scene: &mut Scene<'_>) -> Said {
    let (at, role) = (scene.now(), role(scene));
    let id = scene.event.agent_id.clone();
    let files = id.as_deref().map_or(Ok(Vec::new()), |id| scene.nexus.files_touched(&scene.harness, id));
    let files = scene.tell(files).unwrap_or_default();
    let message = last_message(scene);
    scene.make(&Deed::StopAgent { id: id.clone(), role: role.clone(), at, message, files });
    move_on(scene, TaskStatus::InProgress, TaskStatus::Completed);
    let (Some(tasks), Some(id)) = (scene.tasks(), id) else { return Said::default() };
    let name = role.as_deref().unwrap_or(&id);
    let left =
        brief::left_open(name, tasks.left_by(&id, role.as_deref()), tasks.pending_for(role.as_deref()));
    Said::of(Part::Tasks, left)
}

fn role(scene: &Scene<'_>) -> Option<String> {
    scene.event.agent_type.as_deref().and_then(contract::role)
}

/// Tells an agent of the contract what it may not do, before it tries.
fn limits(role: &str) -> Option<String> {
    let kept_from: Vec<&str> =
        contract::agent(role)?.capabilities.iter().map(|capability| capability.in_words()).collect();
    Some(format!("In this project the agent `{role}` may {}.", kept_from.join(", ")))
}

/// Tells an agent that goes on which of its files others have changed.
fn changed_since(before: &TrackedAgent, agents: &[TrackedAgent]) -> Option<String> {
    let edited = edited_since(before, agents);
    let (foreign, own): (Vec<&String>, Vec<&String>) =
        before.touched().iter().partition(|file| edited.contains(file));
    let named =
        |files: Vec<&String>| files.iter().map(|file| format!("`{file}`")).collect::<Vec<_>>().join(", ");
    match (foreign.is_empty(), own.is_empty()) {
        (false, _) => Some(format!(
            "Since this agent stopped, another one has changed {}: read it again before anything is decided or edited.",
            named(foreign)
        )),
        (true, false) => Some(format!("This agent goes on: read {} again before editing.", named(own))),
        (true, true) => None,
    }
}

/// Returns what the agent said last, without secrets; nothing where it cannot be told what is secret here.
fn last_message(scene: &Scene<'_>) -> Option<String> {
    let message = scene.event.closing_message.as_ref()?;
    Some(redact::excerpt(message, MAX_MESSAGE, scene.own.ok()?))
}

/// Moves the tasks of this very agent on, where the user wants that.
fn move_on(scene: &mut Scene<'_>, from: TaskStatus, to: TaskStatus) {
    let wanted = scene.event.agent_id.clone().filter(|_| scene.settings.task_status);
    if let Some(owner) = wanted {
        let at = scene.now();
        scene.make(&Deed::MoveTasks { owner, from, to, at });
    }
}
