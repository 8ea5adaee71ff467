//! Exporting rows and importing them again.

use crate::model::{Filter, Inserted, NewObservation, ObservationType};
use crate::store::Reader;
use crate::store::fixture::{DataFolder, command, edit, failure, project, read};

fn exported(reader: &Reader, filter: &Filter) -> Vec<NewObservation> {
    let mut all = Vec::new();
    reader
        .export(filter, |observation| {
            all.push(observation.seen);
            Ok::<_, ()>(())
        })
        .unwrap()
        .unwrap();
    all
}

#[test]
fn an_export_can_be_imported_anywhere_any_number_of_times() {
    let (here, there) = (DataFolder::new(), DataFolder::new());
    let mut pinned = command("make").ago(3).key("k");
    pinned.pinned = true;
    let mut source = here.with(&[pinned, failure("make", "no").ago(2), read("a.rs").ago(400), read("a.rs")]);
    let rows = exported(&source, &Filter::default());
    assert_eq!(rows.len(), 4);
    let mut target = there.store();
    assert_eq!(target.import(&rows).unwrap(), Inserted { stored: 4, duplicates: 0 });
    assert_eq!(target.import(&rows).unwrap(), Inserted { stored: 0, duplicates: 4 });
    assert_eq!(source.import(&rows).unwrap(), Inserted { stored: 0, duplicates: 4 });
    assert_eq!(exported(&target, &Filter::default()), rows);
}

#[test]
fn a_row_survives_json() {
    let row = failure("make", "no").key("k").path("a b").fact("kind", "rule");
    let text = serde_json::to_string(&row).unwrap();
    assert_eq!(serde_json::from_str::<NewObservation>(&text).unwrap(), row);
}

#[test]
fn an_export_can_be_narrowed_and_stopped() {
    let folder = DataFolder::new();
    let store = folder.with(&[command("make"), edit("a.rs"), edit("b.rs").of("other")]);
    let edits = Filter { types: vec![ObservationType::FileEdit], ..Filter::default() };
    assert_eq!(store.count_filtered(&edits).unwrap(), 2);
    let own = Filter { project: Some(project("other")), ..edits };
    assert_eq!(exported(&store, &own).len(), 1);
    let mut seen = 0;
    let stopped = store.export(&Filter::default(), |_| {
        seen += 1;
        Err("enough")
    });
    assert_eq!((stopped.unwrap(), seen), (Err("enough"), 1));
}
