//! Databases of other programs: opened for reading only, with what is in their log.

use std::path::Path;
use std::time::Duration;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Map, Value};

use super::{Result, row};

/// How long a query waits for the program that owns the database.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Opens a database that belongs to another program.
///
/// Not as immutable: what the program has not moved out of its log yet would be missing.
pub(super) fn open(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(TIMEOUT)?;
    // A foreign schema may contain anything.
    connection.execute_batch("PRAGMA query_only = ON; PRAGMA trusted_schema = OFF")?;
    Ok(connection)
}

/// Longer texts of another program's rows are cut.
const MAX_TEXT: usize = 64 << 10;
/// At most this many rows of a table are read.
const MAX_ROWS: usize = 500_000;

/// Passes on each row of a table, with those of the columns that exist; returns `false` without such a table.
///
/// Columns come and go with the versions of a tool, so they are asked for first.
pub(crate) fn read_table(
    path: &Path,
    table: &str,
    columns: &[&str],
    mut each: impl FnMut(Map<String, Value>),
) -> Result<bool> {
    let connection = open(path)?;
    // A view can compute forever, and a virtual table is code.
    let sql = "SELECT name FROM pragma_table_info(?1) WHERE EXISTS
        (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1 AND rootpage > 0)";
    let mut statement = connection.prepare(sql)?;
    let names = statement.query_map([table], |found| row::text(found, 0))?;
    let names: Vec<String> = names.collect::<rusqlite::Result<_>>()?;
    let found: Vec<&&str> =
        columns.iter().filter(|column| names.iter().any(|name| name == **column)).collect();
    if found.is_empty() {
        return Ok(false);
    }
    let list: Vec<String> = found.iter().map(|column| quoted(column)).collect();
    let sql = format!("SELECT {} FROM {} LIMIT {MAX_ROWS}", list.join(", "), quoted(table));
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(found_row) = rows.next()? {
        let mut fields = Map::new();
        for (index, column) in found.iter().enumerate() {
            fields.insert((**column).to_owned(), value_of(found_row.get_ref(index)?));
        }
        each(fields);
    }
    Ok(true)
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn value_of(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null | ValueRef::Blob(_) => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(bytes) => {
            let bytes = &bytes[..bytes.len().min(MAX_TEXT)];
            String::from_utf8_lossy(bytes).into_owned().into()
        }
    }
}
