//! The reply format of Claude Code, which Codex and Gemini CLI share; each agent uses different keys of it.
//!
//! No key is ever `null`: some agents ignore the whole reply because of one.

use std::borrow::Cow;

use serde::Serialize;

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReplyWire<'v> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) system_message: Option<Cow<'v, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hook_specific_output: Option<SpecificWire<'v>>,
}

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
pub(super) struct SpecificWire<'v> {
    pub(super) hook_event_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) permission_decision_reason: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) additional_context: Option<&'v str>,
}

impl<'v> ReplyWire<'v> {
    /// Starts a reply with the message to the user.
    pub(super) fn to_user(notice: Option<&'v str>) -> ReplyWire<'v> {
        ReplyWire { system_message: notice.map(Cow::Borrowed), ..ReplyWire::default() }
    }

    /// Refuses a tool's result, a prompt or the end of a turn, with the agent's word for it.
    pub(super) fn refuse(&mut self, word: &'static str, reason: &'v str) {
        (self.decision, self.reason) = (Some(word), Some(reason));
    }
}

impl<'v> SpecificWire<'v> {
    /// Refuses a tool before it runs.
    pub(super) fn deny(hook_event_name: &'static str, reason: &'v str) -> SpecificWire<'v> {
        SpecificWire {
            hook_event_name,
            permission_decision: Some("deny"),
            permission_decision_reason: Some(reason),
            additional_context: None,
        }
    }

    /// Lets a person decide before a tool runs; the context is for the model.
    pub(super) fn ask(
        hook_event_name: &'static str,
        reason: &'v str,
        context: Option<&'v str>,
    ) -> SpecificWire<'v> {
        SpecificWire {
            permission_decision: Some("ask"),
            additional_context: context,
            ..SpecificWire::deny(hook_event_name, reason)
        }
    }

    /// Adds context for the model.
    pub(super) fn context(hook_event_name: &'static str, message: &'v str) -> SpecificWire<'v> {
        SpecificWire { hook_event_name, additional_context: Some(message), ..SpecificWire::default() }
    }
}
