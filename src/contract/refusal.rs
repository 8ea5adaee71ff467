//! Why an agent must not make a tool call, and what it can do instead.

use super::agents::{agent, role};
use super::capability::{Capability, classes};
use super::deeds::Deed;
use super::words;
use crate::model::ToolCall;

/// Returns why an agent of this type must not make this call, which does these things, and what it can do instead;
/// `None` if it may.
pub(crate) fn refusal(agent_type: &str, call: &ToolCall, deeds: &[Deed]) -> Option<String> {
    let role = role(agent_type)?;
    let agent = agent(&role)?;
    if let Some((deed, instead)) = deeds.iter().find_map(|deed| Some((deed, deed.for_lead()?))) {
        let what = what(call, Some(deed));
        return Some(format!("{what} is up to the main conversation, not to the agent `{role}`: {instead}."));
    }
    let by_tool = classes(call).iter().map(|class| (class, None));
    let by_deeds = deeds.iter().flat_map(|deed| deed.classes().iter().map(move |class| (class, Some(deed))));
    let all: Vec<_> = by_tool.chain(by_deeds).collect();
    let blocked = |capability: &Capability| {
        let of_it = all.iter().find(|(class, _)| capability.blocks().contains(class));
        of_it.map(|(_, deed)| (*capability, *deed))
    };
    let (capability, deed) = agent.capabilities.iter().find_map(blocked)?;
    let words = words::capabilities().into_iter().find(|words| words.id == capability.id())?;
    let what = what(call, deed);
    Some(format!(
        "{what} is not for the agent `{role}` in this project ({}). {}",
        words.id, words.prose_guidance
    ))
}

/// Names the tool, and what a command or a tool of a server would do.
fn what(call: &ToolCall, deed: Option<&Deed>) -> String {
    match deed {
        Some(deed) => format!("`{}`, which {},", call.name, deed.in_words()),
        None => format!("`{}`", call.name),
    }
}

#[cfg(test)]
mod tests;
