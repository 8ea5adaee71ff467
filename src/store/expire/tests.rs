//! Which rows expire, their copies for a week, and how they are restored.

use super::*;
use crate::model::{Inserted, NewObservation, ObservationId, Selection};
use crate::store::fixture::{DataFolder, NOW, command, edit, prompt, read};
use crate::store::{Store, count_copies};

const EVERYTHING: ExpireLimit = ExpireLimit::Everything;

/// A store that was used every ten days for 400 days, with these rows added; each has its age in days.
fn used(folder: &DataFolder, rows: Vec<(i64, NewObservation)>) -> Store {
    let mut all: Vec<(i64, NewObservation)> = rows;
    all.extend((0..=40).map(|n| (n * 10, prompt("still at work").key(&n.to_string()))));
    all.sort_by_key(|(days, _)| -days);
    folder.with(&all.into_iter().map(|(days, row)| row.ago(days * DAY)).collect::<Vec<_>>())
}

fn contents(store: &Store) -> Vec<String> {
    let ids: Vec<ObservationId> = (1..=200).map(ObservationId).collect();
    let rows = store.get(&ids).unwrap().into_iter().map(|row| row.seen.content);
    rows.filter(|content| content != "still at work").collect()
}

fn no_prompts() -> Retention {
    let mut retention = Retention::default();
    retention.days.retain(|(kind, _)| *kind != ObservationType::UserPrompt);
    retention
}

#[test]
fn each_type_expires_at_its_age_and_pinned_rows_never_do() {
    let folder = DataFolder::new();
    let outside = NewObservation { project: None, project_root: None, ..read("e.rs") };
    let mut store = used(
        &folder,
        vec![
            (91, read("a.rs")),
            (89, read("b.rs")),
            (181, command("make 1")),
            (179, command("make 2")),
            (366, edit("c.rs")),
            (364, edit("d.rs")),
            (399, NewObservation { pinned: true, ..read("p.rs") }),
            (91, outside),
        ],
    );
    let plan =
        [(ObservationType::FileRead, 2), (ObservationType::FileEdit, 1), (ObservationType::Command, 1)];
    let retention = no_prompts();
    assert_eq!(store.would_expire(&retention, NOW).unwrap(), plan);
    assert_eq!(store.gc(&retention, NOW, EVERYTHING, Copy::Kept, |row| row).unwrap().counts, plan);
    assert_eq!(store.gc(&retention, NOW, EVERYTHING, Copy::Kept, |row| row).unwrap(), RemovedRows::default());
    assert_eq!(contents(&store), ["read p.rs", "edit d.rs", "make 2", "read b.rs"]);
}

#[test]
fn what_is_kept_forever_does_not_age() {
    let folder = DataFolder::new();
    let mut store = used(&folder, vec![(399, read("a.rs"))]);
    let forever = Retention { days: vec![(ObservationType::FileRead, None)] };
    assert_eq!(store.gc(&forever, NOW, EVERYTHING, Copy::Kept, |row| row).unwrap(), RemovedRows::default());
}

#[test]
fn an_automatic_run_deletes_a_tenth_at_most() {
    let folder = DataFolder::new();
    let old = (0..59).map(|n| (100 + n, read(&format!("{n}.rs")))).collect();
    let mut store = used(&folder, old);
    let removed = store.gc(&no_prompts(), NOW, ExpireLimit::Some(1_000), Copy::Kept, |row| row).unwrap();
    assert_eq!(removed, RemovedRows { counts: vec![(ObservationType::FileRead, 10)], is_partial: true });
    assert_eq!(contents(&store)[0], "read 48.rs", "the oldest expire first");
    let removed = store.gc(&no_prompts(), NOW, ExpireLimit::Some(3), Copy::Kept, |row| row).unwrap();
    assert_eq!(removed.counts, [(ObservationType::FileRead, 3)]);
}

#[test]
fn what_expires_can_be_restored_for_a_week() {
    let folder = DataFolder::new();
    let mut store = used(&folder, vec![(100, read("a.rs").key("a")), (100, read("b.rs"))]);
    let before = contents(&store);
    store.gc(&no_prompts(), NOW, EVERYTHING, Copy::Kept, |row| row).unwrap();
    assert_eq!((contents(&store).len(), count_copies(&folder.path())), (0, 2));
    assert_eq!(store.restore().unwrap(), Inserted { stored: 2, duplicates: 0 });
    assert_eq!((contents(&store), count_copies(&folder.path())), (before, 0));
    // They have new numbers, so they do not expire at once.
    assert_eq!(store.would_expire(&no_prompts(), NOW).unwrap(), []);
    assert!(store.integrity().unwrap().is_sound());
}

#[test]
fn a_copy_expires_after_a_week_of_work_and_not_by_a_jump() {
    let folder = DataFolder::new();
    let mut store = used(&folder, vec![(100, read("a.rs"))]);
    store.gc(&no_prompts(), NOW, EVERYTHING, Copy::Kept, |row| row).unwrap();
    let mut work = |days: i64| {
        let now = Timestamp(NOW.0 + days * DAY);
        store.insert_batch(&[NewObservation { timestamp: now, ..prompt(&format!("{days}")) }]).unwrap();
        store.gc(&no_prompts(), now, EVERYTHING, Copy::Kept, |row| row).unwrap();
        count_copies(&folder.path())
    };
    assert_eq!(work(1_000), 1);
    for day in 1..=6 {
        assert_eq!(work(1_000 + day), 1, "{day}");
    }
    assert_eq!(work(1_008), 0);
}

#[test]
fn forgetting_anything_deletes_the_copies() {
    let folder = DataFolder::new();
    let mut store = used(&folder, vec![(100, read("secret.rs"))]);
    store.gc(&no_prompts(), NOW, EVERYTHING, Copy::Kept, |row| row).unwrap();
    let selection = Selection::Query("secret".to_owned());
    let would = store.would_forget(&selection).unwrap();
    assert_eq!((would.count, would.copies), (0, 1));
    store.forget(&selection).unwrap();
    assert_eq!(count_copies(&folder.path()), 0);
}

#[test]
fn no_copy_is_kept_where_there_is_no_room_for_one() {
    let folder = DataFolder::new();
    let mut store = used(&folder, vec![(100, read("a.rs"))]);
    store.gc(&no_prompts(), NOW, EVERYTHING, Copy::None, |row| row).unwrap();
    assert_eq!((contents(&store).len(), count_copies(&folder.path())), (0, 0));
}
