//! What is forgotten on one machine is forgotten on all, to the last byte, and nothing brings it back.

use expect_test::expect;

use super::scene::{Machines, bytes_of, contains};

const WORDS: [&str; 2] = ["quokkasecret", "wombatplan"];

fn forget(machines: &Machines, name: &str, query: &str) {
    machines.on(name).run(["forget", "--query", query, "--all", "--yes"]).code(0);
}

#[track_caller]
fn assert_gone(machines: &Machines, name: &str) {
    let bytes = bytes_of(&machines.on(name).data_folder());
    for word in WORDS {
        assert!(!contains(&bytes, word), "`{word}` is on {name}");
    }
}

#[test]
fn forgotten_words_are_in_no_byte_of_another_machine() {
    let machines = Machines::new(&["a", "b", "c"]);
    machines.runs("a", "make ordinary");
    machines.runs("a", "echo quokkasecret wombatplan");
    machines.sync("a", "b").code(0);
    machines.sync("b", "c").code(0);
    assert!(contains(&bytes_of(&machines.on("c").data_folder()), WORDS[0]), "the test can fail");
    // It is forgotten where it came to, not where it is from.
    forget(&machines, "b", "quokkasecret");
    machines.sync("a", "b").code(0).stdout(expect![[r#"
        b: nothing new; 1 forgotten there, deleted here
    "#]]);
    // The third machine hears of it from one that has not forgotten it itself.
    machines.sync("c", "a").code(0);
    for name in ["a", "b", "c"] {
        assert_eq!(machines.commands(name), ["make ordinary"], "{name}");
        assert_gone(&machines, name);
    }
}

#[test]
fn what_was_forgotten_does_not_come_back_from_a_machine_that_was_away() {
    let machines = Machines::new(&["a", "b", "c"]);
    machines.runs("a", "echo quokkasecret");
    machines.sync("a", "b").code(0);
    machines.sync("a", "c").code(0);
    forget(&machines, "a", "quokkasecret");
    // The others still have it, and pass it around.
    machines.sync("b", "c").code(0);
    machines.sync("b", "a").code(0);
    machines.sync("c", "a").code(0);
    machines.on("c").run(["sync", "ssh", "b", "--again"]).code(0);
    for name in ["a", "b", "c"] {
        assert_eq!(machines.commands(name), Vec::<String>::new(), "{name}");
        assert_gone(&machines, name);
    }
}

#[test]
fn forgotten_words_leave_the_files_of_a_folder_with_the_next_sync() {
    let machines = Machines::new(&["a", "b"]);
    machines.runs("a", "echo quokkasecret");
    for name in ["a", "b"] {
        machines.sync_file(name).code(0);
    }
    forget(&machines, "b", "quokkasecret");
    for name in ["b", "a", "b"] {
        machines.sync_file(name).code(0);
    }
    for name in ["a", "b"] {
        assert_eq!(machines.commands(name), Vec::<String>::new(), "{name}");
        assert_gone(&machines, name);
    }
    assert!(!contains(&bytes_of(&machines.common_folder()), WORDS[0]));
}

#[test]
fn age_does_not_travel_and_what_expired_is_not_fetched_again() {
    let machines = Machines::new(&["a", "b"]);
    let now = {
        machines.runs("a", "make new");
        machines.rows("a")[0]["timestamp"].as_i64().expect("a time")
    };
    let old = crate::memory::scene::line(
        "make old",
        serde_json::json!({ "timestamp": now - 100 * 86_400, "event_key": "00000000000000000000000000000002" }),
    );
    machines.on("a").run_with(["observations", "import", "-"], old.as_bytes()).code(0);
    machines.on("b").put_user_settings("[retention]\ncommand = 30");
    machines.sync("a", "b").code(0).stdout(expect![[r#"
        b: 1 observation sent, 0 brought
    "#]]);
    assert_eq!(machines.commands("b"), ["make new"]);
    assert_eq!(machines.commands("a"), ["make new", "make old"]);
}
