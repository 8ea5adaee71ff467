//! What the tests of all agents share: a transcript is written, read twice, and compared with what is stored.

use std::fs;
use std::time::{Duration, SystemTime};

use expect_test::Expect;
use rusqlite::Connection;
use serde_json::Value;

use crate::sandbox::Sandbox;

/// Writes a transcript that nobody adds to any more.
pub(super) fn write(sandbox: &Sandbox, path: &str, lines: &[Value]) {
    let path = sandbox.beside(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(&path, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).expect("a file");
    let old = SystemTime::now() - Duration::from_secs(3_600);
    fs::File::options().append(true).open(&path).expect("a file").set_modified(old).expect("a time");
}

/// Reads one agent twice, and compares what is stored.
pub(super) fn check(sandbox: &Sandbox, agent: &str, expected: &Expect) {
    sandbox.run(["backfill", agent, "--json"]).code(0);
    let again = sandbox.run(["backfill", agent, "--json"]).json();
    assert_eq!(again["agents"][0]["stored"], 0, "{again}");
    let connection = Connection::open(sandbox.data_folder().join("nudge.db")).expect("a database");
    let sql =
        "SELECT session_id, obs_type, tool_name, content, metadata ->> '$.exit_code', metadata ->> '$.by',
            metadata ->> '$.agent_id'
        FROM observations ORDER BY timestamp, id";
    let mut statement = connection.prepare(sql).expect("a table");
    let rows = statement.query_map([], |row| {
        let text = |index: usize| row.get::<_, Option<String>>(index);
        let code = row.get::<_, Option<i64>>(4)?.map(|code| format!("exit {code}"));
        let more = code.into_iter().chain(text(5)?).chain(text(6)?).map(|word| format!(" ({word})"));
        let tool = text(2)?.map(|tool| format!(" {tool}")).unwrap_or_default();
        Ok(format!(
            "{} {}{tool} {:?}{}",
            text(0)?.unwrap_or_default(),
            text(1)?.unwrap_or_default(),
            text(3)?.unwrap_or_default(),
            more.collect::<String>()
        ))
    });
    let rows: Vec<String> = rows.expect("rows").map(|row| row.expect("a row")).collect();
    expected.assert_eq(&rows.join("\n"));
}

/// A time of some days ago, in seconds; each call of a test counts up from there.
pub(super) fn days_ago(days: u64) -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("a clock").as_secs() - days * 86_400
}

/// Returns a time as text in milliseconds, which agents also write.
pub(super) fn at(second: u64) -> String {
    ((days_ago(2) + second) * 1_000).to_string()
}
