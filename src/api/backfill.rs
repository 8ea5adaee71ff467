//! What `nudge backfill` and `nudge import --from` print as JSON.

use std::path::PathBuf;

use serde::Serialize;

use super::list::MapWire;
use crate::model::{Backfilled, UnknownRecords};

/// `nudge backfill --json`.
#[derive(Debug, Serialize)]
pub(crate) struct BackfillJson {
    pub(crate) dry_run: bool,
    pub(crate) agents: Vec<BackfilledAgentJson>,
    pub(crate) unknown: Vec<UnknownRecordsJson>,
    pub(crate) failed: Vec<UnreadTranscriptJson>,
    /// Events that are older than `retention` keeps them.
    pub(crate) expired: usize,
}

/// What was found of one agent.
#[derive(Debug, Serialize)]
pub(crate) struct BackfilledAgentJson {
    pub(crate) agent: &'static str,
    /// The transcripts on this machine, and those with something new.
    pub(crate) transcripts: usize,
    pub(crate) read: usize,
    pub(crate) bytes: u64,
    #[serde(flatten)]
    pub(crate) count: BackfilledJson,
}

/// What became of records.
#[derive(Debug, Serialize)]
pub(crate) struct BackfilledJson {
    pub(crate) stored: usize,
    pub(crate) known: usize,
    pub(crate) copies: usize,
    pub(crate) forgotten: usize,
    /// The stored ones by type.
    pub(crate) types: MapWire<usize>,
}

/// Records of a type that no reader knows.
#[derive(Debug, Serialize)]
pub(crate) struct UnknownRecordsJson {
    pub(crate) agent: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) count: usize,
    pub(crate) newest_version: Option<String>,
}

/// A transcript that could not be read.
#[derive(Debug, Serialize)]
pub(crate) struct UnreadTranscriptJson {
    pub(crate) file: String,
    pub(crate) why: String,
}

/// `nudge import --from TOOL --json`.
#[derive(Debug, Serialize)]
pub(crate) struct ToolImportJson {
    pub(crate) dry_run: bool,
    pub(crate) tool: &'static str,
    pub(crate) sources: Vec<PathBuf>,
    #[serde(flatten)]
    pub(crate) count: BackfilledJson,
    /// Records that are older than what is kept of their type.
    pub(crate) expired: usize,
    /// What was left out, and how often.
    pub(crate) left_out: MapWire<usize>,
    /// What has no place here, whatever is in the store.
    pub(crate) not_carried: &'static str,
    pub(crate) notes: Vec<String>,
    pub(crate) rules: Option<RuleFileJson>,
    /// What works differently here.
    pub(crate) changes: Vec<String>,
}

/// A file of rules that was written.
#[derive(Debug, Serialize)]
pub(crate) struct RuleFileJson {
    pub(crate) file: PathBuf,
    pub(crate) rules: usize,
}

impl From<&Backfilled> for BackfilledJson {
    fn from(count: &Backfilled) -> BackfilledJson {
        let types = count.types.iter().map(|(kind, count)| (kind.name().to_owned(), *count));
        BackfilledJson {
            stored: count.stored,
            known: count.known,
            copies: count.copies,
            forgotten: count.forgotten,
            types: MapWire(types.collect()),
        }
    }
}

impl From<&UnknownRecords> for UnknownRecordsJson {
    fn from(unknown: &UnknownRecords) -> UnknownRecordsJson {
        UnknownRecordsJson {
            agent: unknown.harness.clone(),
            kind: unknown.kind.clone(),
            count: unknown.count,
            newest_version: unknown.agent_version.clone(),
        }
    }
}
