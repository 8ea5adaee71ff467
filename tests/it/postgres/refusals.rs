//! What the functions of the server refuse, whatever a client says: they are the only wall between members.

use serde_json::{Value, json};

use super::team::{Member, Team, key, row};

#[test]
fn a_login_that_is_not_a_member_gets_nothing() {
    let Some(team) = Team::new() else { return };
    let stranger = team.stranger("mallory");
    assert_eq!(stranger.hello(&["github.com/acme/shop"]).unwrap_err(), "NU001");
    assert_eq!(stranger.pull("github.com/acme/shop", 0, None).unwrap_err(), "NU001");
    // Without the role that may call anything, the schema itself is closed.
    let outside = team.login("outside");
    assert_eq!(outside.hello(&[]).unwrap_err(), "42501");
}

#[test]
fn no_table_can_be_read_or_written_by_members_and_admins() {
    let Some(team) = Team::new() else { return };
    let (alice, boss) = (team.member("alice", "member"), team.member("boss", "admin"));
    alice.told("github.com/acme/shop", 1, &[row("secret words")]);
    for member in [&alice, &boss] {
        for table in
            ["server", "members", "machines", "projects", "aliases", "grants", "streams", "lots", "records"]
        {
            assert_eq!(member.sql(&format!("SELECT * FROM nudge.{table}")).unwrap_err(), "42501", "{table}");
            assert_eq!(member.sql(&format!("DELETE FROM nudge.{table}")).unwrap_err(), "42501", "{table}");
        }
        let month = team
            .psql("SELECT relname FROM pg_class WHERE relname LIKE 'records_20__\\___' AND relkind = 'r'");
        assert_eq!(member.sql(&format!("SELECT * FROM nudge.{month}")).unwrap_err(), "42501");
        let inner = ["me()", "admin()", "month(now(), true)", "resolve('x')", "words('a', 'b', 'c')"];
        for call in inner {
            assert_eq!(member.sql(&format!("SELECT nudge.{call}")).unwrap_err(), "42501", "{call}");
        }
        assert_eq!(member.sql("SET ROLE nudge_owner").unwrap_err(), "42501");
        assert_eq!(member.sql("CREATE TABLE nudge.mine (a int)").unwrap_err(), "42501");
    }
    // Whatever is granted by mistake: a table without a policy shows no row.
    team.psql(&format!("GRANT SELECT ON ALL TABLES IN SCHEMA nudge TO {}", alice.login));
    assert_eq!(alice.sql("SELECT content FROM nudge.records").unwrap(), 0);
    assert_eq!(team.psql("SELECT count(*) FROM nudge.records"), "1");
}

#[test]
fn functions_of_admins_are_closed_to_members() {
    let Some(team) = Team::new() else { return };
    let alice = team.member("alice", "member");
    let calls = [
        "member_v1('x'::name, 'x', 'admin', false)",
        "remove_v1('alice', true)",
        "drop_v1('github.com/acme/shop', '\\x00')",
        "project_v1('open', 'github.com/acme/shop', NULL)",
        "tend_v1()",
    ];
    for call in calls {
        assert_eq!(alice.sql(&format!("SELECT nudge.{call}")).unwrap_err(), "42501", "{call}");
    }
    // The role of an admin without the level is not enough either.
    team.psql(&format!("GRANT nudge_admin TO {}", alice.login));
    for call in calls {
        assert_eq!(alice.sql(&format!("SELECT nudge.{call}")).unwrap_err(), "NU003", "{call}");
    }
}

#[test]
fn a_machine_belongs_to_the_member_who_named_it_first() {
    let Some(team) = Team::new() else { return };
    let (alice, mut bob) = (team.member("alice", "member"), team.member("bob", "member"));
    alice.told("github.com/acme/shop", 1, &[row("mine")]);
    bob.machine = alice.machine;
    assert_eq!(bob.hello(&[]).unwrap_err(), "NU004");
    assert_eq!(bob.push("github.com/acme/shop", None, 2, 1, &[row("his")]).unwrap_err(), "NU004");
    assert_eq!(bob.count("SELECT * FROM nudge.lots_v1($1, 'github.com/acme/shop')"), 0);
}

#[test]
fn a_closed_project_is_no_project_to_others() {
    let Some(team) = Team::new() else { return };
    let (alice, bob, boss) =
        (team.member("alice", "member"), team.member("bob", "member"), team.member("boss", "admin"));
    let shop = "github.com/acme/shop";
    alice.told(shop, 1, &[row("linker error")]);
    assert!(bob.hello(&[shop]).unwrap()["projects"].get(shop).is_some());
    boss.sql("SELECT nudge.project_v1('close', 'github.com/acme/shop', NULL)").unwrap();
    assert_eq!(bob.hello(&[shop]).unwrap()["projects"], json!({}));
    assert_eq!(bob.pull(shop, 0, None).unwrap_err(), "NU005");
    assert_eq!(bob.push(shop, None, 1, 1, &[row("x")]).unwrap_err(), "NU005");
    assert_eq!(bob.found("linker"), 0);
    assert_eq!(bob.sql("SELECT * FROM nudge.start_v1('github.com/acme/shop', 90, 10)").unwrap_err(), "NU005");
    // An admin is no exception: who administers need not read.
    assert_eq!(boss.pull(shop, 0, None).unwrap_err(), "NU005");
    // Who has shared it still sees it, and whom an admin lets in.
    assert_eq!(alice.pull(shop, 0, None).unwrap(), 1);
    boss.sql("SELECT nudge.project_v1('give', 'github.com/acme/shop', 'bob')").unwrap();
    assert_eq!((bob.pull(shop, 0, None).unwrap(), bob.found("linker")), (1, 1));
}

#[test]
fn a_project_that_is_not_allowed_is_not_made() {
    let Some(team) = Team::new() else { return };
    let alice = team.member("alice", "member");
    let diary = "github.com/alice/diary";
    assert_eq!(alice.hello(&[diary, "github.com/acmeX/shop"]).unwrap()["projects"], json!({}));
    assert_eq!(alice.push(diary, None, 1, 1, &[row("x")]).unwrap_err(), "NU005");
    assert_eq!(team.psql("SELECT count(*) FROM nudge.projects"), "0");
    let reader = team.member("reader", "reader");
    assert_eq!(
        reader.hello(&["github.com/acme/shop"]).unwrap()["projects"],
        json!({}),
        "a reader makes none"
    );
    assert!(
        alice.hello(&["github.com/acme/shop"]).unwrap()["projects"].get("github.com/acme/shop").is_some()
    );
    assert_eq!(reader.push("github.com/acme/shop", None, 1, 1, &[row("x")]).unwrap_err(), "NU003");
}

#[test]
fn a_row_of_somebody_else_is_dropped_by_admins_only() {
    let Some(team) = Team::new() else { return };
    let (alice, bob, boss) =
        (team.member("alice", "member"), team.member("bob", "member"), team.member("boss", "admin"));
    let shop = "github.com/acme/shop";
    alice.told(shop, 1, &[row("hers")]);
    let drop = json!({"kind": "drop", "at": 1, "event_key": key("hers")});
    bob.hello(&[shop]).unwrap();
    assert_eq!(bob.push(shop, None, 1, 1, std::slice::from_ref(&drop)).unwrap_err(), "NU008");
    let purge = json!({"kind": "purge", "at": 1, "content": "alice"});
    assert_eq!(bob.push(shop, None, 1, 1, &[purge]).unwrap_err(), "NU008");
    assert_eq!(team.texts(), ["hers"]);
    // A copy under another name does not keep the author from taking the row back.
    bob.told(shop, 1, &[row("hers")]);
    alice.push(shop, Some(1), 2, 2, std::slice::from_ref(&drop)).unwrap();
    assert_eq!(team.texts(), ["hers"], "the copy is bob's to take back");
    boss.hello(&[shop]).unwrap();
    boss.push(shop, None, 3, 1, &[drop]).unwrap();
    assert_eq!(team.texts(), Vec::<String>::new());
    // What was taken back does not come again, from whichever machine.
    let second = Member { machine: [99; 16], ..alice.clone() };
    second.told(shop, 1, &[row("hers"), row("other")]);
    bob.push(shop, Some(1), 5, 2, &[row("hers")]).unwrap();
    assert_eq!(team.texts(), ["other"]);
}

#[test]
fn a_member_who_was_removed_hears_it_and_a_purge_reaches_readers() {
    let Some(team) = Team::new() else { return };
    let (alice, bob, boss) =
        (team.member("alice", "member"), team.member("bob", "member"), team.member("boss", "admin"));
    let shop = "github.com/acme/shop";
    alice.told(shop, 1, &[row("hers")]);
    bob.told(shop, 1, &[row("his")]);
    boss.sql("SELECT nudge.remove_v1('alice', true)").unwrap();
    assert_eq!(alice.hello(&[shop]).unwrap_err(), "NU002");
    assert_eq!(team.texts(), ["his"]);
    let records = bob.records(shop);
    let kinds: Vec<(&str, Option<i64>)> = records
        .iter()
        .map(|record| (record["kind"].as_str().unwrap(), record["facts"]["member"].as_i64()))
        .collect();
    let id: i64 = team.psql("SELECT id FROM nudge.members WHERE name = 'alice'").parse().unwrap();
    assert_eq!(kinds, [("observation", None), ("purge", Some(id))]);
    assert_eq!(boss.sql("SELECT nudge.remove_v1('boss', false)").unwrap_err(), "NU003");
    assert_eq!(boss.sql("SELECT nudge.remove_v1('nobody', false)").unwrap_err(), "NU001");
}

#[test]
fn a_bad_record_is_refused_with_a_code_that_says_so() {
    let Some(team) = Team::new() else { return };
    let alice = team.member("alice", "member");
    let shop = "github.com/acme/shop";
    alice.hello(&[shop]).unwrap();
    let with = |name: &str, value: Value| {
        let mut record = row("x");
        record[name] = value;
        record
    };
    for (record, code) in [
        (with("content", "x".repeat(8193).into()), "23514"),
        (with("event_key", "zz".into()), "22023"),
        (with("event_key", "00".into()), "23514"),
        (with("at", "soon".into()), "22P02"),
        (with("kind", Value::Null), "23502"),
    ] {
        assert_eq!(alice.push(shop, None, 1, 1, &[row("good"), record]).unwrap_err(), code);
    }
    assert_eq!(
        alice.push_text(shop, r#"[{"kind": "observation", "at": 1, "content": "a\u0000b"}]"#).unwrap_err(),
        "22P05"
    );
    assert_eq!(
        alice.push_text(shop, r#"[{"kind": "observation", "at": 1, "content": "\ud800"}]"#).unwrap_err(),
        "22P02"
    );
    assert_eq!(alice.push_text(shop, "{}").unwrap_err(), "NU006");
    assert_eq!(alice.push(shop, None, 1, 1, &[]).unwrap_err(), "NU006");
    assert_eq!(alice.push(shop, None, 1, 1, &vec![row("x"); 501]).unwrap_err(), "NU006");
    assert_eq!(
        team.psql("SELECT count(*) FROM nudge.records"),
        "0",
        "one bad record keeps the whole lot out"
    );
}
