//! Servers that a test starts besides an agent's, and plain HTTP to ask them.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Output, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// No answer takes this long, however busy the machine is.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// A server that a person started, without an input.
pub(crate) struct Server {
    pub(crate) child: Child,
}

impl Server {
    /// Starts a server and waits until its address is there.
    pub(crate) fn start(sandbox: &Sandbox, args: &[&str]) -> Server {
        let server = Server::begin(sandbox, args);
        wait_until("there is an address", || address(sandbox)["pid"] == server.child.id());
        server
    }

    /// Starts a server without waiting for it.
    pub(crate) fn begin(sandbox: &Sandbox, args: &[&str]) -> Server {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
        command.args(["-p", &sandbox.port().to_string(), "serve"]).args(args);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Server { child: command.spawn().expect("the server starts") }
    }

    /// Waits for the end and returns what was said.
    pub(crate) fn end(mut self) -> Output {
        let status = self.child.wait().expect("the server ends");
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        self.child.stdout.take().expect("piped").read_to_end(&mut stdout).expect("stdout");
        self.child.stderr.take().expect("piped").read_to_end(&mut stderr).expect("stderr");
        Output { status, stdout, stderr }
    }
}

/// A server that a failed test leaves behind would run forever.
impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Returns the address that the PRIMARY wrote down, or nothing.
pub(crate) fn address(sandbox: &Sandbox) -> Value {
    let text = fs::read(sandbox.runtime_folder().join("server.pid")).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

pub(crate) fn port(sandbox: &Sandbox) -> u16 {
    let port = address(sandbox)["port"].as_u64().expect("there is an address");
    u16::try_from(port).expect("a port")
}

/// Returns the names of the files in the runtime folder.
pub(crate) fn files(sandbox: &Sandbox) -> Vec<String> {
    let entries = fs::read_dir(sandbox.runtime_folder()).into_iter().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

/// Sends a request with these headers besides `Host`, and returns status and body.
pub(crate) fn http(port: u16, verb: &str, path: &str, headers: &str, body: &[u8]) -> (u16, String) {
    let host =
        if headers.starts_with("Host:") { String::new() } else { format!("Host: 127.0.0.1:{port}\r\n") };
    let length = if headers.contains("Transfer-Encoding") {
        String::new()
    } else {
        format!("Content-Length: {}\r\n", body.len())
    };
    let request = format!("{verb} {path} HTTP/1.1\r\n{host}{length}Connection: close\r\n{headers}\r\n");
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
    stream.set_read_timeout(Some(TIMEOUT)).expect("a time-out");
    // A caller that is refused early may not have sent everything.
    drop(stream.write_all(&[request.as_bytes(), body].concat()));
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).expect("a reply");
    let reply = String::from_utf8(reply).expect("UTF-8");
    let (head, body) = reply.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no reply: {reply:?}"));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    (status.unwrap_or_else(|| panic!("no status: {head}")), body.to_owned())
}

/// Asks over JSON-RPC, and returns the whole answer.
pub(crate) fn rpc(sandbox: &Sandbox, method: &str, params: &Value) -> Value {
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let (status, body) = http(port(sandbox), "POST", "/rpc", "", request.to_string().as_bytes());
    assert_eq!(status, 200, "{body}");
    serde_json::from_str(&body).unwrap_or_else(|_| panic!("no JSON: {body}"))
}

#[track_caller]
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let pause = Duration::from_millis(5);
    for _ in 0..TIMEOUT.as_millis() / pause.as_millis() {
        if holds() {
            return;
        }
        std::thread::sleep(pause);
    }
    panic!("never: {what}");
}
