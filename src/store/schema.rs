//! The SQL text of the schema: it has no checksum, and a changed name in it hides a whole table.
//!
//! Every migration changes the schema, so the schema shows which version a file has. A version number that differs from
//! it in one bit is damage; a schema that no known version has belongs to a newer nudge, which alone can judge it.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::migrate::{APPLICATION_ID, Migration};
use super::{Result, StoreError, row};

/// SQLite's own tables, with the columns that SQLite and nudge read. Their SQL texts may change with SQLite's version.
const COLUMNS_OF_SQLITE: [&str; 5] = [
    "SELECT name, seq FROM sqlite_sequence",
    "SELECT id, block FROM observations_fts_data",
    "SELECT segid, term, pgno FROM observations_fts_idx",
    "SELECT id, sz FROM observations_fts_docsize",
    "SELECT k, v FROM observations_fts_config",
];

/// How the file describes itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Schema {
    /// As a known version, a newer one or another program does.
    Plausible,
    /// As no program writes it.
    Damaged,
}

/// Tables, indexes, views and triggers by type and name, each with its table and its text.
type Objects = BTreeMap<(String, String), (String, String)>;

/// Compares a file's header and schema with what the migrations produce.
///
/// `was_ours` means that a nudge database had this name. Then a file with our schema is ours, whatever its header says.
pub(super) fn check(connection: &Connection, migrations: &[Migration], was_ours: bool) -> Result<Schema> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (version, application) = (number("user_version")?, number("application_id")?);
    let found = objects(connection)?;
    let made = made_by(migrations)?;
    // Users may add indexes.
    let includes = |made: &Objects| made.iter().all(|(name, text)| found.get(name) == Some(text));
    let schema_version = made.iter().rposition(includes).map(|index| index as i64 + 1);
    let is_known = (1..=made.len() as i64).contains(&version);
    let is_damaged = if application != i64::from(APPLICATION_ID) {
        was_ours && schema_version.is_some()
    } else if version == 0 && found.is_empty() {
        // Another process is about to create the tables.
        false
    } else if is_known {
        schema_version != Some(version) || !has_tables_of_sqlite(connection)?
    } else {
        // The version has four bytes in the header. If more than one bit differs, a program has written that number.
        let flipped = |index: usize| ((index as i64 + 1) ^ version) & i64::from(u32::MAX);
        let exact = made.iter().position(|made| *made == found);
        let is_flipped = exact.is_some_and(|index| flipped(index).count_ones() == 1);
        was_ours && (is_flipped || version == 0 && schema_version.is_some())
    };
    Ok(if is_damaged { Schema::Damaged } else { Schema::Plausible })
}

fn has_tables_of_sqlite(connection: &Connection) -> Result<bool> {
    for sql in COLUMNS_OF_SQLITE {
        match connection.prepare(sql).map_err(StoreError::from) {
            Ok(_) => {}
            Err(StoreError::Other(_)) => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

/// Returns the schema of each version.
fn made_by(migrations: &[Migration]) -> Result<Vec<Objects>> {
    let connection = Connection::open_in_memory()?;
    let made = migrations.iter().map(|migration| {
        connection.execute_batch(migration.sql)?;
        objects(&connection)
    });
    made.collect()
}

fn objects(connection: &Connection) -> Result<Objects> {
    let sql = "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema
        WHERE name NOT GLOB 'sqlite_*' AND name NOT GLOB 'observations_fts_*'";
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| {
        // A program that was built from a Windows checkout has other line endings in its migrations.
        let text = row::text(row, 3)?.replace("\r\n", "\n");
        Ok(((row::text(row, 0)?, row::text(row, 1)?), (row::text(row, 2)?, text)))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::{Schema, check, made_by};
    use crate::store::migrate::{APPLICATION_ID, MIGRATIONS};

    fn checked(version: i64, application: u32, more: &str, was_ours: bool) -> Schema {
        let connection = Connection::open_in_memory().unwrap();
        MIGRATIONS.iter().for_each(|migration| connection.execute_batch(migration.sql).unwrap());
        connection.pragma_update(None, "user_version", version).unwrap();
        connection.pragma_update(None, "application_id", application).unwrap();
        connection.execute_batch(more).unwrap();
        check(&connection, MIGRATIONS, was_ours).unwrap()
    }

    #[test]
    fn a_newer_version_is_not_damage_and_an_impossible_one_is() {
        let known = MIGRATIONS.len() as i64;
        let changed = "DROP VIEW observed; CREATE VIEW observed AS SELECT * FROM observations";
        let other = "DROP VIEW observed; DROP TABLE observations_fts; DROP TABLE projects";
        let own_index = "CREATE INDEX mine ON observations (program)";
        for (version, application, more, expected) in [
            (known, APPLICATION_ID, "", Schema::Plausible),
            (known, APPLICATION_ID, own_index, Schema::Plausible),
            (known, APPLICATION_ID, changed, Schema::Damaged),
            (known, APPLICATION_ID, "DROP TABLE observations_fts", Schema::Damaged),
            (known - 1, APPLICATION_ID, "", Schema::Damaged),
            (known + 1, APPLICATION_ID, changed, Schema::Plausible),
            (known + 1, APPLICATION_ID, own_index, Schema::Plausible),
            (known ^ 64, APPLICATION_ID, "", Schema::Damaged),
            (known ^ 256, APPLICATION_ID, "", Schema::Damaged),
            (known ^ 0x101, APPLICATION_ID, "", Schema::Plausible),
            (known + i64::from(i32::MIN), APPLICATION_ID, "", Schema::Damaged),
            (0, APPLICATION_ID, own_index, Schema::Damaged),
            (known, APPLICATION_ID ^ 4, "", Schema::Damaged),
            (known, 7, other, Schema::Plausible),
        ] {
            let checked = checked(version, application, more, true);
            assert_eq!(checked, expected, "{version} {application:x} {more}");
        }
        // Without our mark the file may belong to another program.
        assert_eq!(checked(known, APPLICATION_ID ^ 4, "", false), Schema::Plausible);
        assert_eq!(checked(known ^ 64, APPLICATION_ID, "", false), Schema::Plausible);
    }

    #[test]
    fn every_migration_changes_the_schema() {
        // A migration that only rewrites rows must rename or add an object, or an older program takes the file of a
        // newer one for a damaged one of its own.
        let made = made_by(MIGRATIONS).unwrap();
        assert!(made.windows(2).all(|two| two[0] != two[1]));
    }
}
