//! The nine agents of the contract, and what each of them must not do.

use serde::Serialize;

use super::capability::Capability::{self, NoFileEdit, NoTaskCreate, NoTaskUpdate};
use ResumeTier::{Bounded, Ephemeral, Persistent};

/// One of the agents of the contract.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ContractAgent {
    pub(crate) id: &'static str,
    pub(crate) category: &'static str,
    pub(crate) resume_tier: ResumeTier,
    pub(crate) model_tier: &'static str,
    pub(crate) capabilities: &'static [Capability],
}

/// Whether an agent continues its earlier work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ResumeTier {
    Persistent,
    Bounded,
    Ephemeral,
}

const ADVISES: &[Capability] = &[NoFileEdit, NoTaskCreate, NoTaskUpdate];
const INSPECTS: &[Capability] = &[NoFileEdit, NoTaskCreate];
const WRITES: &[Capability] = &[NoTaskCreate];

pub(crate) const AGENTS: [ContractAgent; 9] = [
    agent_row("architect", "how", Persistent, "high", ADVISES),
    agent_row("designer", "how", Persistent, "high", ADVISES),
    agent_row("postdoc", "how", Persistent, "high", ADVISES),
    agent_row("strategist", "how", Persistent, "high", ADVISES),
    agent_row("engineer", "do", Bounded, "standard", WRITES),
    agent_row("writer", "do", Bounded, "standard", WRITES),
    agent_row("researcher", "do", Persistent, "standard", INSPECTS),
    agent_row("tester", "check", Ephemeral, "standard", INSPECTS),
    agent_row("reviewer", "check", Ephemeral, "standard", INSPECTS),
];

const fn agent_row(
    id: &'static str,
    category: &'static str,
    resume_tier: ResumeTier,
    model_tier: &'static str,
    capabilities: &'static [Capability],
) -> ContractAgent {
    ContractAgent { id, category, resume_tier, model_tier, capabilities }
}

/// Returns the agent of this role; other agents have no restrictions.
pub(crate) fn agent(role: &str) -> Option<&'static ContractAgent> {
    AGENTS.iter().find(|agent| agent.id == role)
}

/// Returns the role in an agent type of a harness, in the form of the tracker: `nexus:architect` is an `architect`.
pub(crate) fn role(agent_type: &str) -> Option<String> {
    let name = agent_type.rsplit(':').next().unwrap_or(agent_type).trim().to_ascii_lowercase();
    let plain = |c: char| if c.is_ascii_lowercase() || c.is_ascii_digit() { c } else { '-' };
    let name: String = name.chars().map(plain).collect();
    let name = name.trim_start_matches(|c: char| !c.is_ascii_lowercase());
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests;
