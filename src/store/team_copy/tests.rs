//! The copy: rows and place together, each event once, and what was taken back stays away.

use std::time::Duration;

use super::{TeamCopy, TeamReader};
use crate::model::{ArrivedCount, ArrivedLot, ArrivedRow, EventKey, LotPlace, RandomId, Search, Timestamp};

const SHOP: &str = "github.com/acme/shop";
const EPOCH: RandomId = RandomId([7; 16]);
const NOW: Timestamp = Timestamp(1_700_000_000);

fn open(folder: &tempfile::TempDir) -> TeamCopy {
    TeamCopy::open(&folder.path().join("team.db"), EPOCH, Duration::from_secs(5)).unwrap()
}

fn lot(number: i64, member_id: i64, rows: Vec<ArrivedRow>) -> ArrivedLot {
    ArrivedLot {
        place: LotPlace { number, push: RandomId([number as u8; 16]) },
        member_id,
        member: format!("member{member_id}"),
        is_ci: false,
        ahead: 0,
        received: Timestamp(NOW.0 + number),
        rows,
    }
}

fn record(kind: &str, key: u8) -> ArrivedRow {
    ArrivedRow {
        kind: kind.to_owned(),
        obs_type: Some("command".to_owned()),
        at: NOW.0,
        event_key: Some(EventKey([key; 16])),
        content: Some(format!("make word{key}")),
        ..ArrivedRow::default()
    }
}

fn receive(copy: &mut TeamCopy, lots: &[ArrivedLot]) -> ArrivedCount {
    copy.receive(SHOP, lots, NOW, "me", |text| text.replace("secret", "***"), |key| key.0[0] == 99).unwrap()
}

fn words(folder: &tempfile::TempDir, text: &str) -> Vec<(String, String)> {
    let reader = TeamReader::open(&folder.path().join("team.db")).unwrap();
    let search = Search { text: text.to_owned(), limit: 50, ..Search::default() };
    let hits = reader.search(&search, NOW).unwrap();
    let mut found: Vec<_> = hits.into_iter().map(|hit| (hit.author.name, hit.hit.content_preview)).collect();
    found.sort();
    found
}

#[test]
fn an_event_of_a_person_is_there_once_and_a_drop_removes_it_for_good() {
    let folder = tempfile::tempdir().unwrap();
    let mut copy = open(&folder);
    let count = receive(
        &mut copy,
        &[
            lot(1, 1, vec![record("observation", 1), record("observation", 2), record("gone", 3)]),
            // Another machine of the same person, and another person with the same event.
            lot(2, 1, vec![record("observation", 1)]),
            lot(3, 2, vec![record("observation", 1), record("observation", 99)]),
        ],
    );
    assert_eq!(count, ArrivedCount { stored: 3, ..ArrivedCount::default() });
    assert_eq!(copy.project(SHOP, NOW).unwrap().place.map(|place| place.number), Some(3));
    // A stranger's drop concerns only rows of their own; an admin's all.
    let mut by_admin = record("drop", 2);
    by_admin.by_admin = true;
    let count = receive(&mut copy, &[lot(4, 3, vec![record("drop", 1)]), lot(5, 1, vec![record("drop", 1)])]);
    assert_eq!(count.dropped, 1);
    assert_eq!(words(&folder, "word1"), [("member2".to_owned(), "make word1".to_owned())]);
    assert_eq!(receive(&mut copy, &[lot(6, 3, vec![by_admin])]).dropped, 1);
    let late = [lot(7, 1, vec![record("observation", 1)]), lot(8, 2, vec![record("observation", 2)])];
    assert_eq!(receive(&mut copy, &late), ArrivedCount::default());
    copy.scrub().unwrap();
    let bytes = std::fs::read(folder.path().join("team.db")).unwrap();
    assert!(!bytes.windows(5).any(|window| window == b"word2"));
}

#[test]
fn an_admin_removes_all_rows_of_a_person() {
    let folder = tempfile::tempdir().unwrap();
    let mut copy = open(&folder);
    receive(
        &mut copy,
        &[lot(1, 1, vec![record("observation", 1)]), lot(2, 2, vec![record("observation", 2)])],
    );
    let mut purge = record("purge", 0);
    purge.facts = serde_json::json!({"member": 1}).as_object().cloned();
    assert_eq!(receive(&mut copy, &[lot(3, 2, vec![purge.clone()])]).dropped, 0);
    purge.by_admin = true;
    assert_eq!(receive(&mut copy, &[lot(4, 3, vec![purge])]).dropped, 1);
    assert_eq!(words(&folder, "make").len(), 1);
}

#[test]
fn a_row_without_the_form_of_one_keeps_nothing_behind_it_from_coming() {
    let folder = tempfile::tempdir().unwrap();
    let mut copy = open(&folder);
    let mut bad_fact = record("observation", 1);
    bad_fact.facts = serde_json::json!({"exit_code": "many"}).as_object().cloned();
    // The tags of the index would make it a row of another project.
    let mut bad_type = record("observation", 2);
    bad_type.obs_type = Some("command p2".to_owned());
    let mut no_type = record("observation", 3);
    (no_type.obs_type, no_type.number) = (None, 3);
    let rows = vec![bad_fact, bad_type, no_type, record("observation", 4)];
    let count = receive(&mut copy, &[lot(1, 1, rows)]);
    assert_eq!(count, ArrivedCount { stored: 1, unreadable: 1, ..ArrivedCount::default() });
    assert_eq!(words(&folder, "make"), [("member1".to_owned(), "make word4".to_owned())]);
    let kept = "SELECT count(*) FROM unknown_records";
    assert_eq!(copy.connection.query_row(kept, [], |row| row.get::<_, i64>(0)).unwrap(), 2);
}

#[test]
fn what_this_user_takes_back_is_not_counted_as_a_colleagues() {
    let folder = tempfile::tempdir().unwrap();
    let mut copy = open(&folder);
    let mine = |number, kind| ArrivedLot { member: "me".to_owned(), ..lot(number, 1, vec![record(kind, 1)]) };
    let count = receive(&mut copy, &[mine(1, "observation"), mine(2, "drop")]);
    assert_eq!(count, ArrivedCount { deleted: 1, ..ArrivedCount::default() });
}

#[test]
fn limits_texts_and_days_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut copy = open(&folder);
    let rows = |range: std::ops::Range<u8>| range.map(|key| record("observation", key)).collect::<Vec<_>>();
    receive(&mut copy, &[lot(1, 1, rows(1..6)), lot(2, 1, rows(6..11))]);
    let known = copy.project(SHOP, NOW).unwrap();
    assert_eq!((known.came_today, copy.read_numbers(SHOP).unwrap()), (10, 10));
    assert_eq!(copy.project(SHOP, Timestamp(NOW.0 + 100_000)).unwrap().came_today, 0);
    assert_eq!(copy.trim(SHOP, Timestamp(0), 7).unwrap(), 3);
    assert_eq!(copy.trim(SHOP, Timestamp(NOW.0 + 2), 100).unwrap(), 2);
    assert_eq!(words(&folder, "make").len(), 5);
    let place = LotPlace { number: 9, push: RandomId([9; 16]) };
    copy.jump(SHOP, place, 40).unwrap();
    let known = copy.project(SHOP, NOW).unwrap();
    assert_eq!((known.place, known.left_out), (Some(place), 40));
    let mut secret = record("observation", 50);
    secret.content = Some("a secret".to_owned());
    receive(&mut copy, &[lot(10, 1, vec![secret])]);
    assert_eq!(words(&folder, "a"), [("member1".to_owned(), "a ***".to_owned())]);
    copy.forget_project(SHOP).unwrap();
    assert!(words(&folder, "make").is_empty() && copy.projects().unwrap().is_empty());
}

#[test]
fn a_copy_of_another_server_or_version_or_a_damaged_one_begins_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("team.db");
    let fill = || receive(&mut open(&folder), &[lot(1, 1, vec![record("observation", 1)])]);
    assert_eq!(fill().stored, 1);
    assert_eq!(fill().stored, 0);
    TeamCopy::open(&path, RandomId([8; 16]), Duration::from_secs(5)).unwrap();
    assert_eq!(fill().stored, 1);
    open(&folder).connection.pragma_update(None, "user_version", 99).unwrap();
    assert!(TeamReader::open(&path).is_none());
    assert_eq!(fill().stored, 1);
    for ending in ["-wal", "-shm"] {
        drop(std::fs::remove_file(folder.path().join(format!("team.db{ending}"))));
    }
    std::fs::write(&path, b"something else").unwrap();
    assert!(TeamReader::open(&path).is_none());
    assert_eq!(fill().stored, 1);
}
