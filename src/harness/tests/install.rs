//! What is installed where, written out for every agent in `tests/fixtures/NAME/installed.txt`.

use std::path::Path;

use super::fixtures;
use crate::harness::{AGENTS, Agent, InstallPlace, by_name};
use crate::model::{ConfigEntry, Content, InstallScope};

/// Returns a path as on Unix.
fn slashes(path: &Path) -> String {
    path.display().to_string().replace('\\', "/")
}

fn place(reach: InstallScope, program: &str) -> InstallPlace<'_> {
    let (home, project) = (Path::new("/home/me"), Path::new("/project"));
    InstallPlace { reach, program, tools: None, home, project, moved: |_| None, exists: |_| false }
}

/// Lists the files with their entries, one per line; events with the same value are together.
fn listed(agent: &Agent, place: &InstallPlace<'_>) -> String {
    let mut lines = Vec::new();
    for file in (agent.connection)(place).files {
        lines.push(slashes(&file.path));
        match file.content {
            Content::Own(text) | Content::Document(text) => {
                lines.extend(text.lines().take(1).map(|line| format!("  {line}")));
            }
            Content::Toml { table, values } => lines.push(format!("  {}: {values}", table.join("."))),
            Content::Json(entries) => lines.extend(entries.iter().map(|entry| match entry {
                ConfigEntry::Item { path, value } => format!("  {}[]: {value}", path.join(".")),
                ConfigEntry::Key { path, value } | ConfigEntry::Preset { path, value } => {
                    format!("  {}: {value}", path.join("."))
                }
            })),
        }
    }
    lines.join("\n") + "\n"
}

#[test]
fn installed_files_are_unchanged() {
    for agent in AGENTS {
        let installed = [
            "In a project, where the program is found on the path:\n",
            &listed(agent, &place(InstallScope::Project, "nudge")),
            "For the user, where the program is named with its place:\n",
            &by_place(agent, &place(InstallScope::User, "/opt/my tools/nudge")),
            "With every folder that can be moved with a variable moved:\n",
            &where_moved(agent),
        ]
        .join("\n");
        expect_test::expect_file![fixtures(agent).join("installed.txt")].assert_eq(&installed);
    }
}

/// Returns the command and the paths of the files.
fn by_place(agent: &Agent, place: &InstallPlace<'_>) -> String {
    let connection = (agent.connection)(place);
    let paths = connection.files.iter().map(|file| slashes(&file.path));
    // Windows quotes differently.
    let command = connection.proof.command.replace('"', "'");
    format!("{command}\n  {}\n", paths.collect::<Vec<_>>().join("\n  "))
}

fn where_moved(agent: &Agent) -> String {
    let moved = |name: &str| Some(Path::new("/moved").join(name));
    let place = InstallPlace {
        moved,
        exists: |path| path.ends_with("opencode.jsonc"),
        ..place(InstallScope::User, "nudge")
    };
    let files = (agent.connection)(&place).files;
    files.iter().map(|file| format!("{}\n", slashes(&file.path))).collect()
}

#[test]
fn the_plugin_of_opencode_calls_the_program_by_its_place() {
    let connection = (by_name("opencode").expect("a known agent").connection)(&place(
        InstallScope::User,
        "/opt/my tools/nudge",
    ));
    let Content::Own(plugin) = &connection.files[0].content else { panic!("the plugin is a file of ours") };
    assert!(plugin.contains("const PROGRAM = \"/opt/my tools/nudge\"\n"), "{plugin}");
}

#[test]
#[cfg(not(windows))]
fn a_place_that_a_shell_would_misread_is_quoted() {
    for (program, word) in [
        ("/opt/nudge", "/opt/nudge"),
        ("/opt/my tools/nudge", "'/opt/my tools/nudge'"),
        ("/opt/a\\b/nudge", "'/opt/a\\b/nudge'"),
        ("/opt/it's/nudge", "'/opt/it'\\''s/nudge'"),
    ] {
        assert_eq!(place(InstallScope::User, program).shell_word(), word);
    }
}
