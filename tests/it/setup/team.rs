//! The agents and skills that setup writes: where, for whom, and how they are taken away again.

use std::fs;

use expect_test::expect;
use serde_json::json;

use super::connect::{put, sandbox, snapshot};
use crate::mcp_client::Client;
use crate::sandbox::Sandbox;

/// The files of roles and skills that setup wrote, without their folder.
fn names(sandbox: &Sandbox, folder: &str) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(sandbox.beside("home").join(folder))
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

const ROLES: [&str; 9] = [
    "architect",
    "designer",
    "engineer",
    "postdoc",
    "researcher",
    "reviewer",
    "strategist",
    "tester",
    "writer",
];

#[test]
fn setup_writes_nine_agents_and_four_skills_and_undo_takes_them_away() {
    for (agent, agents, extension, skills, skill) in [
        ("claude", ".claude/agents", ".md", ".claude/skills", ""),
        ("codex", ".codex/agents", ".toml", ".codex/skills", ""),
        ("gemini", ".gemini/agents", ".md", ".gemini/commands", ".toml"),
        ("opencode", "config/opencode/agents", ".md", "config/opencode/commands", ".md"),
    ] {
        let sandbox = sandbox();
        let before = snapshot(&sandbox);
        let planned = sandbox.run(["setup", agent, "--dry-run"]).code(0).stdout.clone();
        assert!(planned.contains(&format!("{agents}/engineer{extension} (new)")), "{planned}");
        assert_eq!(snapshot(&sandbox), before, "{agent}: a dry run writes nothing");
        sandbox.run(["setup", agent, "--yes"]).code(0);
        assert_eq!(names(&sandbox, agents), ROLES.map(|role| format!("{role}{extension}")), "{agent}");
        let expected =
            ["nudge-learn", "nx-init", "nx-plan", "nx-run", "nx-sync"].map(|name| format!("{name}{skill}"));
        assert_eq!(names(&sandbox, skills), expected, "{agent}");
        let again = sandbox.run(["setup", agent, "--yes"]).code(0).stdout.clone();
        assert!(again.contains("nothing to do"), "{agent}: {again}");
        sandbox.run(["setup", agent, "--undo", "--yes"]).code(0);
        assert_eq!(snapshot(&sandbox), before, "{agent}: undo leaves nothing behind");
    }
}

#[test]
fn who_does_not_want_them_has_none() {
    let sandbox = sandbox();
    sandbox.run(["setup", "claude", "--no-agents", "--yes"]).code(0);
    assert_eq!(names(&sandbox, ".claude/agents"), Vec::<String>::new());
    assert!(sandbox.beside("home").join(".claude/settings.json").exists());
}

#[test]
fn files_of_the_user_are_never_touched() {
    let sandbox = sandbox();
    let own = sandbox.beside("home").join(".claude/agents/engineer.md");
    put(&own, "---\nname: engineer\n---\nMine.\n");
    let before = snapshot(&sandbox);
    sandbox.run(["setup", "claude", "--yes"]).code(0).stderr(expect![[r#"
        note: `$BASE/home/.claude/agents/engineer.md` is yours and stays as it is
          hint: delete or rename a file, and run this again, to have nudge's
    "#]]);
    assert_eq!(fs::read_to_string(&own).expect("there"), "---\nname: engineer\n---\nMine.\n");
    assert_eq!(names(&sandbox, ".claude/agents").len(), 9);
    // One that was ours, and that the user has made their own.
    let tester = sandbox.beside("home").join(".claude/agents/tester.md");
    let changed = fs::read_to_string(&tester).expect("there") + "And be kind.\n";
    fs::write(&tester, &changed).expect("written");
    sandbox.run(["setup", "claude", "--yes"]).code(0);
    assert_eq!(fs::read_to_string(&tester).expect("there"), changed);
    sandbox.run(["setup", "claude", "--undo", "--yes"]).code(0);
    assert_eq!(fs::read_to_string(&tester).expect("there"), changed, "undo leaves it");
    fs::remove_file(&tester).expect("there");
    assert_eq!(snapshot(&sandbox), before);
}

#[test]
fn an_older_text_of_ours_is_replaced_and_doctor_knows_it() {
    let sandbox = sandbox();
    sandbox.run(["setup", "claude", "--yes"]).code(0);
    let shown = sandbox.run(["doctor"]).stdout;
    assert!(shown.contains("14 agents and skills"), "{shown}");
    // What another version would have written: another body with its own checksum.
    let [tester, writer] =
        ["tester", "writer"].map(|role| sandbox.beside("home").join(format!(".claude/agents/{role}.md")));
    fs::copy(&tester, &writer).expect("copied");
    let found = sandbox.run(["doctor", "--json"]).json();
    let places =
        found["agents"].as_array().expect("agents").iter().flat_map(|agent| agent["places"].as_array());
    let outdated: Vec<_> =
        places.flatten().flat_map(|place| place["team"]["outdated"].as_array()).flatten().collect();
    assert_eq!(outdated.len(), 1, "{found}");
    sandbox.run(["setup", "claude", "--yes"]).code(0);
    assert!(fs::read_to_string(&writer).expect("there").contains("You are a writer"));
    sandbox.run(["setup", "claude", "--undo", "--yes"]).code(0);
    assert!(!writer.exists());
}

#[test]
fn a_run_names_the_agents_that_are_there() {
    let sandbox = sandbox().file(".nexus/memory/a.md", "x");
    let said = |sandbox: &Sandbox| crate::nexus::session::said(sandbox, crate::payload::prompt("[run]"));
    assert!(said(&sandbox).contains("No agents of the roles are installed"), "{}", said(&sandbox));
    sandbox.run(["setup", "claude", "--yes"]).code(0);
    let text = said(&sandbox);
    assert!(
        text.contains("`engineer`, `writer`") && text.contains("the Agent tool, `subagent_type`"),
        "{text}"
    );
    assert!(text.contains("mcp__nudge__nx_task_list says"), "{text}");
    fs::remove_file(sandbox.beside("home").join(".claude/agents/tester.md")).expect("there");
    sandbox.run(["task", "add", "check it", "--owner", "tester"]).code(0);
    let text = said(&sandbox);
    assert!(
        text.contains(
            "There is no agent for `tester` (must not edit files or add tasks): start `general-purpose`"
        ),
        "{text}"
    );
}

#[test]
fn a_tag_without_a_place_for_plans_gets_one_line_and_writes_nothing() {
    let sandbox = sandbox();
    let said = crate::nexus::session::said(&sandbox, crate::payload::prompt("[Plan] the move"));
    assert_eq!(
        said,
        "`[plan]` in the user's prompt is a tag of nudge, and this project has no `.nexus/` yet. Tell the user that `nudge init` sets it up; then the tag works.\n[nudge: tags]"
    );
    assert_eq!(crate::nexus::session::said(&sandbox, crate::payload::prompt("no tag")), "");
    assert!(!sandbox.path(".nexus").exists());
}

#[test]
fn a_skill_that_gemini_has_as_a_command_is_not_a_prompt_of_the_same_name() {
    let prompts_for = |client: &str, sandbox: &Sandbox| {
        let mut server = Client::silent(sandbox);
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": client, "version": "1" } });
        server.ask("initialize", hello);
        let listed = server.ask("prompts/list", json!({}));
        let prompts = listed["result"]["prompts"].as_array().expect("prompts").clone();
        prompts.iter().filter_map(|prompt| Some(prompt["name"].as_str()?.to_owned())).collect::<Vec<_>>()
    };
    let sandbox = Sandbox::new();
    let all = ["recall", "hints", "nx-plan", "nx-run", "nx-sync", "nx-init", "nudge-learn"];
    assert_eq!(prompts_for("gemini-cli-mcp-client", &sandbox), all);
    let sandbox = sandbox.file(".gemini/commands/nx-plan.toml", "prompt = 'plan'\n");
    assert_eq!(
        prompts_for("gemini-cli-mcp-client", &sandbox),
        ["recall", "hints", "nx-run", "nx-sync", "nx-init", "nudge-learn"]
    );
    assert_eq!(prompts_for("claude-code", &sandbox), all);
}

#[test]
fn a_skill_that_is_called_by_its_name_is_not_explained_twice() {
    let said = |sandbox: &Sandbox, prompt: &str| {
        let reply = sandbox.hook("claude-code", crate::payload::prompt(prompt)).stdout.clone();
        assert!(reply.contains("in the user's prompt means"), "{prompt}: {reply}");
        reply.contains("follow the skill `nx-plan`, whose text you have.")
    };
    let sandbox = sandbox();
    sandbox.run(["init", "--no-rules"]).code(0);
    // Nobody has the text: the tag is explained.
    assert!(!said(&sandbox, "/nx-plan the move"));
    assert!(said(&sandbox, "/mcp__nudge__nx-plan the move"), "a server gives its text with the prompt");
    sandbox.run(["setup", "claude", "--yes"]).code(0);
    assert!(said(&sandbox, "/nx-plan the move"));
    assert!(!said(&sandbox, "[plan] the move"), "a tag brings no text");
    // Other agents write the text of a command into the prompt.
    sandbox.run(["setup", "opencode", "--yes"]).code(0);
    let command =
        fs::read_to_string(sandbox.beside("home/config/opencode/commands/nx-plan.md")).expect("there");
    let (_, body) = command.split_once("[plan] ").expect("a tag");
    assert!(said(&sandbox, &format!("[plan] {}", body.replace("$ARGUMENTS", "the move"))));
}

#[test]
fn an_agent_is_known_by_its_id_too() {
    let sandbox = Sandbox::new();
    let by = |name: &str| sandbox.run(["setup", name, "--dry-run", "--json"]).json();
    assert_eq!(by("claude-code"), by("claude"));
    assert_eq!(by("gemini-cli"), by("gemini"));
}

#[test]
fn init_writes_them_into_the_project_if_asked_and_undo_takes_them_away() {
    let sandbox = sandbox();
    put(&sandbox.beside("home/.claude/settings.json"), "{}");
    let made = sandbox.run(["init", "--no-rules", "--agents", "--json"]).json();
    let made = made["made"].to_string();
    assert!(made.contains(".claude/agents/engineer.md") && made.contains("nx-plan"), "{made}");
    for role in ROLES {
        assert!(sandbox.path(&format!(".claude/agents/{role}.md")).is_file(), "{role}");
    }
    assert!(!sandbox.path(".claude/settings.json").exists(), "it connects nothing");
    sandbox.run(["setup", "claude", "--project", "--undo", "--yes"]).code(0);
    assert!(!sandbox.path(".claude/agents").exists());
}

#[test]
fn a_folder_of_the_user_replaces_the_bodies() {
    let sandbox = sandbox();
    let core = sandbox.beside("core");
    let body = |path: &str, text: &str| {
        let file = core.join(path);
        fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        fs::write(file, text).expect("written");
    };
    body("agents/engineer/body.md", "You are the engineer of our house.\n");
    body("skills/nx-plan/body.md", "Plan, then {{skill_activation skill=nx-run}}.\n");
    sandbox.put_user_settings(&format!("[nexus]\ncore = {:?}\n", core.display().to_string()));
    sandbox.run(["setup", "claude", "--yes"]).code(0);
    let text = |path: &str| fs::read_to_string(sandbox.beside("home/.claude").join(path)).expect("there");
    assert!(text("agents/engineer.md").contains("the engineer of our house"));
    assert!(text("agents/writer.md").contains("You are a writer"), "the others are built in");
    assert!(text("skills/nx-plan/SKILL.md").contains("Plan, then start the skill `nx-run`."));
    // What cannot be understood is never installed by half.
    body("skills/nx-plan/body.md", "{{fly}}");
    let ran = sandbox.run(["setup", "claude", "--yes"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    assert!(ran.stderr.contains("there is no macro `fly`"), "{}", ran.stderr);
    assert!(sandbox.run(["doctor"]).stdout.contains("there is no macro `fly`"));
    // Nor is what leads elsewhere, runs something, cannot be seen, or is not what the manifest names.
    for (text, why) in [
        ("See !{rm -r x}.", "has `!{`, which runs a command or reads a file"),
        ("See\u{202e} it.", "it has invisible characters"),
        ("\n", "the body of `nx-plan` is empty"),
    ] {
        body("skills/nx-plan/body.md", text);
        let ran = sandbox.run(["nexus", "vocabulary", "--json"]);
        assert!(ran.code == Some(1) && ran.stdout.contains(why), "{why}: {}{}", ran.stdout, ran.stderr);
    }
    body("skills/nx-plan/body.md", "Plan, and [run] later.");
    assert!(sandbox.run(["setup", "claude", "--yes"]).code(0).stdout.contains("nx-plan"));
    assert!(text("skills/nx-plan/SKILL.md").contains("Plan, and `[run]` later."));
    body("manifest.json", r#"{ "skills": [{ "id": "nx-plan", "body_hash": "sha256:00" }] }"#);
    let ran = sandbox.run(["setup", "claude", "--yes"]);
    assert!(ran.stderr.contains("the body of `nx-plan` is not the one of the manifest"), "{}", ran.stderr);
    #[cfg(unix)]
    {
        fs::remove_file(core.join("manifest.json")).expect("it was there");
        fs::remove_file(core.join("skills/nx-plan/body.md")).expect("it was there");
        fs::write(sandbox.beside("secret"), "hunter2").expect("written");
        std::os::unix::fs::symlink(sandbox.beside("secret"), core.join("skills/nx-plan/body.md"))
            .expect("a link");
        let ran = sandbox.run(["setup", "claude", "--yes"]);
        assert!(
            ran.stderr.contains("`skills/nx-plan/body.md` cannot be read: it leads out"),
            "{}",
            ran.stderr
        );
    }
    // A project cannot set it.
    sandbox.put_user_settings("");
    sandbox.put(".nudge/config.toml", "[nexus]\ncore = \"/tmp\"\n");
    assert!(sandbox.run(["doctor"]).stdout.contains("`nexus.core` cannot be set by a project"));
}
