//! Rows of colleagues, as a team's server sends them and as they are found here; and the state of the exchange with it.

use serde_json::{Map, Value};

use super::{EventKey, Observation, RandomId, SearchHit, ShareLevel, StreamState, Timestamp};

/// A lot: what one push told, at its place in the project.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ArrivedLot {
    pub(crate) place: LotPlace,
    /// The server's number of the member, which stays when the name changes.
    pub(crate) member_id: i64,
    pub(crate) member: String,
    pub(crate) is_ci: bool,
    /// Seconds by which the machine's clock was ahead of the server's.
    pub(crate) ahead: i64,
    pub(crate) received: Timestamp,
    pub(crate) rows: Vec<ArrivedRow>,
}

/// How far a project was read: the number of a lot, and the push that it was.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LotPlace {
    pub(crate) number: i64,
    pub(crate) push: RandomId,
}

/// One record of a lot.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ArrivedRow {
    pub(crate) number: i64,
    pub(crate) kind: String,
    /// Whether an admin told it, who may take back rows of others.
    pub(crate) by_admin: bool,
    pub(crate) obs_type: Option<String>,
    pub(crate) at: i64,
    pub(crate) session: Option<[u8; 16]>,
    pub(crate) event_key: Option<EventKey>,
    pub(crate) program: Option<String>,
    pub(crate) signature: Option<String>,
    pub(crate) content: Option<String>,
    pub(crate) file_path: Option<String>,
    pub(crate) facts: Option<Map<String, Value>>,
}

/// Seconds by which a clock may differ without being corrected.
const MAX_CLOCK_DIFFERENCE: i64 = 60;

impl ArrivedLot {
    /// Returns the time that is shown for a row: its author's clock may have been wrong.
    pub(crate) fn shown_time(&self, at: i64) -> Timestamp {
        let is_wrong = self.ahead.abs() > MAX_CLOCK_DIFFERENCE;
        let at = if is_wrong { at.saturating_sub(self.ahead) } else { at };
        let has_happened =
            at <= self.received.0.saturating_add(if is_wrong { 0 } else { MAX_CLOCK_DIFFERENCE });
        // Nothing happened after it was told, whatever the row says.
        Timestamp(if has_happened { at.max(0) } else { self.received.0 })
    }
}

/// What one transaction brought here.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct ArrivedCount {
    pub(crate) stored: usize,
    /// Rows of colleagues that were removed because their author or an admin took them back.
    pub(crate) dropped: usize,
    /// Rows that were deleted from the copy, own ones too.
    pub(crate) deleted: usize,
    /// Rows that do not have the form of a row.
    pub(crate) unreadable: usize,
}

/// A row of a colleague that a search found, or that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ColleagueHit {
    pub(crate) hit: SearchHit,
    pub(crate) author: RowAuthor,
}

/// A whole row of a colleague.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ColleagueRow {
    pub(crate) observation: Observation,
    pub(crate) author: RowAuthor,
}

/// Who told a row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RowAuthor {
    pub(crate) name: String,
    pub(crate) is_ci: bool,
    pub(crate) event_key: Option<EventKey>,
}

/// What is known about the team's server, and when rows moved.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TeamState {
    /// Without a password.
    pub(crate) url: String,
    pub(crate) machine: RandomId,
    pub(crate) epoch: Option<RandomId>,
    pub(crate) member: Option<String>,
    pub(crate) level: Option<String>,
    pub(crate) version: Option<i64>,
    pub(crate) tried_at: Option<Timestamp>,
    pub(crate) reached_at: Option<Timestamp>,
    pub(crate) sent_at: Option<Timestamp>,
    pub(crate) sent: i64,
    pub(crate) brought_at: Option<Timestamp>,
    pub(crate) brought: i64,
    pub(crate) problem: Option<String>,
    pub(crate) failing_since: Option<Timestamp>,
    pub(crate) rests: Option<String>,
}

/// A stream with the choice of the user that it follows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KnownStream {
    pub(crate) id: i64,
    pub(crate) project: String,
    /// Rows from before this time, and up to this observation, do not leave.
    pub(crate) since: Timestamp,
    pub(crate) after: i64,
    pub(crate) level: ShareLevel,
    pub(crate) looked: i64,
    pub(crate) state: StreamState,
    /// How many observations of it the server has, without those that were taken back.
    pub(crate) sent: usize,
}

/// A record of a stream, as it is kept here: without a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct StreamRecord {
    pub(crate) number: i64,
    pub(crate) kind: super::RecordKind,
    pub(crate) observation: Option<i64>,
    pub(crate) event_key: Option<EventKey>,
    pub(crate) is_held: bool,
}

/// A row that did not leave, and why.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HeldRow {
    pub(crate) project: String,
    pub(crate) observation: Option<i64>,
    pub(crate) why: String,
}

#[cfg(test)]
mod tests {
    use super::{ArrivedLot, LotPlace, RandomId, Timestamp};

    #[test]
    fn the_time_of_a_clock_that_was_wrong_is_corrected() {
        let id = RandomId([1; 16]);
        let lot = |ahead: i64| ArrivedLot {
            place: LotPlace { number: 1, push: id },
            member_id: 1,
            member: "alice".to_owned(),
            is_ci: false,
            ahead,
            received: Timestamp(10_000),
            rows: Vec::new(),
        };
        for (ahead, at, shown) in [
            (0, 9_000, 9_000),
            (60, 10_050, 10_050),
            (3_600, 13_500, 9_900),
            (-3_600, 6_300, 9_900),
            // Told later than it happened, and the clock was set in between.
            (3_600, 99_000, 10_000),
            // A lie.
            (0, 10_061, 10_000),
            (0, i64::MAX, 10_000),
            (-3_600, i64::MIN, 0),
        ] {
            assert_eq!(lot(ahead).shown_time(at), Timestamp(shown), "{ahead} {at}");
        }
    }
}
