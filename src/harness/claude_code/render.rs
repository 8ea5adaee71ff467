//! What Claude Code reads from a hook's stdout, in the form that really works for each event.
//!
//! A deny is lost if any field is `null` or if `hookEventName` is not the event's own; `continue: false` and
//! `permissionDecision: allow` are never sent, because they mean something else than they seem to.

use std::borrow::Cow;

use crate::harness::json::line;
use crate::harness::reply::{ReplyWire, SpecificWire};
use crate::model::{Event, Hook, Outcome, Verdict};

/// Returns one line of JSON, or an empty string if there is nothing to say.
pub(super) fn reply(event: &Event, verdict: &Verdict) -> String {
    let mut reply = ReplyWire::to_user(verdict.notice.as_deref());
    match (&verdict.outcome, event.hook) {
        (Outcome::Pass, _) => {}
        (Outcome::Block(message), Hook::PreToolUse) => {
            reply.hook_specific_output = Some(SpecificWire::deny(event.hook.name(), message));
        }
        (Outcome::Ask { reason, context }, Hook::PreToolUse) => {
            reply.hook_specific_output =
                Some(SpecificWire::ask(event.hook.name(), reason, context.as_deref()));
        }
        // Only a call can be asked about.
        (Outcome::Ask { reason, .. }, _) => tell_user(&mut reply, reason),
        // An agent that already continues because of nudge must be allowed to stop, or it would never end. The user is
        // told.
        (Outcome::Block(message), Hook::Stop) if event.stop_hook_active => tell_user(&mut reply, message),
        (Outcome::Block(message), Hook::PostToolUse | Hook::UserPromptSubmit | Hook::Stop) => {
            reply.refuse("block", message);
        }
        // Context would keep the turn going, which is more than guidance.
        (Outcome::Guide(message), Hook::Stop) => tell_user(&mut reply, message),
        (
            Outcome::Guide(message) | Outcome::Block(message),
            Hook::SessionEnd | Hook::SubagentStop | Hook::PostCompact | Hook::Other,
        ) => {
            tell_user(&mut reply, message);
        }
        (Outcome::Guide(message), _)
        | (Outcome::Block(message), Hook::SessionStart | Hook::SubagentStart | Hook::PostToolUseFailure) => {
            reply.hook_specific_output = Some(SpecificWire::context(event.hook.name(), message));
        }
    }
    line(&reply)
}

fn tell_user<'v>(reply: &mut ReplyWire<'v>, message: &'v str) {
    reply.system_message = Some(match reply.system_message.take() {
        Some(notice) => Cow::Owned(format!("{message}\n\n{notice}")),
        None => Cow::Borrowed(message),
    });
}
