//! What is built in is complete, and agrees with the tables that decide.

use super::*;
use crate::contract::{AGENTS as DECIDED, recognise};

#[test]
fn the_agents_are_those_that_decisions_are_made_about() {
    let entries = Catalogue::built_in().agents;
    assert_eq!(entries.len(), DECIDED.len());
    for (entry, decided) in entries.iter().zip(&DECIDED) {
        let decided = serde_json::to_value(decided).expect("JSON");
        let entry = serde_json::to_value(entry).expect("JSON");
        for key in ["id", "category", "resume_tier", "model_tier", "capabilities"] {
            assert_eq!(entry[key], decided[key], "{key} of {}", entry["id"]);
        }
    }
}

#[test]
fn every_body_says_what_the_role_is_may_not_do_and_hands_back() {
    let catalogue = Catalogue::built_in();
    for agent in &catalogue.agents {
        for part in ["You are ", "How you work:", "\nLimits: ", "\nHand back: "] {
            assert!(agent.body.contains(part), "{}: {part}", agent.id);
        }
        let may_edit = !agent.capabilities.iter().any(|one| one == "no_file_edit");
        assert_eq!(agent.body.contains("you edit no files"), !may_edit, "{}", agent.id);
        assert!(agent.body.len() < 3_000, "{} is read at every start", agent.id);
        assert!(agent.body_hash.starts_with("sha256:") && agent.body_hash.len() == 71, "{}", agent.body_hash);
    }
    assert_eq!(catalogue.skills.len(), 4);
    for skill in &catalogue.skills {
        assert!(skill.body.len() > 500, "{} is a procedure, not a sentence", skill.id);
        assert!(recognise(&skill.body).is_empty(), "{}: a body that is pasted starts no tag", skill.id);
        assert_eq!(skill.triggers.is_empty(), skill.manual_only, "{}", skill.id);
    }
}

#[test]
fn the_files_of_agents_know_what_a_role_may_do() {
    let team = Catalogue::built_in().team();
    let role = |id: &str| {
        let role = team.roles.iter().find(|role| role.id == id).expect("a role");
        (role.is_high_tier, role.edits_files, role.changes_tasks, role.needs_shell)
    };
    assert_eq!(role("architect"), (true, false, false, false));
    assert_eq!(role("engineer"), (false, true, true, true));
    assert_eq!(role("tester"), (false, false, true, true));
    assert_eq!(role("reviewer"), (false, false, true, false));
    let tags: Vec<_> = team.skills.iter().map(|skill| skill.tag.as_deref()).collect();
    assert_eq!(tags, [Some("[plan]"), Some("[run]"), Some("[sync]"), None]);
}

#[test]
fn agents_and_skills_have_the_values_that_the_manifest_allows() {
    let id = regex::Regex::new("^[a-z][a-z0-9-]*$").expect("a pattern");
    let hash = regex::Regex::new("^sha256:[0-9a-f]{64}$").expect("a pattern");
    let catalogue = Catalogue::built_in();
    for agent in &catalogue.agents {
        assert!(id.is_match(&agent.id) && hash.is_match(&agent.body_hash), "{}", agent.id);
        assert!(["how", "do", "check"].contains(&agent.category.as_str()), "{}", agent.id);
        assert!(["persistent", "bounded", "ephemeral"].contains(&agent.resume_tier.as_str()), "{}", agent.id);
        assert!(["high", "standard"].contains(&agent.model_tier.as_str()), "{}", agent.id);
        for text in [&agent.name, &agent.description, &agent.task, &agent.alias_ko] {
            assert!(!text.trim().is_empty(), "{}", agent.id);
        }
    }
    let known = ["resume_invocation", "instruction_file", "slash_command_display", "nexus_hook_mapping"];
    for skill in &catalogue.skills {
        assert!(id.is_match(&skill.id) && hash.is_match(&skill.body_hash), "{}", skill.id);
        assert!(skill.harness_docs_refs.iter().all(|one| known.contains(&one.as_str())), "{}", skill.id);
    }
}

#[test]
fn a_folder_of_the_user_replaces_bodies() {
    let source = |kind: BodyKind, id: &str| {
        let body = match (kind, id) {
            (BodyKind::Agent, "engineer") => Some("You are ours.\n"),
            (BodyKind::Skill, "nx-plan") => Some("Plan, then {{skill_activation skill=nx-run}}.\n"),
            _ => None,
        };
        Ok(body.map(str::to_owned))
    };
    let built_in = Catalogue::built_in();
    let of = |catalogue: &Catalogue, id: &str| {
        let agents = catalogue.agents.iter().map(|one| (&one.id, &one.body, &one.body_hash));
        let skills = catalogue.skills.iter().map(|one| (&one.id, &one.body, &one.body_hash));
        let (_, body, hash) = agents.chain(skills).find(|(one, ..)| *one == id).expect("an entry");
        (body.clone(), hash.clone())
    };
    let replaced = built_in.clone().with_bodies(None, source).expect("valid bodies");
    let hash = sha256(b"You are ours.\n");
    assert_eq!(of(&replaced, "engineer"), ("You are ours.\n".to_owned(), hash.clone()));
    assert_eq!(of(&replaced, "nx-plan").0, "Plan, then start the skill `nx-run`.\n");
    assert_eq!(of(&replaced, "writer"), of(&built_in, "writer"));
    let manifest = |hash: &str| format!(r#"{{"agents":[{{"id":"engineer","body_hash":"{hash}"}}]}}"#);
    assert!(built_in.clone().with_bodies(Some(&manifest(&hash)), source).is_ok());
    let wrong = built_in.clone().with_bodies(Some(&manifest("sha256:00")), source).expect_err("another hash");
    assert_eq!(wrong, "the body of `engineer` is not the one of the manifest (`body_hash`)");
    let unknown =
        built_in.with_bodies(None, |_, _| Ok(Some("{{fly}}".to_owned()))).expect_err("no such macro");
    assert_eq!(unknown, "the body of `architect`: there is no macro `fly`");
}
