//! Statistics and integrity.

use crate::model::{AgentCount, FileCount, Integrity, ObservationType, ProgramTime};
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
fn what_a_rule_blocked_is_no_failure() {
    let folder = DataFolder::new();
    let store = folder.with(&[
        command("make").fact("harness", "codex"),
        failure("rm -rf /", "no").fact("kind", "rule").fact("rule", "no-rm"),
        failure("rm -rf /", "no").fact("kind", "rule").fact("rule", "no-rm").session("s2"),
        failure("push", "a gate").fact("kind", "rule").fact("harness", "codex").session("s2"),
    ]);
    let stats = store.stats(None, NOW).unwrap();
    assert_eq!(stats.failure_rate(), Some(0.0));
    assert_eq!((stats.observations, stats.blocked), (4, 3));
    assert_eq!(stats.by_type, [(ObservationType::Command, 1)]);
    assert_eq!(stats.by_rule, [("no-rm".to_owned(), 2)]);
    let codex = AgentCount { harness: "codex".to_owned(), sessions: 2, observations: 2 };
    assert_eq!(stats.by_agent, [codex]);
}

#[test]
fn programs_are_ordered_by_the_time_they_took() {
    let folder = DataFolder::new();
    let took = |command_text: &str, program: &str, ms: u64| {
        let mut row = command(command_text);
        row.program = Some(program.to_owned());
        row.metadata.get_or_insert_default().0.insert("duration_ms".to_owned(), ms.into());
        row
    };
    let store = folder.with(&[
        took("cargo test", "cargo test", 9_000),
        took("cargo test", "cargo test", 1_000),
        took("make", "make", 9_500),
        command("ls"),
    ]);
    let time = |program: &str, runs, total_ms, longest_ms| ProgramTime {
        program: program.to_owned(),
        runs,
        total_ms,
        longest_ms,
    };
    let expected = [time("cargo test", 2, 10_000, 9_000), time("make", 1, 9_500, 9_500)];
    assert_eq!(store.stats(None, NOW).unwrap().slowest, expected);
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
