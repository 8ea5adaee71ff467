//! What Codex reads from a hook's stdout.
//!
//! It rejects a whole reply because of one key that it does not know for that event, and then the tool runs. So a key
//! is written only where it has a meaning.

use crate::harness::json::line;
use crate::harness::reply::{ReplyWire, SpecificWire};
use crate::model::{Event, Hook, Outcome, Verdict};

/// Returns one line of JSON, or an empty string if there is nothing to say.
pub(super) fn reply(event: &Event, verdict: &Verdict) -> String {
    let Some(name) = name(event.hook) else { return String::new() };
    let mut reply = ReplyWire::to_user(verdict.notice.as_deref());
    match (&verdict.outcome, event.hook) {
        (Outcome::Pass, _) => {}
        // A question would be taken for an error, and the tool would run.
        (Outcome::Block(message) | Outcome::Ask { reason: message, .. }, Hook::PreToolUse) => {
            reply.hook_specific_output = Some(SpecificWire::deny(name, message));
        }
        (Outcome::Block(message), Hook::PostToolUse | Hook::UserPromptSubmit | Hook::Stop) => {
            reply.refuse("block", message);
        }
        // Anything else in the reply to a stop is silently ignored.
        (Outcome::Guide(_), Hook::Stop) | (_, Hook::SubagentStop) => {}
        (Outcome::Guide(message) | Outcome::Block(message) | Outcome::Ask { reason: message, .. }, _) => {
            reply.hook_specific_output = Some(SpecificWire::context(name, message));
        }
    }
    line(&reply)
}

/// Returns Codex's name of an event for which it reads a reply.
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
