//! The identity of the server: commands, hooks and PROXYs send nothing to a listener that is not the server of their folder.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "what cannot be read is a failed test")]

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;

use crate::faults::rounds;
use crate::mcp_client::{self, Client};
use crate::payload::Payload;
use crate::sandbox::{Ran, Sandbox};
use crate::server::strangers::{self, Fake, beside_fake};
use crate::servers::{Server, address, files, port, rpc, wait_until};

fn private_dir(path: &Path) {
    fs::create_dir_all(path).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o700)).unwrap();
}

/// Writes the address and the token of a server that is gone.
fn leave_address(sandbox: &Sandbox, port: u16) {
    private_dir(&sandbox.runtime_folder());
    let stale = json!({ "pid": 1, "port": port, "started": "2020-01-01T00:00:00Z", "instance": "x" });
    fs::write(sandbox.runtime_folder().join("server.pid"), stale.to_string()).unwrap();
    fs::write(sandbox.runtime_folder().join("server.token"), "00112233445566778899aabbccddeeff").unwrap();
}

fn with_secrets() -> Sandbox {
    Sandbox::new().env("AWS_SECRET_ACCESS_KEY", "planted-aws").env("GITHUB_TOKEN", "planted-github")
}

#[test]
fn nothing_is_sent_to_another_user_on_the_default_port() {
    if !strangers::are_possible() {
        return;
    }
    let sandbox = with_secrets();
    let script = "\
        for port in '' '-p 8765'; do\n\
          $nudge $port set db password hunter2 --allow-secret; echo code $?\n\
          $nudge $port get web build; echo code $?\n\
          $nudge $port ls; echo code $?\n\
          $nudge $port status > /dev/null; echo code $?\n\
          $nudge $port stop; echo code $?\n\
        done 2>&1";
    private_dir(&sandbox.runtime_folder());
    let (output, received) = beside_fake(&sandbox, script);
    assert_eq!(received, "", "{output:?}");
    let ran = sandbox.ran(&output);
    let said = "no server is running (port 8765 belongs to another user, uid 65534; nothing was sent to it)";
    let codes: Vec<_> = ran.stdout.lines().filter_map(|line| line.strip_prefix("code ")).collect();
    // Where no port is named, commands do without a server, as if nobody listened there.
    assert_eq!(codes.join(" "), "0 1 0 0 1 1 1 1 1 1", "{}", ran.stdout);
    assert!(!ran.stdout.contains("evil"), "{}", ran.stdout);
    assert_eq!(ran.stdout.matches(said).count(), 6, "{}", ran.stdout);
}

#[test]
fn nothing_is_sent_to_another_user_on_the_port_of_a_server_that_is_gone() {
    if !strangers::are_possible() {
        return;
    }
    let sandbox = with_secrets();
    let fake = Fake::start(&sandbox, sandbox.port());
    leave_address(&sandbox, sandbox.port());
    let ran = run(&sandbox, &["stop"]);
    assert!(ran.code == Some(1) && ran.stderr.contains("belongs to another user"), "{}", ran.stderr);
    for args in [&["set", "a", "b", "c"][..], &["get", "a", "b"], &["ls"]] {
        run(&sandbox, args).code(0);
    }
    sandbox.hook(
        "claude-code",
        Payload(json!({ "session_id": "s", "hook_event_name": "SessionStart", "source": "startup" })),
    );
    assert_eq!(fake.received(), "");
}

fn run(sandbox: &Sandbox, args: &[&str]) -> Ran {
    sandbox.ran(&sandbox.command(env!("CARGO_BIN_EXE_nudge")).args(args).output().unwrap())
}

#[test]
fn four_servers_at_once_beside_another_users_listener_ask_only_each_other() {
    if !strangers::are_possible() {
        return;
    }
    let sandbox = with_secrets();
    let requests = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": mcp_client::initialize("2025-06-18") }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "nudge_list_components", "arguments": {} } }),
    ];
    let lines: String = requests.iter().map(|request| format!("{request}\n")).collect();
    fs::write(sandbox.beside("requests"), lines).unwrap();
    let base = sandbox.beside("");
    let base = base.to_str().unwrap();
    let script = format!(
        "for round in $(seq {}); do\n\
           for n in 1 2 3 4; do\n\
             (cat {base}/requests; until grep -q '\"id\":2' {base}/out.$round.$n; do sleep 0.05; done) \
               | $nudge serve > {base}/out.$round.$n 2>/dev/null & servers=\"$servers $!\"\n\
           done\n\
           wait $servers; servers=\n\
         done",
        rounds(4)
    );
    let (output, received) = beside_fake(&sandbox, &script);
    assert_eq!(received, "", "{output:?}");
    for round in 1..=rounds(4) {
        for number in 1..=4 {
            let out = fs::read_to_string(format!("{base}/out.{round}.{number}")).unwrap();
            assert!(out.contains(r#""structuredContent":{"components":[]}"#), "{round}.{number}: {out}");
        }
    }
}

#[test]
fn a_program_that_is_not_nudge_gets_no_token_and_no_hint() {
    let sandbox = with_secrets();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    leave_address(&sandbox, port);
    let server = std::thread::spawn(move || {
        let mut seen = String::new();
        for _ in 0..4 {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 4096];
            let read = stream.read(&mut request).unwrap();
            seen.push_str(&String::from_utf8_lossy(&request[..read]));
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello").unwrap();
        }
        seen
    });
    let flag = port.to_string();
    for args in
        [&["ls"][..], &["stop"], &["-p", &flag, "set", "a", "b", "value-of-it"], &["-p", &flag, "status"]]
    {
        let ran = run(&sandbox, args);
        let said = format!("no server is running (port {port} answers, but it is not a nudge server)");
        assert!(ran.code == Some(1) && ran.stderr.contains(&said), "{args:?}: {}", ran.stderr);
    }
    let seen = server.join().unwrap();
    for secret in ["Authorization", "00112233445566778899aabbccddeeff", "planted", "value-of-it"] {
        assert!(!seen.contains(secret), "{seen}");
    }
}

/// Any program of this user can name the folder and its inode; only its server knows the token.
#[test]
fn a_program_of_this_user_that_names_the_folder_gets_no_hint_and_no_variable() {
    if !strangers::are_possible() {
        return;
    }
    let sandbox = with_secrets();
    private_dir(&sandbox.runtime_folder());
    let script = "\
        try() {\n\
          for port in '' '-p 8765'; do\n\
            $nudge $port set db password hunter2 --allow-secret; echo code $?\n\
            $nudge $port get web build; echo code $?\n\
            $nudge $port ls; echo code $?\n\
            $nudge $port stop; echo code $?\n\
          done 2>&1\n\
        }\n\
        try\n\
        echo 00112233445566778899aabbccddeeff > $NUDGE_RUNTIME_DIR/server.token; try\n\
        echo '{\"pid\":1,\"port\":8765,\"started\":\"2020-01-01T00:00:00Z\",\"instance\":\"x\"}' > $NUDGE_RUNTIME_DIR/server.pid; try";
    let (output, received) = strangers::beside_own_fake(&sandbox, script);
    let ran = sandbox.ran(&output);
    for secret in ["hunter2", "planted", "00112233445566778899aabbccddeeff", "POST", "web"] {
        assert!(!received.contains(secret), "{secret}: {received}");
    }
    let said = "no server is running (port 8765 answers, but it is not a nudge server)";
    let codes: Vec<_> = ran.stdout.lines().filter_map(|line| line.strip_prefix("code ")).collect();
    assert_eq!(codes.join(" "), ["0 1 0 1 1 1 1 1"; 3].join(" "), "{}", ran.stdout);
    assert!(!ran.stdout.contains("evil"), "{}", ran.stdout);
    assert_eq!(ran.stdout.matches(said).count(), 15, "{}", ran.stdout);
}

/// Without the socket, everything goes over TCP.
#[test]
fn a_server_proves_itself_over_tcp_also_after_a_handover() {
    let sandbox = Sandbox::new();
    let unlink = || fs::remove_file(sandbox.runtime_folder().join("server.sock")).unwrap();
    let first = Server::start(&sandbox, &[]);
    unlink();
    sandbox.run(["set", "a", "k", "v"]).code(0);
    let mut second = Client::new(&sandbox);
    assert_eq!(second.call_json("nudge_list_components", json!({}))["components"][0]["name"], "a");
    let flag = port(&sandbox).to_string();
    sandbox.run(["-p", &flag, "get", "a", "k"]).code(0);
    let pid = address(&sandbox)["pid"].clone();
    sandbox.run(["stop"]).code(0);
    assert_eq!(first.end().status.code(), Some(0));
    wait_until("the PROXY leads", || address(&sandbox)["pid"].is_u64() && address(&sandbox)["pid"] != pid);
    unlink();
    // When a server is stopped, its hints are gone.
    sandbox.run(["set", "a", "k", "v"]).code(0);
    sandbox.run(["get", "a", "k", "--value"]).code(0).stdout(expect_test::expect![["v\n"]]);
    let flag = port(&sandbox).to_string();
    sandbox.run(["-p", &flag, "get", "a", "k"]).code(0);
    // Without the token no server can be proved.
    fs::remove_file(sandbox.runtime_folder().join("server.token")).unwrap();
    let ran = sandbox.run(["get", "a", "k"]);
    assert!(ran.code == Some(1) && ran.stderr.contains("is not a nudge server"), "{}", ran.stderr);
    drop(second);
}

#[test]
fn another_runtime_folder_is_another_world() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    rpc(&sandbox, "nudge.set_hint", &json!({ "component": "a", "key": "k", "value": "v" }));
    let other = sandbox.beside("home/other");
    private_dir(&other);
    let (pid, port) = (server.child.id(), port(&sandbox));
    let flag = port.to_string();
    let elsewhere = |args: &[&str]| {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
        sandbox.ran(&command.args(args).env("NUDGE_RUNTIME_DIR", &other).output().unwrap())
    };
    for args in [&["ls"][..], &["stop"], &["set", "a", "k", "w"], &["get", "a", "k"], &["status"]] {
        let ran = elsewhere(&[&["-p", &flag], args].concat());
        assert_eq!(
            (ran.code, ran.stderr),
            (
                Some(1),
                format!(
                    "error: the server on port {port} (pid {pid}) belongs to another runtime folder: $BASE/home/runtime\n\
                     hint: to ask that server: NUDGE_RUNTIME_DIR=$BASE/home/runtime nudge …\n"
                )
            ),
            "{args:?}"
        );
    }
    // An address that points to a server of another folder does not make it ours.
    fs::copy(sandbox.runtime_folder().join("server.pid"), other.join("server.pid")).unwrap();
    let text = fs::read_to_string(other.join("server.pid")).unwrap();
    let instance = address(&sandbox)["instance"].as_str().unwrap().to_owned();
    fs::write(other.join("server.pid"), text.replace(&instance, "stale")).unwrap();
    assert_eq!(elsewhere(&["stop"]).code, Some(1));
    sandbox.run(["get", "a", "k", "--value"]).code(0).stdout(expect_test::expect![["v\n"]]);
}

/// The default port is free in a network of one's own.
#[test]
fn without_an_address_the_server_of_another_folder_is_not_asked() {
    if !strangers::are_possible() {
        return;
    }
    let sandbox = Sandbox::new();
    let script = "ip link set lo up\n\
        $nudge serve < /dev/null 2> /dev/null & server=$!\n\
        until $nudge ls > /dev/null 2>&1; do sleep 0.05; done\n\
        $nudge set a k v > /dev/null\n\
        export first=$NUDGE_RUNTIME_DIR NUDGE_RUNTIME_DIR=$NUDGE_RUNTIME_DIR.other\n\
        mkdir -m 700 $NUDGE_RUNTIME_DIR\n\
        for command in ls 'set own k w' 'get own k' status stop; do $nudge $command > /dev/null; echo $command: $?; done\n\
        $nudge -p 9999 serve < /dev/null 2> /dev/null & sleep 0.1\n\
        until $nudge ls > /dev/null 2>&1; do sleep 0.05; done\n\
        $nudge stop | sed 's/pid [0-9]*/pid N/'\n\
        NUDGE_RUNTIME_DIR=$first\n\
        $nudge get a k --value\n\
        rm $first/server.pid $first/server.sock\n\
        $nudge get a k --value\n\
        kill $server";
    let output = strangers::in_namespace(&sandbox, script, &[]);
    let ran = sandbox.ran(&output);
    // The address may be lost, to a cleaner of `/tmp` for example: then the server of the folder is found on the default port.
    assert_eq!(
        ran.stdout,
        // Without a server of its own, the other folder keeps a hint for the user.
        "ls: 1\nset own k w: 0\nget own k: 0\nstatus: 0\nstop: 1\n\
         stopped the server with pid N on port 9999\nkept: 1 hint in ~/data/nudge/hints.json\nno other server runs\n\
         v\nv\n",
        "{}",
        ran.stderr
    );
}

#[test]
fn a_server_that_wants_the_token_proves_that_it_knows_it() {
    let sandbox = Sandbox::new();
    let _server = Server::start(&sandbox, &["--token"]);
    sandbox.run(["set", "a", "k", "v"]).code(0);
    // Without the socket, commands and PROXYs go over TCP.
    fs::remove_file(sandbox.runtime_folder().join("server.sock")).unwrap();
    sandbox.run(["get", "a", "k"]).code(0);
    let mut proxy = Client::new(&sandbox);
    assert_eq!(proxy.call_json("nudge_list_components", json!({}))["components"][0]["name"], "a");
    fs::write(sandbox.runtime_folder().join("server.token"), "00112233445566778899aabbccddeeff").unwrap();
    let ran = sandbox.run(["get", "a", "k"]);
    assert!(ran.code == Some(1) && ran.stderr.contains("refuses"), "{}", ran.stderr);
}

#[test]
fn the_socket_works_in_a_folder_with_a_long_path() {
    let long = format!("home/{}", "long/".repeat(40));
    let sandbox = Sandbox::new().env("NUDGE_RUNTIME_DIR", &format!("$BASE/{long}"));
    let folder = sandbox.beside(&long);
    let _server = Server::begin(&sandbox, &[]);
    wait_until("there is a socket", || {
        folder.join("server.sock").exists() && folder.join("server.pid").exists()
    });
    sandbox.run(["set", "a", "k", "v"]).code(0);
    // Nothing else says where it is.
    fs::remove_file(folder.join("server.pid")).unwrap();
    sandbox.run(["get", "a", "k"]).code(0);
}

#[test]
fn the_socket_of_a_killed_server_is_in_nobodys_way() {
    let sandbox = Sandbox::new();
    let mut server = Server::start(&sandbox, &[]);
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    assert!(files(&sandbox).iter().any(|name| name == "server.sock"));
    let ran = sandbox.run(["ls"]);
    assert!(ran.code == Some(1) && ran.stderr.starts_with("error: no server is running"), "{}", ran.stderr);
    let server = Server::start(&sandbox, &[]);
    sandbox.run(["ls"]).code(0);
    sandbox.run(["stop"]).code(0);
    assert_eq!(server.end().status.code(), Some(0));
    assert_eq!(files(&sandbox), Vec::<String>::new());
}

#[test]
fn another_user_is_refused_on_the_socket_too() {
    if !strangers::are_possible() {
        return;
    }
    let sandbox = Sandbox::new();
    let _server = Server::start(&sandbox, &[]);
    // The folder keeps other users out; without it the kernel still says who they are.
    for path in ["", "home", "home/runtime"] {
        fs::set_permissions(sandbox.beside(path), fs::Permissions::from_mode(0o711)).unwrap();
    }
    let socket = sandbox.runtime_folder().join("server.sock");
    fs::set_permissions(&socket, fs::Permissions::from_mode(0o666)).unwrap();
    let script = "s = socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1])\n\
        s.sendall(b'GET /health HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n')\nprint(s.recv(4096).decode())";
    let output =
        strangers::other_user(&sandbox, script, &[socket.to_str().unwrap()]).wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.starts_with("HTTP/1.1 403 ") && said.contains("belongs to another user"), "{said}");
}
