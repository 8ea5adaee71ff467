//! A sandbox with a server in it, and commands of hints run against it.

use std::fs;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use serde_json::Value;

use crate::sandbox::{Ran, Sandbox};

/// A sandbox whose server lives as long as it does.
pub(crate) struct Scene {
    pub(crate) sandbox: Sandbox,
    server: Child,
    port: u16,
}

impl Scene {
    pub(crate) fn new() -> Scene {
        Scene::with(Sandbox::new(), &[])
    }

    /// Starts a server with these arguments, and waits until it has written down where it listens.
    pub(crate) fn with(sandbox: Sandbox, args: &[&str]) -> Scene {
        static TAKEN: AtomicU16 = AtomicU16::new(0);
        let sandbox = sandbox.env("NUDGE_RUNTIME_DIR", "$BASE/home/runtime");
        let first = u16::try_from(std::process::id() % 500).expect("small") * 20;
        let port = 33_000_u16.wrapping_sub(first) - TAKEN.fetch_add(20, Ordering::Relaxed) % 10_000;
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
        command.args(["serve", "-p", &port.to_string()]).args(args);
        let server = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let server = server.expect("the server starts");
        let file = sandbox.beside("home/runtime/server.pid");
        for _ in 0..6_000 {
            let address: Value = fs::read(&file)
                .ok()
                .and_then(|bytes| serde_json::from_slice(&bytes).ok())
                .unwrap_or_default();
            if address["pid"] == server.id() {
                let port = address["port"].as_u64().and_then(|port| u16::try_from(port).ok());
                return Scene { sandbox, server, port: port.expect("a port") };
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the server never listens");
    }

    pub(crate) fn port(&self) -> String {
        self.port.to_string()
    }

    /// Runs a command in the project.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.run_in("", args)
    }

    /// Runs a command in a folder of the project, which is made if need be.
    pub(crate) fn run_in(&self, folder: &str, args: &[&str]) -> Ran {
        let folder = self.sandbox.path(folder);
        fs::create_dir_all(&folder).expect("a folder to run in");
        let mut command = self.sandbox.command(env!("CARGO_BIN_EXE_nudge"));
        let output = command.current_dir(folder).args(args).stdin(Stdio::null()).output().expect("it runs");
        timeless(self.sandbox.ran(&output))
    }

    /// Runs a command that must do what it is told.
    #[track_caller]
    pub(crate) fn done(&self, args: &[&str]) -> Ran {
        let ran = self.run(args);
        ran.code(0);
        ran
    }
}

/// Replaces what differs from run to run: on a busy machine a moment ago is some seconds ago.
pub(crate) fn timeless(mut ran: Ran) -> Ran {
    let seconds = regex::Regex::new(r"\d+s ago").expect("a pattern");
    ran.stdout = seconds.replace_all(&ran.stdout, "just now").into_owned();
    ran
}

impl Drop for Scene {
    fn drop(&mut self) {
        drop(self.server.kill());
        drop(self.server.wait());
    }
}
