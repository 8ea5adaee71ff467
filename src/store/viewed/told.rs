//! What agents were told, as the viewer shows it.

use rusqlite::Row;

use super::narrow;
use crate::model::{Carry, Delivery, ObservationId, SessionId, SessionQuery, ToldTotals};
use crate::store::{Reader, Result, row};

/// Maximum number of sessions that are named.
const MAX_NAMED: i64 = 50;
/// In a shorter range, in milliseconds, deliveries are added up one by one.
const MAX_COUNTED_MS: i64 = 3 * 86_400_000;
const DAY_MS: i64 = 86_400_000;

impl Reader {
    /// Adds up what was told in a range, by days from 1970: day, deliveries, characters.
    pub(crate) fn told_by_day(&self, query: &SessionQuery) -> Result<Vec<(i64, usize, u64)>> {
        let sql = format!(
            "SELECT at_ms / 86400000, count(*), sum(told.chars)
             FROM told LEFT JOIN sessions ON sessions.id = told.session
             WHERE at_ms >= ?1 AND at_ms <= ?2{} GROUP BY 1",
            narrow(query, "sessions")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let range = (query.from.saturating_mul(1_000), query.to.saturating_mul(1_000).saturating_add(999));
        let rows = statement
            .query_map(range, |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)?.unsigned_abs())))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns when a session was told something, in the order of time: id and milliseconds.
    pub(crate) fn delivery_times(&self, session: &SessionId) -> Result<Vec<(i64, i64)>> {
        let sql = "SELECT id, at_ms FROM told WHERE session = ?1 ORDER BY at_ms, id";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([&session.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns what a session was told, in the order of time.
    pub(crate) fn deliveries(&self, session: &SessionId) -> Result<Vec<Delivery>> {
        let sql = "SELECT id, at_ms, session, harness, hook, chars, parts FROM told
             WHERE session = ?1 ORDER BY at_ms, id";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([&session.0], delivery)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns deliveries of a range, the newest first; `before` is the last one of the previous page.
    pub(crate) fn deliveries_before(
        &self,
        query: &SessionQuery,
        before: Option<(i64, i64)>,
        limit: usize,
    ) -> Result<Vec<Delivery>> {
        let (at, id) = before.unwrap_or((i64::MAX, i64::MAX));
        let sql = format!(
            "SELECT told.id, at_ms, session, told.harness, hook, told.chars, parts FROM told
                 LEFT JOIN sessions ON sessions.id = told.session
             WHERE at_ms >= ?1 AND at_ms <= ?2 AND (at_ms, told.id) < (?3, ?4){}
             ORDER BY at_ms DESC, told.id DESC LIMIT ?5",
            narrow(query, "sessions")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let range = (query.from.saturating_mul(1_000), query.to.saturating_mul(1_000));
        let rows = statement.query_map((range.0, range.1, at, id, limit as i64), delivery)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Adds up the parts and agents of what was told in a range; not the deliveries.
    pub(crate) fn told_parts(&self, query: &SessionQuery) -> Result<ToldTotals> {
        let (from, to) = (query.from.saturating_mul(1_000), query.to.saturating_mul(1_000));
        let mut totals = ToldTotals::default();
        let is_short = to.saturating_sub(from) <= MAX_COUNTED_MS;
        let parts_of = |group: &str| match is_short {
            true => format!(
                "SELECT {}, sum(one.value ->> '$.chars') FROM told JOIN json_each(told.parts) AS one
                     LEFT JOIN sessions ON sessions.id = told.session
                 WHERE at_ms >= ?1 AND at_ms <= ?2{} GROUP BY 1 ORDER BY 2 DESC",
                if group == "part" { "one.value ->> '$.part'" } else { "told.harness" },
                narrow(query, "sessions")
            ),
            false => format!(
                "SELECT {group}, sum(chars) FROM told_days WHERE day >= ?1 AND day <= ?2{}
                 GROUP BY 1 ORDER BY 2 DESC",
                narrow(query, "told_days")
            ),
        };
        let range = if is_short { (from, to) } else { (from.div_euclid(DAY_MS), to.div_euclid(DAY_MS)) };
        for (group, sums) in [("part", &mut totals.parts), ("harness", &mut totals.agents)] {
            let mut statement = self.connection.prepare_cached(&parts_of(group))?;
            let rows = statement.query_map(range, |row| {
                let name = row::optional_text(row, 0)?.unwrap_or_default();
                Ok((name, row.get::<_, Option<i64>>(1)?.unwrap_or(0).unsigned_abs()))
            })?;
            *sums = rows.collect::<rusqlite::Result<_>>()?;
        }
        Ok(totals)
    }

    /// Returns the ways out that sessions were told in a range, the newest first.
    pub(crate) fn carries(&self, query: &SessionQuery, limit: usize) -> Result<Vec<Carry>> {
        let sql = format!(
            "SELECT carries.told, carries.observation, carries.at_ms, carries.session, from_session, outcome
             FROM carries JOIN sessions ON sessions.id = carries.session
                 LEFT JOIN told_rows ON told_rows.told = carries.told AND told_rows.observation = carries.observation
             WHERE carries.at_ms >= ?1 AND carries.at_ms <= ?2{}
             ORDER BY carries.at_ms DESC, carries.told DESC, carries.observation LIMIT ?3",
            narrow(query, "sessions")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let range = (query.from.saturating_mul(1_000), query.to.saturating_mul(1_000));
        let rows = statement.query_map((range.0, range.1, limit as i64), |row| {
            let outcome = row::optional_text(row, 5)?;
            Ok(Carry {
                told: row.get(0)?,
                observation: ObservationId(row.get(1)?),
                at_ms: row.get(2)?,
                session: SessionId(row::text(row, 3)?),
                from_session: SessionId(row::text(row, 4)?),
                helped: match outcome.as_deref() {
                    Some("used" | "avoided") => Some(true),
                    Some("met" | "unused") => Some(false),
                    _ => None,
                },
            })
        })?;
        let mut all = rows.collect::<rusqlite::Result<Vec<_>>>()?;
        // Of one delivery, the first row is what it was about.
        all.dedup_by_key(|carry| carry.told);
        Ok(all)
    }

    /// Returns whether another session was told about an observation, and it helped there.
    pub(crate) fn has_helped(&self, id: ObservationId) -> Result<bool> {
        let sql = "SELECT 1 FROM told_rows WHERE observation = ?1 AND outcome IN ('used', 'avoided') LIMIT 1";
        Ok(self.connection.prepare_cached(sql)?.exists([id.0])?)
    }

    /// Returns the sessions that were told about an observation, the latest first.
    pub(crate) fn told_to(&self, id: ObservationId) -> Result<Vec<SessionId>> {
        let sql = "SELECT session FROM told_rows JOIN told ON told.id = told_rows.told WHERE observation = ?1
             GROUP BY session ORDER BY max(at_ms) DESC LIMIT ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map((id.0, MAX_NAMED), |row| row::text(row, 0).map(SessionId))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

fn delivery(row: &Row<'_>) -> rusqlite::Result<Delivery> {
    Ok(Delivery {
        id: row.get(0)?,
        at_ms: row.get(1)?,
        session: SessionId(row::text(row, 2)?),
        harness: row::text(row, 3)?,
        hook: row::text(row, 4)?,
        chars: row.get(5)?,
        parts: serde_json::from_str(&row::text(row, 6)?).unwrap_or_default(),
    })
}
