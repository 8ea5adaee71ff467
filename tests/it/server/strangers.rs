//! Other users of the machine, played by Python: a listener that answers like a nudge server, and callers.
//!
//! Only root can be another user; without root these tests say that they were skipped.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use crate::sandbox::Sandbox;

/// `nobody` on most systems; any other user id would do.
pub(crate) const OTHER_UID: u32 = 65534;

/// Returns whether tests can become another user and have a network of their own.
#[expect(clippy::print_stdout, reason = "what is skipped is said")]
pub(crate) fn are_possible() -> bool {
    let output = Command::new("unshare").args(["-n", "-m", "ip", "link", "set", "lo", "up"]).output();
    let python = Command::new("python3").args(["-c", "import os; os.setuid(65534)"]).output();
    let is_possible = [output, python].iter().flatten().filter(|output| output.status.success()).count() == 2;
    if !is_possible {
        println!("skipped: this takes root, unshare, ip and python3");
    }
    is_possible
}

/// A listener of another user that pretends to be a server, and writes down every byte that it gets.
pub(crate) struct Fake {
    child: Child,
    log: PathBuf,
}

/// Answers health, environment names and hints; what it gets is appended to the log, before anything is answered.
const FAKE: &str = r#"
import json, os, socket, sys, threading
log = open(sys.argv[2], 'ab', 0)
if sys.argv[3] != 'ours': os.setgroups([]); os.setuid(65534)
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(('127.0.0.1', int(sys.argv[1])))
listener.listen(64)
print('ready', flush=True)
def serve(stream):
    while True:
        data = stream.recv(65536)
        if not data: return
        log.write(data)
        if b'/health' in data:
            body = {'status': 'ok', 'instance': 'x', 'pid': os.getpid(), 'port': int(sys.argv[1]), 'mode': 'PRIMARY'}
            if sys.argv[3] == 'ours':
                folder = os.environ['NUDGE_RUNTIME_DIR']
                meta = os.stat(folder)
                body.update(runtime_dir=folder, runtime_id='%x-%x' % (meta.st_dev, meta.st_ino))
        else:
            hint = {'value': 'curl http://evil.test', 'version': 1}
            names = ['AWS_SECRET_ACCESS_KEY', 'GITHUB_TOKEN']
            body = {'jsonrpc': '2.0', 'id': 1, 'result': {'names': names, 'hint': hint, 'matched': True, 'score': 1,
                    'components': [{'name': 'evil', 'hint_count': 1}], 'hints': [], 'stopping': True}}
        text = json.dumps(body).encode()
        stream.sendall(b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n' % len(text) + text)
while True:
    stream, _ = listener.accept()
    threading.Thread(target=serve, args=(stream,), daemon=True).start()
"#;

impl Fake {
    /// Starts it on a port of this machine.
    pub(crate) fn start(sandbox: &Sandbox, port: u16) -> Fake {
        let log = sandbox.beside("fake.log");
        let mut command = sandbox.command("python3");
        command.args(["-c", FAKE, &port.to_string()]).arg(&log).arg("other").stdout(Stdio::piped());
        let mut child = command.spawn().expect("python3 starts");
        let mut ready = [0; 5];
        std::io::Read::read_exact(child.stdout.as_mut().expect("piped"), &mut ready).expect("it listens");
        Fake { child, log }
    }

    /// Returns what it was sent.
    pub(crate) fn received(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.log).expect("a log")).into_owned()
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Runs a shell script in a network of its own, in which `fake` is a listener of another user on port 8765. Returns what the
/// script printed, and what the listener was sent.
pub(crate) fn beside_fake(sandbox: &Sandbox, script: &str) -> (Output, String) {
    beside(sandbox, script, "other")
}

/// Does the same with a listener of this user that names the runtime folder as its own.
pub(crate) fn beside_own_fake(sandbox: &Sandbox, script: &str) -> (Output, String) {
    beside(sandbox, script, "ours")
}

fn beside(sandbox: &Sandbox, script: &str, user: &str) -> (Output, String) {
    let log = sandbox.beside("fake.log");
    fs::write(sandbox.beside("fake.py"), FAKE).expect("a file in the sandbox");
    let prelude = "ip link set lo up\n\
         python3 \"$1\" 8765 \"$2\" \"$3\" > \"$2.ready\" &\nfake=$!\n\
         until grep -q ready \"$2.ready\"; do sleep 0.05; done\n";
    let output = in_namespace(
        sandbox,
        &format!("{prelude}{script}\nkill $fake\n"),
        &[sandbox.beside("fake.py"), log.clone(), user.into()],
    );
    (output, String::from_utf8_lossy(&fs::read(log).unwrap_or_default()).into_owned())
}

/// Runs a shell script in namespaces of its own; `$nudge` is the program.
pub(crate) fn in_namespace(sandbox: &Sandbox, script: &str, arguments: &[PathBuf]) -> Output {
    let mut command = sandbox.command("unshare");
    command
        .args(["-n", "-m", "-p", "-f", "--mount-proc", "--kill-child", "sh", "-c", script, "sh"])
        .args(arguments);
    command.env("nudge", env!("CARGO_BIN_EXE_nudge"));
    command.stdin(Stdio::null()).output().expect("unshare starts")
}

/// Runs Python as another user, with these arguments; it prints a line when it is ready.
pub(crate) fn other_user(sandbox: &Sandbox, script: &str, arguments: &[&str]) -> Child {
    let mut command = sandbox.command("python3");
    let script = format!("import os, sys, socket, time\nos.setgroups([]); os.setuid({OTHER_UID})\n{script}");
    command.current_dir("/").args(["-c", &script]).args(arguments).stdout(Stdio::piped());
    command.spawn().expect("python3 starts")
}
