//! The nine agents that every harness of the contract knows, and what each of them may not do.

use serde::Serialize;

use super::capability::Capability::{self, NoFileEdit, NoTaskCreate, NoTaskUpdate};
use ResumeTier::{Bounded, Ephemeral, Persistent};

/// One of the agents of the contract.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Agent {
    pub(crate) id: &'static str,
    pub(crate) category: &'static str,
    pub(crate) resume_tier: ResumeTier,
    pub(crate) model_tier: &'static str,
    pub(crate) capabilities: &'static [Capability],
}

/// Whether an agent that did something before goes on with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ResumeTier {
    Persistent,
    Bounded,
    Ephemeral,
}

const THINKS: &[Capability] = &[NoFileEdit, NoTaskCreate, NoTaskUpdate];
const LOOKS: &[Capability] = &[NoFileEdit, NoTaskCreate];
const WRITES: &[Capability] = &[NoTaskCreate];

pub(crate) const AGENTS: [Agent; 9] = [
    of("architect", "how", Persistent, "high", THINKS),
    of("designer", "how", Persistent, "high", THINKS),
    of("postdoc", "how", Persistent, "high", THINKS),
    of("strategist", "how", Persistent, "high", THINKS),
    of("engineer", "do", Bounded, "standard", WRITES),
    of("writer", "do", Bounded, "standard", WRITES),
    of("researcher", "do", Persistent, "standard", LOOKS),
    of("tester", "check", Ephemeral, "standard", LOOKS),
    of("reviewer", "check", Ephemeral, "standard", LOOKS),
];

const fn of(
    id: &'static str,
    category: &'static str,
    resume_tier: ResumeTier,
    model_tier: &'static str,
    capabilities: &'static [Capability],
) -> Agent {
    Agent { id, category, resume_tier, model_tier, capabilities }
}

/// Returns the agent of this role; one of another name is free.
pub(crate) fn agent(role: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|agent| agent.id == role)
}

/// Returns the role in a harness's type of agent, as the tracker can have it: `nexus:architect` is an `architect`.
pub(crate) fn role(agent_type: &str) -> Option<String> {
    let name = agent_type.rsplit(':').next().unwrap_or(agent_type).trim().to_ascii_lowercase();
    let plain = |c: char| if c.is_ascii_lowercase() || c.is_ascii_digit() { c } else { '-' };
    let name: String = name.chars().map(plain).collect();
    let name = name.trim_start_matches(|c: char| !c.is_ascii_lowercase());
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests;
