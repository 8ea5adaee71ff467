//! Looks up what is known about a task and earlier agents, and decides whether one of them should be resumed.

use serde::Serialize;

use super::PlanError;
use super::task;
use crate::contract::{self, ResumeQuestion, edited_since};
pub(crate) use crate::contract::{Decision, ResumeTier};
use crate::model::{AgentStatus, ReusePolicy, TrackedAgent};
use crate::nexus::Nexus;
use crate::system::clock;

/// The request; what it leaves out is looked up.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    /// The harness whose tracker is read.
    pub(crate) harness: String,
    pub(crate) task: Option<u64>,
    pub(crate) agent_id: Option<String>,
    pub(crate) owner: Option<String>,
    /// The role of the earlier agent, if the tracker does not know it.
    pub(crate) previous_owner: Option<String>,
    pub(crate) tier: Option<ResumeTier>,
    pub(crate) policy: Option<ReusePolicy>,
    pub(crate) files: Vec<String>,
    pub(crate) touched: Vec<String>,
    pub(crate) edited: Vec<String>,
}

/// The decision, and the agent that it is about.
#[derive(Debug, Serialize)]
pub(crate) struct ResumeAnswer {
    #[serde(flatten)]
    pub(crate) decision: Decision,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent_id: Option<String>,
}

pub(crate) fn resume_check(nexus: &Nexus, mut asked: Asked) -> Result<ResumeAnswer, PlanError> {
    if let Some(id) = asked.task {
        let tasks = task::read(nexus)?.ok_or(PlanError::NoTasks)?;
        let task = tasks.tasks.into_iter().find(|task| task.id == id).ok_or(PlanError::TaskNotFound(id))?;
        asked.owner = asked.owner.or(task.owner);
        asked.agent_id = asked.agent_id.or(task.owner_agent_id);
        asked.policy = asked.policy.or(task.owner_reuse_policy);
    }
    let tracked = nexus.tracked(&asked.harness)?;
    let earlier = earlier(&asked, &tracked);
    let role = earlier.and_then(|agent| agent.agent_name.clone()).or(asked.previous_owner.clone());
    let owner = asked.owner.as_deref().and_then(contract::role);
    let role_of_tier = owner.as_deref().or(role.as_deref());
    let known_tier = role_of_tier.and_then(contract::agent).map(|agent| agent.resume_tier);
    let question = ResumeQuestion {
        // An agent that is still working cannot take another task.
        available: earlier
            .map_or(asked.previous_owner.is_some(), |agent| agent.status == Some(AgentStatus::Completed)),
        tier: asked.tier.or(known_tier).unwrap_or(ResumeTier::Ephemeral),
        policy: asked.policy,
        same_owner: owner.is_none() || owner == role,
        files: asked.files.iter().map(|file| from_root(nexus, file)).collect(),
        touched: joined(earlier.map(|agent| agent.touched().to_vec()), asked.touched),
        edited: joined(earlier.map(|agent| edited_since(agent, &tracked, clock::timestamp())), asked.edited),
    };
    let agent_id = earlier.and_then(|agent| agent.agent_id.clone());
    Ok(ResumeAnswer { decision: contract::decide(&question), agent_id })
}

/// Returns the agent with the given id, or else the last one with the role of the task's owner.
fn earlier<'t>(asked: &Asked, tracked: &'t [TrackedAgent]) -> Option<&'t TrackedAgent> {
    match &asked.agent_id {
        Some(id) => tracked.iter().rfind(|agent| agent.is(id)),
        None if asked.previous_owner.is_some() => None,
        None => {
            let owner = asked.owner.as_deref().and_then(contract::role)?;
            tracked.iter().rfind(|agent| agent.agent_name.as_ref() == Some(&owner))
        }
    }
}

fn from_root(nexus: &Nexus, file: &str) -> String {
    let path = std::path::Path::new(file);
    let within = path.strip_prefix(nexus.project()).unwrap_or(path);
    let within = within.strip_prefix(".").unwrap_or(within);
    within.to_string_lossy().replace('\\', "/")
}

fn joined(known: Option<Vec<String>>, given: Vec<String>) -> Vec<String> {
    known.into_iter().flatten().chain(given).collect()
}
