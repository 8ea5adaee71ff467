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
