//! A plan: the issues that have to be decided before the work begins.
//!
//! Unknown fields are preserved, so that a plan of a newer version survives a change by an older program.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The open plan, as stored in `plan.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Plan {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) schema_version: Option<String>,
    pub(crate) id: u64,
    pub(crate) topic: String,
    #[serde(default)]
    pub(crate) issues: Vec<Issue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) research_summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) created_at: Option<String>,
    #[serde(flatten)]
    pub(crate) rest: Map<String, Value>,
}

/// One question of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Issue {
    pub(crate) id: u64,
    pub(crate) title: String,
    pub(crate) status: IssueStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) decision: Option<String>,
    #[serde(flatten)]
    pub(crate) how: Consultation,
    #[serde(flatten)]
    pub(crate) rest: Map<String, Value>,
}

/// Which agents were asked about an issue, and what they answered; fields that are not given stay unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Consultation {
    #[serde(rename = "how_agents", skip_serializing_if = "Option::is_none")]
    pub(crate) agents: Option<Vec<String>>,
    #[serde(rename = "how_summary", skip_serializing_if = "Option::is_none")]
    pub(crate) summary: Option<BTreeMap<String, String>>,
    #[serde(rename = "how_agent_ids", skip_serializing_if = "Option::is_none")]
    pub(crate) agent_ids: Option<BTreeMap<String, String>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum IssueStatus {
    Pending,
    Decided,
    /// A status of a newer version.
    #[serde(untagged)]
    Other(String),
}

/// The parts of a plan that a one-line summary needs; decisions and unknown fields are skipped.
#[derive(Debug, Deserialize)]
pub(crate) struct PlanOutline {
    id: u64,
    topic: String,
    issues: Vec<IssueOutline>,
}

#[derive(Debug, Deserialize)]
struct IssueOutline {
    id: u64,
    title: String,
    status: IssueStatus,
}

impl From<PlanOutline> for Plan {
    fn from(outline: PlanOutline) -> Plan {
        let issue = |one: IssueOutline| Issue { status: one.status, ..Issue::pending(one.id, one.title) };
        Plan {
            schema_version: None,
            id: outline.id,
            topic: outline.topic,
            issues: outline.issues.into_iter().map(issue).collect(),
            research_summary: None,
            created_at: None,
            rest: Map::new(),
        }
    }
}

impl Issue {
    pub(crate) fn pending(id: u64, title: String) -> Issue {
        Issue {
            id,
            title,
            status: IssueStatus::Pending,
            decision: None,
            how: Consultation::default(),
            rest: Map::new(),
        }
    }

    pub(crate) fn is_decided(&self) -> bool {
        self.status == IssueStatus::Decided
    }
}

impl Plan {
    pub(crate) fn decided(&self) -> usize {
        self.issues.iter().filter(|issue| issue.is_decided()).count()
    }

    pub(crate) fn issue(&mut self, id: u64) -> Option<&mut Issue> {
        self.issues.iter_mut().find(|issue| issue.id == id)
    }
}
