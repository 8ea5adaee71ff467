//! The answers of the viewer's questions: what the page below `/ui/` gets, and what a report has in it.
//!
//! Times are milliseconds since 1970, in fields that end in `_ms`. Texts are redacted, cut and made visible before they
//! are put here (`ops/view/shown.rs`).

use serde::Serialize;

use super::list::MapWire;
use crate::model::PageScope;

/// An answer with its frame.
#[derive(Debug, Serialize)]
pub(crate) struct ViewAnswerWire<T> {
    pub(crate) v: u8,
    pub(crate) now_ms: i64,
    pub(crate) data: T,
}

#[derive(Debug, Serialize)]
pub(crate) struct ViewErrorWire<'e> {
    pub(crate) v: u8,
    pub(crate) error: ViewErrorBodyWire<'e>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ViewErrorBodyWire<'e> {
    pub(crate) code: &'static str,
    pub(crate) message: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<&'e str>,
}

/// `meta`: what there is to look at.
#[derive(Debug, Serialize)]
pub(crate) struct MetaView {
    pub(crate) version: &'static str,
    pub(crate) instance: String,
    pub(crate) scope: PageScope,
    /// When the scope ends.
    pub(crate) until_ms: i64,
    pub(crate) projects: Vec<ProjectView>,
    pub(crate) agents: Vec<AgentView>,
    pub(crate) counts: CountsView,
    /// `null` for a type that is kept forever.
    pub(crate) retention_days: MapWire<Option<u32>>,
    /// The oldest observation.
    pub(crate) first_ms: Option<i64>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ProjectView {
    pub(crate) name: String,
    pub(crate) root: Option<String>,
    pub(crate) last_ms: Option<i64>,
    pub(crate) observations: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct AgentView {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
}

/// The numbers beside the pages' names.
#[derive(Debug, Default, Serialize)]
pub(crate) struct CountsView {
    pub(crate) sessions: usize,
    pub(crate) walls: usize,
    pub(crate) rules: usize,
    pub(crate) rules_dead: usize,
    pub(crate) hints: usize,
    pub(crate) notes: usize,
    pub(crate) tasks_open: usize,
}

/// `feed`: hook calls, the newest first.
#[derive(Debug, Serialize)]
pub(crate) struct FeedView {
    pub(crate) rows: Vec<HookRowView>,
}

/// One hook call.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct HookRowView {
    pub(crate) id: String,
    pub(crate) at_ms: i64,
    pub(crate) us: u64,
    pub(crate) session: Option<String>,
    pub(crate) agent: String,
    pub(crate) project: String,
    pub(crate) hook: &'static str,
    pub(crate) tool: Option<String>,
    pub(crate) target: Option<String>,
    /// pass, guide, ask, block or lost.
    pub(crate) verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rule: Option<String>,
    /// block, ask, told, lost; else prompt, failed, command, edit, read or other.
    pub(crate) kind: &'static str,
    /// The parts of what was told, each with its characters.
    pub(crate) parts: Vec<(&'static str, usize)>,
    /// The characters of all of it.
    pub(crate) told: usize,
    /// The observations that it was made from.
    pub(crate) obs: Vec<i64>,
}

/// `why/ID`: what one hook call did, and why.
#[derive(Debug, Serialize)]
pub(crate) struct WhyView {
    pub(crate) row: HookRowView,
    pub(crate) tried: Vec<TriedRuleView>,
    /// Why other current rules were silent.
    pub(crate) others: Vec<OtherRuleView>,
    pub(crate) parts: Vec<ToldPartView>,
    /// What was remembered, in words.
    pub(crate) recorded: String,
    pub(crate) problems: Vec<String>,
    /// Whether `others` was found out today.
    pub(crate) reconstructed: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct TriedRuleView {
    pub(crate) rule: String,
    pub(crate) fate: &'static str,
    /// The field or condition that decided.
    pub(crate) field: Option<String>,
    /// The rule's file and line.
    pub(crate) place: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct OtherRuleView {
    pub(crate) rule: String,
    pub(crate) why: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct ToldPartView {
    pub(crate) part: &'static str,
    pub(crate) chars: usize,
    pub(crate) rows: Vec<ToldRowView>,
}

/// A row that an agent was told about.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ToldRowView {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<i64>,
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) forgotten: bool,
}

/// An observation.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ObsView {
    pub(crate) id: i64,
    pub(crate) at_ms: i64,
    pub(crate) session: String,
    pub(crate) agent: Option<String>,
    /// The name of its mark: read, edit, command, prompt, failed, blocked, commit or other.
    pub(crate) kind: &'static str,
    pub(crate) r#type: &'static str,
    /// What it is about: a file, a command, the first line.
    pub(crate) subject: String,
    pub(crate) text: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) cut: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) program: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exit: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) duration_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rule: Option<String>,
    pub(crate) pinned: bool,
}

/// `observation/ID`.
#[derive(Debug, Serialize)]
pub(crate) struct ObservationView {
    pub(crate) obs: ObsView,
    pub(crate) before: Vec<ObsView>,
    pub(crate) after: Vec<ObsView>,
    pub(crate) seen: SeenView,
    /// The steps that ended a failure; the last of them is the success.
    pub(crate) ended_by: Vec<ObsView>,
    /// The sessions that were told about it.
    pub(crate) told_to: Vec<String>,
}

/// How often the same was seen.
#[derive(Debug, Serialize)]
pub(crate) struct SeenView {
    pub(crate) n: usize,
    pub(crate) sessions: usize,
    pub(crate) agents: Vec<String>,
}
