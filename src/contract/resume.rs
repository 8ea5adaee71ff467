//! Decides whether an earlier agent continues with the next task, or a new one starts.
//!
//! A bounded agent never continues if its files were changed since by another agent, whatever the task says. Otherwise
//! the policy of the task decides, then the tier of the agent.

use serde::Serialize;

use super::agents::ResumeTier;
use crate::model::{AgentStatus, ReusePolicy, Timestamp, TrackedAgent};

/// Everything that the decision depends on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ResumeQuestion {
    /// Whether there is an earlier agent that can be resumed.
    pub(crate) available: bool,
    pub(crate) tier: ResumeTier,
    pub(crate) policy: Option<ReusePolicy>,
    pub(crate) same_owner: bool,
    /// The files that the task is about.
    pub(crate) files: Vec<String>,
    /// The files that the earlier agent has written.
    pub(crate) touched: Vec<String>,
    /// The files that others have written since.
    pub(crate) edited: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
pub(crate) enum Decision {
    /// The earlier agent continues, after it has read these files again.
    Resume { reread: Vec<String> },
    /// A new agent starts, for this reason.
    Fresh { reason: String },
}

pub(crate) fn decide(question: &ResumeQuestion) -> Decision {
    let foreign: Vec<&String> = question.files.iter().filter(|file| question.edited.contains(file)).collect();
    let resume = || Decision::Resume { reread: question.files.clone() };
    if !question.available {
        return fresh("no earlier agent can continue");
    }
    if question.tier == ResumeTier::Bounded && !foreign.is_empty() {
        return fresh(format!("another agent has changed {} since", listed(&foreign)));
    }
    match (&question.policy, question.tier) {
        (Some(ReusePolicy::Fresh), _) => fresh("the task asks for a new agent"),
        (Some(ReusePolicy::Resume), _) => resume(),
        (Some(ReusePolicy::ResumeIfSameArtifact), _) => resume_if_same_files(question, &foreign),
        // An unknown policy of a newer version is ignored.
        (None | Some(ReusePolicy::Other(_)), ResumeTier::Persistent) => resume(),
        (None | Some(ReusePolicy::Other(_)), ResumeTier::Bounded) => resume_if_same_files(question, &foreign),
        (None | Some(ReusePolicy::Other(_)), ResumeTier::Ephemeral) => {
            fresh("agents with this role always start fresh")
        }
    }
}

/// Resumes only for the same owner and the same files, if no other agent has changed them.
fn resume_if_same_files(question: &ResumeQuestion, foreign: &[&String]) -> Decision {
    let others: Vec<&String> =
        question.files.iter().filter(|file| !question.touched.contains(file)).collect();
    if !question.same_owner {
        fresh("the task belongs to another role")
    } else if question.files.is_empty() {
        fresh("it is not known which files the task is about")
    } else if !others.is_empty() {
        fresh(format!("the earlier agent has not worked on {}", listed(&others)))
    } else if !foreign.is_empty() {
        fresh(format!("another agent has changed {} since", listed(foreign)))
    } else {
        Decision::Resume { reread: question.files.clone() }
    }
}

/// Returns the files that other agents have written since this one stopped.
///
/// If a time is missing, cannot be parsed, or is still to come, the files count as changed since: a clock was wrong.
pub(crate) fn edited_since(agent: &TrackedAgent, all: &[TrackedAgent], now: Timestamp) -> Vec<String> {
    let time = |text: &Option<String>| text.as_ref()?.parse::<jiff::Timestamp>().ok();
    let stopped = time(&agent.stopped_at).filter(|stopped| stopped.as_second() <= now.0);
    let is_later = |other: &TrackedAgent| match (time(&other.stopped_at), stopped) {
        (Some(other), Some(own)) => other >= own,
        _ => true,
    };
    let others = all.iter().filter(|other| {
        other.agent_id != agent.agent_id && other.status == Some(AgentStatus::Completed) && is_later(other)
    });
    let mut files: Vec<String> = others.flat_map(|other| other.touched().to_vec()).collect();
    files.sort();
    files.dedup();
    files
}

fn fresh(reason: impl Into<String>) -> Decision {
    Decision::Fresh { reason: reason.into() }
}

fn listed(files: &[&String]) -> String {
    files.iter().map(|file| format!("`{file}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
