//! Damage that SQLite does not call damage: flipped bits in the header and the schema, and pages that few questions need.

use std::fs;
use std::path::PathBuf;

use rusqlite::Connection;

use crate::memory::scene::{play, remembered};
use crate::payload::{bash, event, silent_stop};
use crate::sandbox::Sandbox;

/// The observations of the scene.
const ROWS: usize = 6;
/// Where the header has the version of the schema, its last byte.
const VERSION: usize = 63;

fn database(sandbox: &Sandbox) -> PathBuf {
    sandbox.data_folder().join("nudge.db")
}

/// Changes the bytes of a memory of six observations, which are all in one file.
fn changed(change: impl FnOnce(&mut Vec<u8>)) -> Sandbox {
    let sandbox = remembered();
    sandbox.hook("claude-code", silent_stop());
    sandbox.run(["gc"]).code(0);
    let mut bytes = fs::read(database(&sandbox)).expect("a database");
    change(&mut bytes);
    fs::write(database(&sandbox), bytes).expect("a changed file");
    for side in ["nudge.db-wal", "nudge.db-shm"] {
        drop(fs::remove_file(sandbox.data_folder().join(side)));
    }
    sandbox
}

fn flip(bytes: &mut [u8], text: &[u8], offset: usize, bit: u8) {
    let at = bytes.windows(text.len()).position(|one| one == text).expect("a text of the schema");
    bytes[at + offset] ^= bit;
}

/// A flipped bit, and what it makes of the file.
type Flip = (&'static str, fn(&mut Vec<u8>));

const FLIPS: [Flip; 16] = [
    ("the format of writers", |bytes| bytes[18] ^= 4),
    ("the format of readers", |bytes| bytes[19] ^= 4),
    ("the format of the schema", |bytes| bytes[47] ^= 0x10),
    ("the encoding of texts", |bytes| bytes[59] ^= 2),
    ("a negative version", |bytes| bytes[60] ^= 0x80),
    ("a version far ahead", |bytes| bytes[62] ^= 1),
    ("the next version", |bytes| bytes[VERSION] ^= 1),
    ("an earlier version", |bytes| bytes[VERSION] ^= 4),
    ("a higher version", |bytes| bytes[VERSION] ^= 2),
    ("another program", |bytes| bytes[68] ^= 4),
    ("a negative number of the program", |bytes| bytes[68] ^= 0x80),
    ("a column of the view", |bytes| flip(bytes, b"projects.root AS project_root", 4, 4)),
    ("a column of the table", |bytes| flip(bytes, b"session_id   TEXT    NOT NULL", 2, 4)),
    ("a column of the full-text index", |bytes| {
        flip(bytes, b"content = 'observations', content_rowid", 12, 4);
    }),
    ("a table behind the full-text index", |bytes| flip(bytes, b"(id INTEGER PRIMARY KEY, sz BLOB)", 25, 1)),
    ("a trigger", |bytes| flip(bytes, b"old.id, old.content, old.file_path", 10, 2)),
];

fn exported(sandbox: &Sandbox) -> (Option<i32>, usize) {
    let shown = sandbox.run(["observations", "export", "--all", "-"]);
    (shown.code, shown.stdout.lines().count())
}

#[test]
fn a_flipped_bit_in_header_or_schema_is_noticed_within_a_day() {
    for (what, flip) in FLIPS {
        let sandbox = changed(flip);
        play(&sandbox, vec![bash("make").after().session("later")]);
        sandbox.hook("claude-code", silent_stop());
        drop(fs::remove_file(sandbox.data_folder().join("gc.day")));
        let start =
            sandbox.hook("claude-code", event("SessionStart").with("source", "startup").session("new"));
        assert!(start.stdout.contains("brought back"), "{what}: {}", start.stdout);
        assert_eq!(exported(&sandbox), (Some(0), ROWS + 2), "{what}");
    }
}

#[test]
fn a_flipped_bit_in_header_or_schema_is_repaired_by_doctor() {
    for (what, flip) in FLIPS {
        let sandbox = changed(flip);
        let found = sandbox.run(["doctor"]);
        assert!(found.stdout.contains("the database is damaged"), "{what}: {}", found.stdout);
        assert!(!found.stdout.contains("upgrade nudge"), "{what}: {}", found.stdout);
        sandbox.run(["doctor", "--fix"]).code(0);
        assert_eq!(exported(&sandbox), (Some(0), ROWS), "{what}");
    }
}

#[test]
fn a_flipped_bit_in_header_or_schema_does_not_fail_a_question() {
    for (what, flip) in FLIPS {
        let sandbox = changed(flip);
        assert_eq!(exported(&sandbox), (Some(0), ROWS), "{what}");
        let sandbox = changed(flip);
        let found = sandbox.run(["sessions", "--all"]);
        assert!(
            found.code == Some(0) && found.stdout.contains("make the linker error"),
            "{what}: {}{}",
            found.stdout,
            found.stderr
        );
    }
}

/// Runs hooks and commands with a file of another program, and returns whether it stayed as it was.
fn is_left_alone(sandbox: &Sandbox) -> bool {
    let before = fs::read(database(sandbox)).expect("a database");
    play(sandbox, vec![bash("make").after().session("later")]);
    sandbox.hook("claude-code", silent_stop());
    drop(fs::remove_file(sandbox.data_folder().join("gc.day")));
    sandbox.hook("claude-code", event("SessionStart").with("source", "startup").session("new"));
    sandbox.run(["recent"]).code(1);
    sandbox.run(["doctor", "--fix"]);
    let names = fs::read_dir(sandbox.data_folder()).expect("a folder").flatten();
    let mut names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    fs::read(database(sandbox)).expect("a database") == before && !names.any(|name| name.contains("damaged"))
}

fn change_with_sql(sandbox: &Sandbox, sql: &str) {
    let connection = Connection::open(database(sandbox)).expect("a database");
    connection.execute_batch(sql).expect("a change");
    connection.close().expect("everything is in the file");
}

#[test]
fn a_memory_of_a_newer_version_is_left_alone() {
    let sandbox = changed(|_| ());
    change_with_sql(&sandbox, "ALTER TABLE observations ADD COLUMN mood TEXT; PRAGMA user_version = 1000");
    assert!(is_left_alone(&sandbox));
    let found = sandbox.run(["doctor"]).stdout;
    assert!(found.contains("written by a newer nudge") && found.contains("upgrade nudge"), "{found}");
}

#[test]
fn a_database_of_another_program_is_left_alone() {
    let sandbox = changed(|_| ());
    fs::remove_file(database(&sandbox)).expect("our database");
    change_with_sql(&sandbox, "CREATE TABLE observations (a); CREATE TABLE projects (b)");
    assert!(is_left_alone(&sandbox));
    // Our schema with the application id of another program, where nudge was never used.
    let sandbox = changed(|bytes| bytes[68] ^= 4);
    fs::remove_file(sandbox.data_folder().join("nudge.db.mark")).expect("our mark");
    assert!(is_left_alone(&sandbox));
    assert!(sandbox.run(["doctor"]).stdout.contains("a database of another program"));
}

/// Destroys the first page of an index or a table.
fn destroy(sandbox: &Sandbox, name: &str) {
    sandbox.run(["gc"]).code(0);
    let connection = Connection::open(database(sandbox)).expect("a database");
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
    let page: usize = connection.query_row(sql, [name], |row| row.get(0)).expect("a page");
    connection.close().expect("everything is in the file");
    let mut bytes = fs::read(database(sandbox)).expect("a database");
    bytes[(page - 1) * 4096..page * 4096].fill(0xa5);
    fs::write(database(sandbox), bytes).expect("a damaged file");
}

#[test]
fn a_question_that_meets_a_damaged_page_is_answered() {
    for args in [["sessions", "--all"], ["stats", "--all"], ["search", "linker"], ["recent", "--all"]] {
        for index in ["observations_by_session", "observations_by_time", "observations_fts_data"] {
            let sandbox = changed(|_| ());
            destroy(&sandbox, index);
            let found = sandbox.run(args);
            assert_eq!(found.code, Some(0), "{args:?}, {index}: {}", found.stderr);
            assert!(!found.stdout.is_empty(), "{args:?}, {index}: {}", found.stderr);
        }
    }
    // A page of the table itself costs the rows on it, and no more.
    let sandbox = changed(|_| ());
    destroy(&sandbox, "observations");
    sandbox.run(["recent", "--all"]).code(0);
    assert!(sandbox.run(["doctor"]).stdout.contains("the memory was damaged and moved to"));
}

#[test]
fn a_damaged_page_that_nothing_asks_for_is_noticed_within_a_day() {
    let sandbox = changed(|_| ());
    destroy(&sandbox, "observations_by_subject");
    let start = |session: &str| {
        let payload = event("SessionStart").with("source", "startup").session(session);
        sandbox.hook("claude-code", payload).stdout
    };
    assert!(!start("today").contains("brought back"), "it was checked today");
    drop(fs::remove_file(sandbox.data_folder().join("gc.day")));
    let said = start("tomorrow");
    assert!(said.contains("7 observations were brought back"), "{said}");
    assert!(!start("later").contains("brought back"), "it is said once");
}
