//! What Claude Code reads from a hook's stdout, in the form that really works for each event.
//!
//! A deny is lost if any field is `null` or if `hookEventName` is not the event's own; `continue: false` and
//! `permissionDecision: allow` are never sent, because they mean something else than they seem to.

use serde::Serialize;

use crate::model::{Event, Hook, Outcome, Verdict};

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct ReplyWire<'v> {
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<String>,
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
    let mut reply = ReplyWire { system_message: verdict.notice.clone(), ..ReplyWire::default() };
    match (&verdict.outcome, event.hook) {
        (Outcome::Pass, _) => {}
        (Outcome::Block(message), Hook::PreToolUse) => {
            reply.hook_specific_output = Some(SpecificWire {
                hook_event_name: event.hook.name(),
                permission_decision: Some("deny"),
                permission_decision_reason: Some(message),
                additional_context: None,
            });
        }
        // An agent that already goes on because of us must be let go, or it would never end; its user is told.
        (Outcome::Block(message), Hook::Stop) if event.stop_hook_active => tell_user(&mut reply, message),
        (Outcome::Block(message), Hook::PostToolUse | Hook::UserPromptSubmit | Hook::Stop) => {
            (reply.decision, reply.reason) = (Some("block"), Some(message.as_str()));
        }
        // Context would keep the turn going, which is more than guidance.
        (Outcome::Guide(message), Hook::Stop) => tell_user(&mut reply, message),
        (
            Outcome::Guide(message) | Outcome::Block(message),
            Hook::SessionEnd | Hook::SubagentStop | Hook::Other,
        ) => {
            tell_user(&mut reply, message);
        }
        (Outcome::Guide(message), _)
        | (Outcome::Block(message), Hook::SessionStart | Hook::SubagentStart | Hook::PostToolUseFailure) => {
            reply.hook_specific_output = Some(SpecificWire {
                hook_event_name: event.hook.name(),
                additional_context: Some(message),
                ..SpecificWire::default()
            });
        }
    }
    if verdict.outcome == Outcome::Pass && verdict.notice.is_none() {
        return String::new();
    }
    serde_json::to_string(&reply).map(|line| line + "\n").unwrap_or_default()
}

fn tell_user(reply: &mut ReplyWire<'_>, message: &str) {
    reply.system_message = Some(match reply.system_message.take() {
        Some(notice) => format!("{message}\n\n{notice}"),
        None => message.to_owned(),
    });
}
