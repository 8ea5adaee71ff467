//! Subagents of a session, as stored by the tracker.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One subagent, in the shape of `agent-tracker.json`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct TrackedAgent {
    pub(crate) harness_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent_id: Option<String>,
    pub(crate) started_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_resumed_at: Option<String>,
    #[serde(default)]
    pub(crate) resume_count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<AgentStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stopped_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_message: Option<String>,
    /// The files that were written, relative to the project's root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) files_touched: Option<Vec<String>>,
    /// Unknown fields; empty in entries that this version wrote.
    #[serde(flatten)]
    pub(crate) rest: Map<String, Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AgentStatus {
    Running,
    Completed,
}

impl TrackedAgent {
    /// Returns the name for people: the role, else the id.
    pub(crate) fn shown(&self) -> &str {
        self.agent_name.as_deref().or(self.agent_id.as_deref()).unwrap_or("an agent")
    }

    pub(crate) fn is(&self, agent_id: &str) -> bool {
        self.agent_id.as_deref() == Some(agent_id)
    }

    pub(crate) fn touched(&self) -> &[String] {
        self.files_touched.as_deref().unwrap_or_default()
    }
}
