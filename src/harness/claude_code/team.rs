//! Claude Code: agents in `agents/NAME.md`, skills in `skills/NAME/SKILL.md`, which it also offers as `/NAME`.

use super::install::settings_folder;
use crate::harness::place::InstallPlace;
use crate::harness::team::{
    DocumentParts, TeamForm, denied_tools, quoted_text, skill_document, with_front_matter,
};
use crate::model::{AgentManner, TeamRole, TeamSkill};

pub(super) static MANNER: AgentManner = AgentManner {
    tool_prefix: "mcp__nudge__",
    tool_search: "ToolSearch finds them",
    spawn: "the Agent tool, `subagent_type`",
    general: "general-purpose",
};

pub(super) static TEAM: TeamForm = TeamForm {
    role_file: |place, role| base(place).join(format!("agents/{role}.md")),
    role_text,
    skill_file: |place, skill| base(place).join(format!("skills/{skill}/SKILL.md")),
    skill_text,
    rival_client: None,
};

fn base(place: &InstallPlace<'_>) -> std::path::PathBuf {
    place.base(settings_folder(place), ".claude")
}

/// The tools that change files.
const EDITING: [&str; 4] = ["Write", "Edit", "MultiEdit", "NotebookEdit"];

fn role_text(role: &TeamRole) -> DocumentParts {
    role_document(role, MANNER.tool_prefix)
}

/// Returns the description of an agent: the best model for the high tier, for the others what the user has chosen.
fn role_document(role: &TeamRole, tool_prefix: &str) -> DocumentParts {
    let editing = EDITING.iter().filter(|_| !role.edits_files).map(|tool| (*tool).to_owned());
    let denied = denied_tools(role).into_iter().map(|tool| format!("{tool_prefix}{tool}"));
    let keys = [
        ("name", role.id.clone()),
        ("description", quoted_text(&role.description)),
        ("model", if role.is_high_tier { "opus" } else { "inherit" }.to_owned()),
        ("disallowedTools", editing.chain(denied).collect::<Vec<_>>().join(", ")),
    ];
    with_front_matter(&keys, &role.body)
}

fn skill_text(skill: &TeamSkill) -> DocumentParts {
    let (mut front, body) = skill_document(skill);
    if skill.is_manual {
        front.push_str("disable-model-invocation: true\n");
    }
    (front, body)
}

/// Returns the files of the plugin, whose server and agents have other names.
#[cfg(test)]
pub(crate) fn plugin_documents(team: &crate::model::Team) -> Vec<(String, String)> {
    let roles = team.roles.iter().map(|role| {
        let (front, body) = role_document(role, "mcp__plugin_nudge_nudge__");
        (format!("agents/{}.md", role.id), front + &body)
    });
    let skills = team.skills.iter().map(|skill| {
        let (front, body) = skill_text(skill);
        (format!("skills/{}/SKILL.md", skill.id), front + &body)
    });
    roles.chain(skills).collect()
}
