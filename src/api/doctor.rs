//! What `nudge doctor --json` prints.

use std::path::PathBuf;

use serde::Serialize;

use super::problem::{LoggedProblemJson, ProblemJson};

/// Everything that was found; `docs/reference/doctor.md` describes each key.
#[derive(Debug, Serialize)]
pub(crate) struct DoctorJson {
    pub(crate) version: &'static str,
    pub(crate) program: Option<PathBuf>,
    pub(crate) project: PathBuf,
    pub(crate) data: Option<PathBuf>,
    pub(crate) cache: Option<PathBuf>,
    pub(crate) user_rules: Option<PathBuf>,
    pub(crate) rules: usize,
    pub(crate) disabled_rules: usize,
    pub(crate) lowered: Vec<DegradedRuleJson>,
    pub(crate) problems: Vec<ProblemJson>,
    pub(crate) settings: SectionJson,
    pub(crate) memory: MemoryHealthJson,
    pub(crate) others: Vec<OtherProgramJson>,
    pub(crate) other_problems: Vec<ProblemJson>,
    pub(crate) folders: FoldersJson,
    pub(crate) server: ServerJson,
    pub(crate) agents: Vec<ConnectedAgentJson>,
    pub(crate) state: SectionJson,
    pub(crate) hooks: HooksJson,
    pub(crate) log: Vec<LoggedProblemJson>,
}

/// A part of the report that has only problems.
#[derive(Debug, Serialize)]
pub(crate) struct SectionJson {
    pub(crate) problems: Vec<ProblemJson>,
}

/// A rule that some agents cannot follow as it is written.
#[derive(Debug, Serialize)]
pub(crate) struct DegradedRuleJson {
    pub(crate) rule: String,
    pub(crate) harness: &'static str,
    pub(crate) instead: &'static str,
}

#[derive(Debug, Serialize)]
pub(crate) struct MemoryHealthJson {
    pub(crate) database: Option<PathBuf>,
    pub(crate) bytes: u64,
    pub(crate) schema_version: Option<u32>,
    pub(crate) rows: Option<usize>,
    pub(crate) indexed: Option<usize>,
    pub(crate) faults: Option<Vec<String>>,
    pub(crate) spool_bytes: u64,
    pub(crate) rejected_lines: usize,
    pub(crate) problems: Vec<ProblemJson>,
}

/// Another program named `nudge` on the PATH.
#[derive(Debug, Serialize)]
pub(crate) struct OtherProgramJson {
    pub(crate) path: PathBuf,
    pub(crate) version: Option<String>,
    pub(crate) comes_first: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct FoldersJson {
    pub(crate) open: Vec<PathBuf>,
    pub(crate) problems: Vec<ProblemJson>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ServerJson {
    pub(crate) folder: Option<PathBuf>,
    /// What the PRIMARY reports; another version may report other things.
    pub(crate) health: Option<serde_json::Value>,
    pub(crate) problems: Vec<ProblemJson>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ConnectedAgentJson {
    pub(crate) agent: &'static str,
    pub(crate) places: Vec<ConnectedPlaceJson>,
    pub(crate) entries: Vec<EntryJson>,
    pub(crate) problems: Vec<ProblemJson>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ConnectedPlaceJson {
    pub(crate) reach: &'static str,
    pub(crate) hooks: &'static str,
    pub(crate) server: &'static str,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) answers: Option<bool>,
    pub(crate) elsewhere: Vec<String>,
    pub(crate) team: TeamFilesJson,
    pub(crate) problems: Vec<ProblemJson>,
}

/// The files of roles and skills in one place.
#[derive(Debug, Serialize)]
pub(crate) struct TeamFilesJson {
    pub(crate) current: usize,
    pub(crate) outdated: Vec<PathBuf>,
    pub(crate) foreign: Vec<PathBuf>,
    pub(crate) missing: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct EntryJson {
    pub(crate) file: PathBuf,
    pub(crate) line: usize,
    pub(crate) count: usize,
    pub(crate) kind: &'static str,
    pub(crate) command: String,
    pub(crate) program: Option<PathBuf>,
    pub(crate) version: Option<String>,
    pub(crate) answers: Option<bool>,
    pub(crate) problems: Vec<ProblemJson>,
}

#[derive(Debug, Serialize)]
pub(crate) struct HooksJson {
    pub(crate) latency: Vec<LatencyJson>,
    pub(crate) dropped: usize,
    pub(crate) torn_lines: usize,
    pub(crate) problems: Vec<ProblemJson>,
}

#[derive(Debug, Serialize)]
pub(crate) struct LatencyJson {
    /// `null` for all events together.
    pub(crate) hook: Option<&'static str>,
    pub(crate) count: usize,
    pub(crate) p50_us: u64,
    pub(crate) p95_us: u64,
    pub(crate) max_us: u64,
}
