//! The use of a tool: refused where the agent must not, logged once it is over.

use super::deed::Deed;
use super::{Said, Scene};
use crate::context::brief;
use crate::contract::refusal;
use crate::model::{AgentStatus, Hook, Part, ToolAction};
use crate::nexus::{TASKS, ToolUse, UseStatus};
use crate::ops::hook::trace;
use crate::ops::nexus::notes;
use crate::redact::{OwnPatterns, redact};

/// A tool's name is kept up to here.
const MAX_NAME: usize = 200;

const NO_TASKS: &str = "No task is open in this project, and edits wait for one (`nexus.edit_gate`). Say what is to be \
                        done with nx_task_add, or plan it with the user by `[plan]`; then make this edit again.";

/// Says why a call must not be made.
pub(super) fn before(scene: &Scene<'_>) -> Said {
    let Some(call) = &scene.event.tool else { return Said::default() };
    let by_role = scene.event.agent_type.as_ref().and_then(|agent_type| refusal(agent_type, call));
    let refusal = by_role.or_else(|| unplanned(scene, &call.action));
    Said { refusal, ..Said::default() }
}

/// Edits of the project wait for tasks, where the user has asked for that; notes and rules never do.
fn unplanned(scene: &Scene<'_>, action: &ToolAction) -> Option<String> {
    if !scene.settings.edit_gate {
        return None;
    }
    let is_of_project = |path: &&str| {
        let path = scene.within_project(path);
        !path.starts_with('/') && !path.contains(':') && !path.starts_with(".nexus/")
    };
    written(action).iter().find(|path| is_of_project(path))?;
    (!scene.nexus.path(TASKS).exists()).then(|| NO_TASKS.to_owned())
}

/// Logs the call, counts the read of a note, and tells the main conversation what a subagent has left.
pub(super) fn after(scene: &mut Scene<'_>) -> Said {
    let Some(call) = &scene.event.tool else { return Said::default() };
    let result = scene.event.result.as_ref();
    let failed = scene.event.hook == Hook::PostToolUseFailure || result.is_some_and(|result| result.failed);
    // A bad pattern is told where events are remembered; a path is not worth doing without.
    let none = OwnPatterns::default();
    let own = scene.own.unwrap_or(&none);
    let line = |file: Option<&str>| ToolUse {
        ts: scene.now(),
        agent_id: scene.event.agent_id.clone(),
        tool: trace::clean(&call.name, MAX_NAME, own),
        file: file.map(|path| redact(&scene.within_project(path), own).text.into_owned()),
        status: if failed { UseStatus::Error } else { UseStatus::Ok },
    };
    let files = written(&call.action);
    // A patch writes several files, and each of them is one line.
    let lines: Vec<ToolUse> =
        if files.is_empty() { vec![line(None)] } else { files.into_iter().map(Some).map(line).collect() };
    for line in lines {
        let logged = scene.nexus.log_tool(&scene.harness, &line);
        scene.tell(logged);
    }
    if failed {
        return Said::default();
    }
    match &call.action {
        ToolAction::Read { .. } => {
            if let Some(read) = notes::observe::observe(scene.event, &scene.nexus) {
                scene.make(&read);
            }
        }
        ToolAction::Mcp { tool, .. } if tool == "nx_task_close" => end_mode(scene),
        ToolAction::Agent { .. } => return left_by(scene),
        _ => {}
    }
    Said::default()
}

/// Returns the files that a call writes.
fn written(action: &ToolAction) -> Vec<&str> {
    match action {
        ToolAction::Write { path, .. }
        | ToolAction::Edit { path, .. }
        | ToolAction::EditNotebook { path, .. }
        | ToolAction::Delete { path } => {
            Some(path.as_str()).into_iter().filter(|path| !path.is_empty()).collect()
        }
        ToolAction::Patch { changes } => changes.iter().flat_map(written).collect(),
        _ => Vec::new(),
    }
}

/// The cycle is closed, and whatever tag was followed has come to its end.
fn end_mode(scene: &mut Scene<'_>) {
    if scene.mode().is_some() {
        scene.make(&Deed::ClearMode);
    }
}

/// An agent that works on in the background has left nothing yet.
fn left_by(scene: &mut Scene<'_>) -> Said {
    let Some(id) = scene.event.result.as_ref().and_then(|result| result.agent_id.as_deref()) else {
        return Said::default();
    };
    let tracked = scene.nexus.tracked(&scene.harness);
    let tracked = scene.tell(tracked).unwrap_or_default();
    let stopped = tracked.iter().find(|agent| agent.is(id) && agent.status == Some(AgentStatus::Completed));
    let (Some(agent), Some(tasks)) = (stopped, scene.tasks()) else { return Said::default() };
    let role = agent.agent_name.as_deref();
    let left = brief::left_open(agent.shown(), tasks.left_by(id, role), tasks.pending_for(role));
    Said::of(Part::Tasks, left)
}
