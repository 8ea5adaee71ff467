//! What all payloads of an agent have in common, under the names that the agent gives it.

use serde_json::{Value, json};

/// The names of the fields that every payload of an agent has.
#[derive(Debug)]
pub(in crate::harness) struct CommonNames {
    pub(in crate::harness) event: &'static str,
    pub(in crate::harness) session: &'static str,
    pub(in crate::harness) agent: &'static str,
}

/// The names that most agents use.
pub(in crate::harness) const COMMON_NAMES: CommonNames =
    CommonNames { event: "hook_event_name", session: "session_id", agent: "agent_id" };

/// Whose event it is.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::harness) struct Whose<'w> {
    pub(in crate::harness) session: Option<&'w str>,
    pub(in crate::harness) cwd: Option<&'w str>,
    /// The subagent.
    pub(in crate::harness) agent_id: Option<&'w str>,
}

impl CommonNames {
    /// Adds what every payload has to the fields of one.
    pub(in crate::harness) fn payload(
        &self,
        event: &'static str,
        whose: Whose<'_>,
        mut fields: Value,
    ) -> Value {
        if let Some(payload) = fields.as_object_mut() {
            payload.insert(self.event.to_owned(), event.into());
            payload.insert(self.session.to_owned(), json!(whose.session));
            payload.insert("cwd".to_owned(), json!(whose.cwd));
            payload.insert(self.agent.to_owned(), json!(whose.agent_id));
        }
        fields
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{COMMON_NAMES, Whose};

    #[test]
    fn what_every_payload_has_is_added_to_its_own_fields() {
        let whose = Whose { session: Some("s1"), cwd: Some("/p"), agent_id: None };
        assert_eq!(
            COMMON_NAMES.payload("Stop", whose, json!({ "prompt": "x" })),
            json!({ "prompt": "x", "hook_event_name": "Stop", "session_id": "s1", "cwd": "/p", "agent_id": null })
        );
    }
}
