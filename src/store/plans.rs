//! Frequent queries use an index, also in a large database.

use rusqlite::StatementStatus;

use super::fixture::{DataFolder, command, failure, prompt, read};

/// Fills a store as it would be after some months, and lets SQLite analyze it.
fn filled(folder: &DataFolder) -> super::Store {
    let rows: Vec<_> = (0..20_000)
        .map(|n| {
            let row = match n % 4 {
                0 => command(&format!("make target{n}")),
                1 => read(&format!("src/file{n}.rs")),
                2 => failure("make", &format!("error {}", n % 100)),
                _ => prompt("go on"),
            };
            row.session(&format!("s{}", n / 200)).of(["nudge", "other"][n % 2]).ago(20_000 - n as i64)
        })
        .collect();
    let store = folder.with(&rows);
    store.connection.execute_batch("ANALYZE").unwrap();
    store
}

#[test]
fn frequent_queries_use_an_index() {
    let folder = DataFolder::new();
    let analysed = filled(&folder);
    let fresh_folder = DataFolder::new();
    let fresh = fresh_folder.store();
    for (sql, index) in [
        (
            "SELECT * FROM observed WHERE project_id IS 1 ORDER BY timestamp DESC, id DESC LIMIT 5000",
            "by_project",
        ),
        ("SELECT * FROM observed ORDER BY timestamp DESC, id DESC LIMIT 5000", "by_time"),
        (
            "SELECT * FROM observed WHERE project_id = 1 AND obs_type = 'command'
             ORDER BY timestamp DESC, id DESC LIMIT 20",
            "by_type",
        ),
        (
            "SELECT * FROM observed WHERE session_id = 's1' AND (timestamp, id) < (5, 6)
             ORDER BY timestamp DESC, id DESC LIMIT 5",
            "by_session",
        ),
        (
            "SELECT * FROM observed WHERE session_id = 's1' AND (timestamp, id) > (5, 6)
             ORDER BY timestamp ASC, id ASC LIMIT 5",
            "by_session",
        ),
        ("SELECT timestamp FROM observations WHERE subject = 7", "by_subject"),
        (
            "SELECT 1 FROM observations WHERE id > 7 AND obs_type IN ('command', 'mcp_call')
                 AND subject = (SELECT subject FROM observations WHERE id = 7) LIMIT 1",
            "by_subject",
        ),
        (
            "SELECT id, timestamp, session_id, program, signature FROM observations
                 WHERE signature IS NOT NULL ORDER BY id DESC LIMIT 20",
            "by_failure",
        ),
        (
            "SELECT id, timestamp, session_id, program, signature FROM observations
                 WHERE signature IS NOT NULL AND +project_id = 1 ORDER BY id DESC LIMIT 20",
            "by_failure",
        ),
        (
            "SELECT observations.id FROM (SELECT id FROM projects UNION ALL SELECT NULL) AS each
             CROSS JOIN observations ON project_id IS each.id
             WHERE obs_type = 'command' AND timestamp < 7 AND NOT pinned",
            "by_type",
        ),
    ] {
        for store in [&analysed, &fresh] {
            let plan: Vec<String> = store
                .connection
                .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
                .unwrap()
                .query_map([], |row| row.get(3))
                .unwrap()
                .collect::<rusqlite::Result<_>>()
                .unwrap();
            let plan = plan.join("; ");
            assert!(plan.contains(&format!("INDEX observations_{index}")), "{sql}: {plan}");
            assert!(!plan.contains("TEMP B-TREE"), "{sql}: {plan}");
        }
    }
}

#[test]
fn a_statement_is_compiled_once_and_uses_a_partial_index_whatever_its_values() {
    let folder = DataFolder::new();
    let store = folder.with(&[command("make").session("s1")]);
    for (sql, index) in [
        ("SELECT timestamp FROM observations WHERE subject = ?1", "by_subject"),
        ("SELECT 1 FROM observations WHERE event_key = ?1", "by_event"),
        ("SELECT id FROM observed WHERE session_id = ?1 ORDER BY timestamp, id LIMIT 5", "by_session"),
    ] {
        let mut statement = store.connection.prepare(sql).unwrap();
        assert!(!statement.exists([7]).unwrap());
        assert_eq!(statement.get_status(StatementStatus::RePrepare), 0, "{sql}");
        let mut explained = store.connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let plan: String = explained.raw_query().next().unwrap().unwrap().get(3).unwrap();
        assert!(plan.contains(&format!("INDEX observations_{index}")), "{sql}: {plan}");
    }
}
