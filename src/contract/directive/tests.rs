//! The text for each tag.

use super::*;
use crate::contract::recognise;

static MANNER: AgentManner = AgentManner {
    tool_prefix: "mcp__nudge__",
    tool_search: "ToolSearch finds them",
    spawn: "the Agent tool, `subagent_type`",
    general: "general-purpose",
};

fn scene(has_plan: bool, crew: &[CrewMember]) -> DirectiveScene<'_> {
    DirectiveScene { has_plan, manner: &MANNER, tool_prefix: None, crew, skill: None }
}

/// Checks the text, without the tools at its end.
fn check(prompt: &str, has_plan: bool, expected: &str) {
    let text = directives(&recognise(prompt), &scene(has_plan, &[])).unwrap_or_else(|| "nothing".to_owned());
    let text = text.split(" The tools are of the MCP server").next().unwrap_or_default();
    assert_eq!(text.replace(" in the user's prompt means in this project", ""), expected);
}

const DECIDE: &str = "`[d]`: A decision was made. Call mcp__nudge__nx_plan_decide for the issue that was being \
                      discussed (mcp__nudge__nx_plan_status lists them), with the text behind the tag as the decision; \
                      then go on with the next open issue.";
const RULE: &str = "Keep the text behind the tag as a rule for all agents of this project, with \
                    mcp__nudge__nx_rule_store where it is offered, in a sentence or two that can be followed. Look at \
                    `.nexus/rules/` first: a rule on the same matter is changed, not doubled.";

#[test]
fn a_tag_gets_its_instructions() {
    check("no tag", true, "nothing");
    check("[d] the second", true, DECIDE);
    check(
        "[rule:testing] no sleeps",
        false,
        &format!("`[rule:testing]`: {RULE} It belongs in `.nexus/rules/testing.md`."),
    );
    let tidy = directives(&recognise("[m:gc]"), &scene(false, &[])).unwrap();
    let end = " The tools are of the MCP server `nudge`; ToolSearch finds them. Without it: `nudge note gc`, \
               `nudge note merge`.";
    assert!(tidy.ends_with(end), "{tidy}");
    let sync = directives(&recognise("[sync]"), &scene(false, &[])).unwrap();
    assert!(sync.ends_with("and list what you changed."), "{sync}");
}

#[test]
fn missing_parts_are_mentioned() {
    check("[d] the second", false, &format!("`[d]`: {NO_PLAN}"));
    check("[d]", true, &format!("{DECIDE} {NO_TEXT}"));
    let place = "It belongs in `.nexus/rules/`, in a file named after its topic.";
    check("[rule]", false, &format!("`[rule]`: {RULE} {place} {NO_TEXT}"));
}

#[test]
fn auto_adds_to_the_plan_and_several_tags_are_several_paragraphs() {
    let plan = directives(&recognise("[plan] x"), &scene(false, &[])).unwrap();
    let auto = directives(&recognise("[plan:auto] x"), &scene(false, &[])).unwrap();
    let tools = " The tools are of the MCP server";
    let expected =
        plan.replace("`[plan]` in", "`[plan:auto]` in").replace(tools, &format!("\n{AUTO}{tools}"));
    assert_eq!(auto, expected);
    let both = directives(&recognise("[plan] x\n[m] y"), &scene(false, &[])).unwrap();
    assert!(both.starts_with(&format!("{plan}\n\n`[m]` in the user's prompt")), "{both}");
}

#[test]
fn who_has_the_text_of_the_skill_is_not_told_twice() {
    let crew =
        [CrewMember { role: "engineer".to_owned(), name: Some("engineer".to_owned()), is_needed: true }];
    let with = |prompt: &str, skill| {
        let scene = DirectiveScene { skill: Some(skill), ..scene(true, &crew) };
        directives(&recognise(prompt), &scene).unwrap()
    };
    assert_eq!(
        with("/nx-sync", "nx-sync"),
        "`[sync]` in the user's prompt means in this project: follow the skill `nx-sync`, whose text you have."
    );
    assert_eq!(
        with("/nx-plan auto x", "nx-plan"),
        format!(
            "`[plan:auto]` in the user's prompt means in this project: follow the skill `nx-plan`, whose text you \
             have.\n{AUTO}\nAgents that are installed here: `engineer` (the Agent tool, `subagent_type`). For any \
             other role, or if one of them cannot be started, start `general-purpose` and begin its prompt with the \
             role and its limits."
        )
    );
    // Another skill's text does not explain this tag.
    assert_eq!(with("[run]", "nx-plan"), directives(&recognise("[run]"), &scene(true, &crew)).unwrap());
}

#[test]
fn a_directive_is_short() {
    for (form, max) in [("[plan:auto] x", 3_000), ("[run]", 1_300), ("[m] x", 850), ("[rule] x", 650)] {
        let text = directives(&recognise(form), &scene(true, &[])).unwrap();
        assert!(text.chars().count() <= max, "{form}: {}", text.chars().count());
    }
}

#[test]
fn a_run_names_who_is_installed_and_what_to_do_without() {
    let member = |role: &str, name: Option<&str>, is_needed| CrewMember {
        role: role.to_owned(),
        name: name.map(str::to_owned),
        is_needed,
    };
    let check = |crew: &[CrewMember], expected: &str| {
        let text = directives(&recognise("[run]"), &scene(false, crew)).unwrap();
        let line = text.lines().find(|line| line.contains("general-purpose")).unwrap_or("nothing");
        assert_eq!(line.split(" The tools are").next(), Some(expected));
    };
    check(&[], "nothing");
    check(
        &[member("engineer", Some("nudge:engineer"), true), member("tester", None, false)],
        "Agents that are installed here: `nudge:engineer` (the Agent tool, `subagent_type`). For any other role, or if one of them cannot be started, start `general-purpose` and begin its prompt with the role and its limits.",
    );
    check(
        &[member("engineer", Some("engineer"), true), member("tester", None, true)],
        "Agents that are installed here: `engineer` (the Agent tool, `subagent_type`). There is no agent for `tester` (must not edit files or add tasks): start `general-purpose` and begin its prompt with the role and its limits.",
    );
    check(
        &[member("engineer", None, true), member("cook", None, true)],
        "No agents of the roles are installed (`nudge setup` brings them). There is no agent for `engineer` (must not add tasks), `cook`: start `general-purpose` and begin its prompt with the role and its limits.",
    );
}

#[test]
fn tools_have_the_names_that_the_agent_sees() {
    let plugin = DirectiveScene { tool_prefix: Some("mcp__plugin_nudge_nudge__"), ..scene(true, &[]) };
    let text = directives(&recognise("[d] yes"), &plugin).unwrap();
    assert!(text.contains("Call mcp__plugin_nudge_nudge__nx_plan_decide for"), "{text}");
    assert!(!text.contains(" nx_"), "{text}");
}
