//! A PRIMARY that runs but does not answer: it is reported as such, and can be ended.

#![expect(clippy::unwrap_used, reason = "what cannot be read is a failed test")]

use std::net::TcpListener;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::mcp_client::Client;
use crate::sandbox::Sandbox;
use crate::server::relay::Relay;
use crate::servers::{Server, address, files, rpc, wait_until};

fn signal(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), signal).unwrap();
}

#[test]
fn a_server_that_is_stopped_is_not_called_gone() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let (pid, port) = (server.child.id(), address(&sandbox)["port"].clone());
    signal(pid, Signal::STOP);
    let said = format!(
        "error: the server with pid {pid} does not answer on port {port} within 3 s: it is stopped\n\
         hint: `kill -CONT {pid}` resumes it, `nudge stop` ends it\n"
    );
    std::thread::scope(|scope| {
        for args in [["status"], ["ls"], ["export"]] {
            let (sandbox, said) = (&sandbox, &said);
            scope.spawn(move || {
                let ran = sandbox.run(args);
                assert_eq!((ran.code, &ran.stderr), (Some(1), said), "{args:?}");
            });
        }
        scope.spawn(|| {
            let ran = sandbox.run(["doctor"]);
            let said =
                format!("the server with pid {pid} does not answer on port {port} within 2 s: it is stopped");
            assert!(ran.stdout.contains(&said) && ran.stdout.contains("nudge stop"), "{}", ran.stdout);
        });
    });
    signal(pid, Signal::CONT);
    sandbox.run(["status"]).code(0);
}

#[test]
fn a_server_that_is_stopped_is_woken_up_to_end() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    rpc(&sandbox, "nudge.set_hint", &json!({ "component": "a", "key": "k", "value": "v" }));
    let (pid, port) = (server.child.id(), address(&sandbox)["port"].clone());
    signal(pid, Signal::STOP);
    let ran = sandbox.run(["stop"]);
    ran.code(0);
    assert_eq!(
        ran.stdout,
        format!(
            "stopped the server with pid {pid} on port {port}: it did not answer, since a signal had stopped it, and was woken up to end\n\
             lost: 1 hint of this session; `nudge set --keep` keeps a hint\n\
             no other server runs\n"
        )
    );
    assert_eq!(server.end().status.code(), Some(0));
    assert_eq!(files(&sandbox), Vec::<String>::new());
}

/// Ends a server that is stopped again whenever a client sends what `stops` looks for, and asserts that it was killed.
#[track_caller]
fn assert_killed(stops: fn(&str) -> bool) {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    rpc(&sandbox, "nudge.set_hint", &json!({ "component": "a", "key": "k", "value": "v" }));
    let mut proxy = Client::new(&sandbox);
    wait_until("there is a snapshot", || files(&sandbox).iter().any(|name| name == "server.snapshot"));
    let (pid, port) = (server.child.id(), address(&sandbox)["port"].clone());
    let _relay = Relay::start(&sandbox, move |bytes| {
        let is_stopped = stops(&String::from_utf8_lossy(bytes));
        if is_stopped {
            signal(pid, Signal::STOP);
        }
        // What stopped it never reaches it, however late it is woken.
        !is_stopped
    });
    let ran = sandbox.run(["stop"]);
    ran.code(0);
    let next = address(&sandbox);
    assert_eq!(
        ran.stdout,
        format!(
            "stopped the server with pid {pid} on port {port}: it did not answer, and was killed\n\
             another server is PRIMARY now, without the hints of the session: pid {}, port {}\n",
            proxy.pid(),
            next["port"]
        )
    );
    assert_eq!(proxy.call_json("nudge_list_components", json!({})), json!({ "components": [] }));
}

#[test]
fn a_server_that_cannot_be_woken_is_killed_with_its_hints() {
    assert_killed(|_| true);
}

#[test]
fn a_server_that_says_who_it_is_and_then_nothing_is_killed_too() {
    assert_killed(|sent| sent.contains("nudge.stop"));
}

#[test]
fn a_port_that_says_nothing_is_nobody_to_end() {
    let sandbox = Sandbox::new();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let said = format!(
        "error: the program on port {port} did not answer within 3 s\n\
         hint: `nudge serve` starts a server on the next free port, and commands without `-p` find it\n"
    );
    let flag = port.to_string();
    std::thread::scope(|scope| {
        for command in ["ls", "status", "stop"] {
            let (sandbox, said, flag) = (&sandbox, &said, &flag);
            scope.spawn(move || {
                let ran = sandbox.run(["-p", flag, command]);
                assert_eq!((ran.code, &ran.stderr), (Some(1), said), "{command}");
            });
        }
    });
    // An address with a running process is not a proof: this one has nothing to do with nudge.
    let mut bystander = sandbox.command("sleep").arg("1000").spawn().unwrap();
    let stale =
        json!({ "pid": bystander.id(), "port": port, "started": "2020-01-01T00:00:00Z", "instance": "old" });
    std::fs::create_dir_all(sandbox.runtime_folder()).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(sandbox.runtime_folder(), std::fs::Permissions::from_mode(0o700)).unwrap();
    }
    std::fs::write(sandbox.runtime_folder().join("server.pid"), stale.to_string()).unwrap();
    let lock = std::fs::File::create(sandbox.runtime_folder().join("server.lock")).unwrap();
    lock.lock().unwrap();
    let ran = sandbox.run(["stop"]);
    ran.code(1);
    assert!(
        ran.stderr.contains("it is unknown whether that process is a server of this folder"),
        "{}",
        ran.stderr
    );
    assert!(bystander.try_wait().unwrap().is_none(), "the bystander lives");
    bystander.kill().unwrap();
    bystander.wait().unwrap();
}
