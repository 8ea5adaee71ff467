//! Several servers at once: one is primary, all answer, and hints outlive the primary.

#![expect(clippy::unwrap_used, reason = "what cannot be read is a failed test")]

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::mcp_client::Client;
use crate::sandbox::Sandbox;
use crate::servers::{Server, address, files, http, port, rpc, wait_until};

/// How many times servers race; `NUDGE_ROUNDS=100 cargo test --test it six` for the whole of it.
#[expect(clippy::disallowed_methods, reason = "a variable says how long the test may take")]
fn rounds() -> usize {
    std::env::var("NUDGE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(5)
}

fn set(client: &mut Client, key: &str) -> Value {
    client.call_json("nudge_set_hint", json!({ "component": "a", "key": key, "value": "v" }))
}

fn keys(client: &mut Client) -> Vec<String> {
    let output = client.call_json("nudge_query", json!({ "component": "a", "limit": 100 }));
    let mut keys: Vec<String> = output["hints"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["key"].as_str().unwrap().to_owned())
        .collect();
    keys.sort();
    keys
}

fn health(sandbox: &Sandbox) -> Value {
    let (_, body) = http(port(sandbox), "GET", "/health", "", b"");
    serde_json::from_str(&body).unwrap()
}

#[test]
fn six_at_once_are_one_primary_and_all_answer() {
    for round in 0..rounds() {
        let sandbox = Sandbox::new();
        let mut clients: Vec<Client> = (0..6).map(|_| Client::silent(&sandbox)).collect();
        for (number, client) in clients.iter_mut().enumerate() {
            client.request("initialize", crate::mcp_client::initialize("2025-06-18"));
            client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
            let arguments = json!({ "component": "a", "key": format!("k{number}"), "value": "v" });
            client.request("tools/call", json!({ "name": "nudge_set_hint", "arguments": arguments }));
        }
        for client in &mut clients {
            assert_eq!(client.receive()["result"]["protocolVersion"], "2025-06-18");
            let answer = client.receive();
            assert_eq!(
                answer["result"]["structuredContent"]["hint"]["version"], 1,
                "round {round}: {answer}"
            );
        }
        for client in &mut clients {
            assert_eq!(keys(client), ["k0", "k1", "k2", "k3", "k4", "k5"], "round {round}");
        }
        let status = rpc(&sandbox, "nudge.status", &json!({}))["result"].take();
        assert!(clients.iter().any(|client| status["pid"] == client.pid()));
        if cfg!(target_os = "linux") {
            assert_eq!(status["clients"]["proxies"], 5, "{status}");
        }
        for client in clients {
            let (status, _, stderr) = client.end();
            assert_eq!(status.code(), Some(0), "{stderr}");
        }
        assert_nothing_is_left(&sandbox);
    }
}

#[track_caller]
fn assert_nothing_is_left(sandbox: &Sandbox) {
    let left = if cfg!(unix) { vec![] } else { vec!["members.lock", "server.lock"] };
    assert_eq!(files(sandbox), left);
}

#[test]
fn what_the_snapshot_covers_survives_a_kill() {
    let sandbox = Sandbox::new();
    let mut primary = Client::new(&sandbox);
    set(&mut primary, "k0");
    let mut proxies: Vec<Client> = (0..3).map(|_| Client::new(&sandbox)).collect();
    for (number, proxy) in proxies.iter_mut().enumerate() {
        set(proxy, &format!("k{}", number + 1));
    }
    assert_eq!(address(&sandbox)["pid"], primary.pid());
    wait_until("the snapshot covers all", || {
        let health = health(&sandbox);
        health["snapshot_generation"] == health["generation"]
    });
    primary.kill();
    // The next call is answered by the new primary.
    assert_eq!(keys(&mut proxies[0]), ["k0", "k1", "k2", "k3"]);
    set(&mut proxies[1], "k4");
    assert_eq!(keys(&mut proxies[2]), ["k0", "k1", "k2", "k3", "k4"]);
    assert!(proxies.iter().any(|proxy| address(&sandbox)["pid"] == proxy.pid()));
    // And again, until the last one.
    while let Some(next) = proxies.iter().position(|proxy| address(&sandbox)["pid"] == proxy.pid()) {
        wait_until("the snapshot covers all", || {
            let health = health(&sandbox);
            health["snapshot_generation"] == health["generation"]
        });
        proxies.remove(next).kill();
        let Some(left) = proxies.first_mut() else { break };
        assert_eq!(keys(left), ["k0", "k1", "k2", "k3", "k4"]);
    }
    // All were killed: the next one starts a new session.
    let mut fresh = Client::new(&sandbox);
    assert_eq!(keys(&mut fresh), Vec::<String>::new());
    fresh.end();
    assert_nothing_is_left(&sandbox);
}

#[test]
fn the_end_of_the_input_hands_over() {
    let sandbox = Sandbox::new();
    let mut primary = Client::new(&sandbox);
    let mut proxy = Client::new(&sandbox);
    // The last change is not in any snapshot yet.
    for number in 0..20 {
        set(&mut primary, &format!("k{number:02}"));
    }
    set(&mut proxy, "k20");
    let (status, _, stderr) = primary.end();
    assert_eq!((status.code(), stderr.as_str()), (Some(0), ""));
    assert_eq!(keys(&mut proxy).len(), 21);
    wait_until("the PROXY leads", || address(&sandbox)["pid"] == proxy.pid());
    let (status, _, stderr) = proxy.end();
    assert_eq!(status.code(), Some(0));
    assert!(
        stderr.starts_with("nudge: the PRIMARY is gone; this server is PRIMARY now, on port "),
        "{stderr}"
    );
    assert_nothing_is_left(&sandbox);
    let mut fresh = Client::new(&sandbox);
    assert_eq!(keys(&mut fresh), Vec::<String>::new());
}

#[test]
fn a_proxy_becomes_primary_automatically() {
    let sandbox = Sandbox::new();
    let primary = Client::new(&sandbox);
    wait_until("there is a PRIMARY", || address(&sandbox)["pid"] == primary.pid());
    let mut proxy = Client::new(&sandbox);
    set(&mut proxy, "k");
    primary.kill();
    wait_until("the PROXY leads", || address(&sandbox)["pid"] == proxy.pid());
    let listed = rpc(&sandbox, "nudge.list_components", &json!({}));
    assert!(listed["result"]["components"].is_array(), "{listed}");
    proxy.end();
    assert_nothing_is_left(&sandbox);
}

#[test]
fn a_question_that_is_asked_twice_counts_once() {
    let sandbox = Sandbox::new();
    let _server = Server::start(&sandbox, &[]);
    rpc(&sandbox, "nudge.set_hint", &json!({ "component": "a", "key": "k", "value": "v" }));
    let bump = json!({ "component": "a", "key": "k", "request_id": "one" });
    let first = rpc(&sandbox, "nudge.bump", &bump);
    assert_eq!(first["result"]["hint"]["use_count"], 1);
    assert_eq!(rpc(&sandbox, "nudge.bump", &bump), first);
    let other = json!({ "component": "a", "key": "k", "request_id": "two" });
    assert_eq!(rpc(&sandbox, "nudge.bump", &other)["result"]["hint"]["use_count"], 2);
}

#[test]
fn stop_ends_the_session() {
    let sandbox = Sandbox::new();
    let port_flag = sandbox.port().to_string();
    let none = sandbox.run(["stop"]);
    none.code(1);
    assert!(none.stderr.contains("error: no server is running"), "{}", none.stderr);
    assert!(none.stderr.contains("nudge serve"), "{}", none.stderr);
    let server = Server::start(&sandbox, &[]);
    rpc(&sandbox, "nudge.set_hint", &json!({ "component": "a", "key": "k", "value": "v" }));
    let mut proxy = Client::new(&sandbox);
    assert_eq!(keys(&mut proxy), ["k"]);
    let pid = server.child.id();
    let stopped = sandbox.run(["stop"]);
    stopped.code(0);
    let next = address(&sandbox);
    let expected = format!(
        "stopped the server with pid {pid} on port {port_flag}\nlost: 1 hint of this session; `nudge set --keep` keeps a hint\nanother server is PRIMARY now, without the hints of the session: pid {}, port {}\n",
        proxy.pid(),
        next["port"]
    );
    assert_eq!(stopped.stdout, expected);
    assert_eq!(server.end().status.code(), Some(0));
    assert_eq!(keys(&mut proxy), Vec::<String>::new());
    sandbox.run(["-p", &next["port"].to_string(), "stop"]).code(0);
    assert_nothing_is_left(&sandbox);
}

#[test]
fn status_shows_the_server() {
    let sandbox = Sandbox::new();
    let none = sandbox.run(["status"]);
    none.code(0);
    assert_eq!(
        (none.stdout.lines().next(), none.stderr.as_str()),
        (Some("   server  none running; agents start one"), "")
    );
    let server = Server::start(&sandbox, &[]);
    let meta = json!({ "tags": ["docker"] });
    rpc(&sandbox, "nudge.set_hint", &json!({ "component": "a", "key": "k", "value": "v", "meta": meta }));
    let status = sandbox.run(["status", "--json"]).json();
    assert_eq!(
        (&status["mode"], &status["pid"], &status["port"], &status["hints"]["hints"], &status["generation"]),
        (&json!("PRIMARY"), &json!(server.child.id()), &address(&sandbox)["port"], &json!(1), &json!(1))
    );
    let shown = sandbox.run(["status"]);
    for line in ["PRIMARY on http://127.0.0.1:", "1 hint in 1 component", "docker (1)"] {
        assert!(shown.stdout.contains(line), "{line}: {}", shown.stdout);
    }
}

#[test]
fn an_old_address_leads_nobody_astray() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.runtime_folder()).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(sandbox.runtime_folder(), fs::Permissions::from_mode(0o700)).unwrap();
    }
    // The pid now belongs to another running process, and the port to a server of another folder.
    let other = Sandbox::new();
    let mut stranger = Server::start(&other, &[]);
    let stale = json!({ "pid": stranger.child.id(), "port": port(&other), "started": "2020-01-01T00:00:00Z", "instance": "old" });
    let pid_file = sandbox.runtime_folder().join("server.pid");
    fs::write(&pid_file, stale.to_string()).unwrap();
    sandbox.run(["stop"]).code(1);
    let status = sandbox.run(["status"]);
    status.code(0);
    assert!(status.stdout.contains("server  none running"), "{}", status.stdout);
    assert!(stranger.child.try_wait().unwrap().is_none(), "the stranger lives");
    let mut client = Client::new(&sandbox);
    set(&mut client, "k");
    assert_eq!(address(&sandbox)["pid"], client.pid());
    client.end();
    assert_nothing_is_left(&sandbox);
}

#[test]
fn ports_count_up() {
    let sandbox = Sandbox::new();
    let first = sandbox.port();
    let taken: Vec<_> =
        (0..2).filter_map(|step| std::net::TcpListener::bind(("127.0.0.1", first + step)).ok()).collect();
    let server = Server::start(&sandbox, &[]);
    assert_eq!(port(&sandbox), first + 2);
    assert_eq!(sandbox.run(["stop"]).code, Some(0));
    let said = String::from_utf8(server.end().stderr).unwrap();
    assert!(said.contains(&format!("nudge: PRIMARY on http://127.0.0.1:{}", first + 2)), "{said}");
    assert!(said.contains(&format!("nudge: port {first} is in use")), "{said}");
    drop(taken);
    let taken: Vec<_> =
        (0..20).filter_map(|step| std::net::TcpListener::bind(("127.0.0.1", first + step)).ok()).collect();
    let said = Server::begin(&sandbox, &[]).end();
    assert_eq!(said.status.code(), Some(1));
    let said = String::from_utf8(said.stderr).unwrap();
    assert!(said.contains(&format!("the ports {first} to {} are in use", first + 19)), "{said}");
    drop(taken);
    assert_nothing_is_left(&sandbox);
}

#[test]
#[cfg(unix)]
fn a_signal_is_a_proper_end() {
    let sandbox = Sandbox::new();
    for signal in ["-TERM", "-INT"] {
        let server = Server::start(&sandbox, &[]);
        let proxy = Server::begin(&sandbox, &[]);
        rpc(&sandbox, "nudge.set_hint", &json!({ "component": "a", "key": signal, "value": "v" }));
        wait_until("the PROXY is known", || {
            rpc(&sandbox, "nudge.status", &json!({}))["result"]["clients"]["proxies"] == 1
        });
        let kill = |pid: u32| {
            let status =
                sandbox.command("kill").args([signal, &pid.to_string()]).stdout(Stdio::null()).status();
            assert!(status.unwrap().success());
        };
        kill(server.child.id());
        assert_eq!(server.end().status.code(), Some(0));
        wait_until("the PROXY leads", || address(&sandbox)["pid"] == proxy.child.id());
        let listed = rpc(&sandbox, "nudge.list_components", &json!({}));
        assert_eq!(listed["result"]["components"][0]["hint_count"], 1, "{listed}");
        kill(proxy.child.id());
        let said = String::from_utf8(proxy.end().stderr).unwrap();
        assert!(said.contains("this server is a PROXY"), "{said}");
        assert_nothing_is_left(&sandbox);
    }
}

#[test]
fn the_arguments_of_serve_must_be_valid() {
    let sandbox = Sandbox::new();
    for (args, said) in [
        (["serve", "--max-hints", "0"], "`--max-hints` is `0`, which is not a number above 0"),
        (
            ["serve", "--log-level", "loud"],
            "`--log-level` is `loud`, which is not error, warn, info or debug",
        ),
        (["serve", "--default-ttl", "soon"], "the server cannot start: "),
    ] {
        let ran = sandbox.run(args);
        assert!(ran.code != Some(0) && ran.stderr.contains(said), "{args:?}: {}", ran.stderr);
    }
    for (name, value) in [
        ("NUDGE_MAX_HINTS", "many"),
        ("NUDGE_SECRET_GUARD", "yes"),
        ("NUDGE_DEFAULT_TTL", "PT"),
        ("NUDGE_LOG_LEVEL", "loud"),
    ] {
        let ran = Sandbox::new().env(name, value).run(["serve"]);
        assert!(ran.code != Some(0) && ran.stderr.contains(value), "{name}: {}", ran.stderr);
    }
    let sandbox = Sandbox::new().env("NUDGE_MAX_HINTS", "1");
    let _server = Server::start(&sandbox, &["--no-secret-guard"]);
    let set = |key: &str| {
        rpc(
            &sandbox,
            "nudge.set_hint",
            &json!({ "component": "a", "key": key, "value": "ghp_0123456789abcdefghijABCDEFGHIJ012345" }),
        )
    };
    assert_eq!(set("k1")["result"]["hint"]["version"], 1);
    assert_eq!(set("k2")["error"]["code"], 42901);
}
