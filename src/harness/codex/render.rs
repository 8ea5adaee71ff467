//! What Codex reads from a hook's stdout.
//!
//! It refuses a whole reply for one key that it does not know at that event, and then the tool runs; so a key is
//! written only where it has a meaning.

use serde::Serialize;

use crate::harness::json::line;
use crate::model::{Event, Hook, Outcome, Verdict};

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct ReplyWire<'v> {
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<SpecificWire<'v>>,
}

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct SpecificWire<'v> {
    hook_event_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<&'v str>,
}

/// Returns one line of JSON, or nothing where there is nothing to say.
pub(super) fn reply(event: &Event, verdict: &Verdict) -> String {
    let Some(name) = name(event.hook) else { return String::new() };
    let mut reply = ReplyWire { system_message: verdict.notice.as_deref(), ..ReplyWire::default() };
    match (&verdict.outcome, event.hook) {
        (Outcome::Pass, _) if verdict.notice.is_none() => return String::new(),
        (Outcome::Pass, _) => {}
        (Outcome::Block(message), Hook::PreToolUse) => {
            reply.hook_specific_output = Some(SpecificWire {
                hook_event_name: name,
                permission_decision: Some("deny"),
                permission_decision_reason: Some(message),
                additional_context: None,
            });
        }
        (Outcome::Block(message), Hook::PostToolUse | Hook::UserPromptSubmit | Hook::Stop) => {
            (reply.decision, reply.reason) = (Some("block"), Some(message.as_str()));
        }
        // Whatever else a stop is told is lost without a word.
        (Outcome::Guide(_), Hook::Stop) | (_, Hook::SubagentStop) => {}
        (Outcome::Guide(message) | Outcome::Block(message), _) => {
            let specific = SpecificWire { hook_event_name: name, ..SpecificWire::default() };
            reply.hook_specific_output = Some(SpecificWire { additional_context: Some(message), ..specific });
        }
    }
    line(&reply)
}

/// Returns Codex's name of a moment at which it reads a reply.
fn name(hook: Hook) -> Option<&'static str> {
    match hook {
        Hook::PostToolUseFailure => Some("PostToolUse"),
        Hook::PreToolUse
        | Hook::PostToolUse
        | Hook::UserPromptSubmit
        | Hook::Stop
        | Hook::SessionStart
        | Hook::SubagentStart
        | Hook::SubagentStop => Some(hook.name()),
        _ => None,
    }
}
