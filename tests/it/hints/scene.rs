//! A sandbox with a server in it, and commands of hints run against it.

use std::fs;
use std::process::Stdio;

use crate::sandbox::{Ran, Sandbox};
use crate::servers::{self, Server};

/// A sandbox whose server lives as long as it does.
pub(crate) struct Scene {
    pub(crate) sandbox: Sandbox,
    _server: Server,
}

impl Scene {
    pub(crate) fn new() -> Scene {
        Scene::with(Sandbox::new(), &[])
    }

    /// Starts a server with these arguments.
    pub(crate) fn with(sandbox: Sandbox, args: &[&str]) -> Scene {
        let server = Server::start(&sandbox, args);
        Scene { sandbox, _server: server }
    }

    pub(crate) fn port(&self) -> String {
        servers::port(&self.sandbox).to_string()
    }

    /// Runs a command in the project.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.run_in("", args)
    }

    /// Runs a command in a folder of the project, which is created if necessary.
    pub(crate) fn run_in(&self, folder: &str, args: &[&str]) -> Ran {
        let folder = self.sandbox.path(folder);
        fs::create_dir_all(&folder).expect("a folder to run in");
        let mut command = self.sandbox.command(env!("CARGO_BIN_EXE_nudge"));
        let output = command.current_dir(folder).args(args).stdin(Stdio::null()).output().expect("it runs");
        timeless(self.sandbox.ran(&output))
    }

    /// Runs a command that must succeed.
    #[track_caller]
    pub(crate) fn done(&self, args: &[&str]) -> Ran {
        let ran = self.run(args);
        ran.code(0);
        ran
    }
}

/// Replaces what differs from run to run: on a busy machine `just now` becomes some seconds ago.
pub(crate) fn timeless(mut ran: Ran) -> Ran {
    let seconds = regex::Regex::new(r"\d+s ago").expect("a pattern");
    ran.stdout = seconds.replace_all(&ran.stdout, "just now").into_owned();
    ran
}
