//! A subagent starts, goes on, or stops: the tracker knows it, and it knows what it needs of the project.

use super::{Said, Scene};
use crate::context::{brief, snapshot};
use crate::model::{AgentStatus, History, Part, Task, TaskStatus, Tasks, TrackedAgent};
use crate::nexus::{HISTORY, PATIENCE, TASKS};
use crate::redact::redact;
use crate::vocabulary::{self, edited_since};

/// What an agent said last is kept up to here.
const MAX_MESSAGE: usize = 2_000;
/// Secrets are looked for a little past the cut, so that none is cut in two and not known.
const LOOK_AHEAD: usize = 500;
/// So many subagents are tracked in a session; the oldest ones that have stopped make room.
const MOST_AGENTS: usize = 500;

pub(super) fn start(scene: &mut Scene<'_>) -> Said {
    let (now, role) = (scene.now(), role(scene));
    let mut changed = None;
    let tracked = scene.nexus.lock(PATIENCE).and_then(|locked| {
        locked.change_tracker(&scene.harness, &now, |agents| {
            match find(agents, scene.event.agent_id.as_deref(), None) {
                Some(at) => {
                    let before = resume(&mut agents[at], &now);
                    changed = changed_since(&before, agents);
                }
                None => agents.push(spawned(scene, role.clone(), &now)),
            }
            make_room(agents);
        })
    });
    scene.tell(tracked);
    move_on(scene, &TaskStatus::Pending, &TaskStatus::InProgress);
    Said::of_all([
        (Part::Role, role.as_deref().and_then(limits)),
        (Part::Agents, changed),
        (Part::Knowledge, snapshot::knowledge(&scene.nexus.knowledge())),
    ])
}

pub(super) fn stop(scene: &mut Scene<'_>) -> Said {
    let (now, role) = (scene.now(), role(scene));
    let id = scene.event.agent_id.clone();
    let files = id.as_deref().map_or(Ok(Vec::new()), |id| scene.nexus.files_touched(&scene.harness, id));
    let files = scene.tell(files).unwrap_or_default();
    let message = last_message(scene);
    let tracked = scene.nexus.lock(PATIENCE).and_then(|locked| {
        locked.change_tracker(&scene.harness, &now, |agents| {
            // One that started before the tracker was begun anew is known from now on.
            let at = find(agents, id.as_deref(), role.as_deref()).unwrap_or_else(|| {
                agents.push(spawned(scene, role.clone(), &now));
                agents.len() - 1
            });
            complete(&mut agents[at], &now, message, files);
        })
    });
    scene.tell(tracked);
    move_on(scene, &TaskStatus::InProgress, &TaskStatus::Completed);
    let (Some(tasks), Some(id)) = (scene.tasks(), id) else { return Said::default() };
    let name = role.as_deref().unwrap_or(&id);
    let left = brief::left_open(name, tasks.left_by(&id, role.as_deref()));
    Said::of(Part::Tasks, left)
}

fn role(scene: &Scene<'_>) -> Option<String> {
    scene.event.agent_type.as_deref().and_then(vocabulary::role)
}

/// Returns where an agent stands; without an id it is the last one of its role that still runs.
fn find(agents: &[TrackedAgent], id: Option<&str>, role: Option<&str>) -> Option<usize> {
    match id {
        Some(id) => agents.iter().rposition(|agent| agent.is(id)),
        None => agents.iter().rposition(|agent| {
            role.is_some()
                && agent.agent_name.as_deref() == role
                && agent.status == Some(AgentStatus::Running)
        }),
    }
}

fn spawned(scene: &Scene<'_>, role: Option<String>, now: &str) -> TrackedAgent {
    TrackedAgent {
        harness_id: scene.harness.clone(),
        agent_name: role,
        agent_id: scene.event.agent_id.clone(),
        started_at: now.to_owned(),
        status: Some(AgentStatus::Running),
        ..TrackedAgent::default()
    }
}

/// Sets an agent running again; returns it as it was.
fn resume(agent: &mut TrackedAgent, now: &str) -> TrackedAgent {
    let before = agent.clone();
    agent.status = Some(AgentStatus::Running);
    agent.resume_count += 1;
    agent.last_resumed_at = Some(now.to_owned());
    before
}

fn complete(agent: &mut TrackedAgent, now: &str, message: Option<String>, files: Vec<String>) {
    agent.status = Some(AgentStatus::Completed);
    agent.stopped_at = Some(now.to_owned());
    agent.last_message = message.or(agent.last_message.take());
    let mut touched = agent.files_touched.take().unwrap_or_default();
    for file in files {
        if !touched.contains(&file) {
            touched.push(file);
        }
    }
    agent.files_touched = Some(touched);
}

fn make_room(agents: &mut Vec<TrackedAgent>) {
    while agents.len() > MOST_AGENTS {
        let stopped = agents.iter().position(|agent| agent.status == Some(AgentStatus::Completed));
        agents.remove(stopped.unwrap_or(0));
    }
}

/// Tells an agent of the contract what it may not do, before it tries.
fn limits(role: &str) -> Option<String> {
    let kept_from: Vec<&str> =
        vocabulary::agent(role)?.capabilities.iter().map(|capability| capability.in_words()).collect();
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
    let window: String = message.chars().take(MAX_MESSAGE + LOOK_AHEAD).collect();
    Some(redact(&window, scene.own.ok()?).text.chars().take(MAX_MESSAGE).collect())
}

/// Moves the tasks of this very agent on, where the user wants that.
fn move_on(scene: &mut Scene<'_>, from: &TaskStatus, to: &TaskStatus) {
    let Some(id) = scene.event.agent_id.as_deref().filter(|_| scene.settings.task_status) else { return };
    let is_meant = |task: &Task| task.owner_agent_id.as_deref() == Some(id) && task.status == *from;
    let now = scene.now();
    let moved = scene.nexus.lock(PATIENCE).and_then(|locked| {
        let Some(mut tasks) = locked.read::<Tasks>(TASKS, &now)? else { return Ok(()) };
        let mut meant = tasks.tasks.iter_mut().filter(|task| is_meant(task)).peekable();
        if meant.peek().is_none() {
            return Ok(());
        }
        // Nobody changes tasks while the history cannot be read.
        locked.nexus().read::<History>(HISTORY)?;
        meant.for_each(|task| task.status = to.clone());
        locked.write(TASKS, &tasks)
    });
    scene.tell(moved);
}
