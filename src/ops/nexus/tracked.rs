//! Changes to agents in the tracker: find, start, resume, complete, and drop old ones.

use crate::model::{AgentStatus, TrackedAgent};

/// Maximum number of subagents tracked in a session; the oldest stopped ones are dropped first.
const MAX_AGENTS: usize = 500;

/// Returns the index of an agent; without an id, of the last one of its role that still runs.
pub(crate) fn find(agents: &[TrackedAgent], id: Option<&str>, role: Option<&str>) -> Option<usize> {
    match id {
        Some(id) => agents.iter().rposition(|agent| agent.is(id)),
        None => agents.iter().rposition(|agent| {
            role.is_some()
                && agent.agent_name.as_deref() == role
                && agent.status == Some(AgentStatus::Running)
        }),
    }
}

pub(crate) fn spawned(harness: &str, id: Option<String>, role: Option<String>, at: &str) -> TrackedAgent {
    TrackedAgent {
        harness_id: harness.to_owned(),
        agent_name: role,
        agent_id: id,
        started_at: at.to_owned(),
        status: Some(AgentStatus::Running),
        ..TrackedAgent::default()
    }
}

/// Marks an agent as running again.
pub(crate) fn resume(agent: &mut TrackedAgent, at: &str) {
    agent.status = Some(AgentStatus::Running);
    agent.resume_count += 1;
    agent.last_resumed_at = Some(at.to_owned());
}

pub(crate) fn complete(agent: &mut TrackedAgent, at: &str, message: Option<String>, files: &[String]) {
    agent.status = Some(AgentStatus::Completed);
    agent.stopped_at = Some(at.to_owned());
    agent.last_message = message.or(agent.last_message.take());
    let mut touched = agent.files_touched.take().unwrap_or_default();
    for file in files {
        if !touched.contains(file) {
            touched.push(file.clone());
        }
    }
    agent.files_touched = Some(touched);
}

pub(crate) fn make_room(agents: &mut Vec<TrackedAgent>) {
    while agents.len() > MAX_AGENTS {
        let stopped = agents.iter().position(|agent| agent.status == Some(AgentStatus::Completed));
        agents.remove(stopped.unwrap_or(0));
    }
}
