//! What the server reads in the background when a session begins.

use std::fs;
use std::time::{Duration, SystemTime};

use serde_json::json;

use super::{Transcript, backfill, database, rows};
use crate::mcp_client::Client;
use crate::sandbox::Sandbox;
use crate::servers::wait_until;

/// Starts a server, and waits until it has noted that this session was read.
fn serve_until_stored(sandbox: &Sandbox, session: &str) -> Client {
    let client = Client::new(sandbox);
    wait_until("the session is stored", || rows(sandbox).iter().any(|row| row.starts_with(session)));
    client
}

#[test]
fn the_server_reads_what_is_new_of_its_project_and_answers_from_it() {
    let sandbox = Sandbox::new();
    Transcript::of(&sandbox, "before").user("add a tax to the cart", "p1").write(&sandbox);
    backfill(&sandbox);
    let mut elsewhere = Transcript::of(&sandbox, "elsewhere");
    elsewhere.cwd = sandbox.beside("elsewhere").to_str().expect("UTF-8").to_owned();
    elsewhere.user("of another project", "p3").write(&sandbox);
    Transcript::of(&sandbox, "new").user("make the quokka exporter faster", "p2").write(&sandbox);
    let mut client = serve_until_stored(&sandbox, "new");
    let found = client.call("search", json!({ "query": "quokka" }));
    assert!(found.to_string().contains("quokka exporter"), "{found}");
    // It was not asked for the other project.
    assert!(!rows(&sandbox).iter().any(|row| row.starts_with("elsewhere")), "{:?}", rows(&sandbox));
    assert_eq!(backfill(&sandbox)["read"], 1);
}

#[test]
fn nothing_is_read_until_the_user_has_asked_for_it_once() {
    let sandbox = Sandbox::new();
    Transcript::of(&sandbox, "s1").user("one", "p1").write(&sandbox);
    let mut client = Client::new(&sandbox);
    // An answer that needs the database shows that the server has started.
    client.call("search", json!({ "query": "one" }));
    drop(client.end());
    assert_eq!(backfill(&sandbox)["stored"], 2);
}

#[test]
fn the_sessions_of_the_last_days_can_be_found_while_older_ones_are_still_read() {
    let sandbox = Sandbox::new();
    for name in ["old-1", "old-2"] {
        let mut old = Transcript::of(&sandbox, name);
        old.second -= 20 * 86_400;
        for call in 0..30 {
            let id = format!("{name}-{call}");
            old = old.runs(&id, &format!("make {id}"), "ok");
        }
        let path = old.write(&sandbox);
        let time = SystemTime::now() - Duration::from_secs(20 * 86_400);
        fs::File::options().append(true).open(path).expect("a file").set_modified(time).expect("a time");
    }
    Transcript::of(&sandbox, "recent").user("make the quokka exporter faster", "p2").write(&sandbox);
    backfill(&sandbox);
    // Ids are given in the order in which rows are stored.
    let sql =
        "SELECT group_concat(DISTINCT session_id) FROM (SELECT session_id FROM observations ORDER BY id)";
    let order: String = database(&sandbox).query_row(sql, [], |row| row.get(0)).expect("rows");
    assert_eq!(order, "recent,old-1,old-2");
}
