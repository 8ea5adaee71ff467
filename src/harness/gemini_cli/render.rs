//! What Gemini CLI reads from a hook's stdout.
//!
//! It ignores `permissionDecision`, and `continue: false` ends the whole session: only `decision` refuses.

use crate::harness::json::line;
use crate::harness::reply::{ReplyWire, SpecificWire};
use crate::model::{Event, Hook, Outcome, Verdict};

/// Returns one line of JSON, or an empty string if there is nothing to say.
pub(super) fn reply(event: &Event, verdict: &Verdict) -> String {
    let Some(name) = name(event.hook) else { return String::new() };
    let mut reply = ReplyWire::to_user(verdict.notice.as_deref());
    match (&verdict.outcome, event.hook) {
        // Context would be dropped before a tool, and at the end of a turn.
        (Outcome::Pass, _) | (Outcome::Guide(_), Hook::PreToolUse | Hook::Stop) => {}
        (
            Outcome::Block(message) | Outcome::Ask { reason: message, .. },
            Hook::PreToolUse | Hook::PostToolUse | Hook::UserPromptSubmit | Hook::Stop,
        ) => reply.refuse("deny", message),
        (Outcome::Guide(message) | Outcome::Block(message) | Outcome::Ask { reason: message, .. }, _) => {
            reply.hook_specific_output = Some(SpecificWire::context(name, message));
        }
    }
    line(&reply)
}

/// Returns Gemini's name of an event for which it reads a reply.
fn name(hook: Hook) -> Option<&'static str> {
    Some(match hook {
        Hook::PreToolUse => "BeforeTool",
        Hook::PostToolUse | Hook::PostToolUseFailure => "AfterTool",
        Hook::UserPromptSubmit => "BeforeAgent",
        Hook::Stop => "AfterAgent",
        Hook::SessionStart => "SessionStart",
        _ => return None,
    })
}
