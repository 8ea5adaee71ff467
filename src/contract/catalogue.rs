//! The agents and skills of the contract with their bodies: those that are built in, from `assets`.

use serde::{Deserialize, Serialize};

use super::sha256::sha256;
use super::{Capability, agent};
use crate::model::{Team, TeamRole, TeamSkill};

const AGENTS: &str = include_str!("../../assets/vocabulary/agents.toml");
const SKILLS: &str = include_str!("../../assets/vocabulary/skills.toml");

/// The bodies of agents and skills, by id.
macro_rules! bodies {
    ($folder:literal, $($id:literal),+) => {
        [$(($id, include_str!(concat!("../../assets/", $folder, "/", $id, ".md")))),+]
    };
}
const BODIES: [(&str, &str); 9] = bodies!(
    "agents",
    "architect",
    "designer",
    "postdoc",
    "strategist",
    "engineer",
    "writer",
    "researcher",
    "tester",
    "reviewer"
);
const SKILL_BODIES: [(&str, &str); 4] = bodies!("skills", "nx-plan", "nx-run", "nx-sync", "nx-init");

/// All agents and skills, as the manifest of the contract lists them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Catalogue {
    pub(crate) agents: Vec<AgentEntry>,
    pub(crate) skills: Vec<SkillEntry>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentEntry {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) task: String,
    pub(crate) alias_ko: String,
    pub(crate) category: String,
    pub(crate) resume_tier: String,
    pub(crate) model_tier: String,
    pub(crate) capabilities: Vec<String>,
    #[serde(default)]
    pub(crate) body_hash: String,
    #[serde(skip)]
    pub(crate) body: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SkillEntry {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) summary: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) triggers: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) manual_only: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) harness_docs_refs: Vec<String>,
    #[serde(default)]
    pub(crate) body_hash: String,
    #[serde(skip)]
    pub(crate) body: String,
}

impl Catalogue {
    /// Returns what is built in.
    pub(crate) fn built_in() -> Catalogue {
        #[derive(Deserialize)]
        struct CataloguePart {
            agents: Vec<AgentEntry>,
            skills: Vec<SkillEntry>,
        }
        let parsed: CataloguePart = toml::from_str(&format!("{AGENTS}\n{SKILLS}"))
            .expect("the built-in catalogue is valid, as a test verifies");
        let CataloguePart { mut agents, mut skills } = parsed;
        let body = |bodies: &[(&str, &'static str)], id: &str| {
            bodies.iter().find(|(known, _)| *known == id).map_or("", |(_, body)| body)
        };
        for agent in &mut agents {
            agent.set_body(body(&BODIES, &agent.id));
        }
        for skill in &mut skills {
            skill.set_body(body(&SKILL_BODIES, &skill.id));
        }
        Catalogue { agents, skills }
    }

    /// Returns what the agents' own files are made from.
    pub(crate) fn team(&self) -> Team {
        Team {
            roles: self.agents.iter().map(AgentEntry::role).collect(),
            skills: self.skills.iter().map(SkillEntry::skill).collect(),
        }
    }
}

impl AgentEntry {
    pub(super) fn set_body(&mut self, body: &str) {
        self.body_hash = sha256(body.as_bytes());
        body.clone_into(&mut self.body);
    }

    fn role(&self) -> TeamRole {
        let is_kept_from =
            |capability| agent(&self.id).is_some_and(|known| known.capabilities.contains(&capability));
        let edits_files = !is_kept_from(Capability::NoFileEdit);
        TeamRole {
            id: self.id.clone(),
            description: self.description.clone(),
            body: self.body.clone(),
            is_high_tier: self.model_tier == "high",
            edits_files,
            changes_tasks: !is_kept_from(Capability::NoTaskUpdate),
            needs_shell: edits_files || self.id == "tester",
        }
    }
}

impl SkillEntry {
    pub(super) fn set_body(&mut self, body: &str) {
        self.body_hash = sha256(body.as_bytes());
        body.clone_into(&mut self.body);
    }

    fn skill(&self) -> TeamSkill {
        TeamSkill {
            id: self.id.clone(),
            description: self.description.clone(),
            summary: self.summary.clone(),
            body: self.body.clone(),
            tag: self.triggers.first().map(|trigger| format!("[{trigger}]")),
            is_manual: self.manual_only,
        }
    }
}

#[cfg(test)]
mod tests;
