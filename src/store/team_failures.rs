//! Failures of colleagues in `team.db`, for a hook: it reads an index, and few rows.

use rusqlite::params;

use super::failures::failure_row;
use super::{Result, TeamReader};
use crate::model::{FailureRow, Observation, ObservationId};

/// Whose failures are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colleagues {
    People,
    PeopleAndCi,
}

impl TeamReader {
    /// Returns the newest failures of a project that have a signature, of one program or of all; those of people who are no
    /// longer members are left out.
    pub(crate) fn failures(
        &self,
        project: &str,
        program: Option<&str>,
        whose: Colleagues,
        limit: usize,
    ) -> Result<Vec<FailureRow>> {
        let sql = newest(program.is_some());
        let with_ci = whose == Colleagues::PeopleAndCi;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut statement = self.reader.connection.prepare(&sql)?;
        let rows = match program {
            Some(program) => statement.query_map(params![project, with_ci, limit, program], failure_row)?,
            None => statement.query_map(params![project, with_ci, limit], failure_row)?,
        };
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns a failure and what its session did after it, as far as that was shared, in chronological order.
    pub(crate) fn failure_and_after(
        &self,
        id: ObservationId,
    ) -> Result<Option<(Observation, Vec<Observation>)>> {
        self.reader.failure_and_after(id)
    }
}

/// Returns the statement for the newest failures, of one program or of all.
fn newest(of_program: bool) -> String {
    format!(
        "SELECT id, timestamp, session_id, program, signature FROM observations
         WHERE signature IS NOT NULL AND project_id = (SELECT id FROM projects WHERE name = ?1){}
           AND person_id IN (SELECT id FROM people WHERE removed = 0 AND is_ci <= ?2)
         ORDER BY id DESC LIMIT ?3",
        if of_program { " AND program = ?4" } else { "" }
    )
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::newest;

    #[test]
    fn a_hook_reads_the_newest_failures_from_an_index_and_sorts_nothing() {
        let copy = Connection::open_in_memory().unwrap();
        copy.execute_batch(include_str!("../../migrations/team_copy.sql")).unwrap();
        for of_program in [false, true] {
            let mut statement = copy.prepare(&format!("EXPLAIN QUERY PLAN {}", newest(of_program))).unwrap();
            let plan: Vec<String> =
                statement.raw_query().mapped(|row| row.get(3)).collect::<rusqlite::Result<_>>().unwrap();
            let is_good = |step: &String| step.contains("SEARCH observations USING COVERING INDEX");
            assert!(plan.iter().any(is_good), "{plan:?}");
            assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE FOR ORDER BY")), "{plan:?}");
        }
    }
}
