//! Candidate rows for the context of a new session.

use crate::store::fixture::{DataFolder, command, edit, project, read};

#[test]
fn deeds_are_everything_but_looks_newest_first() {
    let folder = DataFolder::new();
    let store = folder.with(&[
        command("make").ago(30),
        read("c.rs").ago(20),
        edit("a.rs").ago(10),
        command("b").of("other"),
    ]);
    let deeds = store.deeds(&project("nudge"), 9).unwrap();
    assert_eq!(deeds.iter().map(|row| row.id.0).collect::<Vec<_>>(), [3, 1]);
    assert_eq!(store.deeds(&project("nudge"), 1).unwrap().len(), 1);
}

#[test]
fn the_trail_has_every_row_newest_first() {
    let folder = DataFolder::new();
    let store =
        folder.with(&[command("a").ago(2), edit("a.rs").ago(1), edit("a.rs"), command("b").of("other")]);
    let trail = store.trail(&project("nudge"), 2).unwrap();
    assert_eq!(trail.iter().map(|row| row.id.0).collect::<Vec<_>>(), [3, 2]);
}
