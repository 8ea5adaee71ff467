//! Opening files: new, old, newer, foreign, damaged, locked, and all at once.

use std::fs;
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use crate::model::Inserted;
use crate::store::fixture::{DataFolder, LOCK_TIMEOUT, command, project};
use crate::store::migrate::{MIGRATIONS, Migration};
use crate::store::{Reader, Store, StoreError};

fn pragma(connection: &Connection, name: &str) -> String {
    connection
        .pragma_query_value(None, name, |row| row.get::<_, rusqlite::types::Value>(0))
        .map(|value| match value {
            rusqlite::types::Value::Integer(number) => number.to_string(),
            rusqlite::types::Value::Text(text) => text,
            other => format!("{other:?}"),
        })
        .unwrap()
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_new_file_is_private_and_set_up() {
    let folder = DataFolder::new();
    let store = folder.with(&[command("ls")]);
    let path = folder.path();
    #[cfg(unix)]
    {
        assert_eq!((mode(path.parent().unwrap()), mode(&path)), (0o700, 0o600));
        assert_eq!(mode(&path.with_extension("db-wal")), 0o600);
    }
    let pragmas =
        ["journal_mode", "auto_vacuum", "synchronous", "secure_delete", "user_version", "application_id"];
    assert_eq!(
        pragmas.map(|name| pragma(&store.connection, name)),
        ["wal", "2", "1", "1", "9", &0x4e75_6467.to_string()]
    );
}

#[test]
fn closing_leaves_the_log_for_the_next_one() {
    let folder = DataFolder::new();
    drop(folder.with(&[command("ls")]));
    assert!(fs::metadata(folder.path().with_extension("db-wal")).unwrap().len() > 0);
    assert_eq!(folder.reader().unwrap().integrity().unwrap().rows, 1);
}

#[test]
fn an_empty_file_has_no_reader() {
    let folder = DataFolder::new();
    assert!(folder.reader().is_none());
    fs::create_dir_all(folder.path().parent().unwrap()).unwrap();
    fs::write(folder.path(), "").unwrap();
    assert!(folder.reader().is_none());
    drop(folder.store());
    assert!(folder.reader().is_some());
}

#[test]
fn a_reader_answers_while_somebody_writes() {
    let folder = DataFolder::new();
    let mut store = folder.with(&[command("one")]);
    let reader = folder.reader().unwrap();
    store
        .write(|connection| {
            connection.execute("DELETE FROM observations", [])?;
            assert_eq!(reader.integrity().unwrap().rows, 1);
            Ok(())
        })
        .unwrap();
    assert_eq!(reader.integrity().unwrap().rows, 0);
}

#[test]
fn a_newer_file_is_refused_with_both_versions() {
    let folder = DataFolder::new();
    folder.store().connection.pragma_update(None, "user_version", 10).unwrap();
    let expected = StoreError::Newer { found: 10, known: 9 };
    assert_eq!(Store::open(&folder.path(), LOCK_TIMEOUT).unwrap_err(), expected);
    assert_eq!(Reader::open(&folder.path(), LOCK_TIMEOUT).unwrap_err(), expected);
    assert_eq!(
        expected.to_string(),
        "the database is of version 10, and this program knows only up to 9: it was written by a newer nudge"
    );
    assert_eq!(expected.hint(), Some("upgrade nudge"));
}

#[test]
fn a_file_of_another_program_is_left_alone() {
    let folder = DataFolder::new();
    fs::create_dir_all(folder.path().parent().unwrap()).unwrap();
    Connection::open(folder.path()).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    let before = fs::read(folder.path()).unwrap();
    assert_eq!(Store::open(&folder.path(), LOCK_TIMEOUT).unwrap_err(), StoreError::Foreign);
    assert_eq!(fs::read(folder.path()).unwrap(), before);
}

#[test]
fn damage_is_distinguished_from_other_errors() {
    let folder = DataFolder::new();
    fs::create_dir_all(folder.path().parent().unwrap()).unwrap();
    fs::write(folder.path(), "this is not a database, it is only a file of some length".repeat(100)).unwrap();
    for error in [
        Store::open(&folder.path(), LOCK_TIMEOUT).unwrap_err(),
        Reader::open(&folder.path(), LOCK_TIMEOUT).unwrap_err(),
    ] {
        assert!(matches!(error, StoreError::Corrupt(_)), "{error:?}");
        assert!(!error.to_string().contains('/'), "{error}");
    }
}

#[test]
fn damage_inside_the_file_is_damage_too() {
    let folder = DataFolder::new();
    let rows: Vec<_> = (0..500).map(|n| command(&format!("make target{n}"))).collect();
    let store = folder.with(&rows);
    store.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(store);
    let mut bytes = fs::read(folder.path()).unwrap();
    let length = bytes.len();
    bytes[4096 * 3..length].fill(0xa5);
    fs::write(folder.path(), bytes).unwrap();
    let opened = Store::open(&folder.path(), LOCK_TIMEOUT);
    let error = opened.and_then(|mut store| store.insert_batch(&[command("make")])).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt(_)), "{error:?}");
}

#[test]
fn a_file_in_place_of_the_folder_cannot_be_written() {
    let folder = DataFolder::new();
    fs::write(folder.path().parent().unwrap(), "in the way").unwrap();
    let error = Store::open(&folder.path(), LOCK_TIMEOUT).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly(_)), "{error:?}");
    assert!(!error.to_string().contains(folder.path().to_str().unwrap()), "{error}");
}

#[test]
fn a_full_file_is_distinguished_from_other_errors() {
    let folder = DataFolder::new();
    let mut store = folder.store();
    store.connection.execute_batch("PRAGMA max_page_count = 60").unwrap();
    let rows: Vec<_> = (0..5_000).map(|n| command(&format!("make target{n}"))).collect();
    let error = store.insert_batch(&rows).unwrap_err();
    assert!(matches!(error, StoreError::Full(_)), "{error:?}");
    assert_eq!(store.integrity().unwrap().rows, 0);
}

#[test]
fn a_lock_that_is_held_too_long_is_busy_and_a_short_one_is_waited_for() {
    let folder = DataFolder::new();
    let mut store = folder.store();
    let mut hasty = Store::open(&folder.path(), Duration::from_millis(20)).unwrap();
    let mut patient = folder.store();
    let waiting = store
        .write(|_| {
            assert_eq!(hasty.insert_batch(&[command("ls")]).unwrap_err(), StoreError::Busy);
            let waiting = std::thread::spawn(move || patient.insert_batch(&[command("ls")]));
            std::thread::sleep(Duration::from_millis(100));
            Ok(waiting)
        })
        .unwrap();
    assert_eq!(waiting.join().unwrap().unwrap(), Inserted { stored: 1, duplicates: 0 });
}

#[test]
fn many_may_open_a_new_file_at_once() {
    for _ in 0..5 {
        let folder = DataFolder::new();
        let path = folder.path();
        let all: Vec<_> = (0..8)
            .map(|n| {
                let path = path.clone();
                std::thread::spawn(move || {
                    let mut store = Store::open(&path, LOCK_TIMEOUT).unwrap();
                    store.insert_batch(&[command(&format!("first {n}"))]).unwrap();
                })
            })
            .collect();
        all.into_iter().for_each(|thread| thread.join().unwrap());
        let integrity = folder.reader().unwrap().integrity().unwrap();
        assert_eq!((integrity.rows, integrity.is_sound()), (8, true));
        assert_eq!(pragma(&folder.store().connection, "auto_vacuum"), "2");
    }
}

#[test]
fn many_may_write_at_once() {
    let folder = DataFolder::new();
    drop(folder.store());
    let path = folder.path();
    let all: Vec<_> = (0..8)
        .map(|writer| {
            let path = path.clone();
            std::thread::spawn(move || {
                for n in 0..20 {
                    let mut store = Store::open(&path, LOCK_TIMEOUT).unwrap();
                    store.insert_batch(&[command("make").key(&format!("{writer} {n}"))]).unwrap();
                }
            })
        })
        .collect();
    all.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(folder.store().trail(&project("nudge"), 1_000).unwrap().len(), 160);
}

/// A migration that was never released.
const REWRITE: Migration =
    Migration { sql: "UPDATE observations SET content = upper(content)", rewrites: true };
const ADDITION: Migration = Migration { sql: "CREATE TABLE more (x)", rewrites: false };

/// All released migrations, followed by others.
fn released_and<const N: usize>(others: [Migration; N]) -> Vec<Migration> {
    let released = MIGRATIONS.iter().map(|one| Migration { sql: one.sql, rewrites: one.rewrites });
    released.chain(others).collect()
}

fn backup(folder: &DataFolder) -> std::path::PathBuf {
    folder.path().with_extension(format!("db.v{}.backup", MIGRATIONS.len()))
}

#[test]
fn a_migration_that_rewrites_keeps_a_copy_first() {
    let folder = DataFolder::new();
    drop(folder.with(&[command("make all")]));
    let store = Store::open_with(&folder.path(), LOCK_TIMEOUT, &released_and([ADDITION, REWRITE])).unwrap();
    assert_eq!(store.trail(&project("nudge"), 1).unwrap()[0].content, "MAKE ALL");
    let copy = backup(&folder);
    #[cfg(unix)]
    assert_eq!(mode(&copy), 0o600);
    let copy = Connection::open(copy).unwrap();
    let content: String = copy.query_row("SELECT content FROM observations", [], |row| row.get(0)).unwrap();
    assert_eq!((content.as_str(), pragma(&copy, "user_version")), ("make all", MIGRATIONS.len().to_string()));
}

#[test]
fn a_migration_that_only_adds_needs_no_copy() {
    let folder = DataFolder::new();
    drop(folder.store());
    let store = Store::open_with(&folder.path(), LOCK_TIMEOUT, &released_and([ADDITION])).unwrap();
    assert_eq!(pragma(&store.connection, "user_version"), (MIGRATIONS.len() + 1).to_string());
    assert!(!backup(&folder).exists());
}

#[test]
fn a_migration_that_fails_changes_nothing() {
    let folder = DataFolder::new();
    drop(folder.with(&[command("make all")]));
    let broken = Migration { sql: "UPDATE observations SET content = 'x'; SELECT nonsense", rewrites: true };
    Store::open_with(&folder.path(), LOCK_TIMEOUT, &released_and([broken])).unwrap_err();
    let store = folder.store();
    assert_eq!(store.trail(&project("nudge"), 1).unwrap()[0].content, "make all");
}

/// The variable that names the file for the processes that a test starts.
const CHILD: &str = "NUDGE_TEST_STORE";

#[test]
#[expect(clippy::disallowed_methods, reason = "the test starts itself")]
fn four_processes_may_open_a_new_file_at_once() {
    for _ in 0..5 {
        let folder = DataFolder::new();
        let children: Vec<_> = (0..4)
            .map(|_| {
                std::process::Command::new(std::env::current_exe().unwrap())
                    .args(["--exact", "store::open::tests::one_process_of_four", "--ignored"])
                    .env(CHILD, folder.path())
                    .stdout(std::process::Stdio::null())
                    .spawn()
                    .unwrap()
            })
            .collect();
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
        let integrity = folder.reader().unwrap().integrity().unwrap();
        assert_eq!((integrity.rows, integrity.is_sound()), (4 * 50, true));
    }
}

#[test]
#[ignore = "another test runs it as a separate process"]
#[expect(clippy::disallowed_methods, reason = "the variable names the test's file")]
fn one_process_of_four() {
    let Some(path) = std::env::var_os(CHILD) else { return };
    for n in 0..50 {
        let mut store = Store::open(Path::new(&path), LOCK_TIMEOUT).unwrap();
        store.insert_batch(&[command("make").key(&format!("{} {n}", std::process::id()))]).unwrap();
    }
}

#[test]
#[cfg(unix)]
fn a_file_whose_side_files_cannot_be_created_is_still_readable() {
    let folder = DataFolder::new();
    drop(folder.with(&[command("ls")]));
    let path = folder.path();
    let side = |end: &str| path.with_extension(format!("db-{end}"));
    // A link in its place stops even root.
    let stop = |side: &Path| std::os::unix::fs::symlink("nowhere", side).unwrap();
    fs::remove_file(side("shm")).unwrap();
    stop(&side("shm"));
    assert!(
        matches!(Reader::open(&path, LOCK_TIMEOUT), Err(StoreError::ReadOnly(_))),
        "what is in the log would be missing"
    );
    fs::remove_file(side("shm")).unwrap();
    let connection = Connection::open(&path).unwrap();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(connection);
    for end in ["wal", "shm"] {
        drop(fs::remove_file(side(end)));
    }
    stop(&side("shm"));
    assert!(matches!(Store::open(&path, LOCK_TIMEOUT), Err(StoreError::ReadOnly(_))));
    assert_eq!(folder.reader().unwrap().integrity().unwrap().rows, 1);
    let strange = path.with_file_name("a%20b?c#d.db");
    fs::copy(&path, &strange).unwrap();
    stop(&strange.with_extension("db-shm"));
    assert_eq!(Reader::open(&strange, LOCK_TIMEOUT).unwrap().unwrap().integrity().unwrap().rows, 1);
}

#[test]
fn no_connection_trusts_what_is_in_the_file() {
    let folder = DataFolder::new();
    let store = folder.with(&[command("ls")]);
    let reader = Reader::open(&folder.path(), LOCK_TIMEOUT).unwrap().unwrap();
    for (who, connection) in [("a store", &store.connection), ("a reader", &reader.connection)] {
        let is_set = |config| connection.db_config(config).unwrap();
        assert!(is_set(DbConfig::SQLITE_DBCONFIG_DEFENSIVE), "{who}");
        assert!(!is_set(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA), "{who}");
        assert_eq!(pragma(connection, "cell_size_check"), "1", "{who}");
        // A file that shrinks while it is mapped would end the process.
        assert_eq!(pragma(connection, "mmap_size"), "0", "{who}");
    }
    // So a statement can write neither the tables behind the index nor the schema.
    for sql in [
        "UPDATE observations_fts_data SET block = x''",
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = ''",
    ] {
        store.connection.execute_batch(sql).unwrap_err();
    }
}
