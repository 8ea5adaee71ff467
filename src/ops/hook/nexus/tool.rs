//! A tool call: refused if the agent must not make it, logged when it is over.

use super::{HookReply, NexusHook, NexusRefusal, called};
use crate::context::brief;
use crate::contract::{self, Deed};
use crate::model::{AgentStatus, ContextPart, Hook, ToolAction, ToolCall};
use crate::nexus::{TASKS, ToolUse, UseStatus};
use crate::ops::nexus::change::NexusChange;
use crate::ops::nexus::notes;
use crate::ops::trace;
use crate::redact::{OwnPatterns, redact};

/// Maximum number of characters kept of a tool's name.
const MAX_NAME: usize = 200;

/// Maximum number of files that one call is logged with.
const MAX_FILES: usize = 50;

const NO_TASKS: &str = "This project has no open task, and edits require one (`nexus.edit_gate`). Add a task with \
                        nx_task_add, or plan it with the user with `[plan]`; then retry this edit.";

/// Returns why a call must not be made; a call that may start a subagent is recorded.
pub(super) fn before(hook: &mut NexusHook<'_>) -> HookReply {
    let refusal = refusal(hook);
    if refusal.is_none() {
        called::start(hook);
    }
    HookReply { refusal, ..HookReply::default() }
}

fn refusal(hook: &NexusHook<'_>) -> Option<NexusRefusal> {
    let call = hook.event.tool.as_ref()?;
    let is_concerned = |agent_type: &&String| {
        contract::role(agent_type).is_some_and(|role| contract::agent(&role).is_some())
    };
    let of_project = || {
        let mut deeds = contract::deeds(call);
        deeds.retain(|deed| concerns_project(hook, deed));
        deeds
    };
    let by_role = match hook.event.agent_type.as_ref().filter(is_concerned) {
        Some(agent_type) => called::refusal_of(agent_type, call, &of_project()),
        None => called::refusal(hook, call, of_project),
    };
    by_role.or_else(|| {
        let by = "nexus.edit_gate".to_owned();
        unplanned(hook, call).map(|reason| NexusRefusal { reason, by })
    })
}

/// Returns whether a deed changes the project: a file elsewhere is nobody's concern here, nor is an artifact.
fn concerns_project(hook: &NexusHook<'_>, deed: &Deed) -> bool {
    let (Deed::Write(path) | Deed::Remove(path)) = deed else { return true };
    // A tool of another server that does not say which file it changes may change any.
    path.is_empty()
        || (is_of_project(hook, path) && !hook.within_project(path).starts_with(".nexus/state/artifacts/"))
}

fn is_of_project(hook: &NexusHook<'_>, path: &str) -> bool {
    let within = hook.within_project(path);
    !path.starts_with('~') && !within.starts_with('/') && !within.contains(':')
}

/// Refuses edits in a project without tasks, if the user asked for that; notes and rules are always allowed.
fn unplanned(hook: &NexusHook<'_>, call: &ToolCall) -> Option<String> {
    if !hook.turn.settings.edit_gate {
        return None;
    }
    let is_planned =
        |path: &&String| is_of_project(hook, path) && !hook.within_project(path).starts_with(".nexus/");
    written(call).iter().find(is_planned)?;
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
    let is_command = matches!(call.action, ToolAction::Command { .. });
    let agent_id = hook.event.agent_id.clone().or_else(|| called::caller(hook));
    let line = |file: Option<&str>| ToolUse {
        ts: hook.now(),
        agent_id: agent_id.clone(),
        tool: trace::clean(&call.name, MAX_NAME, own),
        file: file.map(|path| redact(&hook.within_project(path), own).text.into_owned()),
        // A command that failed may have written before, so its files count as written.
        status: if failed && !(is_command && file.is_some()) { UseStatus::Error } else { UseStatus::Ok },
    };
    let files = written(call);
    // A patch or a command writes several files, and each gets a line.
    let lines: Vec<ToolUse> = match files.is_empty() {
        true => vec![line(None)],
        false => files.iter().take(MAX_FILES).map(|file| line(Some(file))).collect(),
    };
    for line in lines {
        let logged = hook.nexus.log_tool(&hook.harness, &line);
        hook.report(logged);
    }
    if matches!(call.action, ToolAction::Agent { .. }) && !hook.turn.agent.names_subagents {
        return called::stop(hook);
    }
    if failed {
        return HookReply::default();
    }
    match &call.action {
        ToolAction::Read { .. } | ToolAction::Command { .. } => {
            for read in notes::observe::observe(hook.event, &hook.nexus) {
                hook.apply(&read);
            }
        }
        ToolAction::Mcp { tool, .. } if tool == "nx_task_close" => end_mode(hook),
        ToolAction::Agent { .. } => return left_by(hook),
        _ => {}
    }
    HookReply::default()
}

/// Returns the files that a call writes or deletes.
fn written(call: &ToolCall) -> Vec<String> {
    let of_deeds = contract::deeds(call).into_iter().filter_map(|deed| match deed {
        // A folder stands for whatever git changes in it.
        Deed::Write(path) | Deed::Remove(path) if !path.is_empty() && path != "." => Some(path),
        _ => None,
    });
    let mut files: Vec<String> = named_files(&call.action).into_iter().map(str::to_owned).collect();
    for file in of_deeds {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

/// Returns the files that the arguments of an editing tool name.
fn named_files(action: &ToolAction) -> Vec<&str> {
    match action {
        ToolAction::Write { path, .. }
        | ToolAction::Edit { path, .. }
        | ToolAction::EditNotebook { path, .. }
        | ToolAction::Delete { path } => {
            Some(path.as_str()).into_iter().filter(|path| !path.is_empty()).collect()
        }
        ToolAction::Patch { changes } => changes.iter().flat_map(named_files).collect(),
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
