//! A minimal MCP client: starts `nudge serve` in a sandbox and exchanges JSON lines with it.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// No answer takes this long, however busy the machine is.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A running server and the client's side of its pipes.
pub(crate) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    /// Every line of stdout; one that is not JSON fails the test.
    lines: Receiver<Value>,
    next_id: i64,
    modern: bool,
}

impl Client {
    /// Starts a server without sending anything.
    pub(crate) fn silent(sandbox: &Sandbox) -> Client {
        Client::started(sandbox, &[])
    }

    /// Starts a server with these arguments, too.
    fn started(sandbox: &Sandbox, args: &[&str]) -> Client {
        let mut command: Command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
        command.args(["serve", "-p", &sandbox.port().to_string()]).args(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines() {
                let line = line.expect("the server prints UTF-8");
                let value = serde_json::from_str(&line).unwrap_or_else(|_| json!({ "not JSON": line }));
                if sender.send(value).is_err() {
                    break;
                }
            }
        });
        Client { child, stdin, lines, next_id: 1, modern: false }
    }

    /// Starts a server and shakes hands as clients of 2025 do.
    pub(crate) fn new(sandbox: &Sandbox) -> Client {
        Client::with_tools(sandbox, None)
    }

    /// Does the same with a server that offers these tools.
    pub(crate) fn with_tools(sandbox: &Sandbox, tools: Option<&str>) -> Client {
        let args: Vec<&str> = tools.into_iter().flat_map(|tools| ["--tools", tools]).collect();
        let mut client = Client::started(sandbox, &args);
        let answer = client.ask("initialize", initialize("2025-06-18"));
        assert_eq!(answer["result"]["protocolVersion"], "2025-06-18", "{answer}");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    /// Starts a server for requests that say everything themselves, as in 2026.
    pub(crate) fn modern(sandbox: &Sandbox) -> Client {
        let mut client = Client::silent(sandbox);
        client.modern = true;
        client
    }

    /// Returns the number of the server's process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills the server.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("the server runs");
        self.child.wait().expect("the server ends");
    }

    /// Sends a request and returns the whole answer.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Sends a request and returns its id.
    pub(crate) fn request(&mut self, method: &str, mut params: Value) -> i64 {
        let id = self.next_id;
        self.next_id += 1;
        if self.modern {
            params["_meta"] = meta("2026-07-28");
        }
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Calls a tool and returns its result.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let mut params = json!({ "name": tool });
        params["arguments"] = arguments;
        let answer = self.ask("tools/call", params);
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].clone()
    }

    /// Calls a tool and returns the JSON of its text, which the structured content repeats.
    #[track_caller]
    pub(crate) fn call_json(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        let output: Value = serde_json::from_str(text(&result)).expect("the text is JSON");
        let structured = if output.is_array() { json!({ "observations": output }) } else { output.clone() };
        assert_eq!(result["structuredContent"], structured);
        output
    }

    /// Calls a tool and returns why it refuses.
    #[track_caller]
    pub(crate) fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(
            (&result["isError"], &result["structuredContent"]),
            (&json!(true), &Value::Null),
            "{result}"
        );
        text(&result).to_owned()
    }

    /// Calls a tool of plan and tasks, and returns why it refuses: a sentence in a map, as text and as structured content.
    #[track_caller]
    pub(crate) fn error(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        let output: Value = serde_json::from_str(text(&result)).expect("the text is JSON");
        assert_eq!(result["structuredContent"], output);
        assert_eq!(output.as_object().map(serde_json::Map::len), Some(1), "{output}");
        output["error"].as_str().expect("a sentence").to_owned()
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    pub(crate) fn send_line(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the input is open");
        stdin.write_all(bytes).expect("the server reads");
    }

    #[track_caller]
    pub(crate) fn receive(&mut self) -> Value {
        let message = self.lines.recv_timeout(TIMEOUT).expect("the server answers");
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        message
    }

    /// Closes the input; returns how the server ended, what it still said, and its stderr.
    pub(crate) fn end(mut self) -> (ExitStatus, Vec<Value>, String) {
        drop(self.stdin.take());
        let rest: Vec<Value> = self.lines.iter().collect();
        let status = self.child.wait().expect("the server ends");
        let mut stderr = String::new();
        let pipe = self.child.stderr.as_mut().expect("stderr is piped");
        pipe.read_to_string(&mut stderr).expect("stderr is UTF-8");
        (status, rest, stderr)
    }
}

/// A server that a failed test leaves behind ends with its input; this is for one that would not.
impl Drop for Client {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

pub(crate) fn initialize(version: &str) -> Value {
    json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } })
}

pub(crate) fn meta(version: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
    })
}

#[track_caller]
fn text(result: &Value) -> &str {
    assert_eq!(result["content"].as_array().map(Vec::len), Some(1), "{result}");
    result["content"][0]["text"].as_str().expect("a text")
}
