//! What the agent reads when a prompt has tags: the guidance of the vocabulary, with additions for the current state.

use super::agents::agent;
use super::capability::limits;
use super::tags::{Tag, Tagged};
use super::words;
use crate::model::AgentManner;

/// What the text depends on besides the tags.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DirectiveScene<'s> {
    pub(crate) has_plan: bool,
    /// How the agent talks about others and about tools.
    pub(crate) manner: &'s AgentManner,
    /// What is before the names of nudge's tools, if the server is not the one that setup registers.
    pub(crate) tool_prefix: Option<&'s str>,
    /// The roles that tasks may need; looked up only for tags that hand out work.
    pub(crate) crew: &'s [CrewMember],
    /// The skill whose text the agent has beside the prompt, because the user called it by its name.
    pub(crate) skill: Option<&'s str>,
}

/// A role, and the agent that has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CrewMember {
    pub(crate) role: String,
    /// The name under which the agent can be started; `None` if there is none.
    pub(crate) name: Option<String>,
    /// Whether an open task belongs to it.
    pub(crate) is_needed: bool,
}

const AUTO: &str = "With `:auto`, do not ask: decide yourself, and record with each decision which options you rejected \
                    and why.";
const NO_PLAN: &str =
    "No plan is open, so there is nothing to decide on. Tell the user; `[plan]` starts one.";
const NO_TEXT: &str = "There is no text after the tag: ask the user for it.";

/// What is said about a tag in a project that is not set up.
pub(crate) const NO_NEXUS: &str = "is a tag of nudge, and this project has no `.nexus/` yet. Tell the user that \
                                   `nudge init` sets it up; then the tag works.";

/// Returns one paragraph for each tag; `None` if there are no tags.
pub(crate) fn directives(tagged: &[Tagged<'_>], scene: &DirectiveScene<'_>) -> Option<String> {
    if tagged.is_empty() {
        return None;
    }
    let words = words::tags();
    let entry = |tag: &Tag| words.iter().find(|entry| entry.id == tag.id());
    // The skill of a tag, if the agent has its text.
    let skill =
        |tag: &Tag| entry(tag).and_then(|entry| entry.skill.as_deref()).filter(|id| scene.skill == Some(id));
    let guidance = |tag: &Tag| match skill(tag) {
        Some(skill) => format!("follow the skill `{skill}`, whose text you have."),
        None => entry(tag).map_or(String::new(), |entry| entry.prose_guidance.clone()),
    };
    let paragraphs = tagged.iter().map(|Tagged { tag, payload }| {
        let text = match tag {
            Tag::Decide if !scene.has_plan => return introduced(tag, NO_PLAN),
            Tag::Plan { auto: true } => format!("{}\n{AUTO}", guidance(tag)),
            Tag::Rule(None) => {
                format!("{} It belongs in `.nexus/rules/`, in a file named after its topic.", guidance(tag))
            }
            Tag::Rule(Some(name)) => {
                format!("{} It belongs in `.nexus/rules/{name}.md`.", guidance(tag))
            }
            tag => guidance(tag),
        };
        let wants_text = matches!(tag, Tag::Decide | Tag::Remember | Tag::Rule(_));
        let missing = if wants_text && payload.is_empty() { format!(" {NO_TEXT}") } else { String::new() };
        let crew = if tag.hands_out_work() { crew_in_words(scene) } else { None };
        let crew = crew.map(|crew| format!("\n{crew}")).unwrap_or_default();
        // The text of a skill names the commands itself.
        let tools = if skill(tag).is_some() { String::new() } else { tools_in_words(tag, scene.manner) };
        introduced(tag, &format!("{text}{missing}{crew}{tools}"))
    });
    let text = paragraphs.collect::<Vec<_>>().join("\n\n");
    // In the guidance, nothing but a tool begins like this.
    let prefix = scene.tool_prefix.unwrap_or(scene.manner.tool_prefix);
    Some(text.replace("nx_", &format!("{prefix}nx_")))
}

fn introduced(tag: &Tag, text: &str) -> String {
    format!("`{}` in the user's prompt means in this project: {text}", tag.form())
}

/// Says which agents are installed, and what to do about a role that has none.
fn crew_in_words(scene: &DirectiveScene<'_>) -> Option<String> {
    let AgentManner { spawn, general, .. } = scene.manner;
    let installed: Vec<String> =
        scene.crew.iter().filter_map(|member| Some(format!("`{}`", member.name.as_ref()?))).collect();
    let missing: Vec<&CrewMember> =
        scene.crew.iter().filter(|member| member.name.is_none() && member.is_needed).collect();
    let stand_in = format!("start `{general}` and begin its prompt with the role and its limits");
    let fallback = if missing.is_empty() {
        format!("For any other role, or if one of them cannot be started, {stand_in}.")
    } else {
        let roles: Vec<String> = missing.iter().map(|member| with_limits(&member.role)).collect();
        format!("There is no agent for {}: {stand_in}.", roles.join(", "))
    };
    match (scene.crew.is_empty(), installed.is_empty()) {
        (true, _) => None,
        (false, true) => {
            Some(format!("No agents of the roles are installed (`nudge setup` brings them). {fallback}"))
        }
        (false, false) => {
            Some(format!("Agents that are installed here: {} ({spawn}). {fallback}", installed.join(", ")))
        }
    }
}

/// Returns a role with what it may not do.
fn with_limits(role: &str) -> String {
    match agent(role).and_then(|agent| limits(agent.capabilities)) {
        Some(limits) => format!("`{role}` ({limits})"),
        None => format!("`{role}`"),
    }
}

/// Says how to get at the tools, and which commands do the same.
fn tools_in_words(tag: &Tag, manner: &AgentManner) -> String {
    let commands = match tag {
        Tag::Plan { .. } => "`nudge plan start|decide`, `nudge task add`",
        Tag::Run => "`nudge task`, `nudge task start|done ID`, `nudge task close`",
        Tag::Decide => "`nudge plan decide ISSUE TEXT`",
        Tag::Remember => "`nudge note add`",
        Tag::Tidy => "`nudge note gc`, `nudge note merge`",
        Tag::Rule(_) => "`nudge note rule`",
        Tag::Sync => return String::new(),
    };
    let search =
        if manner.tool_search.is_empty() { String::new() } else { format!("; {}", manner.tool_search) };
    format!(" The tools are of the MCP server `nudge`{search}. Without it: {commands}.")
}

#[cfg(test)]
mod tests;
