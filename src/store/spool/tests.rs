//! Concurrent drains, batches and torn lines.

use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};

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
