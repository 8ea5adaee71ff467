//! The roles and skills that agents are given: those that are built in, or the bodies of the user's nexus-core folder.

use std::io;
use std::path::Path;

use crate::config::{env, paths, settings};
use crate::context::visible;
use crate::contract::{BodyKind, Catalogue};
use crate::files;
use crate::harness::{AGENTS, InstallPlace};
use crate::model::{InstallScope, Problem, Team, TeamSkill, Topic};

/// Maximum number of bytes of a body, which an agent reads at every start.
const MAX_BODY: u64 = 64 << 10;
/// Maximum number of bytes of a manifest.
const MAX_MANIFEST: u64 = 1 << 20;

/// Returns the roles and skills for the files of agents.
pub(crate) fn team() -> Result<Team, Problem> {
    let mut team = catalogue()?.team();
    team.skills.push(learning());
    Ok(team)
}

/// The skill of `nudge learn`, which is not part of the contract of plans and tasks.
const LEARNING: &str = include_str!("../../../assets/skills/nudge-learn.md");

fn learning() -> TeamSkill {
    TeamSkill {
        id: "nudge-learn".to_owned(),
        description: "Finds what goes wrong again and again in this project, and turns it into rules that the user chooses. \
            Use when the user asks what keeps failing, wants a mistake never to happen again, corrects the same thing a \
            second time, or wants the rules reviewed."
            .to_owned(),
        summary: "Learn from what went wrong".to_owned(),
        body: LEARNING.to_owned(),
        tag: None,
        is_manual: false,
    }
}

/// Returns all agents and skills with their bodies.
pub(crate) fn catalogue() -> Result<Catalogue, Problem> {
    let built_in = Catalogue::built_in();
    let (settings, _) = settings::load_user();
    let Some(folder) = settings.nexus_core else { return Ok(built_in) };
    let refused = |why: String| {
        let problem = Problem::error(why).at(&folder.display().to_string(), 0, 0).about(Topic::Settings);
        problem.hint("fix the folder, or delete `nexus.core` from your config.toml to use the built-in texts")
    };
    if !folder.is_dir() {
        return Err(refused("`nexus.core` is not a folder".to_owned()));
    }
    let manifest = read(&folder, Path::new("manifest.json"), MAX_MANIFEST).map_err(refused)?;
    let body = |kind: BodyKind, id: &str| {
        read(&folder, &Path::new(kind.folder()).join(id).join("body.md"), MAX_BODY)
    };
    built_in.with_bodies(manifest.as_deref(), body).map_err(refused)
}

/// Reads a text of the folder; `None` if there is no file. The folder may be somebody else's repository, so a link does
/// not lead out of it, and a text that agents follow has nothing in it that a reader cannot see.
fn read(folder: &Path, name: &Path, max_bytes: u64) -> Result<Option<String>, String> {
    let path = folder.join(name);
    let failed = |why: &str| format!("`{}` cannot be read: {why}", files::slashes(name));
    let bytes = match files::leads_inside(&path, folder) {
        Ok(true) => files::read_regular(&path, max_bytes),
        Ok(false) => return Err(failed("it leads out of the folder")),
        Err(error) => Err(error),
    };
    let text = match bytes {
        Ok(bytes) => String::from_utf8(bytes).map_err(|_| failed("it is not UTF-8"))?,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(failed(&error.to_string())),
    };
    let plain = text.replace("\r\n", "\n");
    if visible(&plain) != plain { Err(failed("it has invisible characters")) } else { Ok(Some(text)) }
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
    fn the_plugin_has_the_same_text_about_learning() {
        let skill = super::learning();
        let text = format!("---\nname: learn\ndescription: {}\n---\n\n{}", skill.description, skill.body);
        let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugin/skills/learn/SKILL.md");
        expect_test::expect_file![plugin].assert_eq(&text);
    }

    #[test]
    fn the_plugin_has_the_same_agents_and_skills() {
        let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugin");
        for (path, text) in plugin_documents(&Catalogue::built_in().team()) {
            expect_test::expect_file![plugin.join(path)].assert_eq(&text);
        }
    }
}
