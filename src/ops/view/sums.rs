//! Sums of the memory by days and hours, kept until it changes: a long range adds up days, and reads only the rest.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::kept::{self, MemoryVersion};
use super::request::QuestionError;
use crate::model::{DaySessions, SessionQuery, SessionTotals};
use crate::store::Reader;
use crate::system::clock;

const DAY: i64 = 86_400;
/// Carries that are counted.
const MAX_CARRIES: usize = 1_000;
/// A range that ends this many seconds before now, or later, ends now.
const NEARLY_NOW: i64 = 120;

/// What each day had, of a project and some agents.
pub(super) struct DaySums {
    /// By the day of the last observation.
    sessions: Vec<DaySessions>,
    /// Day, deliveries and characters.
    told: Vec<(i64, usize, u64)>,
    /// When a way out was told, in milliseconds, and whether it helped.
    carries: Vec<(i64, bool)>,
}

fn name(what: &str, query: &SessionQuery) -> String {
    format!("{what} {:?} {:?}", query.folders, query.agents)
}

fn always(query: &SessionQuery) -> SessionQuery {
    SessionQuery { from: 0, to: i64::MAX / 4_000, ..query.clone() }
}

/// Returns whether a range ends now.
pub(super) fn is_open(query: &SessionQuery) -> bool {
    query.to >= clock::timestamp().0 - NEARLY_NOW
}

/// Returns what each day had.
pub(super) fn of_days(reader: &Reader, query: &SessionQuery) -> Result<Arc<DaySums>, QuestionError> {
    kept::of_memory(MemoryVersion::now().as_ref(), &name("days", query), || {
        let all = always(query);
        let carries = reader.carries(&all, MAX_CARRIES)?;
        Ok(Arc::new(DaySums {
            sessions: reader.session_days(&all)?,
            told: reader.told_by_day(&all)?,
            carries: carries.iter().map(|carry| (carry.at_ms, carry.helped == Some(true))).collect(),
        }))
    })
}

/// Counts marks by hours from 1970: hour, mark, count.
pub(super) fn hours(reader: &Reader, query: &SessionQuery) -> Result<Vec<(i64, u8, usize)>, QuestionError> {
    let version = MemoryVersion::now();
    if version.is_none() {
        return Ok(reader.activity(query)?);
    }
    let all = kept::of_memory(version.as_ref(), &name("hours", query), || {
        Ok::<_, QuestionError>(Arc::new(reader.activity(&always(query))?))
    })?;
    let (first, last) = (query.from.div_euclid(3_600), query.to.div_euclid(3_600));
    let start = all.partition_point(|(hour, ..)| *hour < first);
    Ok(all[start..].iter().take_while(|(hour, ..)| *hour <= last).copied().collect())
}

impl DaySums {
    /// Adds up the sessions of a range that ends now.
    pub(super) fn session_totals(
        &self,
        reader: &Reader,
        query: &SessionQuery,
    ) -> Result<SessionTotals, QuestionError> {
        let first = query.from.div_euclid(DAY) + 1;
        let rest = reader.session_days(&SessionQuery { to: first * DAY - 1, ..query.clone() })?;
        let days = self.sessions.iter().filter(|day| day.day >= first);
        let mut sum = SessionTotals::default();
        let mut agents = BTreeSet::new();
        for day in rest.iter().chain(days) {
            agents.extend(day.harness.as_deref());
            sum.sessions += day.totals.sessions;
            sum.blocked += day.totals.blocked;
            sum.guided += day.totals.guided;
            sum.failed += day.totals.failed;
            sum.fixed += day.totals.fixed;
            sum.open += day.totals.open;
        }
        Ok(SessionTotals { agents: agents.len(), ..sum })
    }

    /// Adds up what was told in a range: deliveries and characters.
    pub(super) fn told(&self, reader: &Reader, query: &SessionQuery) -> Result<(usize, u64), QuestionError> {
        let (first, last) = (query.from.div_euclid(DAY) + 1, query.to.div_euclid(DAY));
        if !is_open(query) || first > last {
            let rows = reader.told_by_day(query)?;
            return Ok(rows.iter().fold((0, 0), |sum, row| (sum.0 + row.1, sum.1 + row.2)));
        }
        let rest = reader.told_by_day(&SessionQuery { to: first * DAY - 1, ..query.clone() })?;
        let days = self.told.iter().filter(|(day, ..)| *day >= first);
        Ok(rest.iter().chain(days).fold((0, 0), |sum, row| (sum.0 + row.1, sum.1 + row.2)))
    }

    /// Counts the ways out that were told in a range, and those that helped.
    pub(super) fn carries(&self, query: &SessionQuery) -> (usize, usize) {
        let range = query.from.saturating_mul(1_000)..=query.to.saturating_mul(1_000);
        let wanted = self.carries.iter().filter(|(at, _)| range.contains(at));
        (wanted.clone().count(), wanted.filter(|(_, helped)| *helped).count())
    }
}
