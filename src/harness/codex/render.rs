//! What Codex reads from a hook's stdout.
//!
//! It refuses a whole reply for one key that it does not know at that event, and then the tool runs; so a key is
//! written only where it has a meaning.

use crate::harness::json::line;
use crate::harness::reply::{ReplyWire, SpecificWire};
use crate::model::{Event, Hook, Outcome, Verdict};

/// Returns one line of JSON, or nothing where there is nothing to say.
pub(super) fn reply(event: &Event, verdict: &Verdict) -> String {
    let Some(name) = name(event.hook) else { return String::new() };
    let mut reply = ReplyWire::to_user(verdict.notice.as_deref());
    match (&verdict.outcome, event.hook) {
        (Outcome::Pass, _) => {}
        (Outcome::Block(message), Hook::PreToolUse) => {
            reply.hook_specific_output = Some(SpecificWire::deny(name, message));
        }
        (Outcome::Block(message), Hook::PostToolUse | Hook::UserPromptSubmit | Hook::Stop) => {
            reply.refuse("block", message);
        }
        // Whatever else a stop is told is lost without a word.
        (Outcome::Guide(_), Hook::Stop) | (_, Hook::SubagentStop) => {}
        (Outcome::Guide(message) | Outcome::Block(message), _) => {
            reply.hook_specific_output = Some(SpecificWire::context(name, message));
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
