//! OpenCode's database, read only: sessions, texts and tool calls, as one JSON record each.
//!
//! Only the columns that are used are selected. The table `event` is many times larger than all others, and others
//! contain credentials: neither is ever touched.

use std::collections::HashMap;
use std::path::Path;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::{Result, foreign};

/// Longer texts of a record are cut in the database: a part may have megabytes, and nobody keeps them.
const MAX_TEXT: usize = 256 << 10;

/// Passes on a record for each session that was changed after this time, and for each text and tool call in it;
/// returns the time of the last change.
pub(crate) fn read_opencode(path: &Path, changed_after_ms: i64, mut each: impl FnMut(&Value)) -> Result<i64> {
    let connection = foreign::open(path)?;
    let roots = roots(&connection)?;
    let mut last = changed_after_ms;
    let mut sessions = connection.prepare(
        "SELECT id, directory, version, time_created, time_updated FROM session WHERE time_updated > ?1
         ORDER BY time_created, id",
    )?;
    let mut rows = sessions.query([changed_after_ms])?;
    while let Some(row) = rows.next()? {
        let (id, directory, version): (String, Option<String>, Option<String>) =
            (row.get(0)?, row.get(1)?, row.get(2)?);
        let (created, updated): (i64, i64) = (row.get(3)?, row.get(4)?);
        let root = root_of(&id, &roots);
        let about = json!({ "session": id, "root": root, "directory": directory, "version": version });
        let mut record = about.clone();
        record["kind"] = json!("session");
        record["id"] = json!(id);
        record["at_ms"] = json!(created);
        each(&record);
        parts(&connection, &id, &about, &mut each)?;
        last = last.max(updated);
    }
    Ok(last)
}

/// Returns the parent of each session that has one.
fn roots(connection: &Connection) -> Result<HashMap<String, String>> {
    let mut statement =
        connection.prepare("SELECT id, parent_id FROM session WHERE parent_id IS NOT NULL")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Follows the parents; a circle ends after a few steps.
fn root_of(id: &str, parents: &HashMap<String, String>) -> String {
    let mut root = id;
    for _ in 0..16 {
        let Some(parent) = parents.get(root) else { break };
        root = parent;
    }
    root.to_owned()
}

fn parts(connection: &Connection, session: &str, about: &Value, each: &mut dyn FnMut(&Value)) -> Result<()> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT part.id, part.time_created, part.data ->> '$.type', message.data ->> '$.role',
             message.data ->> '$.finish', message.data -> '$.summary' = 'true',
             substr(part.data ->> '$.text', 1, {MAX_TEXT}), part.data ->> '$.tool', part.data ->> '$.callID',
             part.data ->> '$.state.status', part.data -> '$.state.input',
             substr(part.data ->> '$.state.output', 1, {MAX_TEXT}),
             substr(part.data ->> '$.state.error', 1, {MAX_TEXT}), part.data ->> '$.state.metadata.exit',
             part.data ->> '$.state.time.end'
         FROM part JOIN message ON message.id = part.message_id
         WHERE part.session_id = ?1 AND part.data ->> '$.type' IN ('text', 'tool')
             AND coalesce(part.data ->> '$.synthetic', 0) = 0 AND coalesce(part.data ->> '$.ignored', 0) = 0
         ORDER BY message.time_created, message.id, part.id"
    ))?;
    let mut rows = statement.query([session])?;
    while let Some(row) = rows.next()? {
        let text = |index: usize| row.get::<_, Option<String>>(index);
        let input = text(10)?.and_then(|input| serde_json::from_str(&input).ok()).unwrap_or(Value::Null);
        let mut record = about.clone();
        let fields = [
            ("id", json!(text(0)?)),
            ("at_ms", json!(row.get::<_, i64>(1)?)),
            ("kind", json!(text(2)?)),
            ("role", json!(text(3)?)),
            ("finish", json!(text(4)?)),
            ("is_summary", json!(row.get::<_, Option<bool>>(5)?.unwrap_or_default())),
            ("text", json!(text(6)?)),
            ("tool", json!(text(7)?)),
            ("call_id", json!(text(8)?)),
            ("status", json!(text(9)?)),
            ("input", input),
            ("output", json!(text(11)?)),
            ("error", json!(text(12)?)),
            ("exit", json!(row.get::<_, Option<i64>>(13)?)),
            ("ended_ms", json!(row.get::<_, Option<i64>>(14)?)),
        ];
        for (name, value) in fields {
            record[name] = value;
        }
        each(&record);
    }
    Ok(())
}
