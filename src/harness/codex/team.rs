//! Codex: agents in `agents/NAME.toml`, skills in `skills/NAME/SKILL.md`, which the user calls as `$NAME`.
//!
//! In a project it reads skills from `.agents/skills`, as Gemini CLI does.

use super::install::settings_folder;
use crate::harness::place::InstallPlace;
use crate::harness::team::{DocumentParts, TeamForm, quoted_text, skill_document, toml_text};
use crate::model::{AgentManner, InstallScope, TeamRole};

pub(super) static MANNER: AgentManner = AgentManner {
    tool_prefix: "",
    tool_search: "`tool_search` finds them",
    spawn: "`spawn_agent`, which `tool_search` finds, `agent_type`; with this tag the user asks for sub-agents",
    general: "default",
};

pub(super) static TEAM: TeamForm = TeamForm {
    role_file: |place, role| place.base(settings_folder(place), ".codex").join(format!("agents/{role}.toml")),
    role_text,
    skill_file,
    skill_text: skill_document,
    rival_client: None,
};

fn skill_file(place: &InstallPlace<'_>, skill: &str) -> std::path::PathBuf {
    let base = match place.reach {
        InstallScope::User => settings_folder(place),
        InstallScope::Project => place.project.join(".agents"),
    };
    base.join(format!("skills/{skill}/SKILL.md"))
}

/// A model may be missing in somebody's account, so the high tier thinks more instead.
fn role_text(role: &TeamRole) -> DocumentParts {
    let effort = if role.is_high_tier { "model_reasoning_effort = \"high\"\n" } else { "" };
    let head = format!("name = {}\n", quoted_text(&role.id));
    let rest = format!(
        "description = {}\n{effort}developer_instructions = {}\n",
        quoted_text(&role.description),
        toml_text(&role.body)
    );
    (head, rest)
}
