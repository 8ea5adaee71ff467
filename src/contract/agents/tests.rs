//! The table of agents uses the terms of the vocabulary; agent types become roles.

use super::*;
use crate::contract::vocabulary;

#[test]
fn the_agents_are_described_in_terms_of_the_vocabulary() {
    let words = serde_json::to_value(vocabulary()).unwrap();
    let known = |part: &str, id: &serde_json::Value| {
        words[part].as_array().unwrap().iter().any(|entry| entry["id"] == *id)
    };
    for agent in serde_json::to_value(AGENTS.to_vec()).unwrap().as_array().unwrap() {
        assert!(known("categories", &agent["category"]), "{agent}");
        assert!(known("resume_tiers", &agent["resume_tier"]), "{agent}");
        for capability in agent["capabilities"].as_array().unwrap() {
            assert!(known("capabilities", capability), "{agent}");
        }
    }
}

#[test]
fn an_agent_type_becomes_a_role() {
    let check = |agent_type: &str, expect: Option<&str>| {
        assert_eq!(role(agent_type).as_deref(), expect, "{agent_type}");
    };
    check("architect", Some("architect"));
    check("nexus:architect", Some("architect"));
    check("a:b:engineer", Some("engineer"));
    check("general-purpose", Some("general-purpose"));
    check("Explore", Some("explore"));
    check("my agent_2", Some("my-agent-2"));
    check("2nd-reader", Some("nd-reader"));
    check("", None);
    check("é", None);
    check("plugin:", None);
}
