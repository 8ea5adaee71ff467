//! OpenCode: agents in `agents/NAME.md`, commands in `commands/NAME.md`.

use super::install::settings_folder;
use crate::harness::place::InstallPlace;
use crate::harness::team::{
    DocumentParts, TeamForm, command_text, denied_tools, quoted_text, with_front_matter,
};
use crate::model::{AgentManner, TeamRole, TeamSkill};

pub(super) static MANNER: AgentManner = AgentManner {
    tool_prefix: "nudge_",
    tool_search: "",
    spawn: "the task tool, `subagent_type`",
    general: "general",
};

pub(super) static TEAM: TeamForm = TeamForm {
    role_file: |place, role| base(place).join(format!("agents/{role}.md")),
    role_text,
    skill_file: |place, skill| base(place).join(format!("commands/{skill}.md")),
    skill_text,
    rival_client: None,
};

fn base(place: &InstallPlace<'_>) -> std::path::PathBuf {
    place.base(settings_folder(place), ".opencode")
}

/// Its providers have models of any name, so the tier is left to the user.
fn role_text(role: &TeamRole) -> DocumentParts {
    let edits = if role.edits_files { "" } else { "\n  edit: deny" };
    let denied = denied_tools(role).into_iter().map(|tool| format!("\n  {}{tool}: deny", MANNER.tool_prefix));
    let permission = format!("{edits}{}", denied.collect::<String>());
    let keys = [
        ("description", quoted_text(&role.description)),
        ("mode", "subagent".to_owned()),
        ("permission", permission),
    ];
    with_front_matter(&keys, &role.body)
}

fn skill_text(skill: &TeamSkill) -> DocumentParts {
    let keys = [("description", quoted_text(&skill.summary))];
    with_front_matter(&keys, &command_text(skill, "$ARGUMENTS"))
}
