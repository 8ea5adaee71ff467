//! What a user sees of a damaged memory: the damaged file is kept, its rows come back, and the next session says so once.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use crate::memory::scene::{failed, play, remembered, story};
use crate::payload::{Payload, bash, event, silent_stop};
use crate::sandbox::{Ran, Sandbox};

fn database(sandbox: &Sandbox) -> PathBuf {
    sandbox.data_folder().join("nudge.db")
}

fn ids(sandbox: &Sandbox) -> Vec<i64> {
    // A connection that may write would empty the log when it is closed.
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
    let connection = Connection::open_with_flags(database(sandbox), flags).expect("a database");
    let mut statement = connection.prepare("SELECT id FROM observations ORDER BY id").expect("a table");
    let ids = statement.query_map([], |row| row.get(0)).expect("ids");
    ids.map(|id| id.expect("a number")).collect()
}

fn start(source: &str) -> Payload {
    event("SessionStart").with("source", source)
}

/// Returns the message to the user without what differs from run to run.
fn message(ran: &Ran) -> String {
    let reply: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    let text = reply["systemMessage"].as_str().unwrap_or("nothing").to_owned();
    let name = regex::Regex::new(r"damaged-[0-9a-f-]+").expect("a pattern");
    name.replace_all(&text, "damaged-X").into_owned()
}

/// A memory of six observations in one file, with a page of the schema destroyed.
fn damaged() -> Sandbox {
    let sandbox = remembered();
    sandbox.hook("claude-code", silent_stop());
    sandbox.run(["gc"]).code(0);
    let mut bytes = fs::read(database(&sandbox)).expect("a database");
    bytes[0..4096].fill(0xa5);
    fs::write(database(&sandbox), bytes).expect("a damaged file");
    sandbox
}

#[test]
fn the_next_session_says_once_what_happened_and_the_rows_are_back() {
    let sandbox = damaged();
    let said = message(&sandbox.hook("claude-code", start("startup").session("second")));
    assert_eq!(
        said,
        "nudge: the memory has a problem: the memory was damaged and moved to `nudge.db.damaged-X`; \
         6 observations were brought back (see `nudge doctor`)"
    );
    let again = message(&sandbox.hook("claude-code", start("startup").session("third")));
    assert_eq!(again, "nothing");
    assert_eq!(ids(&sandbox), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(sandbox.run(["search", "linker", "--ids"]).stdout, "2\n");
    for command in ["doctor", "status"] {
        let shown = sandbox.run([command]).stdout;
        assert!(shown.contains("the memory was damaged and moved to `nudge.db.damaged-"), "{shown}");
    }
}

#[test]
fn numbers_are_not_given_out_again_although_nothing_could_be_read() {
    let sandbox = remembered();
    sandbox.hook("claude-code", silent_stop());
    fs::remove_file(sandbox.data_folder().join("nudge.db-wal")).expect("a log");
    fs::write(database(&sandbox), "this was a database".repeat(500)).expect("a file");
    play(&sandbox, vec![bash("make").after().session("later")]);
    sandbox.hook("claude-code", silent_stop());
    assert_eq!(ids(&sandbox), [7]);
}

#[test]
fn forgetting_names_the_damaged_files_and_deletes_them_on_request() {
    let sandbox = damaged();
    sandbox.hook("claude-code", start("startup").session("second"));
    let said = sandbox.run(["forget", "2", "--yes"]).stderr;
    assert!(said.contains("1 damaged file may still have the text:"), "{said}");
    assert!(said.contains("hint: `nudge forget --damaged` deletes them"), "{said}");
    sandbox.run(["forget", "--damaged", "--dry-run"]).code(0);
    sandbox.run(["forget", "--damaged", "--yes"]).code(0);
    for entry in fs::read_dir(sandbox.data_folder()).expect("a folder").flatten() {
        let bytes = fs::read(entry.path()).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(!text.contains("make the linker error go away"), "{:?} still has the text", entry.path());
    }
    assert_eq!(ids(&sandbox), [1, 3, 4, 5, 6, 7]);
}

#[test]
fn what_is_forgotten_does_not_come_back_from_a_damaged_file() {
    let sandbox = damaged();
    // The file has been moved away, and its rows are not restored yet.
    sandbox.run(["forget", "2", "--yes"]).code(0);
    sandbox.hook("claude-code", start("startup").session("second"));
    sandbox.run(["doctor", "--fix"]).code(0);
    assert_eq!(sandbox.run(["search", "linker", "--ids"]).stdout, "");
}

#[test]
fn the_end_of_a_session_empties_the_log() {
    let sandbox = remembered();
    sandbox.hook("claude-code", event("SessionEnd").with("reason", "exit"));
    let log = fs::metadata(sandbox.data_folder().join("nudge.db-wal"));
    assert_eq!(log.map_or(0, |log| log.len()), 0);
    assert_eq!(ids(&sandbox).len(), 7);
}

#[test]
fn a_flipped_bit_in_the_log_is_said_and_its_rows_come_back() {
    let sandbox = remembered();
    sandbox.hook("claude-code", event("SessionEnd").with("reason", "exit"));
    play(&sandbox, story().into_iter().map(|payload| payload.session("second")).collect());
    sandbox.hook("claude-code", silent_stop());
    let rows = ids(&sandbox).len();
    let log = sandbox.data_folder().join("nudge.db-wal");
    let mut bytes = fs::read(&log).expect("a log");
    bytes[32 + 24 + 1_000] ^= 4;
    fs::write(&log, bytes).expect("a damaged log");
    drop(fs::remove_file(sandbox.data_folder().join("nudge.db-shm")));
    let said = message(&sandbox.hook("claude-code", start("startup").session("third")));
    assert!(said.contains("the end of the memory's log was damaged or lost (#8 to #"), "{said}");
    assert!(said.contains("observations were brought back"), "{said}");
    assert_eq!(ids(&sandbox).len(), rows + 1, "{said}");
    let shown = sandbox.run(["doctor"]).stdout;
    assert!(shown.contains("the end of the memory's log was damaged or lost"), "{shown}");
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the test distinguishes a hook that waits from one that does not"
)]
fn a_database_that_another_program_holds_does_not_hold_up_hooks() {
    let sandbox = remembered();
    sandbox.hook("claude-code", silent_stop());
    let connection = Connection::open(database(&sandbox)).expect("a database");
    connection.execute_batch("PRAGMA locking_mode = exclusive; BEGIN EXCLUSIVE").expect("an exclusive lock");
    let took = |payload: Payload| {
        let started = Instant::now();
        sandbox.hook("claude-code", payload);
        started.elapsed()
    };
    let events = [
        start("startup").session("second"),
        failed("cargo build", "Exit code 101\nerror: linking with `cc` failed: cannot find -lssl"),
        silent_stop().session("second"),
        event("SessionEnd").with("reason", "exit").session("second"),
    ];
    for payload in events {
        let name = payload.0["hook_event_name"].clone();
        // `nudge setup` lets a hook run for ten seconds.
        let took = took(payload);
        assert!(took < Duration::from_secs(5), "{name}: {took:?}");
    }
    drop(connection);
    sandbox.hook("claude-code", silent_stop());
    assert_eq!(ids(&sandbox).len(), 9, "nothing is lost");
}

/// Changes bytes of the database, which has everything in one file.
fn change(sandbox: &Sandbox, change: impl FnOnce(&mut Vec<u8>)) {
    sandbox.run(["gc"]).code(0);
    let mut bytes = fs::read(database(sandbox)).expect("a database");
    change(&mut bytes);
    fs::write(database(sandbox), bytes).expect("a damaged file");
    for side in ["nudge.db-wal", "nudge.db-shm"] {
        drop(fs::remove_file(sandbox.data_folder().join(side)));
    }
}

#[test]
fn one_flipped_bit_in_a_text_hides_neither_its_row_nor_the_others() {
    for (text, offset) in [("linker error go away", 3), ("user_prompt", 2)] {
        let sandbox = remembered();
        sandbox.hook("claude-code", silent_stop());
        sandbox.run(["gc"]).code(0);
        change(&sandbox, |bytes| {
            let places = bytes.windows(text.len()).enumerate().filter(|(_, at)| *at == text.as_bytes());
            let places: Vec<usize> = places.map(|(at, _)| at).collect();
            places.iter().for_each(|at| bytes[at + offset] ^= 0x80);
        });
        let shown = sandbox.run(["observations", "export", "--all", "-"]);
        assert_eq!((shown.code, shown.stdout.lines().count()), (Some(0), 6), "{text}: {}", shown.stderr);
        for args in [
            ["recent", "--all"],
            ["search", "cargo"],
            ["sessions", "--all"],
            ["stats", "--all"],
            ["show", "2"],
        ] {
            sandbox.run(args).code(0);
        }
        sandbox.run(["forget", "2", "--yes"]).code(0);
        assert_eq!(ids(&sandbox), [1, 3, 4, 5, 6], "{text}");
    }
}

/// `NUDGE_DB` may name any file by mistake, and a repository can set it in the settings of an agent.
#[test]
fn a_file_that_is_not_ours_is_left_alone() {
    let database = |path: &Path| {
        let connection = Connection::open(path).expect("a database");
        connection
            .execute_batch("CREATE TABLE a (b); INSERT INTO a VALUES (zeroblob(20000))")
            .expect("a table");
        connection.close().expect("everything is in the file");
        let mut bytes = fs::read(path).expect("a database");
        bytes[100..5000].fill(0xa5);
        fs::write(path, bytes).expect("a damaged database");
    };
    for is_database in [false, true] {
        let sandbox = Sandbox::new().env("NUDGE_DB", "$BASE/precious.txt");
        let file = sandbox.beside("precious.txt");
        fs::write(&file, "a key of another program\n".repeat(400)).expect("a file");
        if is_database {
            fs::remove_file(&file).expect("a file");
            database(&file);
        }
        let before = fs::read(&file).expect("a file");
        for name in ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"] {
            sandbox.hook("claude-code", event(name).with("prompt", "hello").with("source", "startup"));
        }
        sandbox.run(["recent"]).code(1);
        sandbox.run(["doctor", "--fix"]);
        assert!(fs::read(&file).expect("a file") == before, "the file is as it was: {is_database}");
        let folder = fs::read_dir(file.parent().expect("a folder")).expect("a folder");
        let names: Vec<_> = folder.flatten().map(|entry| entry.file_name()).collect();
        assert!(!names.iter().any(|name| name.to_string_lossy().contains("damaged")), "{names:?}");
    }
}

#[test]
fn where_nothing_is_found_a_person_reads_what_happened() {
    let sandbox = remembered();
    sandbox.hook("claude-code", silent_stop());
    sandbox.run(["gc"]).code(0);
    fs::write(database(&sandbox), "garbage").expect("a damaged file");
    for args in [&["recent"][..], &["search", "cargo"]] {
        let ran =
            sandbox.ran(&sandbox.command(env!("CARGO_BIN_EXE_nudge")).args(args).output().expect("it ends"));
        assert!(
            ran.stderr.contains("note: the memory was damaged and moved to `nudge.db.damaged-"),
            "{}",
            ran.stderr
        );
    }
}
