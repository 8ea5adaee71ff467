//! What Cursor reads from a hook's stdout. Anything but JSON would block, "for safety".

use serde::Serialize;

use crate::harness::json::line;
use crate::model::{Event, Hook, Outcome, Verdict};

#[derive(Serialize, Default)]
struct CursorReplyWire<'v> {
    #[serde(skip_serializing_if = "Option::is_none")]
    permission: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none", rename = "continue")]
    should_continue: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_message: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_message: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    followup_message: Option<&'v str>,
}

/// Returns one line of JSON, or an empty string if there is nothing to say.
pub(super) fn reply(event: &Event, verdict: &Verdict) -> String {
    let notice = verdict.notice.as_deref();
    let none = CursorReplyWire::default();
    let reply = match (&verdict.outcome, event.hook) {
        (Outcome::Block(message) | Outcome::Ask { reason: message, .. }, Hook::PreToolUse) => {
            CursorReplyWire {
                permission: Some("deny"),
                agent_message: Some(message),
                user_message: Some(notice.unwrap_or(message)),
                ..none
            }
        }
        // The prompt is withdrawn, and only the user sees why.
        (Outcome::Block(message), Hook::UserPromptSubmit) => {
            CursorReplyWire { should_continue: Some(false), user_message: Some(message), ..none }
        }
        (Outcome::Block(message), Hook::Stop) => CursorReplyWire { followup_message: Some(message), ..none },
        (Outcome::Guide(message), Hook::PreToolUse) => {
            CursorReplyWire { additional_context: Some(message), ..none }
        }
        (Outcome::Guide(message) | Outcome::Block(message), Hook::PostToolUse | Hook::PostToolUseFailure) => {
            CursorReplyWire { additional_context: Some(message), ..none }
        }
        (Outcome::Guide(message), Hook::UserPromptSubmit)
        | (Outcome::Guide(message) | Outcome::Block(message), Hook::SessionStart) => {
            CursorReplyWire { additional_context: Some(message), user_message: notice, ..none }
        }
        (Outcome::Pass, Hook::UserPromptSubmit | Hook::SessionStart) => {
            CursorReplyWire { user_message: notice, ..none }
        }
        _ => none,
    };
    line(&reply)
}
