//! What Copilot reads from a hook's stdout.
//!
//! Its own dialect has all keys at the top level. VS Code, which uses the other dialect, reads `hookSpecificOutput`, so
//! there the reply contains them twice.

use serde::Serialize;

use crate::harness::json::line;
use crate::model::{Event, Hook, Outcome, Verdict};

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct CopilotReplyWire<'v> {
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_event_name: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<Box<CopilotReplyWire<'v>>>,
}

/// Returns one line of JSON in Copilot's own dialect, or an empty string if there is nothing to say.
pub(super) fn reply(event: &Event, verdict: &Verdict) -> String {
    to_wire(event.hook, &verdict.outcome).map(|reply| line(&reply)).unwrap_or_default()
}

/// Returns the same in the other dialect.
pub(super) fn compatible_reply(event: &Event, verdict: &Verdict) -> String {
    let wire = || to_wire(event.hook, &verdict.outcome);
    let (Some(reply), Some(nested)) = (wire(), wire()) else { return String::new() };
    let nested = CopilotReplyWire { hook_event_name: Some(event.hook.name()), ..nested };
    line(&CopilotReplyWire { hook_specific_output: Some(Box::new(nested)), ..reply })
}

fn to_wire(hook: Hook, outcome: &Outcome) -> Option<CopilotReplyWire<'_>> {
    let none = CopilotReplyWire::default();
    Some(match (outcome, hook) {
        (Outcome::Block(message), Hook::PreToolUse) => CopilotReplyWire {
            permission_decision: Some("deny"),
            permission_decision_reason: Some(message),
            ..none
        },
        (Outcome::Ask { reason, context }, Hook::PreToolUse) => CopilotReplyWire {
            permission_decision: Some("ask"),
            permission_decision_reason: Some(reason),
            additional_context: context.as_deref(),
            ..none
        },
        (Outcome::Block(message), Hook::Stop) => {
            CopilotReplyWire { decision: Some("block"), reason: Some(message), ..none }
        }
        (
            Outcome::Guide(message) | Outcome::Block(message),
            Hook::PreToolUse
            | Hook::PostToolUse
            | Hook::PostToolUseFailure
            | Hook::UserPromptSubmit
            | Hook::SessionStart
            | Hook::SubagentStart,
        ) => CopilotReplyWire { additional_context: Some(message), ..none },
        _ => return None,
    })
}
