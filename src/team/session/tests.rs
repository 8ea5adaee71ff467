//! Tests of the calls on a real PostgreSQL.

use serde_json::{Value, json};

use crate::model::EventKey;
use crate::team::calls::{PushOutcome, PushRequest};
use crate::team::postgres::{self, Database};
use crate::team::schema::SchemaOptions;
use crate::team::{TeamAddress, TeamRemedy, TeamSession};

const SHOP: &str = "github.com/acme/shop";

fn connect(database: &Database, login: &str) -> TeamSession {
    TeamSession::connect(&TeamAddress::parse(&database.url(login)).unwrap(), None).unwrap()
}

fn team() -> Option<Database> {
    let database = postgres::database()?;
    let options = SchemaOptions { allowed: vec!["github.com/acme/*".to_owned()], is_closed: false };
    connect(&database, "postgres").init_schema(&options).unwrap();
    Some(database)
}

fn row(content: &str) -> Value {
    json!({
        "kind": "observation", "obs_type": "failure", "at": 1_700_000_000, "content": content,
        "session": "00".repeat(16), "event_key": EventKey::of([content]).to_string(),
        "program": "cargo", "facts": {"exit_code": 101}, "unknown": "ignored",
    })
}

#[test]
fn what_one_machine_pushes_another_pulls() {
    let Some(database) = team() else { return };
    let session = connect(&database, "postgres");
    let asked = [SHOP.to_owned(), "github.com/other/diary".to_owned()];
    let hello = session.hello(Some([7; 16]), &asked).unwrap();
    assert_eq!((hello.level.as_str(), hello.name.as_str()), ("admin", "postgres"));
    assert_eq!(hello.allowed, ["github.com/acme/*"]);
    let keys: Vec<&String> = hello.projects.keys().collect();
    assert_eq!(keys, [SHOP], "what is not allowed is not made");
    assert_eq!((hello.projects[SHOP].head, hello.projects[SHOP].last_push), (0, None));

    let batch = json!([row("linking failed: \u{1f980}"), row("it passed")]);
    let request = PushRequest {
        machine: [7; 16],
        project: SHOP,
        previous: None,
        this: [1; 16],
        first: 1,
        now: hello.now + 3600,
        batch: &batch,
    };
    assert_eq!(session.push(&request).unwrap(), PushOutcome::Stored { last_seq: 2 });
    assert_eq!(session.push(&request).unwrap(), PushOutcome::Already { last_seq: 2 });
    let wrong = PushRequest { this: [2; 16], ..request.clone() };
    let elsewhere = PushOutcome::Elsewhere { last_seq: 2, last_push: Some([1; 16]) };
    assert_eq!(session.push(&wrong).unwrap(), elsewhere);
    assert_eq!(session.lots([7; 16], SHOP).unwrap(), [(2, [1; 16])]);
    let known = &session.hello(Some([7; 16]), &asked).unwrap().projects[SHOP];
    assert_eq!((known.head, known.last_seq, known.last_push), (1, 2, Some([1; 16])));

    let lots = session.pull(SHOP, 0, None, 2000).unwrap();
    let lot = &lots[0];
    assert_eq!((lots.len(), lot.pos, lot.push, lot.machine), (1, 1, [1; 16], [7; 16]));
    assert_eq!((lot.member.as_str(), lot.is_ci), ("postgres", false));
    assert!((3590..=3600).contains(&lot.ahead), "{}", lot.ahead);
    assert!((hello.now..hello.now + 60).contains(&lot.received), "{}", lot.received);
    let record = &lot.records[0];
    assert_eq!((record.seq, record.kind.as_str(), record.at), (1, "observation", 1_700_000_000));
    assert_eq!(record.content.as_deref(), Some("linking failed: \u{1f980}"));
    assert_eq!(record.event_key, Some(EventKey::of(["linking failed: \u{1f980}"])));
    assert_eq!(record.session, Some([0; 16]));
    assert_eq!(record.facts, Some(json!({"exit_code": 101})));
    assert_eq!(session.pull(SHOP, 1, Some([1; 16]), 2000).unwrap(), []);
    assert_eq!(session.pull(SHOP, 1, Some([9; 16]), 2000).unwrap_err().remedy, TeamRemedy::BringAgain);
    assert_eq!(session.start(SHOP, 90, 1000).unwrap(), None);
    let start = session.start(SHOP, 90, 1).unwrap().unwrap();
    assert_eq!((start.pos, start.mark, start.skipped), (1, [1; 16], 2));

    let hits = session.search("linking", None, 10).unwrap();
    assert_eq!(hits.len(), 1);
    assert_eq!((hits[0].project.as_str(), hits[0].member.as_str()), (SHOP, "postgres"));
    assert_eq!(session.search("linking", Some(&["other".to_owned()]), 10).unwrap(), []);

    assert_eq!(session.drop_row(SHOP, EventKey::of(["it passed"])).unwrap(), 1);
    let lots = session.pull(SHOP, 1, Some([1; 16]), 2000).unwrap();
    let dropped = &lots[0].records[0];
    assert_eq!((dropped.kind.as_str(), dropped.by_admin), ("drop", true));
    assert_eq!(dropped.event_key, Some(EventKey::of(["it passed"])));
    assert_eq!(session.tend().unwrap(), 0);
}

#[test]
fn a_server_that_is_away_and_a_database_that_is_missing_are_told_apart() {
    let Some(database) = team() else { return };
    let error = |url: &str| {
        let address = TeamAddress::parse(url).unwrap();
        TeamSession::connect(&address, None).map(drop).unwrap_err().remedy
    };
    assert_eq!(error("postgres://a@/n?host=/nonexistent"), TeamRemedy::TryLater);
    assert_eq!(error("postgres://a@127.0.0.1:1/n"), TeamRemedy::TryLater);
    assert_eq!(error("postgres://a@host.invalid/n"), TeamRemedy::TryLater);
    let url = database.url("postgres");
    assert_eq!(error(&url.replace(&database.name, "no_such_database")), TeamRemedy::NoSchema);
    assert_eq!(error(&database.url("no_such_login")), TeamRemedy::LogIn);
    let other = postgres::database().unwrap();
    assert_eq!(
        connect(&other, "postgres").hello(Some([1; 16]), &[]).unwrap_err().remedy,
        TeamRemedy::NoSchema
    );
}

#[test]
fn a_call_that_hangs_is_given_up() {
    let Some(database) = team() else { return };
    let session = connect(&database, "postgres");
    session.limit_calls(std::time::Duration::from_millis(50));
    assert_eq!(session.call("SELECT pg_sleep(60)", &[]).unwrap_err().remedy, TeamRemedy::TryLater);
    // The answer to that question must not be taken for the answer to the next one.
    assert_eq!(session.hello(Some([1; 16]), &[]).unwrap_err().remedy, TeamRemedy::TryLater);
}
