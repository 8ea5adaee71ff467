//! The files of roles and skills: their places, and what a role may not do in each form. The plugin has the same texts.

use std::path::Path;

use expect_test::{expect, expect_file};

use crate::harness::{AGENTS, Agent, InstallPlace, by_name};
use crate::model::{Content, InstallScope, Team, TeamRole, TeamSkill, is_pristine_document};

fn place(reach: InstallScope) -> InstallPlace<'static> {
    let (home, project) = (Path::new("/home/me"), Path::new("/project"));
    InstallPlace { reach, program: "nudge", tools: None, home, project, moved: |_| None, exists: |_| false }
}

fn role(id: &str, edits_files: bool) -> TeamRole {
    TeamRole {
        id: id.to_owned(),
        description: "Says: \"no\" to [plan]".to_owned(),
        body: "You are it.\n\n    code \\ \"\"\" quoted\n".to_owned(),
        is_high_tier: !edits_files,
        edits_files,
        changes_tasks: edits_files,
        needs_shell: edits_files,
    }
}

fn skill(id: &str, tag: Option<&str>) -> TeamSkill {
    TeamSkill {
        id: id.to_owned(),
        description: "Does: a thing".to_owned(),
        summary: "A thing".to_owned(),
        body: "Step one.\n".to_owned(),
        tag: tag.map(str::to_owned),
        is_manual: tag.is_none(),
    }
}

/// Returns the files of one agent, each with its path.
fn written(agent: &Agent, reach: InstallScope) -> Vec<(String, String)> {
    let team = Team {
        roles: vec![role("architect", false), role("engineer", true)],
        skills: vec![skill("nx-plan", Some("[plan]")), skill("nx-init", None)],
    };
    let files = agent.team.into_iter().flat_map(|form| form.files(&place(reach), &team));
    let text = |file: crate::model::AgentFile| match file.content {
        Content::Document(text) => (file.path.display().to_string().replace('\\', "/"), text),
        other => panic!("{other:?}"),
    };
    files.map(text).collect()
}

#[test]
fn the_files_are_where_each_agent_looks_for_them() {
    let mut listed = String::new();
    for agent in AGENTS {
        for reach in [InstallScope::User, InstallScope::Project] {
            let files = written(agent, reach);
            assert!(files.iter().all(|(_, text)| is_pristine_document(text)));
            listed.extend(files.iter().skip(1).step_by(2).map(|(path, _)| format!("{path}\n")));
        }
    }
    expect![[r#"
        /home/me/.claude/agents/engineer.md
        /home/me/.claude/skills/nx-init/SKILL.md
        /project/.claude/agents/engineer.md
        /project/.claude/skills/nx-init/SKILL.md
        /home/me/.codex/agents/engineer.toml
        /home/me/.codex/skills/nx-init/SKILL.md
        /project/.codex/agents/engineer.toml
        /project/.agents/skills/nx-init/SKILL.md
        /home/me/.gemini/agents/engineer.md
        /home/me/.gemini/commands/nx-init.toml
        /project/.gemini/agents/engineer.md
        /project/.gemini/commands/nx-init.toml
        /home/me/.config/opencode/agents/engineer.md
        /home/me/.config/opencode/commands/nx-init.md
        /project/.opencode/agents/engineer.md
        /project/.opencode/commands/nx-init.md
    "#]]
    .assert_eq(&listed);
}

#[test]
fn every_form_says_what_a_role_may_not_do() {
    let shown: Vec<String> = AGENTS
        .iter()
        .flat_map(|agent| written(agent, InstallScope::User))
        .map(|(path, text)| {
            let text = text.lines().filter(|line| !line.starts_with("# Written by")).collect::<Vec<_>>();
            format!("{path}\n{}\n", text.join("\n"))
        })
        .collect();
    expect_file![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/team.txt")]
        .assert_eq(&shown.join("\n"));
}

#[test]
fn what_is_toml_can_be_parsed() {
    for name in ["codex", "gemini"] {
        for (path, text) in written(by_name(name).expect("an agent"), InstallScope::User) {
            if !path.ends_with(".toml") {
                continue;
            }
            let parsed: toml::Table = text.parse().expect(&path);
            let body = parsed.get("developer_instructions").or(parsed.get("prompt")).expect("a body");
            let body = body.as_str().expect("a text");
            assert!(body.contains("code \\ \"\"\" quoted") || body.contains("Step one."), "{body}");
        }
    }
}
