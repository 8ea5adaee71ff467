//! Streams: numbers without gaps, each event once, and what was forgotten is taken back.

use super::ShareScope;
use crate::model::{
    EventKey, NewObservation, ObservationId, ObservationType, PendingPush, RandomId, RecordKind, Selection,
    ServerStream, ShareLevel, Timestamp,
};
use crate::store::Store;
use crate::store::fixture::{DataFolder, NOW, seen};

const SHOP: &str = "github.com/acme/shop";

fn row(number: u8) -> NewObservation {
    NewObservation {
        event_key: Some(EventKey([number; 16])),
        ..seen(ObservationType::Command, &format!("make {number}"))
    }
}

fn joined(folder: &DataFolder, rows: u8) -> Store {
    let rows: Vec<NewObservation> = (1..=rows).map(row).collect();
    let mut store = folder.with(&rows);
    store.begin_team("postgres://a@db/n", RandomId([1; 16])).unwrap();
    store.choose(SHOP, ShareLevel::Work, Timestamp(0)).unwrap();
    store
}

fn append(store: &mut Store, rows: impl IntoIterator<Item = u8>) -> usize {
    let stream = store.stream(SHOP).unwrap().unwrap();
    let rows: Vec<_> = rows.into_iter().map(|row| (i64::from(row), EventKey([row; 16]))).collect();
    store.append_to_stream(stream.id, &rows).unwrap()
}

fn records(store: &Store) -> Vec<(i64, RecordKind, u8)> {
    let stream = store.stream(SHOP).unwrap().unwrap();
    let records = store.stream_records(stream.id, i64::MIN, i64::MAX).unwrap();
    records.iter().map(|one| (one.number, one.kind, one.event_key.map_or(0, |key| key.0[0]))).collect()
}

#[test]
fn an_event_gets_one_number_and_is_taken_back_when_it_is_forgotten() {
    use RecordKind::{Drop, Observation};
    let folder = DataFolder::new();
    let mut store = joined(&folder, 4);
    assert_eq!((append(&mut store, 1..=3), append(&mut store, 1..=4)), (3, 1));
    let forgotten = store.forget(&Selection::Ids(vec![ObservationId(2)])).unwrap();
    assert_eq!(forgotten.told, 1);
    // It is not told again, whoever brings it.
    assert_eq!(append(&mut store, [2]), 0);
    let expected =
        [(1, Observation, 1), (2, Observation, 2), (3, Observation, 3), (4, Observation, 4), (5, Drop, 2)];
    assert_eq!(records(&store), expected);
    assert_eq!(store.append_forgotten().unwrap(), 0);
    let id = store.stream(SHOP).unwrap().unwrap().id;
    let all = PendingPush { first: 1, last: 5, id: RandomId([9; 16]) };
    store.begin_push(id, all).unwrap();
    store.acknowledge(id, all).unwrap();
    assert_eq!(store.take_everything_back().unwrap(), 3);
    assert_eq!(store.stream(SHOP).unwrap().unwrap().state.last, 8);
}

#[test]
fn a_lower_level_empties_the_numbers_that_have_not_left() {
    use RecordKind::{Drop, Gone, Observation};
    let folder = DataFolder::new();
    let mut store = joined(&folder, 5);
    append(&mut store, 1..=5);
    let id = store.stream(SHOP).unwrap().unwrap().id;
    store.set_looked(id, 5).unwrap();
    let push = |first: i64, last: i64, id: u8| PendingPush { first, last, id: RandomId([id; 16]) };
    store.begin_push(id, push(1, 2, 1)).unwrap();
    store.acknowledge(id, push(1, 2, 1)).unwrap();
    store.begin_push(id, push(3, 3, 2)).unwrap();
    store.choose(SHOP, ShareLevel::Fixes, Timestamp(0)).unwrap();
    // The third may be on the server, so it can still be taken back; nobody will send its row.
    let expected =
        [(1, Observation, 1), (2, Observation, 2), (3, Observation, 3), (4, Gone, 0), (5, Gone, 0)];
    assert_eq!(records(&store), expected);
    let held: Vec<_> = store.stream_records(id, 1, 5).unwrap().iter().map(|record| record.is_held).collect();
    assert_eq!(held, [false, false, true, false, false]);
    assert_eq!(store.stream(SHOP).unwrap().unwrap().looked, 3, "the rest is looked at again");
    assert_eq!(append(&mut store, 3..=5), 2);
    store.forget(&Selection::Ids(vec![ObservationId(3)])).unwrap();
    assert_eq!(records(&store)[5..], [(6, Observation, 4), (7, Observation, 5), (8, Drop, 3)]);
    // What never left is not taken back.
    assert_eq!(store.take_everything_back().unwrap(), 2);
    assert_eq!(records(&store)[5..], [(6, Gone, 0), (7, Gone, 0), (8, Drop, 3), (9, Drop, 1), (10, Drop, 2)]);
}

#[test]
fn forgetting_writes_nothing_about_a_team_that_nobody_has_joined() {
    let folder = DataFolder::new();
    let mut store = folder.with(&[row(1)]);
    assert_eq!(store.forget(&Selection::Ids(vec![ObservationId(1)])).unwrap().told, 0);
    assert_eq!((store.team_state().unwrap(), store.streams().unwrap().len()), (None, 0));
}

#[test]
fn a_push_is_confirmed_rewound_and_renumbered() {
    let folder = DataFolder::new();
    let mut store = joined(&folder, 9);
    append(&mut store, 1..=9);
    let id = store.stream(SHOP).unwrap().unwrap().id;
    let push = |first: i64, last: i64, id: u8| PendingPush { first, last, id: RandomId([id; 16]) };
    for (first, last, number) in [(1, 3, 1), (4, 5, 2)] {
        store.begin_push(id, push(first, last, number)).unwrap();
        assert_eq!(store.stream(SHOP).unwrap().unwrap().state.pending, Some(push(first, last, number)));
        store.acknowledge(id, push(first, last, number)).unwrap();
    }
    let state = |store: &Store| {
        let state = store.stream(SHOP).unwrap().unwrap().state;
        (state.last, state.acked, state.acked_push.map(|push| push.0[0]), state.pending)
    };
    assert_eq!(state(&store), (9, 5, Some(2), None));
    let server = |last: i64, push: u8| ServerStream { last, push: Some(RandomId([push; 16])) };
    assert!(store.was_pushed(id, server(3, 1)).unwrap() && !store.was_pushed(id, server(3, 2)).unwrap());
    store.rewind_stream(id, server(3, 1)).unwrap();
    assert_eq!(state(&store), (9, 3, Some(1), None));
    assert!(!store.was_pushed(id, server(5, 2)).unwrap());
    // Under a new name, what comes after the last common push begins at 1.
    store.hold(id, 7, "x").unwrap();
    store.rename_machine(RandomId([9; 16]), &[(id, 3)]).unwrap();
    assert_eq!(state(&store), (6, 0, None, None));
    assert_eq!(
        records(&store).iter().map(|record| record.0).collect::<Vec<_>>(),
        (-2..=6).collect::<Vec<i64>>()
    );
    assert!(store.stream_records(id, 4, 4).unwrap()[0].is_held);
    assert_eq!(store.team_state().unwrap().unwrap().machine, RandomId([9; 16]));
    // Another database has none of it.
    store.begin_streams_again().unwrap();
    assert_eq!(
        records(&store).iter().map(|record| record.0).collect::<Vec<_>>(),
        (1..=9).collect::<Vec<i64>>()
    );
    assert_eq!(state(&store), (9, 0, None, None));
}

#[test]
fn rows_from_before_the_choice_and_from_elsewhere_do_not_leave() {
    let folder = DataFolder::new();
    let mut store = joined(&folder, 3);
    let folders: Vec<i64> = store.project_folders().unwrap().iter().map(|(id, _)| *id).collect();
    let found = |store: &Store, since: i64, after: i64| {
        let scope = ShareScope { folders: &folders, since: Timestamp(since), after };
        let sessions = store.sessions_after(&scope, 0).unwrap();
        sessions.iter().map(|session| store.rows_to_share(&scope, session).unwrap().len()).sum::<usize>()
    };
    assert_eq!((found(&store, 0, 0), found(&store, NOW.0, 1), found(&store, NOW.0 + 1, 0)), (3, 2, 0));
    store.import(&[row(4)]).unwrap();
    assert_eq!(found(&store, 0, 0), 3);
    assert_eq!(store.stream(SHOP).unwrap().unwrap().after, 0);
    store.choose(SHOP, ShareLevel::All, NOW).unwrap();
    assert_eq!(store.stream(SHOP).unwrap().unwrap().after, 4);
}
