//! `nudge setup --tools`: the choice is in the agent's own file, stays there, and can be changed.

use std::fs;

use super::connect::agents;
use crate::sandbox::Sandbox;

/// Returns everything that setup wrote about the server of an agent: the files that start it.
fn server_entry(sandbox: &Sandbox, agent: &str) -> String {
    let plan = sandbox.run(["setup", agent, "--undo", "--user", "--dry-run", "--json"]).json();
    let files = plan["agents"][0]["files"].as_array().expect("files").clone();
    let paths = files.iter().filter_map(|file| file["path"].as_str());
    let paths = paths.map(|path| path.replace("$BASE", sandbox.beside("").to_str().expect("UTF-8")));
    let texts = paths.filter_map(|path| fs::read_to_string(path).ok());
    // The words of a command are in one line or in several.
    let texts = texts.map(|text| text.split_whitespace().collect::<String>());
    texts.filter(|text| text.contains("\"serve\"")).collect()
}

#[test]
fn the_chosen_tools_are_in_the_entry_of_every_agent_until_others_are_chosen() {
    for agent in &agents() {
        let sandbox = Sandbox::new();
        let set_up = |tools: &str| {
            let args = ["setup", agent.as_str(), "--user", "--no-agents", "--tools", tools];
            sandbox.run(args).code(0);
            server_entry(&sandbox, agent)
        };
        let chosen = set_up("memory");
        assert!(chosen.contains(r#""serve","--tools","memory"]"#), "{agent}: {chosen}");
        sandbox.run(["setup", agent.as_str(), "--user", "--no-agents"]).code(0);
        assert_eq!(server_entry(&sandbox, agent), chosen, "{agent}: setup leaves what was chosen");
        let others = set_up("memory, plan");
        assert!(others.contains(r#""serve","--tools","memory,plan"]"#), "{agent}: {others}");
        sandbox.run(["setup", agent.as_str(), "--user", "--undo"]).code(0);
        assert_eq!(server_entry(&sandbox, agent), "", "{agent}: nothing is left");
    }
    let wrong = Sandbox::new().run(["setup", "gemini", "--tools", "everything"]);
    assert!(wrong.code == Some(2) && wrong.stderr.contains("memory, hints, plan or all"), "{}", wrong.stderr);
}
