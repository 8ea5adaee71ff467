//! The records of a transcript, field by field as Claude Code writes them.

use std::fmt;

use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::harness::json::TextField;
use crate::harness::transcript::parse_time_text;

/// The types of records that say something about the session.
pub(super) const READ: [&str; 5] = ["user", "assistant", "system", "attachment", "queue-operation"];

/// The types of records that say nothing; some of them contain copies of messages.
pub(super) const IGNORED: [&str; 27] = [
    "progress",
    "file-history-snapshot",
    "file-history-delta",
    "summary",
    "last-prompt",
    "mode",
    "permission-mode",
    "atis-latch",
    "tools-used",
    "cost-state",
    "api-request",
    "api-request-shape",
    "api-request-blob",
    "ai-title",
    "custom-title",
    "agent-name",
    "agent-setting",
    "worktree-state",
    "bridge-session",
    "continued-in",
    "content-replacement",
    "repl-mode",
    "resume-head-vouch",
    "history-suppression",
    "frame-link",
    "artifact-autoreact-ledger",
    "pr-link",
];

/// Returns the type of a record, without reading on behind it; `None` if the beginning of the line is not plain JSON.
///
/// Most of a transcript is records that nobody reads, and in many of them the type is among the first fields.
pub(super) fn kind_of(line: &[u8]) -> Option<String> {
    let mut kind = None;
    // The visitor fails as soon as it knows enough.
    drop(serde_json::Deserializer::from_slice(line).deserialize_map(KindVisitor(&mut kind)));
    kind
}

struct KindVisitor<'k>(&'k mut Option<String>);

impl<'de> Visitor<'de> for KindVisitor<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a record")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while let Some(name) = fields.next_key::<FieldName>()? {
            if name.is_type {
                *self.0 = fields.next_value::<TextField>()?.filled();
                return Err(A::Error::custom("the rest is not read"));
            }
            fields.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

struct FieldName {
    is_type: bool,
}

impl<'de> Deserialize<'de> for FieldName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FieldName, D::Error> {
        struct NameVisitor;

        impl Visitor<'_> for NameVisitor {
            type Value = FieldName;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a name")
            }

            fn visit_str<E>(self, name: &str) -> Result<FieldName, E> {
                Ok(FieldName { is_type: name == "type" })
            }
        }

        deserializer.deserialize_str(NameVisitor)
    }
}

/// The one field that decides whether the rest is read.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct HeadWire {
    #[serde(rename = "type")]
    pub(super) kind: TextField,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ClaudeRecordWire {
    pub(super) uuid: TextField,
    pub(super) timestamp: TextField,
    // The `session_id` on some lines is the id that the process began with.
    pub(super) session_id: TextField,
    pub(super) cwd: TextField,
    pub(super) version: TextField,
    pub(super) git_branch: TextField,
    is_sidechain: Value,
    pub(super) is_meta: Value,
    pub(super) is_compact_summary: Value,
    #[serde(rename = "isVisibleInTranscriptOnly")]
    pub(super) is_visible_only: Value,
    #[serde(rename = "isApiErrorMessage")]
    pub(super) is_api_error: Value,
    pub(super) agent_id: TextField,
    pub(super) prompt_id: TextField,
    origin: Value,
    turn_origin: TextField,
    pub(super) message: Value,
    pub(super) tool_use_result: Value,
    pub(super) tool_denial_kind: TextField,
    pub(super) attachment: Option<AttachmentWire>,
    pub(super) compact_metadata: Value,
    pub(super) subtype: TextField,
    pub(super) operation: TextField,
    pub(super) content: Value,
    #[serde(skip)]
    at_ms: Option<i64>,
}

/// What Claude Code adds to a conversation; most of it is long and says nothing about the session.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct AttachmentWire {
    #[serde(rename = "type")]
    pub(super) kind: TextField,
    pub(super) command_mode: TextField,
    pub(super) origin: Value,
    pub(super) prompt: Value,
    pub(super) hook_event: TextField,
    pub(super) hook_name: TextField,
}

impl ClaudeRecordWire {
    /// Parses the time once.
    pub(super) fn finish(&mut self) {
        self.at_ms = self.timestamp.0.as_deref().and_then(parse_time_text);
    }

    /// Returns milliseconds since 1970.
    pub(super) fn at_ms(&self) -> Option<i64> {
        self.at_ms
    }

    pub(super) fn is_sidechain(&self) -> bool {
        self.is_sidechain == Value::Bool(true)
    }

    /// Returns whether a person, or a program in a person's place, started this; a missing origin says nothing.
    pub(super) fn is_by_user(&self) -> bool {
        let by_human = self.origin["kind"].as_str().is_none_or(|kind| kind == "human");
        by_human && self.turn_origin.0.as_deref().is_none_or(|origin| origin == "human" || origin == "sdk")
    }

    /// Returns whether both belong to one prompt; records without the id of one follow each other.
    pub(super) fn is_same_turn(&self, other: &ClaudeRecordWire) -> bool {
        self.prompt_id.0.is_none() || self.prompt_id.0 == other.prompt_id.0
    }

    /// Returns what it says about itself, without its content.
    pub(super) fn about(&self) -> ClaudeRecordWire {
        let text = |field: &TextField| TextField(field.0.clone());
        ClaudeRecordWire {
            uuid: text(&self.uuid),
            timestamp: text(&self.timestamp),
            session_id: text(&self.session_id),
            cwd: text(&self.cwd),
            git_branch: text(&self.git_branch),
            agent_id: text(&self.agent_id),
            prompt_id: text(&self.prompt_id),
            at_ms: self.at_ms,
            ..ClaudeRecordWire::default()
        }
    }
}
