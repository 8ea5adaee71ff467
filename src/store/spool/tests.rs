//! Two who drain at once.

use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::store::fixture::{Folder, command};

#[test]
fn who_finds_another_draining_waits_until_it_is_done() {
    let folder = Folder::new();
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
            assert!(is_done.load(Ordering::SeqCst), "the other is still at it");
            assert_eq!(drained, Drained::default());
        });
        // Long enough for the other to come and find the file locked.
        std::thread::sleep(Duration::from_millis(300));
        fs::remove_file(&taken).unwrap();
        is_done.store(true, Ordering::SeqCst);
        drop(file);
    });
}
