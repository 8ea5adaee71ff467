//! What tags ask of the agent, with the agents that are installed for the roles, by the names that the main
//! conversation can start them with.

use std::path::PathBuf;

use super::NexusHook;
use crate::config::{env, paths};
use crate::contract::{self, AGENTS, CrewMember, DirectiveScene, Tagged};
use crate::harness::Agent;
use crate::model::TaskStatus;
use crate::ops::nexus::team;

/// Returns what the tags ask of the agent. Only one that hands out work needs to know which agents there are.
pub(super) fn directives(
    hook: &mut NexusHook<'_>,
    tagged: &[Tagged<'_>],
    has_plan: bool,
    skill: Option<&str>,
) -> Option<String> {
    let hands_out = tagged.iter().any(|one| one.tag.hands_out_work());
    let crew = if hands_out { crew(hook) } else { Vec::new() };
    let agent = hook.turn.agent;
    let tool_prefix = plugin_prefix(agent);
    let scene = DirectiveScene { has_plan, manner: agent.manner, tool_prefix, crew: &crew, skill };
    contract::directives(tagged, &scene)
}

/// Returns the skill whose text the agent adds to this prompt, or has put into it already.
pub(super) fn skill_beside<'p>(hook: &NexusHook<'_>, prompt: &'p str) -> Option<&'p str> {
    let Some(called) = contract::called_skill(prompt) else { return contract::skill_in(prompt) };
    // An agent that does not know a command of a plugin or a server sends no prompt.
    let is_here = called.is_qualified || has_skill(hook, called.skill);
    is_here.then_some(called.skill)
}

fn has_skill(hook: &NexusHook<'_>, skill: &str) -> bool {
    let in_files = hook.turn.agent.team.zip(paths::home_dir()).is_some_and(|(form, home)| {
        let place = team::place(&home, hook.turn.place.root());
        is_name(skill) && form.skill_files(&place, skill).iter().any(|file| file.is_file())
    });
    let in_plugin = || plugin_root(hook.turn.agent).map(|root| root.join(format!("skills/{skill}/SKILL.md")));
    in_files || in_plugin().is_some_and(|file| is_name(skill) && file.is_file())
}

/// Returns the nine roles, and the owners of open tasks, with the agents that have them.
fn crew(hook: &mut NexusHook<'_>) -> Vec<CrewMember> {
    let tasks = hook.tasks();
    let open = tasks.iter().flat_map(|tasks| &tasks.tasks);
    let open = open.filter(|task| task.status != TaskStatus::Completed);
    let owners: Vec<&str> = open.filter_map(|task| task.owner.as_deref()).collect();
    let mut roles: Vec<&str> = AGENTS.iter().map(|agent| agent.id).collect();
    for owner in &owners {
        // The main conversation does the tasks of the lead itself.
        if !roles.contains(owner) && *owner != "lead" && is_name(owner) {
            roles.push(owner);
        }
    }
    let member = |role: &str| CrewMember {
        role: role.to_owned(),
        name: name(hook, role),
        is_needed: owners.contains(&role),
    };
    roles.into_iter().map(member).collect()
}

/// A task may name anything as its owner; only a plain name can be the name of a file.
fn is_name(owner: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !owner.is_empty() && owner.len() <= 64 && owner.chars().all(plain)
}

fn name(hook: &NexusHook<'_>, role: &str) -> Option<String> {
    let (form, home) = (hook.turn.agent.team?, paths::home_dir()?);
    let place = team::place(&home, hook.turn.place.root());
    if form.role_files(&place, role).iter().any(|file| file.is_file()) {
        return Some(role.to_owned());
    }
    let in_plugin = plugin_root(hook.turn.agent)?.join(format!("agents/{role}.md"));
    in_plugin.is_file().then(|| format!("nudge:{role}"))
}

/// Returns the folder of the plugin that called this hook, if it is nudge's plugin.
fn plugin_root(agent: &Agent) -> Option<PathBuf> {
    let root = agent.plugin_variable.and_then(env::folder)?;
    root.join("hooks/nudge.sh").is_file().then_some(root)
}

/// Returns what is before the names of tools if the plugin brings the server.
fn plugin_prefix(agent: &Agent) -> Option<&'static str> {
    plugin_root(agent).map(|_| "mcp__plugin_nudge_nudge__")
}
