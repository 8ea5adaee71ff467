//! The agents and skills of the contract with their bodies: those that are built in, from `assets`, or those of a
//! nexus-core folder that the user supplies.

use serde::{Deserialize, Serialize};

use super::macros::expand;
use super::sha256::sha256;
use super::tags::quoted;
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

/// Returns the skill whose built-in body is in a prompt, as agents put it there that expand their commands themselves.
pub(crate) fn skill_in(prompt: &str) -> Option<&'static str> {
    SKILL_BODIES.iter().find(|(_, body)| prompt.contains(body.trim_end())).map(|(id, _)| *id)
}

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

    /// Replaces the bodies of which there is another source; where a manifest names the hash of a body, it must fit.
    pub(crate) fn with_bodies(
        mut self,
        manifest: Option<&str>,
        source: impl Fn(BodyKind, &str) -> Result<Option<String>, String>,
    ) -> Result<Catalogue, String> {
        let manifest: ManifestWire = match manifest {
            Some(text) => serde_json::from_str(text).map_err(|error| format!("`manifest.json`: {error}"))?,
            None => ManifestWire::default(),
        };
        for agent in &mut self.agents {
            let Some(raw) = source(BodyKind::Agent, &agent.id)? else { continue };
            let body = replaced(&agent.id, &raw, &manifest.agents)?;
            (agent.body, agent.body_hash) = (body, sha256(raw.as_bytes()));
        }
        for skill in &mut self.skills {
            let Some(raw) = source(BodyKind::Skill, &skill.id)? else { continue };
            let body = quoted(&replaced(&skill.id, &raw, &manifest.skills)?);
            if let Some(syntax) = RUNS_OR_READS.iter().find(|syntax| body.contains(**syntax)) {
                return Err(format!(
                    "the body of `{}` has `{syntax}`, which runs a command or reads a file",
                    skill.id
                ));
            }
            (skill.body, skill.body_hash) = (body, sha256(raw.as_bytes()));
        }
        Ok(self)
    }

    /// Returns what the agents' own files are made from.
    pub(crate) fn team(&self) -> Team {
        Team {
            roles: self.agents.iter().map(AgentEntry::role).collect(),
            skills: self.skills.iter().map(SkillEntry::skill).collect(),
        }
    }
}

/// What makes an agent run a command or read a file when the user calls a skill: Gemini CLI (the first two), and Claude
/// Code and OpenCode (the last).
const RUNS_OR_READS: [&str; 3] = ["!{", "@{", "!`"];

/// What a body belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyKind {
    Agent,
    Skill,
}

impl BodyKind {
    /// Returns the folder that has the bodies.
    pub(crate) fn folder(self) -> &'static str {
        match self {
            BodyKind::Agent => "agents",
            BodyKind::Skill => "skills",
        }
    }
}

/// The manifest of a nexus-core folder, as far as it concerns bodies.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ManifestWire {
    agents: Vec<ManifestEntryWire>,
    skills: Vec<ManifestEntryWire>,
}

#[derive(Debug, Deserialize)]
struct ManifestEntryWire {
    id: String,
    body_hash: Option<String>,
}

/// Checks a body against the manifest, and writes its macros out.
fn replaced(id: &str, raw: &str, listed: &[ManifestEntryWire]) -> Result<String, String> {
    let hash = listed.iter().find(|entry| entry.id == id).and_then(|entry| entry.body_hash.as_deref());
    if hash.is_some_and(|hash| hash != sha256(raw.as_bytes())) {
        return Err(format!("the body of `{id}` is not the one of the manifest (`body_hash`)"));
    }
    if raw.trim().is_empty() {
        return Err(format!("the body of `{id}` is empty"));
    }
    expand(raw).map_err(|why| format!("the body of `{id}`: {why}"))
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
