//! Statistics and integrity.

use crate::model::{FileCount, Integrity, ObservationType};
use crate::store::fixture::{DataFolder, NOW, command, edit, failure, project};

#[test]
fn stats_count_what_is_there() {
    let folder = DataFolder::new();
    let day = 86_400;
    let store = folder.with(&[
        command("make").ago(day),
        command("make"),
        command("make").session("s2"),
        failure("make", "no"),
        edit("a.rs"),
        edit("a.rs"),
        edit("b.rs").of("other"),
    ]);
    let stats = store.stats(Some(&project("nudge")), NOW).unwrap();
    assert_eq!((stats.observations, stats.sessions), (6, 2));
    let kinds =
        [(ObservationType::Command, 3), (ObservationType::FileEdit, 2), (ObservationType::CommandError, 1)];
    assert_eq!(stats.by_type, kinds);
    assert_eq!(stats.failure_rate(), Some(0.25));
    assert_eq!(stats.by_day, [(NOW.0 / day - 1, 1), (NOW.0 / day, 5)]);
    let busiest = FileCount { project: Some("nudge".to_owned()), file_path: "a.rs".to_owned(), count: 2 };
    assert_eq!(stats.busiest_files, [busiest]);
    assert!(stats.bytes_by_table.iter().any(|(name, bytes)| name == "observations" && *bytes > 0));
    assert_eq!(stats.bytes_by_table.iter().map(|(_, bytes)| bytes).sum::<u64>() > 0, stats.file_bytes > 0);
    let all = store.stats(None, NOW).unwrap();
    assert_eq!((all.observations, all.sessions), (7, 2));
    assert_eq!(DataFolder::new().store().stats(None, NOW).unwrap().failure_rate(), None);
}

#[test]
fn the_index_agrees_with_the_rows() {
    let folder = DataFolder::new();
    let outside =
        crate::model::NewObservation { project: None, project_root: None, ..command("get_user_name") };
    let mut store =
        folder.with(&[edit("src/fooBar.rs"), outside, command("make").key("k"), command("make").key("k")]);
    store.set_pinned(crate::model::ObservationId(1), true).unwrap();
    // With 1, FTS5 compares its index with the rows, word for word.
    store
        .connection
        .execute_batch("INSERT INTO observations_fts (observations_fts, rank) VALUES ('integrity-check', 1)")
        .unwrap();
}

#[test]
fn an_index_that_lost_a_row_is_noticed_and_can_be_rebuilt() {
    let folder = DataFolder::new();
    let mut store = folder.with(&[command("make"), command("ls")]);
    assert_eq!(store.integrity().unwrap(), Integrity { rows: 2, indexed: 2, faults: Vec::new() });
    store
        .connection
        .execute_batch(
            "INSERT INTO observations_fts (observations_fts, rowid, content, file_path, parts, tags)
             SELECT 'delete', id, content, file_path, parts, tags FROM observations WHERE id = 1",
        )
        .unwrap();
    assert!(!store.integrity().unwrap().is_sound());
    store.rebuild_index().unwrap();
    assert!(store.integrity().unwrap().is_sound());
}
