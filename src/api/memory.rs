//! What the commands of the memory print as JSON.

use std::path::PathBuf;

use serde::Serialize;

use super::list::{IsoTime, MapWire};
use super::{FoundWire, ObservationWire};
use crate::model::{
    AgentCount, FileCount, Forgotten, HitFacts, KnownProject, ObservationId, ObservationType, ProgramTime,
    SearchHit, SessionSummary, ToldCount,
};

/// A hit of a search; MCP has the same with another format of time, which its seed defines.
#[derive(Debug, Serialize)]
pub(crate) struct FoundJson {
    #[serde(flatten)]
    hit: FoundWire<IsoTime>,
    #[serde(flatten)]
    facts: HitFactsJson,
}

/// What a hit says about itself; what is not known is left out.
#[derive(Debug, Serialize)]
struct HitFactsJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    harness: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    worktree: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<i64>,
}

/// A whole observation; MCP has the same with another format of time, which its seed defines.
pub(crate) type ObservationJson = ObservationWire<IsoTime>;

/// What came before and after an observation; nothing if nothing is remembered.
#[derive(Debug, Default, Serialize)]
pub(crate) struct TimelineJson {
    pub(crate) anchor: Option<ObservationJson>,
    pub(crate) before: Vec<ObservationJson>,
    pub(crate) after: Vec<ObservationJson>,
}

/// A project of `nudge projects --json`.
#[derive(Debug, Serialize)]
pub(crate) struct ProjectJson {
    name: String,
    /// Where it was cloned from, without protocol and credentials.
    origin: Option<String>,
    roots: Vec<String>,
    other_names: Vec<String>,
    observations: usize,
    last_at: Option<IsoTime>,
}

#[derive(Debug, Serialize)]
pub(crate) struct SessionJson {
    session_id: String,
    project: Option<String>,
    started_at: IsoTime,
    ended_at: IsoTime,
    #[serde(rename = "observations", skip_serializing_if = "Option::is_none")]
    observation_count: Option<usize>,
    prompts: usize,
    edits: usize,
    failures: usize,
    /// What rules and gates of the project blocked.
    blocked: usize,
    harness: Option<String>,
    branch: Option<String>,
    worktree: Option<String>,
    first_prompt: Option<String>,
    /// Of one session, all that was observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    observations: Option<Vec<ObservationJson>>,
}

/// `nudge projects merge --json`.
#[derive(Debug, Default, Serialize)]
pub(crate) struct MergedProjectsJson {
    pub(crate) project: Option<String>,
    pub(crate) merged: Option<String>,
    pub(crate) observations: usize,
}

/// `nudge projects rename --json`.
#[derive(Debug, Default, Serialize)]
pub(crate) struct RenamedProjectJson {
    pub(crate) project: Option<String>,
    pub(crate) earlier: Option<String>,
}

/// `nudge stats --json`.
#[derive(Debug, Default, Serialize)]
pub(crate) struct StatsJson {
    /// `null` for all projects.
    pub(crate) project: Option<String>,
    pub(crate) observations: usize,
    pub(crate) sessions: usize,
    pub(crate) failure_rate: Option<f64>,
    /// Without what was blocked, and without looks that failed.
    pub(crate) by_type: MapWire<usize>,
    /// What rules and gates of the project blocked.
    pub(crate) blocked: usize,
    /// Failures of tools that only look: a file that is too large, a folder, a missing file.
    pub(crate) failed_looks: usize,
    pub(crate) by_rule: MapWire<usize>,
    pub(crate) by_agent: Vec<AgentCountJson>,
    /// The programs that commands spent most time in.
    pub(crate) slowest: Vec<ProgramTimeJson>,
    /// By date.
    pub(crate) by_day: MapWire<usize>,
    pub(crate) busiest_files: Vec<FileCountJson>,
    /// What agents were told, in all projects, by the event that was answered.
    pub(crate) told: Vec<ToldCountJson>,
    pub(crate) file_bytes: u64,
    pub(crate) bytes_by_table: MapWire<u64>,
}

/// What agents were told at one kind of event, and what became of it.
#[derive(Debug, Serialize)]
pub(crate) struct ToldCountJson {
    hook: String,
    deliveries: usize,
    chars: u64,
    rows: usize,
    used: usize,
    avoided: usize,
    met: usize,
    unused: usize,
}

impl From<ToldCount> for ToldCountJson {
    fn from(count: ToldCount) -> ToldCountJson {
        let ToldCount { hook, deliveries, chars, rows, used, avoided, met, unused } = count;
        ToldCountJson { hook, deliveries, chars, rows, used, avoided, met, unused }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct AgentCountJson {
    harness: String,
    sessions: usize,
    observations: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct ProgramTimeJson {
    program: String,
    runs: usize,
    total_ms: u64,
    longest_ms: u64,
}

impl From<AgentCount> for AgentCountJson {
    fn from(AgentCount { harness, sessions, observations }: AgentCount) -> AgentCountJson {
        AgentCountJson { harness, sessions, observations }
    }
}

impl From<ProgramTime> for ProgramTimeJson {
    fn from(ProgramTime { program, runs, total_ms, longest_ms }: ProgramTime) -> ProgramTimeJson {
        ProgramTimeJson { program, runs, total_ms, longest_ms }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct FileCountJson {
    project: Option<String>,
    file_path: String,
    count: usize,
}

/// `nudge pin --json` and `nudge unpin --json`.
#[derive(Debug, Serialize)]
pub(crate) struct PinsJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pinned: Option<Vec<ObservationId>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unpinned: Option<Vec<ObservationId>>,
    pub(crate) missing: Vec<ObservationId>,
}

/// Observations of one type that have expired.
#[derive(Debug, Serialize)]
pub(crate) struct ExpiredJson {
    pub(crate) obs_type: ObservationType,
    pub(crate) count: usize,
    pub(crate) days: Option<u32>,
}

/// `nudge gc --restore --json`.
#[derive(Debug, Serialize)]
pub(crate) struct RestoredJson {
    pub(crate) restored: usize,
    pub(crate) duplicates: usize,
}

/// `nudge forget --json`.
#[derive(Debug, Serialize)]
pub(crate) struct ForgottenJson {
    count: usize,
    pinned: usize,
    copies: usize,
    /// How many of them a team has, which drops them too.
    shared: usize,
    forgotten: bool,
    scrubbed: bool,
    sample: Vec<FoundJson>,
}

/// `nudge forget --damaged --json`.
#[derive(Debug, Serialize)]
pub(crate) struct DamagedJson {
    pub(crate) damaged: Vec<PathBuf>,
    pub(crate) deleted: usize,
}

/// `nudge observations import --json`.
#[derive(Debug, Serialize)]
pub(crate) struct ImportedJson {
    pub(crate) stored: usize,
    pub(crate) duplicates: usize,
    pub(crate) skipped: Vec<SkippedLineJson>,
}

#[derive(Debug, Serialize)]
pub(crate) struct SkippedLineJson {
    pub(crate) line: usize,
    pub(crate) why: String,
}

/// `nudge context --json`.
#[derive(Debug, Serialize)]
pub(crate) struct SessionContextJson {
    pub(crate) text: String,
    /// What the session sees of `.nexus/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) project: Option<String>,
    pub(crate) told: Vec<ContextRowJson>,
    pub(crate) left_out: Vec<ContextRowJson>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ContextRowJson {
    pub(crate) id: ObservationId,
    pub(crate) reason: String,
    /// How many sessions were told about it before, and how many of them it concerned.
    pub(crate) told_before: usize,
    pub(crate) concerned: usize,
}

impl SessionJson {
    /// Returns a session with all that was observed in it.
    pub(crate) fn with_observations(
        session: SessionSummary,
        observations: Vec<ObservationJson>,
    ) -> SessionJson {
        SessionJson {
            observation_count: None,
            observations: Some(observations),
            ..SessionJson::from(session)
        }
    }
}

impl From<SessionSummary> for SessionJson {
    fn from(session: SessionSummary) -> SessionJson {
        SessionJson {
            session_id: session.session_id.0,
            project: session.project,
            started_at: session.started_at.into(),
            ended_at: session.ended_at.into(),
            observation_count: Some(session.observations),
            prompts: session.prompts,
            edits: session.edits,
            failures: session.failures,
            blocked: session.blocked,
            harness: session.harness,
            branch: session.branch,
            worktree: session.worktree,
            first_prompt: session.first_prompt,
            observations: None,
        }
    }
}

impl From<KnownProject> for ProjectJson {
    fn from(known: KnownProject) -> ProjectJson {
        let KnownProject { name, origin, roots, other_names, observations, last_at } = known;
        ProjectJson { name, origin, roots, other_names, observations, last_at: last_at.map(IsoTime::from) }
    }
}

impl From<SearchHit> for FoundJson {
    fn from(hit: SearchHit) -> FoundJson {
        let facts = HitFactsJson::from(hit.facts.clone());
        FoundJson { hit: hit.into(), facts }
    }
}

impl From<HitFacts> for HitFactsJson {
    fn from(facts: HitFacts) -> HitFactsJson {
        let HitFacts { harness, branch, worktree, exit_code, duration_ms, rule, kind } = facts;
        HitFactsJson { kind, rule, harness, branch, worktree, exit_code, duration_ms }
    }
}

impl From<FileCount> for FileCountJson {
    fn from(FileCount { project, file_path, count }: FileCount) -> FileCountJson {
        FileCountJson { project, file_path, count }
    }
}

impl ForgottenJson {
    /// Returns what was forgotten, or would be.
    pub(crate) fn new(forgotten: &Forgotten, is_done: bool) -> ForgottenJson {
        ForgottenJson {
            count: forgotten.count,
            pinned: forgotten.pinned,
            copies: forgotten.copies,
            shared: forgotten.told,
            forgotten: is_done,
            scrubbed: forgotten.scrubbed,
            sample: forgotten.sample.iter().cloned().map(FoundJson::from).collect(),
        }
    }
}

/// What a session costs in tokens, at four bytes each: `nudge context --tokens --json`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct SessionCostJson {
    /// The text at the start of a session.
    pub(crate) start: usize,
    /// The instructions of the MCP server.
    pub(crate) instructions: usize,
    /// Names, descriptions and arguments of the tools, as Gemini CLI sends them with every request.
    pub(crate) tools: usize,
    /// What is added to each prompt.
    pub(crate) prompt: usize,
    /// The text after the agent has compacted its context.
    pub(crate) compaction: usize,
}

impl SessionCostJson {
    /// Returns what a session has cost before the first prompt.
    pub(crate) fn at_start(&self) -> usize {
        self.start + self.instructions + self.tools
    }
}
