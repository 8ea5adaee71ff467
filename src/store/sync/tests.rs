//! The exchange of rows between stores: what is taken, what is replaced, and what is known of the other machine.

use crate::model::{EventKey, MachineKey, NewObservation, SyncLot, SyncMark, TakenRows};
use crate::store::fixture::{DataFolder, NOW, command};
use crate::store::{IncomingLot, Store};

const OTHER: MachineKey = MachineKey([1; 16]);
const THIRD: MachineKey = MachineKey([3; 16]);

fn lot(machine: MachineKey, after: i64, upto: i64) -> SyncLot {
    SyncLot { machine, after, upto, mark: Some(SyncMark([9; 8])), has_gaps: false, rows: 0 }
}

fn take(store: &mut Store, lot: &SyncLot, rows: &[(i64, NewObservation)], is_whole: bool) -> TakenRows {
    let incoming = IncomingLot { peer: OTHER, lot, rows, is_whole, is_cut: false };
    store.take_lot(&incoming).unwrap()
}

fn contents(store: &Store) -> Vec<String> {
    let rows = store.rows_of(OTHER, 0, 99, 99).unwrap();
    rows.into_iter().map(|row| format!("{} {}", row.number, row.observation.content)).collect()
}

#[test]
fn a_lot_and_how_far_its_machine_is_known_are_stored_together() {
    let folder = DataFolder::new();
    let mut store = folder.store();
    let rows = [(3, command("make").key("a")), (7, command("test").key("b"))];
    let expected = TakenRows { stored: 2, ..TakenRows::default() };
    assert_eq!(take(&mut store, &lot(OTHER, 0, 8), &rows, true), expected);
    let known = &store.known_machines().unwrap()[0];
    assert_eq!((known.key, known.upto, known.reached, known.mark), (OTHER, 8, 8, Some(SyncMark([9; 8]))));
    assert_eq!(contents(&store), ["3 make", "7 test"]);
    // Rows of others are not this machine's own.
    assert_eq!(store.own_rows(0, 99, 99).unwrap(), []);
    let again = TakenRows { known: 2, ..TakenRows::default() };
    assert_eq!(take(&mut store, &lot(OTHER, 0, 8), &rows, true), again);
}

#[test]
fn what_was_passed_on_with_gaps_is_not_taken_for_the_whole() {
    let folder = DataFolder::new();
    let mut store = folder.store();
    take(&mut store, &lot(THIRD, 0, 8), &[(8, command("make").key("a"))], false);
    let known = store.known_machines().unwrap();
    let third = known.iter().find(|known| known.key == THIRD).unwrap();
    assert_eq!((third.upto, third.reached, third.has_gaps), (0, 8, true));
    assert_eq!((store.place(OTHER, THIRD), store.place(THIRD, OTHER)), (Ok(8), Ok(0)));
}

#[test]
fn a_newer_state_of_a_row_replaces_the_older_one_of_its_own_machine_only() {
    let folder = DataFolder::new();
    let mut store = folder.with(&[command("own").key("own")]);
    take(&mut store, &lot(OTHER, 0, 1), &[(1, command("make").key("a"))], true);
    assert_eq!(store.wants(OTHER, 2, EventKey::of(["a"])), Ok(true));
    assert_eq!(store.wants(OTHER, 1, EventKey::of(["a"])), Ok(false));
    assert_eq!(store.wants(OTHER, 2, EventKey::of(["own"])), Ok(false));
    let rows = [(2, command("make, finished").key("a")), (3, command("false").key("own"))];
    let taken = take(&mut store, &lot(OTHER, 1, 3), &rows, true);
    assert_eq!((taken.stored, taken.known), (1, 1));
    assert_eq!(contents(&store), ["2 make, finished"]);
    assert_eq!(store.own_rows(0, 99, 99).unwrap()[0].observation.content, "own");
}

#[test]
fn a_machine_knows_what_it_has_sent() {
    let folder = DataFolder::new();
    let mut store = folder.store();
    let mark = store.mark_sent(5).unwrap();
    assert_eq!(store.mark_sent(5), Ok(mark));
    assert_eq!(store.has_sent(5, mark), Ok(true));
    assert_eq!((store.has_sent(6, mark), store.has_sent(5, SyncMark([0; 8]))), (Ok(false), Ok(false)));
    store.renew_machine_key(NOW).unwrap();
    assert_eq!(store.has_sent(5, mark), Ok(false));
}

#[test]
fn what_another_machine_has_forgotten_is_deleted_once() {
    let folder = DataFolder::new();
    let mut store = folder.with(&[command("a").key("a"), command("b").key("b")]);
    let keys = [EventKey::of(["a"]), EventKey::of(["never seen"])];
    let taken = store.take_forgotten(OTHER, &keys, 12).unwrap();
    assert_eq!((taken.new, taken.deleted), (2, 1));
    assert_eq!(store.known_machines().unwrap()[0].forgotten, 12);
    assert_eq!(store.own_rows(0, 99, 99).unwrap().len(), 1);
    // It is passed on as this machine's own list.
    assert_eq!(store.forgotten_since(0, 9).unwrap().len(), 2);
    assert_eq!(store.take_forgotten(OTHER, &keys, 12).unwrap().new, 0);
    assert_eq!(take(&mut store, &lot(OTHER, 0, 1), &[(1, command("a").key("a"))], true).forgotten, 1);
}
