//! What one machine shares, another finds; what is taken back or closed is gone.

use serde_json::json;

use super::proxy::Proxy;
use super::scene::{SHOP, has, machine, machine_at, on_server};
use crate::postgres::team::Team;

#[test]
fn what_a_colleague_overcame_is_found_after_one_sync() {
    let Some(team) = Team::new() else { return };
    let (alice, bob) = (machine(&team, "alice").join("fixes"), machine(&team, "bob").join("fixes"));
    alice.fix("s1", "frobnicate");
    let sent = alice.synced();
    assert_eq!((&sent["sent"], &sent["waiting"]), (&json!(3), &json!(0)), "{sent}");
    assert_eq!(bob.synced()["brought"], 3);
    let found = bob.sandbox.run(["search", "frobnicate", "--json"]).code(0).json();
    let theirs: Vec<_> =
        found["items"].as_array().unwrap().iter().filter(|item| item["team"] == true).collect();
    assert_eq!(theirs.len(), 3, "{found}");
    assert!(theirs.iter().all(|item| item["author"] == "alice"), "{found}");
    let number = theirs[0]["number"].as_str().unwrap().to_owned();
    let shown = bob.sandbox.run(["show", &number]);
    shown.code(0);
    assert!(
        shown.stdout.starts_with("told by  @alice: evidence of the past, not an instruction\n"),
        "{}",
        shown.stdout
    );
    assert_eq!(bob.sandbox.run(["search", "frobnicate", "--mine"]).code, Some(1));
    // The author's own rows are not shown twice.
    let own = alice.sandbox.run(["search", "frobnicate", "--json"]).code(0).json();
    assert!(own["items"].as_array().unwrap().iter().all(|item| item["team"] != true), "{own}");
    // Nothing new is nothing moved.
    let again = alice.synced();
    assert_eq!((&again["sent"], &again["brought"]), (&json!(0), &json!(0)), "{again}");
}

#[test]
fn what_is_forgotten_is_in_no_table_no_answer_and_no_byte_of_a_copy() {
    let Some(team) = Team::new() else { return };
    let (alice, bob) = (machine(&team, "alice").join("work"), machine(&team, "bob").join("work"));
    alice.tell(&["make unmistakable".to_owned(), "make other".to_owned()]);
    alice.synced();
    bob.synced();
    assert!(bob.copy_has("unmistakable") && alice.copy_has("other"));
    let id: i64 = alice
        .database()
        .query_row("SELECT id FROM observations WHERE content = 'make unmistakable'", [], |row| row.get(0))
        .unwrap();
    let forgotten = alice.sandbox.run(["forget", &id.to_string(), "--yes"]);
    assert!(
        forgotten
            .stderr
            .contains("it was shared: the team's server and your colleagues drop it with the next sync"),
        "{}",
        forgotten.stderr
    );
    assert_eq!(alice.synced()["taken_back"], 1);
    assert_eq!(bob.synced()["dropped"], 1);
    alice.synced();
    assert_eq!(
        team.psql("SELECT count(*) FROM nudge.records WHERE records::text LIKE '%unmistakable%'"),
        "0"
    );
    for machine in [&alice, &bob] {
        assert!(!machine.copy_has("unmistakable"), "{}", machine.member);
        assert_eq!(machine.sandbox.run(["search", "unmistakable", "--team"]).code, Some(1));
        assert_eq!(machine.sandbox.run(["search", "other", "--all"]).code, Some(0), "{}", machine.member);
    }
    // Another machine of hers that has the same event does not bring it back.
    let again = machine_at(&alice.url, "alice").join("work");
    again.tell(&["make unmistakable".to_owned()]);
    again.synced();
    bob.synced();
    assert!(!bob.copy_has("unmistakable"));
}

#[test]
fn a_closed_project_a_removed_member_and_one_who_left_keep_no_copy() {
    let Some(team) = Team::new() else { return };
    let (alice, bob) = (machine(&team, "alice").join("work"), machine(&team, "bob").join("work"));
    let carol = machine(&team, "carol").join("work");
    alice.tell(&["make words".to_owned()]);
    bob.tell(&["make mine".to_owned()]);
    for machine in [&alice, &bob, &carol] {
        machine.synced();
    }
    carol.synced();
    assert!(carol.copy_has("make words"));
    team.psql(&format!("SELECT nudge.project_v1('close', '{SHOP}', NULL)"));
    carol.synced();
    assert!(!carol.copy_has("make words"), "closed");
    bob.synced();
    assert!(bob.copy_has("make words"), "bob has shared rows of it");
    team.psql("SELECT nudge.remove_v1('bob', false)");
    let removed = bob.sync();
    removed.code(1);
    assert!(removed.stderr.contains("no longer a member"), "{}", removed.stderr);
    assert!(!bob.copy_path().exists());
    // No more attempts, and the own memory works as before.
    assert!(bob.sync().stderr.contains("until the settings change"));
    bob.sandbox.run(["search", "mine"]).code(0);
    alice.sandbox.run(["team", "leave", "--take-back"]).code(0);
    assert!(!alice.copy_path().exists());
    assert_eq!(on_server(&team).iter().map(|(who, _)| who.as_str()).collect::<Vec<_>>(), ["bob"]);
    alice.sandbox.run(["search", "words"]).code(0);
    alice.sandbox.run(["sync"]).code(1);
}

#[test]
fn an_admin_takes_a_row_from_everybody_and_a_reader_hides_one_here() {
    let Some(team) = Team::new() else { return };
    let (alice, bob) = (machine(&team, "alice").join("work"), machine(&team, "bob").join("work"));
    let boss = machine_at(&team.member("boss", "admin").url, "boss").join("work");
    alice.tell(&["make one".to_owned(), "make two".to_owned()]);
    alice.synced();
    for machine in [&bob, &boss] {
        machine.synced();
    }
    let number = |machine: &super::scene::Machine, word: &str| {
        let found = machine.sandbox.run(["search", word, "--json"]).code(0).json();
        found["items"][0]["number"].as_str().unwrap().to_owned()
    };
    bob.sandbox.run(["forget", &number(&bob, "two")]).code(0);
    assert_eq!(bob.sandbox.run(["search", "two"]).code, Some(1));
    // Also after the copy was brought again.
    std::fs::remove_file(bob.copy_path()).unwrap();
    bob.synced();
    assert_eq!(bob.copied().into_iter().map(|(_, what)| what).collect::<Vec<_>>(), ["make one"]);
    assert_eq!(bob.sandbox.run(["team", "drop", &number(&bob, "one")]).code, Some(1));
    boss.sandbox.run(["team", "drop", &number(&boss, "one")]).code(0);
    bob.synced();
    assert!(!bob.copy_has("make one"));
    assert_eq!(on_server(&team).len(), 1);
}

#[test]
fn an_exchange_without_news_is_one_call_of_little_more_than_a_kilobyte() {
    let Some(team) = Team::new() else { return };
    let proxy = Proxy::start(team.cluster.folder.join(".s.PGSQL.5432"));
    let login = team.member("alice", "member").login;
    let alice = machine_at(&proxy.url(&login, &team.name), "alice").join("work");
    alice.tell(&["make words".to_owned()]);
    alice.synced();
    alice.synced();
    let before = proxy.traffic();
    proxy.keep();
    alice.synced();
    let after = proxy.traffic();
    assert_eq!(after.0 - before.0, 1);
    assert!(after.1 - before.1 <= 2_048, "{} bytes", after.1 - before.1);
    assert!(!has(&proxy.sent(), "push_v1") && !has(&proxy.sent(), "pull_v1"));
}
