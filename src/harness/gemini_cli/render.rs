//! What Gemini CLI reads from a hook's stdout.
//!
//! `permissionDecision` means nothing to it, and `continue: false` ends the whole session: only a `decision` refuses.

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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SpecificWire<'v> {
    hook_event_name: &'static str,
    additional_context: &'v str,
}

/// Returns one line of JSON, or nothing where there is nothing to say.
pub(super) fn reply(event: &Event, verdict: &Verdict) -> String {
    let Some(name) = name(event.hook) else { return String::new() };
    let mut reply = ReplyWire { system_message: verdict.notice.as_deref(), ..ReplyWire::default() };
    match (&verdict.outcome, event.hook) {
        (Outcome::Pass, _) if verdict.notice.is_none() => return String::new(),
        // Context would be dropped in front of a tool, and at the end of a turn.
        (Outcome::Pass, _) | (Outcome::Guide(_), Hook::PreToolUse | Hook::Stop) => {}
        (
            Outcome::Block(message),
            Hook::PreToolUse | Hook::PostToolUse | Hook::UserPromptSubmit | Hook::Stop,
        ) => (reply.decision, reply.reason) = (Some("deny"), Some(message.as_str())),
        (Outcome::Guide(message) | Outcome::Block(message), _) => {
            reply.hook_specific_output =
                Some(SpecificWire { hook_event_name: name, additional_context: message });
        }
    }
    line(&reply)
}

/// Returns Gemini's name of a moment at which it reads a reply.
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
