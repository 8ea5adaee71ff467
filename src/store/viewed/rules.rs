//! What rules did, as the viewer shows it.

use std::collections::BTreeSet;

use super::narrow;
use crate::model::{
    ALLOWED, ALLOWED_START, BlockedCall, ObservationId, RuleActivity, SessionId, SessionQuery,
};
use crate::store::{Reader, Result, row};

impl Reader {
    /// Counts the calls that were blocked in a range. A session may work in several projects, so its own sum is not that
    /// of a project.
    pub(crate) fn blocked_count(&self, query: &SessionQuery) -> Result<usize> {
        let calls = SessionQuery { agents: Vec::new(), ..query.clone() };
        let agents = SessionQuery { folders: None, ..query.clone() };
        let of_agents = match query.agents.is_empty() {
            true => String::new(),
            false => format!(
                " AND session_id IN (SELECT id FROM sessions WHERE true{})",
                narrow(&agents, "sessions")
            ),
        };
        let sql = format!(
            "SELECT count(*) FROM blocked_calls WHERE at >= ?1 AND at <= ?2{}{of_agents}",
            narrow(&calls, "blocked_calls")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        Ok(statement.query_row((query.from, query.to), |row| row.get(0))?)
    }

    /// Returns the rules that did something in a range of days.
    pub(crate) fn rules_that_fired(&self, query: &SessionQuery) -> Result<BTreeSet<String>> {
        let sql = format!(
            "SELECT DISTINCT rule FROM rule_days WHERE day >= ?1 AND day <= ?2{}",
            narrow(query, "rule_days")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let days = (query.from.div_euclid(86_400), query.to.div_euclid(86_400));
        let rows = statement.query_map(days, |row| row::text(row, 0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the first day on which a rule did something, counted from 1970.
    pub(crate) fn first_fired(&self, rule: &str) -> Result<Option<i64>> {
        let sql = "SELECT min(day) FROM rule_days WHERE rule = ?1";
        Ok(self.connection.prepare_cached(sql)?.query_row([rule], |row| row.get(0))?)
    }

    /// Counts what rules did in a range of seconds.
    pub(crate) fn rule_counts(&self, query: &SessionQuery) -> Result<Vec<RuleActivity>> {
        let sql = format!(
            "SELECT rule, day, sum(fired), sum(blocked), sum(guided) FROM rule_days
             WHERE day >= ?1 AND day <= ?2{} GROUP BY rule, day ORDER BY rule, day",
            narrow(query, "rule_days")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let days = (query.from.div_euclid(86_400), query.to.div_euclid(86_400));
        let mut rows = statement.query(days)?;
        let mut all: Vec<RuleActivity> = Vec::new();
        while let Some(row) = rows.next()? {
            let rule = row::text(row, 0)?;
            if all.last().is_none_or(|last| last.rule != rule) {
                all.push(RuleActivity { rule, ..RuleActivity::default() });
            }
            let Some(last) = all.last_mut() else { continue };
            let (day, fired): (i64, usize) = (row.get(1)?, row.get(2)?);
            last.fired += fired;
            last.blocked += row.get::<_, usize>(3)?;
            last.guided += row.get::<_, usize>(4)?;
            last.days.push((day, fired));
            last.last_at = Some(day * 86_400);
        }
        drop(rows);
        // Of each rule only two numbers leave SQLite, however often it blocked.
        let folders = SessionQuery { agents: Vec::new(), ..query.clone() };
        let sql = format!(
            "SELECT count(again), max(at) FROM (
                 SELECT at, lead(at) OVER (PARTITION BY session_id, target ORDER BY at, observation) AS again
                 FROM blocked_calls WHERE rule = ?1 AND at >= ?2 AND at <= ?3{})",
            narrow(&folders, "blocked_calls")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        for counts in &mut all {
            let (insisted, last): (usize, Option<i64>) = statement
                .query_row((&counts.rule, query.from, query.to), |row| Ok((row.get(0)?, row.get(1)?)))?;
            (counts.insisted, counts.last_at) = (insisted, last.max(counts.last_at));
        }
        Ok(all)
    }

    /// Returns how often a person allowed what a rule asked about, with `nudge allow`. The index of words finds these few
    /// rows; by their kind alone, all rows of the range would be read.
    pub(crate) fn allowances(&self, query: &SessionQuery) -> Result<Vec<(String, usize)>> {
        let folders = SessionQuery { agents: Vec::new(), ..query.clone() };
        let sql = format!(
            "SELECT rule.value, count(*)
             FROM observations_fts CROSS JOIN observations ON observations.id = observations_fts.rowid
                 CROSS JOIN json_each(observations.metadata, '$.rules') AS rule
             WHERE observations_fts MATCH 'content : \"{ALLOWED_START}\"'
                 AND observations.metadata ->> '$.kind' = ?1
                 AND observations.timestamp >= ?2 AND observations.timestamp <= ?3{} GROUP BY 1",
            narrow(&folders, "observations")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement
            .query_map((ALLOWED, query.from, query.to), |row| Ok((row::text(row, 0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the calls that a rule blocked in a range, the newest first.
    pub(crate) fn blocked_calls(
        &self,
        rule: &str,
        query: &SessionQuery,
        limit: usize,
    ) -> Result<Vec<BlockedCall>> {
        let folders = SessionQuery { agents: Vec::new(), ..query.clone() };
        let sql = format!(
            "SELECT observation, at, session_id, target,
                 lead(at) OVER (PARTITION BY session_id, target ORDER BY at, observation)
             FROM blocked_calls WHERE rule = ?1 AND at >= ?2 AND at <= ?3{} ORDER BY at DESC, observation DESC LIMIT ?4",
            narrow(&folders, "blocked_calls")
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = statement.query_map((rule, query.from, query.to, limit), |row| {
            Ok(BlockedCall {
                observation: ObservationId(row.get(0)?),
                at: row.get(1)?,
                session: SessionId(row::text(row, 2)?),
                target: row::text(row, 3)?,
                again_at: row.get(4)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}
