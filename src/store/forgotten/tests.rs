//! What was forgotten stays forgotten, whoever brings it.

use crate::model::{EventKey, Inserted, NewObservation, ObservationId, Selection};
use crate::store::fixture::{DataFolder, command, prompt};
use crate::store::migrate::MIGRATIONS;
use crate::store::{Store, fixture};

/// Rows with the agent's id of the call, which are forgotten by their key alone.
fn called(name: &str) -> NewObservation {
    command(name).key(name).fact("tool_use_id", name)
}

fn forget(store: &mut Store, id: i64) {
    store.forget(&Selection::Ids(vec![ObservationId(id)])).unwrap();
}

#[test]
fn the_list_is_numbered_and_each_key_is_in_it_once() {
    let folder = DataFolder::new();
    let mut store = folder.with(&["a", "b", "c"].map(called));
    assert_eq!(store.forgotten_since(0, 9).unwrap(), []);
    for id in [2, 1, 1] {
        forget(&mut store, id);
    }
    let key = |name| EventKey::of([name]);
    let all = store.forgotten_since(0, 9).unwrap();
    assert_eq!(all.iter().map(|(_, key)| *key).collect::<Vec<_>>(), [key("b"), key("a")]);
    assert!(all[0].0 < all[1].0);
    assert_eq!(store.forgotten_since(0, 1).unwrap(), all[..1]);
    assert_eq!(store.forgotten_since(all[0].0, 9).unwrap(), all[1..]);
    assert_eq!(store.forgotten_since(all[1].0, 9).unwrap(), []);
}

#[test]
fn neither_a_hook_nor_an_export_brings_back_what_was_forgotten() {
    let folder = DataFolder::new();
    let rows = [called("a"), called("b"), prompt("no key")];
    let mut store = folder.with(&rows);
    for id in [1, 3] {
        forget(&mut store, id);
    }
    assert_eq!(store.import(&rows).unwrap(), Inserted { stored: 0, duplicates: 3 });
    // A hook's event without a key cannot be told from a new one.
    assert_eq!(store.insert_batch(&rows[..2]).unwrap(), Inserted { stored: 0, duplicates: 2 });
    let later = prompt("no key").ago(-60);
    assert_eq!(store.import(&[later]).unwrap(), Inserted { stored: 1, duplicates: 0 });
}

#[test]
fn a_list_that_changes_after_it_was_forgotten_is_new() {
    let folder = DataFolder::new();
    let list = || prompt("[ ] one").key("list").fact("kind", "todo");
    let mut store = folder.with(&[list()]);
    forget(&mut store, 1);
    assert_eq!(store.import(&[list()]).unwrap(), Inserted { stored: 0, duplicates: 1 });
    assert_eq!(store.insert_batch(&[list()]).unwrap(), Inserted { stored: 1, duplicates: 0 });
}

#[test]
fn a_file_of_an_earlier_version_keeps_its_list() {
    let folder = DataFolder::new();
    drop(Store::open_with(&folder.path(), fixture::LOCK_TIMEOUT, &MIGRATIONS[..7]).unwrap());
    let keys = [EventKey::of(["a"]), EventKey::of(["b"])];
    let old = rusqlite::Connection::open(folder.path()).unwrap();
    for key in keys {
        old.execute("INSERT INTO forgotten_events (key) VALUES (?1)", [key.0]).unwrap();
    }
    drop(old);
    let mut store = folder.store();
    assert_eq!(store.insert_batch(&["a", "b", "c"].map(called)).unwrap().stored, 1);
    assert_eq!(store.forgotten_since(0, 9).unwrap().len(), 2);
}

#[test]
fn rows_say_whether_they_were_observed_here() {
    let folder = DataFolder::new();
    let mut store = folder.with(&[called("here")]);
    store.import(&[called("elsewhere")]).unwrap();
    let sql = "SELECT origin FROM observations ORDER BY id";
    let mut statement = store.connection.prepare(sql).unwrap();
    let origins = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap);
    assert_eq!(origins.collect::<Vec<Option<i64>>>(), [None, Some(0)]);
}
