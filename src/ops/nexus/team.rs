//! The roles and skills that agents are given: those that are built in.

use std::path::Path;

use crate::config::{env, paths};
use crate::contract::Catalogue;
use crate::harness::{AGENTS, InstallPlace};
use crate::model::{InstallScope, Problem, Team};

/// Returns the roles and skills for the files of agents.
pub(crate) fn team() -> Result<Team, Problem> {
    Ok(catalogue()?.team())
}

/// Returns all agents and skills with their bodies.
pub(crate) fn catalogue() -> Result<Catalogue, Problem> {
    Ok(Catalogue::built_in())
}

/// Returns where agents look for files of roles and skills: in this project, and in the user's home.
pub(crate) fn place<'a>(home: &'a Path, project: &'a Path) -> InstallPlace<'a> {
    InstallPlace {
        reach: InstallScope::User,
        program: "",
        tools: None,
        home,
        project,
        moved: env::folder,
        exists: Path::exists,
    }
}

/// Returns whether an MCP client has this skill as a command of the same name already.
pub(crate) fn is_command_of(client: &str, cwd: &Path, skill: &str) -> bool {
    let Some(home) = paths::home_dir() else { return false };
    let nexus = super::of_folder(cwd);
    let place = place(&home, nexus.project());
    AGENTS.iter().filter_map(|agent| agent.team).any(|form| form.has_rival(client, &place, skill))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::contract::Catalogue;
    use crate::harness::plugin_documents;

    #[test]
    fn the_plugin_has_the_same_agents_and_skills() {
        let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugin");
        for (path, text) in plugin_documents(&Catalogue::built_in().team()) {
            expect_test::expect_file![plugin.join(path)].assert_eq(&text);
        }
    }
}
