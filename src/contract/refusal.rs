//! Why an agent must not make a tool call, and what it can do instead.

use super::agents::{agent, role};
use super::capability::{Capability, classes};
use super::words;
use crate::model::ToolCall;

/// Returns why an agent of this type must not make this call, and what it can do instead; `None` if it may.
pub(crate) fn refusal(agent_type: &str, call: &ToolCall) -> Option<String> {
    let role = role(agent_type)?;
    let classes = classes(call);
    let blocks = |capability: &&Capability| capability.blocks().iter().any(|class| classes.contains(class));
    let capability = agent(&role)?.capabilities.iter().find(blocks)?;
    let words = words::capabilities().into_iter().find(|words| words.id == capability.id())?;
    Some(format!(
        "`{}` is not for the agent `{role}` in this project ({}). {}",
        call.name, words.id, words.prose_guidance
    ))
}

#[cfg(test)]
mod tests;
