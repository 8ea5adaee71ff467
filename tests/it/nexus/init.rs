//! `nudge init`: what it makes, what it leaves, and where it refuses.

use expect_test::expect;
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

#[test]
fn a_project_is_set_up_and_then_left_as_it_is() {
    let sandbox = Sandbox::new().from("src/deep");
    sandbox
        .run(["init"])
        .code(0)
        .stdout(expect![[r#"
            made   .nudge.yaml  60 rules on, of the packs git, files, secrets, self
            made   .nexus/      place for plans, tasks and notes
        "#]])
        .stderr(expect![[r#"
            $BASE/project is set up; commit these files to share them
            next: ask your agent to follow the skill `nx-init`, which fills the empty `.nexus/context`
        "#]]);
    sandbox.put(".nexus/.gitignore", "my own\n");
    std::fs::remove_dir(sandbox.path(".nexus/rules")).expect("an empty folder");
    sandbox.run(["init"]).code(0).stdout(expect![[r#"
        made   .nexus/rules
    "#]]);
    let ignored = std::fs::read_to_string(sandbox.path(".nexus/.gitignore")).expect("there");
    assert_eq!(ignored, "my own\n");
    sandbox.put(".nexus/context/architecture.md", "Two parts.\n");
    sandbox.run(["init"]).code(0).stderr(expect![[r"
        $BASE/project was set up before
    "]]);
}

#[test]
fn setup_says_how_agents_get_to_know_the_project() {
    let sandbox = Sandbox::new();
    let said = || sandbox.run(["setup", "claude", "--yes"]).code(0).stderr.contains("the skill `nx-init`");
    assert!(!said(), "there is no place for documents");
    sandbox.run(["init", "--no-rules"]).code(0);
    assert!(said());
    sandbox.put(".nexus/context/architecture.md", "Two parts.\n");
    assert!(!said());
}

#[test]
fn the_first_rules_load_without_a_word() {
    let sandbox = Sandbox::new();
    sandbox.run(["init"]).code(0);
    let validated = sandbox.run(["validate", "--json"]).code(0).json();
    assert_eq!(validated["files"][0]["problems"], json!([]), "{validated}");
    let rules = validated["files"][0]["rules"].as_array().expect("a list");
    let own: Vec<&Value> = rules.iter().filter(|rule| rule["pack"].is_null()).collect();
    assert_eq!((own.len(), &own[0]["enabled"]), (1, &json!(false)), "{validated}");
    assert!(rules.iter().any(|rule| rule["pack"] == "self" && rule["enabled"] == true), "{validated}");
}

#[test]
fn rules_that_are_there_or_not_wanted_are_not_made() {
    let sandbox = Sandbox::new();
    let done = sandbox.run(["init", "--no-rules", "--json"]).code(0).json();
    assert_eq!(
        done,
        json!({
            "project": "$BASE/project",
            "made": [".nexus", ".nexus/state", ".nexus/.gitignore", ".nexus/memory", ".nexus/context", ".nexus/rules", ".nexus/.gitattributes"],
            "found": [],
        })
    );
    assert!(!sandbox.path(".nudge.yaml").exists());
    for name in [".nudge.yml", ".nudge/own.yaml"] {
        let sandbox = Sandbox::new().file(name, "version: 1\nrules: []\n");
        let done = sandbox.run(["init", "--json"]).code(0).json();
        assert_eq!(done["found"], json!([name]));
        assert!(!sandbox.path(".nudge.yaml").exists());
    }
}

#[test]
fn the_whole_home_and_the_whole_disk_are_not_a_project() {
    for (root, shown) in [("$BASE/home", "$BASE/home"), ("/", "/")] {
        let sandbox = Sandbox::new().env("NEXUS_PROJECT_ROOT", root);
        let ran = sandbox.run(["init"]);
        let expected = format!(
            "error: `{shown}` is a folder of projects, not a project\n\
             hint: change to a project's folder, and try again\n"
        );
        assert_eq!((ran.code, ran.stderr), (Some(1), expected));
        assert!(!sandbox.beside("home/.nexus").exists());
    }
    let at_home = Sandbox::new().from("../home").run(["init"]);
    assert_eq!(at_home.code, Some(1));
}
