//! Several machines at once: places become visible in order, and a new month is made once.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::Value;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, NoTls};

use super::team::{Member, Team, push_sql, row, runtime, uuid};

const SHOP: &str = "github.com/acme/shop";
const WRITERS: u8 = 12;
/// Lots of a writer; the control needs transactions that overlap, and finds some in far fewer.
const LOTS: u8 = 40;

/// Connects, and gives the client to something that runs on this thread.
fn with_client<T>(url: &str, deed: impl AsyncFnOnce(&Client) -> T) -> T {
    runtime().block_on(async {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("a connection");
        tokio::spawn(connection);
        deed(&client).await
    })
}

async fn push(client: &Client, member: &Member, lot: u8, batch: &[Value]) -> String {
    let previous = (lot > 1).then(|| push_id(member, lot - 1));
    let size = i64::try_from(batch.len()).expect("a small batch");
    let sql = push_sql(member.machine, previous, push_id(member, lot), i64::from(lot - 1) * size + 1);
    let batch = Value::from(batch).to_string();
    let parameters: [(&(dyn ToSql + Sync), Type); 2] = [(&SHOP, Type::TEXT), (&batch, Type::TEXT)];
    let rows = client.query_typed(&sql, &parameters).await.expect("a push");
    rows[0].get(0)
}

/// Ids differ by machine and lot.
fn push_id(member: &Member, lot: u8) -> [u8; 16] {
    let mut id = member.machine;
    id[15] = lot;
    id
}

#[test]
fn a_reader_beside_twelve_writers_misses_nothing() {
    let Some(team) = Team::new() else { return };
    let reader = team.member("reader", "member");
    let writers: Vec<Member> = (0..WRITERS).map(|number| machine(&team, number)).collect();
    let is_over = AtomicBool::new(false);
    let seen = thread::scope(|scope| {
        let reading = scope.spawn(|| {
            with_client(&reader.url, async |client| {
                let (mut place, mut mark, mut seen) = (0_i64, None::<String>, Vec::new());
                loop {
                    let was_over = is_over.load(Ordering::SeqCst);
                    let sql =
                        "SELECT pos, push::text, content FROM nudge.pull_v1($1, $2, $3::text::uuid, 2000)";
                    let parameters: [(&(dyn ToSql + Sync), Type); 3] =
                        [(&SHOP, Type::TEXT), (&place, Type::INT8), (&mark, Type::TEXT)];
                    let rows = client.query_typed(sql, &parameters).await.expect("rows");
                    for row in &rows {
                        let pos: i64 = row.get(0);
                        assert!(pos == place || pos == place + 1, "place {pos} after {place}");
                        place = pos;
                        mark = row.get(1);
                        seen.extend(row.get::<_, Option<String>>(2));
                    }
                    if was_over && rows.is_empty() {
                        return seen;
                    }
                }
            })
        });
        let writing: Vec<_> = writers
            .iter()
            .map(|writer| {
                scope.spawn(|| {
                    with_client(&writer.url, async |client| {
                        for lot in 1..=LOTS {
                            let rows = [1, 2].map(|number| row(&format!("{} {lot} {number}", writer.login)));
                            assert_eq!(push(client, writer, lot, &rows).await, "stored");
                        }
                    });
                })
            })
            .collect();
        writing.into_iter().for_each(|writer| writer.join().expect("a writer"));
        is_over.store(true, Ordering::SeqCst);
        reading.join().expect("the reader")
    });
    let total = usize::from(WRITERS) * usize::from(LOTS) * 2;
    assert_eq!(seen.iter().collect::<BTreeSet<_>>().len(), total, "nothing is missed");
    assert_eq!(seen.len(), total, "nothing comes twice");
}

/// The control of the test above: the same writers and the same reader, over a sequence, do miss rows.
#[test]
fn the_same_reader_over_a_sequence_misses_rows() {
    let Some(team) = Team::new() else { return };
    team.psql(
        "CREATE TABLE feed (id bigserial PRIMARY KEY, who int); GRANT ALL ON feed, feed_id_seq TO PUBLIC",
    );
    let is_over = AtomicBool::new(false);
    let url = team.url("postgres");
    let seen = thread::scope(|scope| {
        let reading = scope.spawn(|| {
            with_client(&team.url("postgres"), async |client| {
                let (mut last, mut seen) = (0_i64, 0_usize);
                loop {
                    let was_over = is_over.load(Ordering::SeqCst);
                    let sql = "SELECT id FROM feed WHERE id > $1 ORDER BY id";
                    let rows = client.query_typed(sql, &[(&last, Type::INT8)]).await.expect("rows");
                    seen += rows.len();
                    last = rows.last().map_or(last, |row| row.get(0));
                    if was_over && rows.is_empty() {
                        return seen;
                    }
                }
            })
        });
        let writing: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let url = &url;
                scope.spawn(move || {
                    with_client(url, async |client| {
                        for _ in 0..LOTS {
                            // What a push does between its first row and its commit takes about this long.
                            let sql = format!(
                                "BEGIN; INSERT INTO feed (who) VALUES ({writer}), ({writer}); SELECT pg_sleep(0.002 * random()); COMMIT"
                            );
                            client.batch_execute(&sql).await.expect("an insert");
                        }
                    });
                })
            })
            .collect();
        writing.into_iter().for_each(|writer| writer.join().expect("a writer"));
        is_over.store(true, Ordering::SeqCst);
        reading.join().expect("the reader")
    });
    let total = usize::from(WRITERS) * usize::from(LOTS) * 2;
    assert_eq!(team.psql("SELECT count(*) FROM feed"), total.to_string());
    assert!(seen < total, "all {total} rows were seen: the test of places proves nothing on this machine");
}

#[test]
fn sixteen_pushes_at_once_into_a_new_month_are_all_stored() {
    let Some(team) = Team::new() else { return };
    let writers: Vec<Member> = (0..16).map(|number| machine(&team, number)).collect();
    forget_months(&team);
    thread::scope(|scope| {
        for writer in &writers {
            scope.spawn(|| {
                with_client(&writer.url, async |client| {
                    assert_eq!(push(client, writer, 1, &[row(&writer.login)]).await, "stored");
                });
            });
        }
    });
    assert_eq!(team.psql(MONTHS), "1", "and is made once");
    assert_eq!(team.psql("SELECT count(*) FROM nudge.records"), "16");
    assert_eq!(team.psql("SELECT head FROM nudge.projects"), "16");
    assert_eq!(team.psql("SELECT bool_and(relrowsecurity) FROM pg_class WHERE relname LIKE 'records\\_20%' AND relkind = 'r'"), "t");
}

/// A reader in the moment between a commit and the news of its partition would go past the rows of the first lot.
#[test]
fn nobody_reads_while_rows_come_with_a_new_month() {
    let Some(team) = Team::new() else { return };
    let (writer, reader) = (machine(&team, 1), team.member("reader", "member"));
    let read = |what: &str| {
        let url = &reader.url;
        with_client(url, async |client| {
            client.batch_execute("SET lock_timeout = '200ms'").await.expect("a setting");
            let sql = "SELECT pos FROM nudge.pull_v1($1, 0, NULL, 2000)";
            let rows = client.query_typed(sql, &[(&SHOP, Type::TEXT)]).await;
            rows.map(|rows| rows.len()).map_err(|error| {
                error.code().map(|code| code.code().to_owned()).unwrap_or_else(|| panic!("{what}: {error}"))
            })
        })
    };
    with_client(&writer.url, async |client| {
        for (lot, is_new, expected) in [(1, true, Err("55P03".to_owned())), (2, false, Ok(1))] {
            if is_new {
                forget_months(&team);
            }
            client.batch_execute("BEGIN").await.expect("a transaction");
            assert_eq!(push(client, &writer, lot, &[row(&format!("{lot}"))]).await, "stored");
            let found = thread::scope(|scope| scope.spawn(|| read("a reader")).join().expect("a reader"));
            assert_eq!(found, expected, "lot {lot}");
            client.batch_execute("COMMIT").await.expect("a commit");
        }
    });
    assert_eq!(read("at the end"), Ok(2));
}

#[test]
fn a_hello_makes_the_month_so_that_no_push_has_to() {
    let Some(team) = Team::new() else { return };
    let today =
        "SELECT to_regclass('nudge.records_' || to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM')) IS NOT NULL";
    team.member("reader", "reader").hello(&[]).expect("hello");
    assert_eq!(team.psql(MONTHS), "0", "who only reads makes nothing");
    machine(&team, 1);
    assert_eq!(team.psql(today), "t");
    let tomorrow = today.replace("now()", "(now() + interval '1 day')");
    assert_eq!(team.psql(&tomorrow), "t");
}

fn forget_months(team: &Team) {
    team.psql(
        "DO $$ DECLARE t regclass; BEGIN
             FOR t IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'nudge.records'::regclass LOOP
                 EXECUTE 'DROP TABLE ' || t;
             END LOOP;
         END $$",
    );
    assert_eq!(team.psql(MONTHS), "0");
}

const MONTHS: &str = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'nudge.records'::regclass";

#[test]
fn months_and_places_that_are_too_old_go_and_the_last_place_stays() {
    let Some(team) = Team::new() else { return };
    let alice = team.member("alice", "member");
    alice.told(SHOP, 1, &[row("old")]);
    team.psql("SELECT nudge.month(now() - interval '400 days', false)");
    team.psql("UPDATE nudge.lots SET received = now() - interval '400 days'");
    alice.push(SHOP, Some(1), 2, 2, &[row("new")]).unwrap();
    assert_eq!(team.psql("SELECT nudge.tend_v1()"), "1");
    assert_eq!((team.psql(MONTHS).as_str(), team.psql("SELECT pos FROM nudge.lots").as_str()), ("1", "2"));
    // A reader whose place is gone starts again.
    assert_eq!(alice.pull(SHOP, 1, Some(1)).unwrap_err(), "NU007");
    assert_eq!(alice.pull(SHOP, 2, Some(2)), Ok(0));
    team.psql("UPDATE nudge.lots SET received = now() - interval '400 days'");
    assert_eq!(team.psql("SELECT nudge.tend_v1()"), "0");
    assert_eq!(team.psql("SELECT pos FROM nudge.lots"), "2", "the last place of a project stays");
}

#[test]
fn a_repository_that_was_renamed_is_the_same_project() {
    let Some(team) = Team::new() else { return };
    let alice = team.member("alice", "member");
    alice.told(SHOP, 1, &[row("before")]);
    let store = "github.com/acme/store";
    alice.hello(&[store]).unwrap();
    team.psql("SELECT nudge.project_v1('alias', 'github.com/acme/shop', 'github.com/acme/store')");
    let hello = alice.hello(&[SHOP, store]).unwrap();
    for asked in [SHOP, store] {
        let project = &hello["projects"][asked];
        assert_eq!(
            (project["key"].as_str(), project["last_seq"].as_i64()),
            (Some(store), Some(1)),
            "{asked}"
        );
    }
    alice.push(store, Some(1), 2, 2, &[row("after")]).unwrap();
    assert_eq!((alice.pull(SHOP, 0, None), alice.pull(store, 0, None)), (Ok(2), Ok(2)));
    let sql = format!("SELECT * FROM nudge.lots_v1('{}', '{SHOP}')", uuid(alice.machine));
    assert_eq!(alice.sql(&sql), Ok(2));
    // Two that both have rows stay two.
    alice.hello(&["github.com/acme/third"]).unwrap();
    alice.push("github.com/acme/third", None, 7, 1, &[row("third")]).unwrap();
    let merged = team.cluster.try_psql(
        &team.name,
        "SELECT nudge.project_v1('alias', 'github.com/acme/third', 'github.com/acme/store')",
    );
    assert!(merged.unwrap_err().contains("both projects have rows"));
}

#[test]
fn a_hello_that_changes_nothing_uses_no_numbers_up() {
    let Some(team) = Team::new() else { return };
    let alice = team.member("alice", "member");
    for _ in 0..5 {
        alice.hello(&[SHOP]).unwrap();
    }
    team.member("bob", "member").hello(&[SHOP]).unwrap();
    assert_eq!(team.psql("SELECT max(id) FROM nudge.machines"), "2");
}

fn machine(team: &Team, number: u8) -> Member {
    let mut member = team.member(&format!("writer{number}"), "member");
    member.machine = [number + 1; 16];
    member.hello(&[SHOP]).expect("hello");
    member
}
