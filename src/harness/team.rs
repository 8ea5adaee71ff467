//! How the roles and skills of the contract look in an agent's own files, and how the agent is spoken to about them.

use std::path::PathBuf;

use serde_json::Value;

use super::place::InstallPlace;
use crate::model::{AgentFile, Content, InstallScope, Team, TeamRole, TeamSkill, marked_document};

/// The agent's own files for roles and skills.
pub(crate) struct TeamForm {
    pub(super) role_file: fn(&InstallPlace<'_>, &str) -> PathBuf,
    pub(super) role_text: fn(&TeamRole) -> DocumentParts,
    pub(super) skill_file: fn(&InstallPlace<'_>, &str) -> PathBuf,
    pub(super) skill_text: fn(&TeamSkill) -> DocumentParts,
    /// How it introduces itself to a server, if a skill and a prompt of the server cannot have the same name.
    pub(super) rival_client: Option<&'static str>,
}

/// A document in two parts, with a line for nudge's mark between them.
pub(super) type DocumentParts = (String, String);

impl TeamForm {
    /// Returns the files of all roles and skills in one place.
    pub(crate) fn files(&self, place: &InstallPlace<'_>, team: &Team) -> Vec<AgentFile> {
        let file = |path, (before, after): DocumentParts| AgentFile {
            path,
            content: Content::Document(marked_document(&before, &after)),
            is_strict: false,
        };
        let roles =
            team.roles.iter().map(|role| file((self.role_file)(place, &role.id), (self.role_text)(role)));
        let skills = team
            .skills
            .iter()
            .map(|skill| file((self.skill_file)(place, &skill.id), (self.skill_text)(skill)));
        roles.chain(skills).collect()
    }

    /// Returns where an agent of this role may be described: in the project, then for the user.
    pub(crate) fn role_files(&self, place: &InstallPlace<'_>, role: &str) -> [PathBuf; 2] {
        [InstallScope::Project, InstallScope::User]
            .map(|reach| (self.role_file)(&InstallPlace { reach, ..*place }, role))
    }

    /// Returns where a skill may be: in the project, then for the user.
    pub(crate) fn skill_files(&self, place: &InstallPlace<'_>, skill: &str) -> [PathBuf; 2] {
        [InstallScope::Project, InstallScope::User]
            .map(|reach| (self.skill_file)(&InstallPlace { reach, ..*place }, skill))
    }

    /// Returns whether this client has a command from a file that takes the name from a prompt.
    pub(crate) fn has_rival(&self, client: &str, place: &InstallPlace<'_>, skill: &str) -> bool {
        self.rival_client == Some(client)
            && self.skill_files(place, skill).iter().any(|file| (place.exists)(file))
    }
}

/// Returns a document with front matter: the keys, then the body.
pub(super) fn with_front_matter(keys: &[(&str, String)], body: &str) -> DocumentParts {
    let mut front = "---\n".to_owned();
    for (key, value) in keys {
        let space = if value.starts_with('\n') { "" } else { " " };
        front.push_str(&format!("{key}:{space}{value}\n"));
    }
    (front, format!("---\n\n{}\n", body.trim_end()))
}

/// Returns a text as YAML and TOML both read it: as JSON writes it.
pub(super) fn quoted_text(text: &str) -> String {
    Value::from(text).to_string()
}

/// Returns a text over several lines in TOML; its escapes are those of a text in one line.
pub(super) fn toml_text(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace("\"\"\"", "\"\"\\\"");
    format!("\"\"\"\n{}\n\"\"\"", escaped.trim_end())
}

/// Returns a document of the form that several agents share: `SKILL.md` with a name and a description.
pub(super) fn skill_document(skill: &TeamSkill) -> DocumentParts {
    let keys = [("name", skill.id.clone()), ("description", quoted_text(&skill.description))];
    with_front_matter(&keys, &skill.body)
}

/// Returns the text of a command: its tag with what the user adds, so that hooks know the skill, then its body.
pub(super) fn command_text(skill: &TeamSkill, arguments: &str) -> String {
    match &skill.tag {
        Some(tag) => format!("{tag} {arguments}\n\n{}", skill.body.trim_end()),
        None => format!("{arguments}\n\n{}", skill.body.trim_end()),
    }
}

/// The tools of nudge's server that every role may use.
pub(super) const READING_TOOLS: [&str; 11] = [
    "search",
    "get_observations",
    "timeline",
    "recent_context",
    "nx_plan_status",
    "nx_task_list",
    "nx_history_search",
    "nx_context",
    "nx_memory_search",
    "nudge_get_hint",
    "nudge_query",
];

/// Returns the tools of nudge's server that a role may not use.
pub(super) fn denied_tools(role: &TeamRole) -> Vec<&'static str> {
    let mut denied =
        vec!["nx_task_add", "nx_task_close", "nx_plan_start", "nx_plan_update", "nx_plan_decide"];
    if !role.changes_tasks {
        denied.push("nx_task_update");
    }
    if !role.edits_files {
        denied.extend(["nx_memory_store", "nx_memory_gc", "nx_rule_store"]);
    }
    denied
}
