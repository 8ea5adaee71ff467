//! Restoring rows of files with a damaged page, header or schema, and of logs with a flipped bit.

use std::fs;
use std::path::PathBuf;

use crate::model::NewObservation;
use crate::store::fixture::{DataFolder, LOCK_TIMEOUT, NOW, command, edit, failure, project};
use crate::store::{Judgement, SalvageScope, Store, beside, damage_notes};

const ROWS: usize = 600;

fn observations(count: usize) -> Vec<NewObservation> {
    let one = |n: usize| match n % 4 {
        0 => failure(&format!("make {n}"), "no rule"),
        1 => edit(&format!("src/file{n}.rs")).key(&format!("key {n}")),
        // Longer than a page, so that it continues on others.
        2 => command(&format!("echo {}", format!("{n} ").repeat(if n % 40 == 2 { 3_000 } else { 3 }))),
        _ => NewObservation { pinned: true, ..command(&format!("ls dir{n}")) },
    };
    (0..count).map(one).collect()
}

/// Returns a folder with a database whose log is empty, and all its rows.
fn filled() -> (DataFolder, Vec<crate::model::Observation>) {
    let folder = DataFolder::new();
    let store = folder.with(&observations(ROWS));
    store.empty_log();
    let rows = store.trail(&project("nudge"), ROWS * 2).unwrap();
    assert_eq!(rows.len(), ROWS);
    drop(store);
    (folder, rows)
}

fn change(folder: &DataFolder, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(folder.path()).unwrap();
    change(&mut bytes);
    fs::write(folder.path(), bytes).unwrap();
}

fn move_away(folder: &DataFolder) -> PathBuf {
    match Store::judge(&folder.path(), u64::MAX, LOCK_TIMEOUT, NOW) {
        Judgement::MovedAway(file) => file,
        other => panic!("{other:?}"),
    }
}

fn salvage(folder: &DataFolder) {
    assert!(Store::salvage(&folder.path(), SalvageScope::Noted, LOCK_TIMEOUT, &|| false).unwrap());
}

#[test]
fn all_rows_are_restored_from_a_file_without_its_header_or_schema() {
    for (from, to) in [(0, 16), (100, 4096), (0, 4096)] {
        let (folder, rows) = filled();
        change(&folder, |bytes| bytes[from..to].fill(0xa5));
        let file = move_away(&folder);
        assert!(file.exists() && !folder.path().exists());
        salvage(&folder);
        let store = folder.store();
        let found = store.trail(&project("nudge"), ROWS * 2).unwrap();
        // Without its header the version of a file is unknown, so fields that a migration may have to clean are left
        // out.
        let plain = |rows: &[crate::model::Observation]| {
            let mut rows = rows.to_vec();
            if from == 0 {
                rows.iter_mut().for_each(|row| row.seen.signature = None);
            }
            rows
        };
        assert_eq!(plain(&found), plain(&rows));
        assert!(store.integrity().unwrap().is_sound());
        let note = &damage_notes(&folder.path())[0];
        assert_eq!((note.restored, note.lost(), note.is_finished()), (ROWS as u64, 0, true));
    }
}

#[test]
fn a_damaged_page_costs_only_its_own_rows_and_the_loss_is_counted() {
    // Every twentieth page: pages of the table, pages on which a long row continues or ends, and a few of the index
    // that shows how many rows there were.
    let mut counted = 0;
    for (first, byte) in [(11, 0xa5), (12, 0xa5), (20, 0xa5), (11, 0), (20, 0)] {
        let (folder, rows) = filled();
        change(&folder, |bytes| {
            for page in bytes.chunks_mut(4096).skip(first).step_by(20) {
                page.fill(byte);
            }
        });
        move_away(&folder);
        salvage(&folder);
        let found = folder.store().trail(&project("nudge"), ROWS * 2).unwrap();
        assert!(found.len() > ROWS * 3 / 4, "{first} {byte}: {}", found.len());
        assert!(found.iter().all(|row| rows.contains(row)), "{first} {byte}");
        let note = &damage_notes(&folder.path())[0];
        assert_eq!(note.restored, found.len() as u64);
        // Where the index was hit too, fewer are counted, never more.
        assert!(note.lost() <= (ROWS - found.len()) as u64, "{first} {byte}: {note:?}");
        counted += u64::from(note.lost() > 0);
    }
    assert!(counted > 0);
}

#[test]
fn salvage_continues_where_it_stopped_and_duplicates_nothing() {
    let (folder, rows) = filled();
    change(&folder, |bytes| bytes[0..16].fill(0));
    move_away(&folder);
    let mut slices = 0;
    while !Store::salvage(&folder.path(), SalvageScope::Noted, LOCK_TIMEOUT, &|| true).unwrap() {
        slices += 1;
        assert!(slices < 1_000);
    }
    assert!(slices > 1, "{slices}");
    assert_eq!(folder.store().trail(&project("nudge"), ROWS * 2).unwrap().len(), rows.len());
}

#[test]
fn ids_are_not_used_again() {
    let (folder, _) = filled();
    // Nothing of it can be read.
    fs::write(folder.path(), "not a database").unwrap();
    move_away(&folder);
    let mut store = folder.with(&[command("new")]);
    assert_eq!(store.trail(&project("nudge"), 9).unwrap()[0].id.0, ROWS as i64 + 1);
    // A file of an earlier version has no mark.
    drop(fs::remove_file(beside(&folder.path(), ".mark")));
    store.empty_log();
    change(&folder, |bytes| bytes[0..16].fill(0));
    move_away(&folder);
    store = folder.with(&[command("newer")]);
    assert_eq!(store.trail(&project("nudge"), 9).unwrap()[0].id.0, ROWS as i64 + 2);
}

#[test]
fn an_intact_file_is_not_moved() {
    let (folder, rows) = filled();
    assert_eq!(Store::judge(&folder.path(), u64::MAX, LOCK_TIMEOUT, NOW), Judgement::Whole);
    assert_eq!(folder.store().trail(&project("nudge"), ROWS * 2).unwrap(), rows);
}

#[test]
fn a_name_that_is_taken_is_not_overwritten() {
    for _ in 0..3 {
        let (folder, _) = filled();
        for content in ["one", "two", "three"] {
            fs::write(folder.path(), content.repeat(400)).unwrap();
            move_away(&folder);
        }
        let files = crate::store::damaged_files(&folder.path());
        let mut kept: Vec<String> = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
        kept.sort();
        assert_eq!(kept, ["one", "three", "two"].map(|content| content.repeat(400)));
    }
}

#[test]
fn a_connection_to_a_file_that_was_moved_away_writes_nothing() {
    let (folder, _) = filled();
    let mut old = folder.store();
    change(&folder, |bytes| bytes[4096 * 3..].fill(0xa5));
    move_away(&folder);
    assert!(old.insert_batch(&[command("lost?")]).is_err());
}

#[test]
fn a_flipped_bit_in_the_log_is_noticed_and_its_rows_are_restored() {
    let folder = DataFolder::new();
    let mut store = folder.with(&observations(40));
    store.empty_log();
    let later = (0..20).map(|n| command(&format!("later {n}")).key(&format!("later {n}")));
    // In two transactions: with more, the log would be emptied.
    for half in later.collect::<Vec<_>>().chunks(10) {
        store.insert_batch(half).unwrap();
    }
    drop(store);
    let log = beside(&folder.path(), "-wal");
    let mut bytes = fs::read(&log).unwrap();
    // In the middle of the first frame: SQLite drops all of them.
    bytes[32 + 24 + 2_000] ^= 0x10;
    fs::write(&log, bytes).unwrap();
    drop(fs::remove_file(beside(&folder.path(), "-shm")));
    assert_eq!(folder.reader().unwrap().integrity().unwrap().rows, 40);
    let mut store = folder.with(&[command("newest")]);
    let note = &damage_notes(&folder.path())[0];
    assert_eq!(note.kind, crate::store::DamageKind::Log { first: 41, last: 60 });
    assert!(note.file(&folder.path()).exists());
    salvage(&folder);
    let found = store.trail(&project("nudge"), 1_000).unwrap();
    assert_eq!((found.len(), found[0].id.0), (61, 61));
    assert_eq!(damage_notes(&folder.path())[0].lost(), 0);
    assert!(store.integrity().unwrap().is_sound());
    // It happened once, and is not noticed again.
    store.insert_batch(&[command("after")]).unwrap();
    drop(folder.store());
    assert_eq!(damage_notes(&folder.path()).len(), 1);
}

#[test]
fn columns_are_in_the_order_that_salvage_reads() {
    let folder = DataFolder::new();
    let store = folder.store();
    let mut statement =
        store.connection.prepare("SELECT name FROM pragma_table_info('observations')").unwrap();
    let names = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let names: Vec<String> = names.map(Result::unwrap).collect();
    assert_eq!(
        names[..16].join(" "),
        "id timestamp session_id project_id obs_type source_event tool_name content file_path metadata event_key \
         program signature pinned subject parts"
    );
}
