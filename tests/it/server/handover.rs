//! Commands in a handover: while one server ends and the next one takes over, no command is refused.

use serde_json::json;

use crate::faults::rounds;
use crate::mcp_client::Client;
use crate::sandbox::Sandbox;
use crate::servers::{address, wait_until};

#[test]
fn a_command_right_after_the_primary_went_waits_for_the_next_one() {
    let sandbox = Sandbox::new();
    let mut servers: Vec<Client> = (0..2).map(|_| Client::new(&sandbox)).collect();
    servers[0].call_json("nudge_set_hint", json!({ "component": "a", "key": "k", "value": "v" }));
    for round in 0..rounds(6) {
        servers.push(Client::new(&sandbox));
        wait_until("one leads", || servers.iter().any(|server| address(&sandbox)["pid"] == server.pid()));
        let first = servers.iter().position(|server| address(&sandbox)["pid"] == server.pid());
        let primary = servers.remove(first.unwrap_or_default());
        // Killed, or asked to end.
        if round % 2 == 0 {
            primary.kill();
        } else {
            std::thread::spawn(move || primary.end());
        }
        let key = format!("k{round}");
        for args in [["set", "b", &key, "v"], ["get", "b", &key, "--value"], ["bump", "b", &key, "--json"]] {
            let ran = sandbox.run(args);
            assert_eq!(ran.code, Some(0), "round {round}, {args:?}: {}", ran.stderr);
        }
    }
}

/// Everything that a PRIMARY acknowledged is there after it was killed, without a second's grace for the snapshot; and
/// nothing is done twice.
#[test]
fn acknowledged_hints_survive_a_primary_that_is_killed() {
    let sandbox = Sandbox::new();
    let mut primary = Client::new(&sandbox);
    primary.call_json("nudge_set_hint", json!({ "component": "a", "key": "first", "value": "v" }));
    for round in 0..rounds(4) {
        let second = Client::new(&sandbox);
        wait_until("it is a PROXY", || address(&sandbox)["pid"] == primary.pid());
        for n in 0..20 {
            let key = format!("k{round}-{n}");
            primary
                .call_json("nudge_set_hint", json!({ "component": "a", "key": key, "value": n.to_string() }));
        }
        primary.call_json("nudge_bump", json!({ "component": "a", "key": "first" }));
        let gone = format!("k{round}-0");
        primary.call_json("nudge_delete_hint", json!({ "component": "a", "key": gone }));
        primary.kill();
        primary = second;
        let all = primary.call_json("nudge_query", json!({ "component": "a", "limit": 5000 }));
        assert_eq!(all["total"], 1 + 19 * (round + 1), "round {round}");
        let first = primary.call_json("nudge_get_hint", json!({ "component": "a", "key": "first" }));
        assert_eq!(first["hint"]["use_count"], round + 1, "{first}");
    }
    assert!(primary.end().0.success());
    assert_eq!(crate::servers::files(&sandbox), Vec::<String>::new(), "the last server leaves nothing");
}

/// `debug` shows requests, refusals and snapshots, and never what a hint says.
#[test]
fn the_log_level_decides_what_is_logged() {
    let logged = |level: &str| {
        let sandbox = Sandbox::new();
        let server = crate::servers::Server::start(&sandbox, &["--log-level", level]);
        sandbox.run(["set", "a", "k", "some value"]).code(0);
        sandbox.run(["set", "a", "k", "AKIAIOSFODNN7REALKEY"]).code(1);
        sandbox.run(["stop"]).code(0);
        String::from_utf8(server.end().stderr).expect("UTF-8")
    };
    let debug = logged("debug");
    assert!(debug.contains("nudge_set_hint: answered"), "{debug}");
    assert!(debug.contains("nudge_set_hint: refused, code 40002"), "{debug}");
    assert!(!debug.contains("some value") && !debug.contains("AKIA"), "{debug}");
    assert!(!logged("info").contains("nudge_set_hint"));
}
