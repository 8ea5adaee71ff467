//! What `nudge test --replay` and `nudge validate --replay` print as JSON.

use serde::Serialize;

/// `nudge test --replay --json`.
#[derive(Debug, Serialize)]
pub(crate) struct ReplayJson {
    pub(crate) since: String,
    pub(crate) transcripts: usize,
    pub(crate) bytes: u64,
    pub(crate) sessions: usize,
    /// Calls of tools, and of these the shell commands that ran.
    pub(crate) calls: usize,
    pub(crate) commands: usize,
    pub(crate) prompts: usize,
    pub(crate) stops: usize,
    /// Calls from the memory, because their transcripts are gone.
    pub(crate) remembered: usize,
    /// What forks and resumes repeat.
    pub(crate) copies: usize,
    #[serde(flatten)]
    pub(crate) counts: ReplayCountsJson,
    /// Firings of rules that stop a call, on calls that went well.
    pub(crate) false_alarms: usize,
    pub(crate) rules: Vec<ReplayedRuleJson>,
    pub(crate) agents: Vec<ReplayedGroupJson>,
    pub(crate) projects: Vec<ReplayedGroupJson>,
    /// At most 500 of each rule, the newest first.
    pub(crate) firings: Vec<FiringJson>,
    pub(crate) not_replayed: Vec<NotReplayedJson>,
    /// Transcripts that could not be read.
    pub(crate) unreadable: Vec<UnreplayedFileJson>,
}

/// How often something fired, by how the calls ended.
#[derive(Debug, Serialize)]
pub(crate) struct ReplayCountsJson {
    pub(crate) fired: usize,
    pub(crate) failed: usize,
    pub(crate) refused: usize,
    pub(crate) went_well: usize,
    pub(crate) unknown: usize,
}

/// What one rule would have done.
#[derive(Debug, Serialize)]
pub(crate) struct ReplayedRuleJson {
    pub(crate) rule: String,
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) hook: &'static str,
    pub(crate) action: &'static str,
    /// Events that its hook, tool and file select.
    pub(crate) considered: usize,
    #[serde(flatten)]
    pub(crate) counts: ReplayCountsJson,
    pub(crate) false_alarms: usize,
    pub(crate) agents: Vec<ReplayedGroupJson>,
    pub(crate) projects: Vec<ReplayedGroupJson>,
}

/// The calls and firings of one agent or project.
#[derive(Debug, Serialize)]
pub(crate) struct ReplayedGroupJson {
    /// `null` for calls outside every project.
    pub(crate) name: Option<String>,
    pub(crate) calls: usize,
    #[serde(flatten)]
    pub(crate) counts: ReplayCountsJson,
}

/// One call that a rule would have fired on.
#[derive(Debug, Serialize)]
pub(crate) struct FiringJson {
    pub(crate) rule: String,
    pub(crate) at: String,
    pub(crate) agent: &'static str,
    pub(crate) project: Option<String>,
    pub(crate) session: Option<String>,
    /// `null` if the memory has the call.
    pub(crate) transcript: Option<String>,
    pub(crate) tool_use_id: Option<String>,
    pub(crate) tool: Option<String>,
    pub(crate) what: String,
    pub(crate) outcome: &'static str,
}

#[derive(Debug, Serialize)]
pub(crate) struct NotReplayedJson {
    pub(crate) reason: &'static str,
    pub(crate) count: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct UnreplayedFileJson {
    pub(crate) file: String,
    pub(crate) why: String,
}
