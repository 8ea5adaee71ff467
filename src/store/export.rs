//! Export: passing rows one by one to the caller.

use rusqlite::params_from_iter;
use rusqlite::types::Value;

use super::{Reader, Result, row};
use crate::model::{Filter, Observation};

impl Reader {
    /// Passes each observation that matches the filter to `each`, in the order of ids, until `each` returns an error.
    pub(crate) fn export<E>(
        &self,
        filter: &Filter,
        mut each: impl FnMut(Observation) -> std::result::Result<(), E>,
    ) -> Result<std::result::Result<(), E>> {
        let (conditions, params) = self.conditions(filter)?;
        let sql = format!("SELECT {} FROM observed WHERE {conditions} ORDER BY id", row::COLUMNS);
        let mut statement = self.connection.prepare(&sql)?;
        for observation in statement.query_map(params_from_iter(params), row::observation)? {
            if let Err(error) = each(observation?) {
                return Ok(Err(error));
            }
        }
        Ok(Ok(()))
    }

    /// Counts the observations that match the filter, for a progress bar.
    pub(crate) fn count_filtered(&self, filter: &Filter) -> Result<usize> {
        let (conditions, params) = self.conditions(filter)?;
        let sql = format!("SELECT count(*) FROM observed WHERE {conditions}");
        Ok(self.connection.query_row(&sql, params_from_iter(params), |row| row.get(0))?)
    }

    /// Returns the filter as SQL.
    pub(super) fn conditions(&self, filter: &Filter) -> Result<(String, Vec<Value>)> {
        let mut conditions = vec!["TRUE".to_owned()];
        if let Some(project) = &filter.project {
            conditions.push(self.of_project(project)?);
        }
        if !filter.types.is_empty() {
            let names: Vec<String> = filter.types.iter().map(|kind| format!("'{}'", kind.name())).collect();
            conditions.push(format!("obs_type IN ({})", names.join(", ")));
        }
        let mut params = Vec::new();
        let mut add = |condition: &str, value: Value| {
            conditions.push(condition.to_owned());
            params.push(value);
        };
        if let Some(session) = &filter.session {
            add("session_id = ?", Value::Text(session.0.clone()));
        }
        if let Some(since) = filter.since {
            add("timestamp >= ?", Value::Integer(since.0));
        }
        if let Some(until) = filter.until {
            add("timestamp < ?", Value::Integer(until.0));
        }
        if let Some(harness) = &filter.harness {
            add("harness = ?", Value::Text(harness.clone()));
        }
        Ok((conditions.join(" AND "), params))
    }
}

#[cfg(test)]
mod tests;
