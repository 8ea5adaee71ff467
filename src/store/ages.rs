//! How old rows are, without trusting the clock.
//!
//! Ages are counted along the rows in the order in which they were stored, not from the present. The time between two
//! neighbours is the difference of their timestamps, limited to the range from zero to the maximum gap. So a clock that
//! was wrong for a while, by years in either direction, makes everything at most one gap older, and rows that were
//! stored with a wrong time are as old as their neighbours.

use crate::model::{DAY, Timestamp};

/// Clocks of different machines and time zones differ by less than this.
pub(crate) const MAX_AHEAD: i64 = DAY;

/// Rows in the order in which they were stored, each with the time that had passed by then.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Ages {
    /// The id of the row, and the seconds since the first one.
    rows: Vec<(i64, i64)>,
    /// The newest time that is not in the future.
    pub(crate) newest: Option<Timestamp>,
    /// The time of the row that was stored last, even if it is in the future.
    pub(crate) last: Option<Timestamp>,
}

impl Ages {
    /// Counts ages along rows in the order of their ids; no gap counts for more than `max_gap`.
    pub(crate) fn new(
        rows: impl IntoIterator<Item = (i64, Timestamp)>,
        now: Timestamp,
        max_gap: i64,
    ) -> Ages {
        let mut ages = Ages::default();
        let mut passed = 0_i64;
        for (id, at) in rows {
            // A timestamp in the future does not tell how much time has passed.
            if at.0 <= now.0.saturating_add(MAX_AHEAD) {
                if let Some(newest) = ages.newest {
                    passed += at.0.saturating_sub(newest.0).clamp(0, max_gap);
                }
                ages.newest = ages.newest.max(Some(at));
            }
            ages.last = Some(at);
            ages.rows.push((id, passed));
        }
        ages
    }

    /// Returns the highest id of the rows that are older than this; rows with lower ids are even older.
    pub(crate) fn older_than(&self, days: u32) -> Option<i64> {
        let present = self.rows.last()?.1;
        let is_older = |(_, passed): &(i64, i64)| present - passed > i64::from(days) * DAY;
        let count = self.rows.partition_point(is_older);
        Some(self.rows[count.checked_sub(1)?].0)
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn last_id(&self) -> Option<i64> {
        self.rows.last().map(|(id, _)| *id)
    }
}

/// Why nothing is deleted automatically.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClockDoubt {
    /// The clock is far ahead of everything that is known.
    Ahead { newest: Timestamp },
    /// The clock is behind the row that was stored last.
    Behind { last: Timestamp },
}

/// Compares the clock with what was stored.
pub(crate) fn doubt(ages: &Ages, now: Timestamp, max_pause: i64) -> Option<ClockDoubt> {
    let behind = ages.last.filter(|last| last.0 > now.0.saturating_add(MAX_AHEAD));
    let ahead = ages.newest.filter(|newest| now.0.saturating_sub(newest.0) > max_pause);
    behind.map(|last| ClockDoubt::Behind { last }).or(ahead.map(|newest| ClockDoubt::Ahead { newest }))
}

#[cfg(test)]
mod tests;
