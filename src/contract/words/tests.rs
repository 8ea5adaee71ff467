//! The vocabulary conforms to the schemas of the contract.

use serde_json::Value;

use super::*;
use crate::model::Category;

fn ids(entries: &Value) -> Vec<&str> {
    entries.as_array().unwrap().iter().map(|entry| entry["id"].as_str().unwrap()).collect()
}

#[test]
fn all_seven_parts_are_there_with_the_ids_of_the_contract() {
    let all = serde_json::to_value(vocabulary()).unwrap();
    let parts: Vec<&String> = all.as_object().unwrap().keys().collect();
    assert_eq!(
        parts,
        [
            "capabilities",
            "categories",
            "resume_tiers",
            "tags",
            "invocations",
            "task_exceptions",
            "memory_policy"
        ]
    );
    let check = |part: &str, expect: &[&str]| assert_eq!(ids(&all[part]), expect);
    check("capabilities", &["no_file_edit", "no_task_create", "no_task_update", "no_shell_exec"]);
    check("categories", &["how", "do", "check"]);
    check("resume_tiers", &["persistent", "bounded", "ephemeral"]);
    check("tags", &["plan", "run", "sync", "d", "m", "m-gc", "rule"]);
    check(
        "invocations",
        &["skill_activation", "subagent_spawn", "task_register", "user_question", "memory_read_observation"],
    );
    check(
        "task_exceptions",
        &["docs_only.coherent", "docs_only.independent", "same_file_bundle", "generated_artifacts"],
    );
    assert_eq!(ids(&all["memory_policy"]["categories"]), Category::ALL.map(Category::name));
}

#[test]
fn no_text_is_empty_and_guidance_says_enough() {
    fn walk(path: &str, value: &Value) {
        match value {
            Value::String(text) => {
                assert!(!text.trim().is_empty(), "{path} is empty");
                assert_eq!(text.trim(), text, "{path} has blanks around it");
                if path.ends_with("prose_guidance") {
                    assert!(text.chars().count() >= 40, "{path} is too short: {text}");
                }
            }
            Value::Array(items) => {
                assert!(!items.is_empty(), "{path} is empty");
                items.iter().enumerate().for_each(|(at, item)| walk(&format!("{path}[{at}]"), item));
            }
            Value::Object(map) => map.iter().for_each(|(key, item)| walk(&format!("{path}.{key}"), item)),
            _ => {}
        }
    }
    walk("", &serde_json::to_value(vocabulary()).unwrap());
}

#[test]
fn ids_have_the_patterns_of_their_schemas() {
    let all = serde_json::to_value(vocabulary()).unwrap();
    let check = |part: &str, pattern: &str| {
        let pattern = regex::Regex::new(pattern).unwrap();
        ids(&all[part]).iter().for_each(|id| assert!(pattern.is_match(id), "{part}: {id}"));
    };
    check("tags", "^[a-z][a-z0-9-]*$");
    check("categories", "^[a-z][a-z0-9-]*$");
    check("resume_tiers", "^[a-z][a-z0-9-]*$");
    check("capabilities", "^[a-z][a-z0-9_]*$");
    check("invocations", "^[a-z][a-z0-9_]*$");
    check("task_exceptions", r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)?$");
}

#[test]
fn a_tag_starts_a_skill_or_names_its_handler() {
    for tag in vocabulary().tags {
        match tag.kind {
            TagKind::Skill => assert!(tag.skill.is_some() && tag.handler.is_none(), "{}", tag.id),
            TagKind::InlineAction => assert!(tag.handler.is_some() && tag.skill.is_none(), "{}", tag.id),
        }
        assert_eq!(tag.trigger, format!("[{}]", tag.id.replace("m-gc", "m:gc")));
    }
}

#[test]
fn the_plan_contains_the_rules_for_splitting_work_into_tasks() {
    let tags = tags();
    let plan = &tags[0].prose_guidance;
    for exception in vocabulary().task_exceptions {
        assert!(plan.contains(&exception.id), "{}", exception.id);
    }
    for rule in
        ["artifact coherence", "three independent artifacts", "only across domains", "tester", "reviewer"]
    {
        assert!(plan.contains(rule), "{rule}");
    }
}

#[test]
fn the_policy_for_notes_describes_what_the_program_does() {
    let policy = vocabulary().memory_policy;
    assert_eq!(policy.naming.pattern, r"^[a-z0-9][a-z0-9-]*\.md$");
    assert!(policy.naming.optional_prefix && policy.forgetting.manual_gate_default);
    assert_eq!(policy.access_tracking.scope, ".nexus/memory/");
    assert_eq!(policy.forgetting.recoverable_deletion_requirement, "git_commit");
    let structure = policy.forgetting.automatic_deletion_structure.principle;
    assert_eq!(
        (structure.as_str(), policy.merge.principle.as_str()),
        ("minimum_three_signal_intersection", "merge_before_create")
    );
    for category in policy.categories {
        assert_eq!(category.prefix, format!("{}-", category.id));
    }
}

/// The keys that a schema of the contract requires, and those that it allows besides.
type Keys = (&'static [&'static str], &'static [&'static str]);

#[track_caller]
fn assert_has_keys(path: &str, entry: &Value, (required, optional): Keys) {
    let keys: Vec<&str> =
        entry.as_object().unwrap_or_else(|| panic!("{path}")).keys().map(String::as_str).collect();
    for key in required {
        assert!(keys.contains(key), "{path} has no `{key}`");
    }
    for key in keys {
        assert!(required.contains(&key) || optional.contains(&key), "{path}: `{key}` is not in the schema");
    }
}

#[test]
fn every_entry_has_the_keys_of_its_schema_and_no_others() {
    let all = serde_json::to_value(vocabulary()).unwrap();
    let parts: [(&str, Keys); 6] = [
        (
            "capabilities",
            (&["id", "intent", "description", "blocks_semantic_classes", "prose_guidance"], &[]),
        ),
        ("categories", (&["id", "description"], &[])),
        ("resume_tiers", (&["id", "description"], &[])),
        (
            "tags",
            (&["id", "trigger", "type", "description"], &["skill", "handler", "variants", "prose_guidance"]),
        ),
        (
            "invocations",
            (&["id", "intent", "description", "semantic_params", "prose_guidance", "fallback_behavior"], &[]),
        ),
        ("task_exceptions", (&["id", "description", "applies_when", "treatment", "rationale"], &[])),
    ];
    for (part, keys) in parts {
        for (at, entry) in all[part].as_array().unwrap().iter().enumerate() {
            assert_has_keys(&format!("{part}[{at}]"), entry, keys);
        }
    }
    let policy = &all["memory_policy"];
    let sections: [(&str, Keys); 7] = [
        ("", (&["categories", "naming", "access_tracking", "forgetting", "merge"], &[])),
        ("/categories/0", (&["id", "prefix", "description"], &[])),
        ("/naming", (&["pattern", "description"], &["optional_prefix"])),
        (
            "/access_tracking",
            (
                &["observation_primitive", "scope", "description", "information_accumulated"],
                &["storage_contract_reference"],
            ),
        ),
        (
            "/forgetting",
            (
                &["manual_gate_default", "automatic_deletion_structure", "recoverable_deletion_requirement"],
                &["description", "recoverable_deletion_description"],
            ),
        ),
        ("/forgetting/automatic_deletion_structure", (&["principle", "description"], &[])),
        ("/merge", (&["principle", "description"], &[])),
    ];
    for (path, keys) in sections {
        assert_has_keys(path, policy.pointer(path).unwrap(), keys);
    }
}
