//! What was told to a session, and whether it helped.

use serde::{Deserialize, Serialize};

use super::{ObservationId, SessionId};

/// One answer of nudge that had context for the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Told {
    /// Milliseconds since 1970.
    pub(crate) at_ms: i64,
    pub(crate) session: SessionId,
    /// The id of the agent.
    pub(crate) harness: String,
    /// The event that was answered.
    pub(crate) hook: String,
    pub(crate) parts: Vec<ToldPart>,
}

/// A part of an answer; of the memory's part, the rows that it was made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ToldPart {
    pub(crate) part: String,
    pub(crate) chars: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) rows: Vec<ObservationId>,
}

/// What a session did after it was told about a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToldOutcome {
    /// It touched that file, or ran that command or a like one.
    Used,
    /// It ran the program that had failed, without that failure.
    Avoided,
    /// It hit that failure anyway.
    Met,
    Unused,
    /// Nothing can show it: the session did nothing, or the row is no file, command or failure.
    Unknown,
}

impl ToldOutcome {
    pub(crate) fn name(self) -> &'static str {
        match self {
            ToldOutcome::Used => "used",
            ToldOutcome::Avoided => "avoided",
            ToldOutcome::Met => "met",
            ToldOutcome::Unused => "unused",
            ToldOutcome::Unknown => "unknown",
        }
    }
}

/// How often a row was told to sessions whose end is known, and how often it concerned them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TellRecord {
    pub(crate) told: usize,
    pub(crate) concerned: usize,
}

/// What was told at one kind of event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ToldCount {
    pub(crate) hook: String,
    pub(crate) deliveries: usize,
    pub(crate) chars: u64,
    pub(crate) rows: usize,
    pub(crate) used: usize,
    pub(crate) avoided: usize,
    pub(crate) met: usize,
    pub(crate) unused: usize,
}
