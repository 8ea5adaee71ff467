//! Concurrent drains, batches and torn lines.

use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use super::*;
use crate::store::fixture::{DataFolder, command};

#[test]
fn a_drain_waits_for_another_one_to_finish() {
    let folder = DataFolder::new();
    let spool = Spool::new(folder.path().with_extension("spool"));
    spool.append(&[command("make")]).unwrap();
    let taken = spool.folder.join("taken-0-0.jsonl");
    fs::rename(spool.folder.join(WAITING), &taken).unwrap();
    let file = File::open(&taken).unwrap();
    file.lock().unwrap();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let drained = spool.drain_into(&mut folder.store(), Extent::All).unwrap();
            assert!(is_done.load(Ordering::SeqCst), "the other drain is still running");
            assert_eq!(drained, Drained::default());
        });
        // Long enough for the drain to find the file locked.
        std::thread::sleep(Duration::from_millis(300));
        fs::remove_file(&taken).unwrap();
        is_done.store(true, Ordering::SeqCst);
        drop(file);
    });
}

#[test]
fn a_hook_drains_a_batch_and_a_reader_the_rest() {
    let folder = DataFolder::new();
    let spool = Spool::new(folder.path().with_extension("spool"));
    let count = 2 * MAX_BATCH + 500;
    for n in 0..count {
        spool.append(&[command(&format!("make {n}")).key(&n.to_string())]).unwrap();
    }
    let mut store = folder.store();
    let mut drained = 0;
    for (extent, expected) in [(Extent::Batch, MAX_BATCH), (Extent::All, count - MAX_BATCH), (Extent::All, 0)]
    {
        assert_eq!(spool.waiting_events(), count - drained);
        let stored = spool.drain_into(&mut store, extent).unwrap().inserted;
        assert_eq!(stored, Inserted { stored: expected, duplicates: 0 }, "{extent:?}");
        drained += expected;
        // The lines that are left wait for the next drain.
        if extent == Extent::Batch {
            assert!(spool.waiting_bytes() > 0);
        }
    }
    assert_eq!(fs::read_dir(&spool.folder).unwrap().count(), 0);
    assert_eq!(store.integrity().unwrap().rows, count);
}

#[test]
fn a_torn_line_is_set_aside_and_costs_no_other() {
    let folder = DataFolder::new();
    let spool = Spool::new(folder.path().with_extension("spool"));
    spool.append(&[command("one").key("1")]).unwrap();
    let path = spool.folder.join(WAITING);
    // Half a line, as an older version leaves it on a full disk.
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend_from_within(..bytes.len() / 2);
    fs::write(&path, bytes).unwrap();
    spool.append(&[command("two").key("2")]).unwrap();
    let drained = spool.drain_into(&mut folder.store(), Extent::All).unwrap();
    assert_eq!(drained, Drained { inserted: Inserted { stored: 2, duplicates: 0 }, rejected: 1, skipped: 0 });
    assert_eq!(spool.rejected_lines(), 1);
}

/// A spool beside the database of a folder, and the names of its files.
fn spool_of(folder: &DataFolder) -> (Spool, impl Fn() -> Vec<String>) {
    let spool = Spool::new(folder.path().with_extension("spool"));
    let path = spool.folder.clone();
    let names = move || {
        let entries = fs::read_dir(&path).unwrap().flatten();
        entries.map(|entry| entry.file_name().into_string().unwrap()).collect()
    };
    (spool, names)
}

fn drained(stored: usize, duplicates: usize) -> Drained {
    Drained { inserted: Inserted { stored, duplicates }, rejected: 0, skipped: 0 }
}

#[test]
fn an_unsynced_drain_leaves_the_lines_to_a_durable_one() {
    let folder = DataFolder::new();
    let (spool, names) = spool_of(&folder);
    let mut store = folder.store();
    spool.append(&[command("one").key("1"), command("two").key("2")]).unwrap();
    assert_eq!(spool.drain_into(&mut store, Extent::Unsynced).unwrap(), drained(2, 0));
    // Its rows can be read, so nothing waits.
    assert_eq!((spool.waiting_events(), spool.waiting_bytes(), spool.has_lines()), (0, 0, true));
    spool.append(&[command("three").key("3")]).unwrap();
    assert_eq!(spool.waiting_events(), 1);
    // Only the new line is inserted; the others are known to be there.
    assert_eq!(spool.drain_into(&mut store, Extent::Unsynced).unwrap(), drained(1, 0));
    assert_eq!(names().len(), 2, "{:?}", names());
    spool.append(&[command("four").key("4")]).unwrap();
    assert_eq!(spool.drain_into(&mut store, Extent::Batch).unwrap(), drained(1, 3));
    assert_eq!((names(), store.integrity().unwrap().rows), (vec![], 4));
}

#[test]
fn rows_that_a_power_cut_lost_are_inserted_again_by_any_drain() {
    for extent in [Extent::Unsynced, Extent::Batch, Extent::All] {
        let folder = DataFolder::new();
        let (spool, names) = spool_of(&folder);
        spool.append(&[command("one").key("1")]).unwrap();
        spool.drain_into(&mut folder.store(), Extent::All).unwrap();
        let log = crate::store::beside(&folder.path(), "-wal");
        let on_disk = fs::read(&log).unwrap();
        spool.append(&[command("two").key("2")]).unwrap();
        spool.drain_into(&mut folder.store(), Extent::Unsynced).unwrap();
        // The end of the log was only in RAM.
        fs::write(&log, on_disk).unwrap();
        fs::remove_file(crate::store::beside(&folder.path(), "-shm")).ok();
        let mut store = folder.store();
        assert_eq!(store.integrity().unwrap().rows, 1);
        assert_eq!(spool.drain_into(&mut store, extent).unwrap(), drained(1, 0), "{extent:?}");
        assert_eq!(store.integrity().unwrap().rows, 2);
        // Nothing is missing, so no loss is reported.
        assert!(crate::store::damage_notes(&folder.path()).is_empty());
        assert_eq!(names().len(), usize::from(extent == Extent::Unsynced));
    }
}

#[test]
fn what_is_left_unsynced_does_not_grow_forever() {
    let folder = DataFolder::new();
    let (spool, names) = spool_of(&folder);
    let mut store = folder.store();
    let mut most = 0;
    for n in 0..100 {
        spool.append(&[command(&format!("make {n}")).key(&n.to_string())]).unwrap();
        spool.drain_into(&mut store, Extent::Unsynced).unwrap();
        most = most.max(names().len());
    }
    assert!((2..40).contains(&most), "{most} files");
    assert_eq!(store.integrity().unwrap().rows, 100);
    // Neither does it grow old.
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    for name in names() {
        File::options().append(true).open(spool.folder.join(name)).unwrap().set_modified(old).unwrap();
    }
    spool.append(&[command("make").key("new")]).unwrap();
    spool.drain_into(&mut store, Extent::Unsynced).unwrap();
    assert_eq!(names(), Vec::<String>::new());
}

#[test]
fn lines_that_cannot_be_stored_twice_are_drained_durably() {
    let folder = DataFolder::new();
    let (spool, names) = spool_of(&folder);
    let mut store = folder.store();
    // A row without a key, as an older version may have written it.
    spool.append(&[command("one")]).unwrap();
    assert_eq!(spool.drain_into(&mut store, Extent::Unsynced).unwrap(), drained(1, 0));
    assert_eq!(names(), Vec::<String>::new());
    fs::write(spool.folder.join(WAITING), "torn\n").unwrap();
    assert_eq!(spool.drain_into(&mut store, Extent::Unsynced).unwrap().rejected, 1);
    assert_eq!(names(), [REJECTED]);
}

#[test]
fn a_drain_follows_a_file_that_another_one_renames() {
    let folder = DataFolder::new();
    let (spool, names) = spool_of(&folder);
    spool.append(&[command("make").key("1")]).unwrap();
    let [taken, marked] = ["taken-0-0.jsonl", "taken-0-0@0+1.jsonl"].map(|name| spool.folder.join(name));
    fs::rename(spool.folder.join(WAITING), &taken).unwrap();
    let file = File::open(&taken).unwrap();
    file.lock().unwrap();
    std::thread::scope(|scope| {
        let drain = scope.spawn(|| spool.drain_into(&mut folder.store(), Extent::All).unwrap());
        // Long enough for the drain to find the file locked.
        std::thread::sleep(Duration::from_millis(300));
        fs::rename(&taken, &marked).unwrap();
        drop(file);
        assert_eq!(drain.join().unwrap(), drained(1, 0));
    });
    assert_eq!(names(), Vec::<String>::new());
}
