//! `nudge serve`, asked as an agent asks it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

pub(crate) struct AgentServer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl AgentServer {
    /// Starts a server, and waits until it has answered.
    pub(crate) fn start(mut command: Command) -> AgentServer {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a server");
        let (input, output) =
            (child.stdin.take().expect("a pipe"), BufReader::new(child.stdout.take().expect("a pipe")));
        let mut server = AgentServer { child, input, output, next: 0 };
        let client = json!({ "name": "bench", "version": "1" });
        server.ask(
            "initialize",
            &json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client }),
        );
        writeln!(server.input, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .expect("it reads");
        server
    }

    /// Calls a tool, which must have an answer.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Duration {
        let start = Instant::now();
        let reply = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        let took = start.elapsed();
        assert!(reply["result"]["isError"] != true && reply["error"].is_null(), "{reply}");
        took
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params });
        writeln!(self.input, "{request}").expect("it reads");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it answers");
        serde_json::from_str(&line).expect("JSON")
    }
}

impl Drop for AgentServer {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
