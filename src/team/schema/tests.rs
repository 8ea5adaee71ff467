//! Tests of the schema on a real PostgreSQL: made, upgraded, killed at every statement.

use super::{MIGRATIONS, SchemaOptions, SchemaUpgrade, all_statements, statements, warnings};
use crate::team::postgres::{self, Database};
use crate::team::{TeamAddress, TeamRemedy, TeamSession};

fn session(database: &Database) -> TeamSession {
    let address = TeamAddress::parse(&database.url("postgres")).unwrap();
    TeamSession::connect(&address, None).unwrap()
}

/// A later version of the schema, as a release might bring it.
const SECOND: &str = "ALTER TABLE nudge.projects ADD COLUMN note text;\n\
    CREATE FUNCTION nudge.note_v2() RETURNS text LANGUAGE sql AS $$\n  SELECT 'a; b'\n$$;\n\
    CREATE INDEX projects_by_note ON nudge.projects (note);\n";

#[test]
fn a_migration_is_split_into_its_statements() {
    let text = "-- a; comment;\nSELECT 1; -- one;\n\nDO $$ BEGIN\n  x := 1;\nEND $$;\nCREATE TABLE a (\n  b int -- c;\n);\n";
    assert_eq!(
        statements(text),
        [
            "-- a; comment;\nSELECT 1; -- one;",
            "DO $$ BEGIN\n  x := 1;\nEND $$;",
            "CREATE TABLE a (\n  b int -- c;\n);"
        ]
    );
    assert!(all_statements().len() > 40, "{}", all_statements().len());
    let rest: String = all_statements().concat();
    assert_eq!(rest.matches("CREATE FUNCTION").count(), MIGRATIONS[0].matches("\nCREATE FUNCTION").count());
}

#[test]
fn what_logs_keep_of_shared_rows_is_said() {
    let check = |values: &[(&str, &str)], expected: usize| {
        let values: Vec<(&str, String)> =
            values.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        assert_eq!(warnings(&values).len(), expected, "{values:?}");
    };
    check(&[("log_statement", "none"), ("log_min_duration_statement", "-1"), ("fsync", "on")], 0);
    check(&[("log_statement", "all"), ("log_parameter_max_length", "-1")], 1);
    check(&[("log_statement", "all"), ("log_parameter_max_length", "0")], 0);
    check(&[("log_min_duration_statement", "0"), ("log_parameter_max_length", "-1")], 1);
    check(&[("log_parameter_max_length_on_error", "-1")], 1);
    check(&[("fsync", "off"), ("synchronous_commit", "off")], 2);
}

#[test]
fn a_check_leaves_nothing_behind() {
    let Some(database) = postgres::database() else { return };
    assert_eq!(session(&database).check_schema().unwrap(), []);
    assert_eq!(database.psql("SELECT count(*) FROM pg_namespace WHERE nspname = 'nudge'"), "0");
}

#[test]
fn an_init_that_dies_at_any_statement_leaves_nothing() {
    let Some(database) = postgres::database() else { return };
    let all = all_statements();
    for count in 0..=all.len() {
        let session = session(&database);
        session.run("BEGIN").unwrap();
        for statement in &all[..count] {
            session.run(statement).unwrap();
        }
        let killed = session.run("RESET ROLE; SELECT pg_terminate_backend(pg_backend_pid())").unwrap_err();
        assert_eq!(killed.remedy, TeamRemedy::TryLater, "{killed:?}");
    }
    assert_eq!(database.psql("SELECT count(*) FROM pg_namespace WHERE nspname = 'nudge'"), "0");
    session(&database).init_schema(&SchemaOptions::default()).unwrap();
    let again = session(&database).init_schema(&SchemaOptions::default()).unwrap_err();
    assert_eq!(again.message, "this database has a team already");
}

#[test]
fn an_upgrade_that_dies_at_any_statement_leaves_the_version_before() {
    let Some(database) = postgres::database() else { return };
    session(&database).init_schema(&SchemaOptions::default()).unwrap();
    let second = statements(SECOND);
    for count in 0..=second.len() {
        let cut = second[..count].join("\n");
        let killed = format!("{cut}\nRESET ROLE;\nSELECT pg_terminate_backend(pg_backend_pid());\n");
        let session = session(&database);
        let error = session.in_transaction(|| session.apply(&[MIGRATIONS[0], &killed])).unwrap_err();
        assert_eq!(error.remedy, TeamRemedy::TryLater, "{error:?}");
        assert_eq!(database.psql("SELECT version FROM nudge.server"), "1");
        assert_eq!(database.psql("SELECT to_regclass('nudge.projects_by_note') IS NULL"), "t");
    }
    let session = session(&database);
    let upgrade = session.in_transaction(|| session.apply(&[MIGRATIONS[0], SECOND])).unwrap();
    assert_eq!(upgrade, SchemaUpgrade { from: 1, to: 2 });
    assert_eq!(database.psql("SELECT nudge.note_v2()"), "a; b");
}

#[test]
fn four_upgrades_at_once_do_it_once() {
    let Some(database) = postgres::database() else { return };
    session(&database).init_schema(&SchemaOptions::default()).unwrap();
    let mut versions: Vec<i32> = std::thread::scope(|scope| {
        let one = || {
            let session = session(&database);
            session.in_transaction(|| session.apply(&[MIGRATIONS[0], SECOND])).unwrap().from
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(one)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    versions.sort_unstable();
    assert_eq!(versions, [1, 2, 2, 2]);
}

#[test]
fn a_schema_that_is_newer_than_the_program_is_left_alone() {
    let Some(database) = postgres::database() else { return };
    session(&database).init_schema(&SchemaOptions::default()).unwrap();
    database.psql("UPDATE nudge.server SET version = 7");
    let error = session(&database).upgrade_schema().unwrap_err();
    assert_eq!(error.message, "the schema has version 7, and this program knows up to 1");
    // The functions of the protocol are still there.
    let hello = session(&database).hello(Some([1; 16]), &[]).unwrap();
    assert_eq!((hello.version, hello.oldest), (7, 1));
}

#[test]
fn only_admins_upgrade_and_only_where_there_is_a_team() {
    let Some(database) = postgres::database() else { return };
    let none = session(&database).upgrade_schema().unwrap_err();
    assert_eq!(none.remedy, TeamRemedy::NoSchema);
    session(&database).init_schema(&SchemaOptions::default()).unwrap();
    let login = database.login("somebody");
    database.psql(&format!("GRANT nudge_member TO {login}"));
    let address = TeamAddress::parse(&database.url(&login)).unwrap();
    let refused = TeamSession::connect(&address, None).unwrap().upgrade_schema().unwrap_err();
    assert_eq!(refused.remedy, TeamRemedy::NotPermitted, "{refused:?}");
}
