//! A tool call: refused if the agent must not make it, logged when it is over.

use super::{HookReply, NexusHook};
use crate::context::brief;
use crate::contract::refusal;
use crate::model::{AgentStatus, ContextPart, Hook, ToolAction};
use crate::nexus::{TASKS, ToolUse, UseStatus};
use crate::ops::nexus::change::NexusChange;
use crate::ops::nexus::notes;
use crate::ops::trace;
use crate::redact::{OwnPatterns, redact};

/// Maximum number of characters kept of a tool's name.
const MAX_NAME: usize = 200;

const NO_TASKS: &str = "This project has no open task, and edits require one (`nexus.edit_gate`). Add a task with \
                        nx_task_add, or plan it with the user with `[plan]`; then retry this edit.";

/// Returns why a call must not be made.
pub(super) fn before(hook: &NexusHook<'_>) -> HookReply {
    let Some(call) = &hook.event.tool else { return HookReply::default() };
    let by_role = hook.event.agent_type.as_ref().and_then(|agent_type| refusal(agent_type, call));
    let refusal = by_role.or_else(|| unplanned(hook, &call.action));
    HookReply { refusal, ..HookReply::default() }
}

/// Refuses edits in a project without tasks, if the user asked for that; notes and rules are always allowed.
fn unplanned(hook: &NexusHook<'_>, action: &ToolAction) -> Option<String> {
    if !hook.turn.settings.edit_gate {
        return None;
    }
    let is_of_project = |path: &&str| {
        let path = hook.within_project(path);
        !path.starts_with('/') && !path.contains(':') && !path.starts_with(".nexus/")
    };
    written(action).iter().find(|path| is_of_project(path))?;
    (!hook.nexus.path(TASKS).exists()).then(|| NO_TASKS.to_owned())
}

/// Logs the call, counts the read of a note, and tells the main conversation what a subagent left open.
pub(super) fn after(hook: &mut NexusHook<'_>) -> HookReply {
    let Some(call) = &hook.event.tool else { return HookReply::default() };
    let result = hook.event.result.as_ref();
    let failed = hook.event.hook == Hook::PostToolUseFailure || result.is_some_and(|result| result.failed);
    // A broken pattern is reported where events are remembered; it is no reason to do without the path.
    let none = OwnPatterns::default();
    let own = hook.turn.secrets().unwrap_or(&none);
    let line = |file: Option<&str>| ToolUse {
        ts: hook.now(),
        agent_id: hook.event.agent_id.clone(),
        tool: trace::clean(&call.name, MAX_NAME, own),
        file: file.map(|path| redact(&hook.within_project(path), own).text.into_owned()),
        status: if failed { UseStatus::Error } else { UseStatus::Ok },
    };
    let files = written(&call.action);
    // A patch writes several files, and each gets a line.
    let lines: Vec<ToolUse> =
        if files.is_empty() { vec![line(None)] } else { files.into_iter().map(Some).map(line).collect() };
    for line in lines {
        let logged = hook.nexus.log_tool(&hook.harness, &line);
        hook.report(logged);
    }
    if failed {
        return HookReply::default();
    }
    match &call.action {
        ToolAction::Read { .. } => {
            if let Some(read) = notes::observe::observe(hook.event, &hook.nexus) {
                hook.apply(&read);
            }
        }
        ToolAction::Mcp { tool, .. } if tool == "nx_task_close" => end_mode(hook),
        ToolAction::Agent { .. } => return left_by(hook),
        _ => {}
    }
    HookReply::default()
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

/// Clears the mode: the cycle is closed, so the tag that started it is done.
fn end_mode(hook: &mut NexusHook<'_>) {
    if hook.mode().is_some() {
        let session = hook.session().map(str::to_owned);
        hook.apply(&NexusChange::ClearMode { session });
    }
}

/// Says what a stopped subagent left open; one that still works in the background has left nothing yet.
fn left_by(hook: &mut NexusHook<'_>) -> HookReply {
    let Some(id) = hook.event.result.as_ref().and_then(|result| result.agent_id.as_deref()) else {
        return HookReply::default();
    };
    let tracked = hook.nexus.tracked(&hook.harness);
    let tracked = hook.report(tracked).unwrap_or_default();
    let stopped = tracked.iter().find(|agent| agent.is(id) && agent.status == Some(AgentStatus::Completed));
    let (Some(agent), Some(tasks)) = (stopped, hook.tasks()) else { return HookReply::default() };
    let role = agent.agent_name.as_deref();
    let left = brief::left_open(agent.shown(), tasks.left_by(id, role), tasks.pending_for(role));
    HookReply::of(ContextPart::Tasks, left)
}
