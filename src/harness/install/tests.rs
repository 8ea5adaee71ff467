//! What is installed where, written out for every agent.

use std::path::Path;

use expect_test::{Expect, expect};

use super::{AGENTS, Agent, Place, agent};
use crate::model::{Content, Entry, Reach};

fn place(reach: Reach, program: &str) -> Place<'_> {
    let (home, project) = (Path::new("/home/me"), Path::new("/project"));
    Place { reach, program, home, project, moved: |_| None, exists: |_| false }
}

/// Lists the files with their entries, each in one line; events with the same value stand together.
fn listed(agent: &Agent, place: &Place<'_>) -> String {
    let mut lines = Vec::new();
    for file in (agent.connection)(place).files {
        lines.push(file.path.display().to_string());
        match file.content {
            Content::Own(text) => lines.extend(text.lines().take(1).map(|line| format!("  {line}"))),
            Content::Toml { table, values } => lines.push(format!("  {}: {values}", table.join("."))),
            Content::Json(entries) => lines.extend(entries.iter().map(|entry| match entry {
                Entry::Item { path, value } => format!("  {}[]: {value}", path.join(".")),
                Entry::Key { path, value } | Entry::Preset { path, value } => {
                    format!("  {}: {value}", path.join("."))
                }
            })),
        }
    }
    lines.join("\n") + "\n"
}

#[track_caller]
fn check(name: &str, reach: Reach, program: &str, expected: Expect) {
    let agent = agent(name).expect("a known agent");
    expected.assert_eq(&listed(agent, &place(reach, program)));
}

#[test]
fn in_a_project_the_program_is_found_on_the_path() {
    check("claude", Reach::Project, "nudge", expect![[""]]);
    check("codex", Reach::Project, "nudge", expect![[""]]);
    check("gemini", Reach::Project, "nudge", expect![[""]]);
    check("cursor", Reach::Project, "nudge", expect![[""]]);
    check("opencode", Reach::Project, "nudge", expect![[""]]);
    check("copilot", Reach::Project, "nudge", expect![[""]]);
}

#[test]
fn for_the_user_the_program_is_named_with_its_place() {
    let files = |agent: &Agent| {
        let connection = (agent.connection)(&place(Reach::User, "/opt/my tools/nudge"));
        let paths = connection.files.iter().map(|file| file.path.display().to_string());
        format!("{}\n  {}\n", connection.proof.command, paths.collect::<Vec<_>>().join("\n  "))
    };
    expect![[""]].assert_eq(&AGENTS.iter().map(files).collect::<String>());
}

#[test]
fn folders_that_were_moved_are_found() {
    let moved = |name: &str| Some(Path::new("/moved").join(name));
    let files = |agent: &Agent| {
        let place = Place { moved, exists: |path| path.ends_with("opencode.jsonc"), ..place(Reach::User, "nudge") };
        let files = (agent.connection)(&place).files;
        files.iter().map(|file| format!("{}\n", file.path.display())).collect::<String>()
    };
    expect![[""]].assert_eq(&AGENTS.iter().map(files).collect::<String>());
}
