//! What Copilot reads from a hook's stdout.
//!
//! Its own dialect has everything at the top; VS Code, which speaks the other, looks into `hookSpecificOutput`, so
//! there it stands twice.

use serde::Serialize;

use crate::harness::json::line;
use crate::model::{Event, Hook, Outcome, Verdict};

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct ReplyWire<'v> {
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
    hook_specific_output: Option<Box<ReplyWire<'v>>>,
}

/// Returns one line of JSON in Copilot's own dialect, or nothing where there is nothing to say.
pub(super) fn reply(event: &Event, verdict: &Verdict) -> String {
    said(event.hook, &verdict.outcome).map(|reply| line(&reply)).unwrap_or_default()
}

/// Returns the same in the other dialect.
pub(super) fn compatible_reply(event: &Event, verdict: &Verdict) -> String {
    let said = || said(event.hook, &verdict.outcome);
    let (Some(reply), Some(nested)) = (said(), said()) else { return String::new() };
    let nested = ReplyWire { hook_event_name: Some(event.hook.name()), ..nested };
    line(&ReplyWire { hook_specific_output: Some(Box::new(nested)), ..reply })
}

fn said(hook: Hook, outcome: &Outcome) -> Option<ReplyWire<'_>> {
    let none = ReplyWire::default();
    Some(match (outcome, hook) {
        (Outcome::Block(message), Hook::PreToolUse) => {
            ReplyWire { permission_decision: Some("deny"), permission_decision_reason: Some(message), ..none }
        }
        (Outcome::Block(message), Hook::Stop) => {
            ReplyWire { decision: Some("block"), reason: Some(message), ..none }
        }
        (
            Outcome::Guide(message) | Outcome::Block(message),
            Hook::PreToolUse
            | Hook::PostToolUse
            | Hook::PostToolUseFailure
            | Hook::UserPromptSubmit
            | Hook::SessionStart
            | Hook::SubagentStart,
        ) => ReplyWire { additional_context: Some(message), ..none },
        _ => return None,
    })
}
