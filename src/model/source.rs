//! A source: a transcript of an agent, and what was read of it.

use std::collections::BTreeMap;

use super::{EventKey, NewObservation, ObservationType, Timestamp};

/// What is known about a transcript that was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct SourceState {
    /// The file itself, whatever its name; zeros where the system does not say.
    pub(crate) device: i64,
    pub(crate) inode: i64,
    pub(crate) size: i64,
    /// Nanoseconds since 1970.
    pub(crate) modified: i64,
    /// The end of the last complete record.
    pub(crate) read_to: i64,
    /// Where reading starts if the file has grown.
    pub(crate) resume_at: i64,
    /// Hashes of the first bytes and of the last bytes before `read_to`.
    pub(crate) head: i64,
    pub(crate) tail: i64,
    pub(crate) records: i64,
    /// The version of the reader.
    pub(crate) reader: i64,
    /// Nothing before this time was read.
    pub(crate) since: Timestamp,
    pub(crate) agent_version: Option<String>,
}

/// A part of a transcript, to be stored.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SourcePart {
    /// A hash of the agent and the path.
    pub(crate) key: EventKey,
    pub(crate) harness: &'static str,
    pub(crate) rows: Vec<PastRow>,
    /// The records of types that are not known, counted.
    pub(crate) unknown: Vec<(String, usize)>,
    /// What is known about the transcript once these rows are stored; `None` if there is more to come.
    pub(crate) state: Option<SourceState>,
    /// Whether reading started at the beginning, so that earlier counts no longer apply.
    pub(crate) is_start: bool,
}

/// An observation from a transcript.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PastRow {
    pub(crate) observation: NewObservation,
    /// What is stored with it, made by the thread that read it: the one that stores all rows has no time to spare.
    pub(crate) texts: RowTexts,
    /// Hashes of the ids of the records that it comes from.
    pub(crate) record_ids: Vec<i64>,
    /// Other keys that the same event may have.
    pub(crate) other_keys: Vec<EventKey>,
    pub(crate) pairing: Pairing,
}

/// What is derived from an observation and stored with it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RowTexts {
    /// A hash of what it is about.
    pub(crate) subject: Option<i64>,
    /// The metadata as JSON.
    pub(crate) metadata: Option<String>,
    /// The parts of the identifiers in it, for the index.
    pub(crate) parts: Option<String>,
}

/// How much a source knows about the sessions in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SourceRank {
    /// Everything, as hooks do.
    Whole,
    /// Neither ids nor results nor exact times: if another source knows the session, only new texts of this one count.
    Partial,
    /// Only prompts, for sessions that nothing else is known about.
    LastResort,
}

/// How a past event is recognised in what hooks have stored, if it has no id of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pairing {
    /// By its key alone.
    Key,
    /// The same session, type and content, at about the same time.
    Content,
    /// The same session and type, at about the same time: it happens rarely.
    Time,
    /// The source knows less than others: see `SourceRank`.
    Rank(SourceRank),
}

/// What became of past events.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Backfilled {
    pub(crate) stored: usize,
    /// Those that were known already, from hooks or from an earlier run.
    pub(crate) known: usize,
    /// Copies in other transcripts.
    pub(crate) copies: usize,
    /// Those that the user has forgotten.
    pub(crate) forgotten: usize,
    /// The stored ones by type.
    pub(crate) types: BTreeMap<ObservationType, usize>,
}

impl Backfilled {
    /// Counts a new row.
    pub(crate) fn count_stored(&mut self, kind: ObservationType) {
        self.stored += 1;
        *self.types.entry(kind).or_default() += 1;
    }
}

impl std::ops::AddAssign for Backfilled {
    fn add_assign(&mut self, other: Backfilled) {
        self.stored += other.stored;
        self.known += other.known;
        self.copies += other.copies;
        self.forgotten += other.forgotten;
        for (kind, count) in other.types {
            *self.types.entry(kind).or_default() += count;
        }
    }
}

/// Records of a type that no reader knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnknownRecords {
    pub(crate) harness: String,
    pub(crate) kind: String,
    pub(crate) count: usize,
    /// The newest version of the agent that wrote them.
    pub(crate) agent_version: Option<String>,
}
