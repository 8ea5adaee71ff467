//! What nudge's plugin reads: whether to refuse the tool, what to add for the model, what to show the user.

use serde::Serialize;

use crate::harness::json::line;
use crate::model::{Event, Hook, Outcome, Verdict};

#[derive(Serialize)]
struct OpenCodeReplyWire<'v> {
    #[serde(skip_serializing_if = "Option::is_none")]
    block: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notice: Option<&'v str>,
}

/// Returns one line of JSON, or an empty string if there is nothing to say.
pub(super) fn reply(event: &Event, verdict: &Verdict) -> String {
    let (block, context) = match (&verdict.outcome, event.hook) {
        (Outcome::Pass, _) => (None, None),
        (Outcome::Block(message) | Outcome::Ask { reason: message, .. }, Hook::PreToolUse) => {
            (Some(message.as_str()), None)
        }
        (Outcome::Block(message) | Outcome::Guide(message) | Outcome::Ask { reason: message, .. }, _) => {
            (None, Some(message.as_str()))
        }
    };
    line(&OpenCodeReplyWire { block, context, notice: verdict.notice.as_deref() })
}
