//! Which user owns a connection: the kernel is asked for one socket, and its tables of all sockets are not read.

use std::fs;
use std::process::Stdio;

use crate::sandbox::Sandbox;
use crate::servers::{address, http, port, wait_until};

#[test]
#[ignore = "needs strace; .ci/run runs it"]
fn the_tables_of_all_sockets_are_not_read_for_a_connection() {
    let sandbox = Sandbox::new();
    let log = sandbox.beside("trace");
    let mut command = sandbox.command("strace");
    command.args(["-f", "-qq", "-e", "trace=openat", "-o"]).arg(&log);
    command.arg(env!("CARGO_BIN_EXE_nudge")).args(["-p", &sandbox.port().to_string(), "serve"]);
    command.stdin(Stdio::null()).stderr(Stdio::null());
    let mut server = command.spawn().expect("strace starts: `.ci/run` installs it");
    wait_until("there is an address", || address(&sandbox)["pid"].is_u64());
    for _ in 0..5 {
        assert_eq!(http(port(&sandbox), "GET", "/health", "", b"").0, 200);
    }
    sandbox.run(["status"]).code(0);
    sandbox.run(["stop"]).code(0);
    server.wait().expect("the server ends");
    let trace = fs::read_to_string(log).expect("a trace");
    assert!(trace.contains("server.lock") && !trace.contains("/proc/net/tcp"), "{trace}");
}
