//! Which changes did not last.

use serde_json::json;

use super::{Undone, undone_changes};
use crate::model::{Observation, ObservationType, REFUSAL, Timestamp};
use crate::recall::fixture::{edited, ran, row};

/// Returns the files of what was undone, each with the number of the row that says so.
fn undone(mut rows: Vec<Observation>) -> Vec<(String, i64)> {
    rows.reverse();
    let now = Timestamp(rows[0].timestamp.0 + 3_600);
    let found = undone_changes(&rows, now).into_iter().map(|(path, how)| match how {
        Undone::Refused { refusal } => (path, refusal.id.0),
        Undone::Reverted { command, .. } => (path, command.id.0),
    });
    found.collect()
}

fn refused(id: i64, path: &str) -> Observation {
    let mut row = row(id, ObservationType::UserPrompt, "no, the schema is never changed by hand");
    row.seen.file_path = Some(path.to_owned());
    row.with("kind", json!(REFUSAL))
}

fn committed(id: i64) -> Observation {
    ran(id, "git commit", "git commit -am x").with("kind", json!("git_commit"))
}

#[test]
fn the_last_change_of_a_file_decides() {
    let revert = |id: i64, line: &str| ran(id, "git checkout", line);
    let check = |rows: Vec<Observation>, expected: &[(&str, i64)]| {
        let expected: Vec<(String, i64)> =
            expected.iter().map(|(path, id)| ((*path).to_owned(), *id)).collect();
        assert_eq!(undone(rows), expected);
    };
    check(vec![refused(1, "schema.sql")], &[("schema.sql", 1)]);
    check(vec![refused(1, "schema.sql"), edited(2, "schema.sql")], &[]);
    check(vec![edited(1, "src/a.rs"), revert(2, "git checkout -- src/a.rs")], &[("src/a.rs", 2)]);
    check(vec![edited(1, "src/a.rs"), revert(2, "cd src; git restore a.rs")], &[("src/a.rs", 2)]);
    check(vec![edited(1, "src/a.rs"), revert(2, "git checkout .")], &[("src/a.rs", 2)]);
    check(vec![edited(1, "src/a.rs"), revert(2, "git checkout -- src/b.rs")], &[]);
    check(vec![edited(1, "a.rs"), revert(2, "git checkout -- a.rs"), edited(3, "a.rs")], &[]);
    // What was committed is not taken back by it.
    check(vec![edited(1, "a.rs"), committed(2), revert(3, "git checkout -- a.rs")], &[]);
}

#[test]
fn what_is_old_or_of_another_session_says_nothing() {
    let mut other = edited(1, "a.rs");
    other.seen.session_id.0 = "s2".to_owned();
    assert_eq!(undone(vec![other, ran(2, "git checkout", "git checkout -- a.rs")]), []);
    let mut old = refused(1, "a.rs");
    old.seen.timestamp.0 -= 30 * 24 * 3_600;
    assert_eq!(undone(vec![old, edited(2, "b.rs")]), []);
}
