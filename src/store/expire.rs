//! Expiry: which rows are old enough to be deleted, and their deletion, which leaves a copy for a week.

use super::ages::{self, Ages, ClockDoubt};
use super::forget::IndexRemoval;
use super::removed;
use super::{Reader, Result, Store};
use crate::model::{DAY, NewObservation, ObservationType, Retention, Timestamp};

/// A pause in the work, or a jump of the clock, makes everything at most this much older.
const MAX_GAP: i64 = 14 * DAY;

/// Copies are kept for a week in which a pause counts as one day, so that a jump of the clock does not expire them.
const MAX_COPY_GAP: i64 = DAY;
const COPY_DAYS: u32 = 7;

/// After a pause longer than this, the clock may as well be wrong.
const MAX_PAUSE: i64 = 30 * DAY;

/// An automatic run deletes at most one row in this many.
const MAX_SHARE: usize = 10;

/// How much a run may delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExpireLimit {
    Everything,
    /// A tenth of the rows, but no more than this many.
    Some(usize),
}

/// Whether deleted rows are kept beside the database for a week.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Copy {
    Kept,
    /// There is no disk space for a copy.
    None,
}

/// What a run deleted.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct RemovedRows {
    pub(crate) counts: Vec<(ObservationType, usize)>,
    /// Whether expired rows are left.
    pub(crate) is_partial: bool,
}

impl Reader {
    /// Returns how many observations of each type have expired.
    pub(crate) fn would_expire(
        &self,
        retention: &Retention,
        now: Timestamp,
    ) -> Result<Vec<(ObservationType, usize)>> {
        let ages = self.ages(now, MAX_GAP)?;
        let mut plan = Vec::new();
        for (kind, days) in &retention.days {
            let expired = self.expired(*kind, *days, &ages)?;
            if !expired.is_empty() {
                plan.push((*kind, expired.len()));
            }
        }
        Ok(plan)
    }

    /// Returns whether the clock contradicts the stored rows.
    pub(crate) fn clock_doubt(&self, now: Timestamp) -> Result<Option<ClockDoubt>> {
        Ok(ages::doubt(&self.ages(now, MAX_GAP)?, now, MAX_PAUSE))
    }

    /// Returns whether a hook has stored anything, and not only transcripts were read.
    pub(crate) fn has_rows_of_hooks(&self) -> Result<bool> {
        let sql = "SELECT 1 FROM observations WHERE metadata ->> '$.origin' IS NOT 'transcript' LIMIT 1";
        Ok(self.connection.prepare_cached(sql)?.exists([])?)
    }

    fn ages(&self, now: Timestamp, max_gap: i64) -> Result<Ages> {
        // The index contains both columns and is much smaller than the table.
        let sql = "SELECT id, timestamp FROM observations INDEXED BY observations_by_time";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, Timestamp(row.get(1)?))))?;
        let mut rows: Vec<(i64, Timestamp)> = rows.collect::<rusqlite::Result<_>>()?;
        rows.sort_unstable_by_key(|(id, _)| *id);
        Ok(Ages::new(rows, now, max_gap))
    }

    /// Returns the expired rows of a type, except pinned ones, oldest first.
    fn expired(&self, kind: ObservationType, days: Option<u32>, ages: &Ages) -> Result<Vec<i64>> {
        let Some(last) = days.and_then(|days| ages.older_than(days)) else { return Ok(Vec::new()) };
        // Project by project, because the index begins with the project.
        let mut statement = self.connection.prepare_cached(
            "SELECT observations.id FROM (SELECT id FROM projects UNION ALL SELECT NULL) AS each
             CROSS JOIN observations ON project_id IS each.id
             WHERE obs_type = ?1 AND observations.id <= ?2 AND NOT pinned",
        )?;
        let rows = statement.query_map((kind.name(), last), |row| row.get(0))?;
        let mut ids: Vec<i64> = rows.collect::<rusqlite::Result<_>>()?;
        ids.sort_unstable();
        Ok(ids)
    }
}

impl Store {
    /// Deletes expired rows and returns how many of each type.
    ///
    /// `clean` removes from the copies what older versions derived from raw text.
    pub(crate) fn gc(
        &mut self,
        retention: &Retention,
        now: Timestamp,
        reach: ExpireLimit,
        copy: Copy,
        clean: impl Fn(NewObservation) -> NewObservation,
    ) -> Result<RemovedRows> {
        let ages = self.ages(now, MAX_GAP)?;
        let mut room = match reach {
            ExpireLimit::Everything => usize::MAX,
            ExpireLimit::Some(max_rows) => (ages.len() / MAX_SHARE).min(max_rows),
        };
        let (mut removed, mut ids) = (RemovedRows::default(), Vec::new());
        for (kind, days) in &retention.days {
            let mut expired = self.expired(*kind, *days, &ages)?;
            removed.is_partial |= expired.len() > room;
            expired.truncate(room);
            room -= expired.len();
            if !expired.is_empty() {
                removed.counts.push((*kind, expired.len()));
                ids.extend(expired);
            }
        }
        if !ids.is_empty() {
            if copy == Copy::Kept {
                removed::keep(self, &ids, ages.last_id().unwrap_or_default(), &clean)?;
            }
            self.delete(&ids, IndexRemoval::Lazy)?;
        }
        let for_copies = self.ages(now, MAX_COPY_GAP)?;
        removed::expire(&self.path, for_copies.older_than(COPY_DAYS))?;
        // Remove from the log what was forgotten while a reader was busy.
        self.shrink()?;
        Ok(removed)
    }
}

#[cfg(test)]
mod tests;
