//! What happens when the two sides do not agree: lost answers, copies of a folder, restored servers, refused rows.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use rusqlite::Connection;
use serde_json::json;

use super::proxy::{Cut, Proxy};
use super::scene::{Machine, SHOP, machine, machine_at, on_server};
use crate::postgres::team::{Team, key};

fn words(name: &str, numbers: std::ops::Range<u32>) -> Vec<String> {
    numbers.map(|number| format!("make {name}-{number}")).collect()
}

fn told(name: &str, words: &[Vec<String>]) -> BTreeSet<(String, String)> {
    words.iter().flatten().map(|word| (name.to_owned(), word.clone())).collect()
}

/// Copies the data folder of a machine, as a home that is copied to another disk.
fn copy_data(from: &Machine, to: &Machine) {
    let (from, to) = (from.sandbox.data_folder(), to.sandbox.data_folder());
    drop(fs::remove_dir_all(&to));
    copy_folder(&from, &to);
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

#[test]
fn a_lost_answer_is_recognised_and_nothing_is_sent_twice() {
    let Some(team) = Team::new() else { return };
    let proxy = Proxy::start(team.cluster.folder.join(".s.PGSQL.5432"));
    let alice =
        machine_at(&proxy.url(&team.member("alice", "member").login, &team.name), "alice").join("work");
    alice.synced();
    // Every byte of an exchange is a place to be cut at.
    let mut cuts = 0;
    for step in 0..24_u32 {
        alice.tell(&words("a", step..step + 1));
        proxy.cut_next(Cut::After(100 + 120 * step as usize));
        let ran = alice.sync();
        assert!(matches!(ran.code, Some(0 | 75)), "{:?} {}", ran.code, ran.stderr);
        cuts += usize::from(ran.code == Some(75));
    }
    proxy.cut_next(Cut::Never);
    assert!(cuts > 3, "only {cuts} exchanges were cut");
    assert_eq!(alice.synced()["waiting"], 0);
    assert_eq!(on_server(&team), told("alice", &[words("a", 0..24)]));
    assert_eq!(team.psql("SELECT count(*) FROM nudge.records WHERE kind = 'observation'"), "24");
}

#[test]
fn a_copied_folder_takes_a_new_name_and_both_go_on() {
    let Some(team) = Team::new() else { return };
    let alice = machine(&team, "alice").join("work");
    alice.tell(&words("common", 0..5));
    alice.synced();
    alice.tell(&words("waiting", 0..50));
    let copy = machine_at(&alice.url, "alice").join("work");
    // The folder of the project is another one there, so rows that wait are those of the copy's database.
    copy_data(&alice, &copy);
    copy.database()
        .execute(
            "UPDATE projects SET root = ?1",
            [copy.sandbox.path("").to_str().unwrap().trim_end_matches('/')],
        )
        .unwrap();
    let machine_of = |machine: &Machine| -> Vec<u8> {
        machine.database().query_row("SELECT machine FROM team_state", [], |row| row.get(0)).unwrap()
    };
    assert_eq!(machine_of(&alice), machine_of(&copy));
    alice.tell(&words("first", 0..3));
    alice.synced();
    copy.tell(&words("second", 0..3));
    copy.synced();
    alice.tell(&words("third", 0..3));
    alice.synced();
    copy.synced();
    assert_ne!(machine_of(&alice), machine_of(&copy));
    let lists = [
        words("common", 0..5),
        words("waiting", 0..50),
        words("first", 0..3),
        words("second", 0..3),
        words("third", 0..3),
    ];
    assert_eq!(on_server(&team), told("alice", &lists));
    let bob = machine(&team, "bob").join("work");
    bob.synced();
    assert_eq!(bob.copied_list().len(), 64);
    assert_eq!(team.psql("SELECT count(*) FROM nudge.machines m JOIN nudge.members u ON u.id = m.member_id WHERE u.name = 'alice'"), "2");
}

#[test]
fn a_server_that_was_restored_becomes_whole_again() {
    let Some(team) = Team::new() else { return };
    let (alice, bob) = (machine(&team, "alice").join("work"), machine(&team, "bob").join("work"));
    let carol = machine(&team, "carol").join("work");
    alice.tell(&words("old", 0..5));
    for machine in [&alice, &bob, &carol] {
        machine.synced();
    }
    let tables = "machines, streams, lots, projects";
    let backup = |name: &str| {
        for table in ["machines", "streams", "lots", "projects", "records", "grants"] {
            team.psql(&format!("CREATE TABLE public.{name}_{table} AS SELECT * FROM nudge.{table}"));
        }
    };
    backup("b");
    alice.tell(&words("new", 0..40));
    alice.forget("make old-3");
    alice.synced();
    bob.synced();
    // What a dump and restore does, within one database.
    team.psql(&format!(
        "TRUNCATE nudge.records, nudge.lots, nudge.streams; \
         INSERT INTO nudge.streams SELECT * FROM public.b_streams; INSERT INTO nudge.lots SELECT * FROM public.b_lots; \
         INSERT INTO nudge.records SELECT * FROM public.b_records; \
         UPDATE nudge.projects p SET head = b.head FROM public.b_projects b WHERE b.id = p.id -- {tables}"
    ));
    // Another machine pushes past the old head first.
    carol.tell(&words("carol", 0..3));
    carol.synced();
    // Alice has nothing new, and still notices.
    alice.synced();
    for machine in [&alice, &bob, &carol] {
        machine.synced();
    }
    let mut expected = told("alice", &[words("old", 0..5), words("new", 0..40)]);
    expected.remove(&("alice".to_owned(), "make old-3".to_owned()));
    expected.extend(told("carol", &[words("carol", 0..3)]));
    assert_eq!(on_server(&team), expected);
    for machine in [&alice, &bob, &carol] {
        assert_eq!(machine.copied(), expected, "{}", machine.member);
        assert_eq!(machine.copied_list().len(), expected.len());
    }
}

#[test]
fn another_database_at_the_same_address_begins_again() {
    let Some(team) = Team::new() else { return };
    let (alice, bob) = (machine(&team, "alice").join("work"), machine(&team, "bob").join("work"));
    alice.tell(&words("a", 0..5));
    for machine in [&alice, &bob] {
        machine.synced();
    }
    team.psql(
        "TRUNCATE nudge.records, nudge.lots, nudge.streams, nudge.grants, nudge.aliases, nudge.projects, nudge.machines CASCADE; \
         UPDATE nudge.server SET epoch = gen_random_uuid()",
    );
    alice.tell(&words("b", 0..2));
    for machine in [&alice, &bob] {
        machine.synced();
    }
    bob.synced();
    let expected = told("alice", &[words("a", 0..5), words("b", 0..2)]);
    assert_eq!((on_server(&team), bob.copied()), (expected.clone(), expected));
}

#[test]
fn a_refused_row_is_found_held_and_delays_none_behind_it() {
    let Some(team) = Team::new() else { return };
    let alice = machine(&team, "alice").join("work");
    // The border makes this impossible, so the server gets a rule of its own.
    team.psql("ALTER TABLE nudge.records ADD CONSTRAINT odd CHECK (content NOT LIKE '%refused%')");
    let mut all = words("a", 0..60);
    all.insert(17, "make refused-1".to_owned());
    all.insert(40, "make refused-2".to_owned());
    alice.tell(&all);
    let done = alice.synced();
    assert_eq!((&done["waiting"], &done["held"]), (&json!(0), &json!(2)), "{done}");
    assert_eq!(on_server(&team), told("alice", &[words("a", 0..60)]));
    let held = alice.sandbox.run(["team", "status", "--held"]);
    assert!(held.stdout.contains("the server refused it: "), "{}", held.stdout);
    // Numbers stay dense.
    assert_eq!(team.psql("SELECT count(*) || ' ' || max(seq) FROM nudge.records"), "62 62");
    alice.tell(&words("b", 0..2));
    alice.synced();
    assert_eq!(on_server(&team).len(), 62);
}

#[test]
fn one_session_on_two_machines_of_a_member_is_there_once() {
    let Some(team) = Team::new() else { return };
    let alice = machine(&team, "alice").join("work");
    let second = machine_at(&alice.url, "alice").join("work");
    let bob = machine(&team, "bob").join("work");
    for machine in [&alice, &second] {
        machine.tell(&words("both", 0..4));
        machine.synced();
    }
    bob.synced();
    assert_eq!(bob.copied_list().len(), 4);
    second.forget("make both-2");
    second.synced();
    alice.synced();
    bob.synced();
    assert_eq!(bob.copied_list().len(), 3);
    assert_eq!(on_server(&team).len(), 3);
}

#[test]
fn a_damaged_copy_and_one_of_another_version_are_brought_again() {
    let Some(team) = Team::new() else { return };
    let (alice, bob) = (machine(&team, "alice").join("work"), machine(&team, "bob").join("work"));
    alice.tell(&words("a", 0..30));
    alice.synced();
    bob.synced();
    let whole = bob.copied();
    assert_eq!(whole.len(), 30);
    fs::write(bob.copy_path(), b"not a database").unwrap();
    drop(fs::remove_file(bob.sandbox.data_folder().join("team.db-wal")));
    bob.synced();
    assert_eq!(bob.copied(), whole);
    Connection::open(bob.copy_path()).unwrap().pragma_update(None, "user_version", 99).unwrap();
    bob.synced();
    assert_eq!(bob.copied(), whole);
}

#[test]
fn a_server_that_is_away_is_nobodys_mistake() {
    let Some(team) = Team::new() else { return };
    let alice = machine(&team, "alice").join("work");
    alice.synced();
    alice.tell(&words("a", 0..3));
    let settings = alice.sandbox.beside("home/config/nudge/config.toml");
    let text = fs::read_to_string(&settings).unwrap();
    // The socket of nobody.
    fs::write(&settings, text.replace(&team.cluster.folder.display().to_string(), "/nonexistent")).unwrap();
    let away = alice.sync();
    away.code(75);
    fs::write(&settings, &text).unwrap();
    assert_eq!(alice.synced()["sent"], 3);
}

#[test]
fn the_limits_of_a_reader_leave_rows_on_the_server_and_say_so() {
    let Some(team) = Team::new() else { return };
    let (alice, bob) = (machine(&team, "alice").join("work"), machine(&team, "bob").join("work"));
    for step in 0..6 {
        alice.tell(&words("a", step * 10..step * 10 + 10));
        alice.synced();
    }
    let settings = bob.sandbox.beside("home/config/nudge/config.toml");
    let text = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, text.replace("[team]\n", "[team]\nmost_a_day = 25\nkeep = 15\n")).unwrap();
    let done = bob.synced();
    assert_eq!((&done["brought"], &done["left_out"]), (&json!(20), &json!(40)), "{done}");
    // The newest are kept.
    assert_eq!(bob.copied().len(), 15);
    assert!(bob.copied().contains(&("alice".to_owned(), "make a-59".to_owned())));
    let status = bob.sandbox.run(["team", "status"]);
    assert!(status.stdout.contains("40 rows left on the server"), "{}", status.stdout);
    // The server finds them.
    assert_eq!(bob.sandbox.run(["search", "a-3", "--mine"]).code, Some(1));
    bob.sandbox.run(["search", "a-3", "--team"]).code(0);
}

#[test]
fn a_kind_of_record_that_is_not_known_is_kept_and_not_shown() {
    let Some(team) = Team::new() else { return };
    let (bob, carol) = (machine(&team, "bob").join("work"), team.member("carol", "member"));
    let unknown = json!({"kind": "hint", "at": 1, "content": "words of the future", "event_key": key("x")});
    carol.told(SHOP, 1, &[unknown]);
    bob.synced();
    assert_eq!(bob.copied_list().len(), 0);
    let kept: String = Connection::open(bob.copy_path())
        .unwrap()
        .query_row("SELECT kind || ' ' || (record ->> '$.content') FROM unknown_records", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert_eq!(kept, "hint words of the future");
    assert_eq!(bob.sandbox.run(["search", "future"]).code, Some(1));
}
