//! What `nudge why --json` prints.

use serde::Serialize;

use super::list::{IsoTime, ListWire};
use crate::model::{ContextPart, Hook, Recorded, SessionId, Trace, TracedTarget, TriedRule, VerdictKind};

/// The latest hook calls, the oldest first.
#[derive(Debug, Serialize)]
pub(crate) struct WhyJson {
    #[serde(flatten)]
    pub(crate) events: ListWire<TracedEventJson>,
    pub(crate) torn_lines: usize,
    /// How many are kept, of all sessions and projects.
    pub(crate) kept: usize,
}

/// One hook call.
#[derive(Debug, Serialize)]
pub(crate) struct TracedEventJson {
    id: String,
    at: IsoTime,
    microseconds: u64,
    session: Option<SessionId>,
    project: String,
    harness: String,
    hook: Hook,
    tool: Option<String>,
    target: Option<TracedTarget>,
    verdict: VerdictKind,
    tried: usize,
    rules: Vec<TriedRule>,
    /// The role or the setting that refused the action, if it was not a rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused_by: Option<String>,
    parts: Vec<PartJson>,
    told: usize,
    recorded: Recorded,
    problems: Vec<String>,
    /// The rule that says what the memory would have warned of.
    #[serde(skip_serializing_if = "Option::is_none")]
    said_by_rule: Option<String>,
    /// The hint server did not answer within this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    late_hints_ms: Option<u64>,
    /// The rules that fired.
    fired: Vec<String>,
    /// Why other current rules were not tried; only for a single event.
    reconstructed: Vec<ReconstructedJson>,
}

#[derive(Debug, Serialize)]
struct PartJson {
    part: ContextPart,
    characters: usize,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct ReconstructedJson {
    pub(crate) rule: String,
    pub(crate) file: String,
    pub(crate) why: String,
}

impl TracedEventJson {
    pub(crate) fn new(trace: &Trace, reconstructed: Vec<ReconstructedJson>) -> TracedEventJson {
        let fired = trace.rules.iter().filter(|tried| tried.fate.fired());
        TracedEventJson {
            id: trace.id.clone(),
            at: IsoTime::of_milliseconds(trace.at),
            microseconds: trace.microseconds,
            session: trace.session.clone(),
            project: trace.project.clone(),
            harness: trace.harness.clone(),
            hook: trace.hook,
            tool: trace.tool.clone(),
            target: trace.target.clone(),
            verdict: trace.verdict,
            tried: trace.tried,
            rules: trace.rules.clone(),
            refused_by: trace.refused_by.clone(),
            parts: trace
                .parts
                .iter()
                .map(|(part, characters)| PartJson { part: *part, characters: *characters })
                .collect(),
            told: trace.told,
            recorded: trace.recorded.clone(),
            problems: trace.problems.clone(),
            said_by_rule: trace.said_by_rule.clone(),
            late_hints_ms: trace.late_hints_ms,
            fired: fired.map(|tried| tried.rule.clone()).collect(),
            reconstructed,
        }
    }
}
