//! Gemini CLI: agents in `agents/NAME.md`, commands in `commands/NAME.toml`.
//!
//! Its hooks do not say which agent calls a tool, so the list of tools in the file is what keeps a role to its limits:
//! who edits no files has no shell, except the tester, whose work it is to run things.

use super::install::settings_folder;
use crate::harness::place::InstallPlace;
use crate::harness::team::{
    DocumentParts, READING_TOOLS, TeamForm, command_text, quoted_text, toml_text, with_front_matter,
};
use crate::model::{AgentManner, TeamRole, TeamSkill};

pub(super) static MANNER: AgentManner = AgentManner {
    tool_prefix: "mcp_nudge_",
    tool_search: "",
    spawn: "`invoke_agent`, `agent_name`",
    general: "generalist",
};

pub(super) static TEAM: TeamForm = TeamForm {
    role_file: |place, role| base(place).join(format!("agents/{role}.md")),
    role_text,
    skill_file: |place, skill| base(place).join(format!("commands/{skill}.toml")),
    skill_text,
    // It renames both, and tells the user at every start.
    rival_client: Some("gemini-cli-mcp-client"),
};

fn base(place: &InstallPlace<'_>) -> std::path::PathBuf {
    place.base(settings_folder(place), ".gemini")
}

const READING: [&str; 6] =
    ["read_file", "list_directory", "glob", "grep_search", "web_fetch", "google_web_search"];

fn role_text(role: &TeamRole) -> DocumentParts {
    let own = READING.into_iter();
    let own = own.chain(["write_file", "replace"].into_iter().filter(|_| role.edits_files));
    let own = own.chain(role.needs_shell.then_some("run_shell_command"));
    let of_server = READING_TOOLS.into_iter().chain(["nx_artifact_write"]);
    let of_server = of_server.chain(role.changes_tasks.then_some("nx_task_update"));
    let of_server = of_server.chain(role.edits_files.then_some("nx_memory_store"));
    let of_server = of_server.map(|tool| format!("{}{tool}", MANNER.tool_prefix));
    let tools: String = own.map(str::to_owned).chain(of_server).map(|tool| format!("\n  - {tool}")).collect();
    let keys = [("name", role.id.clone()), ("description", quoted_text(&role.description)), ("tools", tools)];
    with_front_matter(&keys, &role.body)
}

fn skill_text(skill: &TeamSkill) -> DocumentParts {
    let description = format!("description = {}\n", quoted_text(&skill.summary));
    (description, format!("prompt = {}\n", toml_text(&command_text(skill, "{{args}}"))))
}
