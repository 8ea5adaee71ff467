//! Which observations are stored, and which are left out.

use crate::model::{Inserted, NewObservation, ObservationType};
use crate::store::fixture::{DataFolder, command, edit, failure, prompt, read, seen};

fn stored(batch: &[NewObservation]) -> Inserted {
    DataFolder::new().store().insert_batch(batch).unwrap()
}

#[test]
fn an_observation_comes_back_as_it_was_stored() {
    let folder = DataFolder::new();
    for kind in ObservationType::ALL {
        let new = seen(kind, "what happened").path("src/a b.rs").key(kind.name()).fact("exit_code", "1");
        let mut store = folder.with(std::slice::from_ref(&new));
        let id = store.connection.last_insert_rowid();
        assert_eq!(store.get(&[crate::model::ObservationId(id)]).unwrap()[0].seen, new);
        assert_eq!(store.insert_batch(&[]).unwrap(), Inserted::default());
    }
}

#[test]
fn the_same_event_is_stored_once() {
    let folder = DataFolder::new();
    let batch = [command("make").key("one"), command("make").key("one"), command("make").key("two")];
    assert_eq!(folder.store().insert_batch(&batch).unwrap(), Inserted { stored: 2, duplicates: 1 });
    assert_eq!(folder.store().insert_batch(&batch).unwrap(), Inserted { stored: 0, duplicates: 3 });
}

#[test]
fn a_second_read_within_five_minutes_is_left_out() {
    let search = |text| seen(ObservationType::Search, text);
    for (one, two, duplicates) in [
        (read("a.rs").ago(300), read("a.rs"), 1),
        (read("a.rs").ago(301), read("a.rs"), 0),
        (read("a.rs").ago(10), read("b.rs"), 0),
        (read("a.rs").ago(10), read("a.rs").session("s2"), 0),
        (read("a.rs"), read("a.rs").ago(10), 1),
        (search("fn main").ago(10), search("fn main"), 1),
        (search("fn main").ago(10), search("fn other"), 0),
        (search("fn main").path("src").ago(10), search("fn other").path("src"), 1),
        (read("a.rs").ago(10), search("x").path("a.rs"), 0),
    ] {
        let both = [one.clone(), two.clone()];
        let expected = Inserted { stored: 2 - duplicates, duplicates };
        assert_eq!(stored(&both), expected, "in one batch: {both:?}");
        let folder = DataFolder::new();
        folder.with(&[one]);
        assert_eq!(folder.store().insert_batch(&[two]).unwrap().duplicates, duplicates, "in two: {both:?}");
    }
}

#[test]
fn actions_are_never_left_out() {
    for action in [command("make"), failure("make", "no rule"), edit("a.rs"), prompt("yes")] {
        assert_eq!(stored(&[action.clone(), action]), Inserted { stored: 2, duplicates: 0 });
    }
}

#[test]
fn a_read_that_was_left_out_does_not_extend_the_window() {
    let reads = [read("a.rs").ago(400), read("a.rs").ago(200), read("a.rs")];
    assert_eq!(stored(&reads), Inserted { stored: 2, duplicates: 1 });
}

#[test]
fn an_id_is_never_used_twice() {
    let folder = DataFolder::new();
    let mut store = folder.with(&[command("one")]);
    store.forget(&crate::model::Selection::Ids(vec![crate::model::ObservationId(1)])).unwrap();
    store.insert_batch(&[command("two")]).unwrap();
    assert_eq!(store.trail(&crate::store::fixture::project("nudge"), 9).unwrap()[0].id.0, 2);
}
