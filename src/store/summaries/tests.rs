//! The counts after random histories are those of a GROUP BY.

use std::collections::BTreeSet;

use rusqlite::Connection;

use crate::model::{NewObservation, ObservationId, ObservationType, Selection, SessionId, Told, ToldPart};
use crate::store::Store;
use crate::store::fixture::{DataFolder, command, edit, failure, prompt, read, seen};
use crate::store::insert::SalvagedRow;

/// Numbers that look random, and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn row(&mut self) -> NewObservation {
        let number = self.roll(1_000);
        let row = match self.roll(8) {
            0 => prompt(&format!("prompt {number}")),
            1 => read(&format!("src/{number}.rs")),
            2 => edit(&format!("src/{number}.rs")),
            3 => command(&format!("make {number}")).fact("exit_code", "0"),
            4 => failure("make all", &format!("error {number}")),
            5 => failure("rm -rf", "blocked").fact("kind", "rule").fact("rule", "no-rm"),
            6 => command("git commit").fact("kind", "git_commit").fact("exit_code", "0"),
            _ => seen(ObservationType::SessionEnd, "the end").fact("rule", "at-end"),
        };
        let agent = ["claude-code", "codex"][self.roll(2) as usize];
        let session = format!("s{}", self.roll(5));
        let row = row.of(["one", "two"][self.roll(2) as usize]).ago(self.roll(400_000) as i64);
        row.session(&session).fact("harness", agent).key(&format!("{number} {}", self.0))
    }
}

fn rows(connection: &Connection, sql: &str) -> BTreeSet<String> {
    let mut statement = connection.prepare(sql).unwrap();
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| {
        let cell = |at| match row.get_ref(at).unwrap() {
            rusqlite::types::ValueRef::Integer(number) => number.to_string(),
            rusqlite::types::ValueRef::Real(number) => format!("{number:.0}"),
            rusqlite::types::ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
            _ => "-".to_owned(),
        };
        Ok((0..columns).map(cell).collect::<Vec<_>>().join(" "))
    });
    rows.unwrap().map(Result::unwrap).collect()
}

#[track_caller]
fn assert_counts(store: &mut Store) {
    assert!(store.summarize(|| false).unwrap());
    let connection = &store.reader.connection;
    for (kept, counted) in [
        (
            "SELECT id, project_id, started_at, last_at, observations, reads, edits, commands, prompts, failed,
                 blocked, commits, guided FROM sessions",
            "SELECT session_id, (SELECT project_id FROM observations AS last WHERE last.session_id = one.session_id
                     ORDER BY timestamp DESC, id DESC LIMIT 1),
                 min(timestamp), max(timestamp), count(*), sum(mark IS 0), sum(mark IS 1),
                 sum(mark IS 2 OR mark IS 8), sum(mark IS 3), sum(mark IS 4), sum(mark IS 6), sum(mark IS 8),
                 sum(rule IS NOT NULL AND mark IS NOT 6)
             FROM observations AS one GROUP BY session_id",
        ),
        (
            "SELECT hour, project_id, harness, mark, n FROM activity",
            "SELECT timestamp / 3600, coalesce(project_id, 0), coalesce(harness, ''), coalesce(mark, 9), count(*)
             FROM observations GROUP BY 1, 2, 3, 4",
        ),
        (
            "SELECT rule, project_id, day, harness, fired, blocked, guided FROM rule_days",
            "SELECT rule, coalesce(project_id, 0), timestamp / 86400, coalesce(harness, ''), count(*), sum(mark IS 6),
                 sum(mark IS NOT 6) FROM observations WHERE rule IS NOT NULL GROUP BY 1, 2, 3, 4",
        ),
        (
            "SELECT observation, rule, at, session_id FROM blocked_calls",
            "SELECT id, rule, timestamp, session_id FROM observations WHERE mark = 6",
        ),
    ] {
        assert_eq!(rows(connection, kept), rows(connection, counted), "{kept}");
    }
}

#[test]
fn counts_are_those_of_a_group_by_after_random_histories() {
    for seed in 0..8 {
        let folder = DataFolder::new();
        let mut store = folder.store();
        let mut dice = Dice(seed);
        for _ in 0..30 {
            match dice.roll(8) {
                0..=3 => {
                    let batch: Vec<NewObservation> = (0..dice.roll(12)).map(|_| dice.row()).collect();
                    store.insert_batch(&batch).unwrap();
                }
                4 => {
                    let ids = (0..3).map(|_| ObservationId(dice.roll(60) as i64)).collect();
                    store.forget(&Selection::Ids(ids)).unwrap();
                }
                5 => {
                    let session = SessionId(format!("s{}", dice.roll(5)));
                    store.forget(&Selection::Session(session)).unwrap();
                }
                6 => {
                    let rescued = (0..3).map(|_| SalvagedRow {
                        id: dice.roll(200) as i64 + 1,
                        observation: dice.row(),
                        is_own: true,
                    });
                    store.insert_with_ids(&rescued.collect::<Vec<_>>()).unwrap();
                }
                // What is deleted before it was counted must not be taken off.
                _ => assert_counts(&mut store),
            }
        }
        assert_counts(&mut store);
        assert!(store.integrity().unwrap().is_sound());
    }
}

#[test]
fn failures_and_what_ended_them_are_counted() {
    let folder = DataFolder::new();
    let mut store = folder.with(&[
        failure("make all", "error").ago(9).fact("exit_code", "1"),
        failure("make all", "error").ago(8).fact("exit_code", "1"),
        command("make all").ago(7).fact("exit_code", "0"),
        failure("cargo test", "error").ago(6).fact("exit_code", "1"),
    ]);
    let ends = |store: &Store| {
        let sql = "SELECT failed, fixed, open FROM sessions";
        store.reader.connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap()
    };
    assert!(store.summarize(|| false).unwrap());
    assert_eq!(ends(&store), (3, 1, 1));
    store.forget(&Selection::Ids(vec![ObservationId(3)])).unwrap();
    assert!(store.summarize(|| false).unwrap());
    assert_eq!(ends(&store), (3, 0, 2));
}

#[test]
fn what_was_told_is_counted_by_part_and_what_travelled_is_listed() {
    let folder = DataFolder::new();
    let mut store = folder.with(&[
        failure("make all", "error").ago(9).session("before"),
        command("make all").ago(8).session("before"),
        prompt("go on").ago(7).session("later"),
    ]);
    let told = |hook: &str, at_ms| Told {
        at_ms,
        session: SessionId("later".to_owned()),
        harness: "codex".to_owned(),
        hook: hook.to_owned(),
        parts: vec![
            ToldPart { part: "past".to_owned(), chars: 300, rows: vec![ObservationId(1), ObservationId(3)] },
            ToldPart { part: "hints".to_owned(), chars: 20, rows: Vec::new() },
        ],
    };
    store.insert_told(&[told("SessionStart", 1_000), told("PostToolUseFailure", 2_000)]).unwrap();
    assert!(store.summarize(|| false).unwrap());
    let connection = &store.reader.connection;
    assert_eq!(
        rows(connection, "SELECT part, deliveries, chars FROM told_days"),
        ["hints 2 40", "past 2 600"].map(str::to_owned).into()
    );
    assert_eq!(
        rows(connection, "SELECT observation, at_ms, session, from_session FROM carries"),
        ["1 2000 later before".to_owned()].into()
    );
    store.forget(&Selection::Ids(vec![ObservationId(1)])).unwrap();
    assert_eq!(rows(&store.reader.connection, "SELECT 1 FROM carries"), BTreeSet::new());
}

#[test]
fn counting_continues_where_it_stopped() {
    let folder = DataFolder::new();
    let mut store = folder.with(&[command("one"), command("two").session("s2")]);
    assert!(!store.summarize(|| true).unwrap());
    assert!(store.summarize(|| false).unwrap());
    store.insert_batch(&[command("three").ago(1)]).unwrap();
    assert_counts(&mut store);
}
