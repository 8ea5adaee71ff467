//! Several machines on this one: each has a home of its own, and a stand-in for `ssh` runs the program in that of the host
//! that it is given.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::payload::{bash, event};
use crate::sandbox::{Ran, Sandbox};

/// The stand-in: it prints a banner, as shells do, and cuts the connection after some bytes, if a file says so.
const SSH: &str = r#"#!/bin/sh
echo "$@" >> "$0.log"
while [ "$1" != "--" ]; do shift; done
hosts=$(dirname "$0")/hosts
[ -f "$hosts/$2" ] || { echo "ssh: Could not resolve hostname $2" >&2; exit 255; }
. "$hosts/$2"
[ -f "$hosts/banner" ] && cat "$hosts/banner"
if [ -f "$hosts/cut" ]; then
    read up down < "$hosts/cut"
    # A cut connection ends both ways.
    dd bs=1 count="$up" 2> /dev/null | sh -c "$3" | { dd bs=1 count="$down" 2> /dev/null; kill -KILL $$; }
fi
exec sh -c "$3"
"#;

/// Machines with names.
pub(crate) struct Machines {
    folder: TempDir,
    machines: Vec<(String, Sandbox)>,
}

impl Machines {
    pub(crate) fn new(names: &[&str]) -> Machines {
        let folder = TempDir::new().expect("a folder");
        fs::create_dir_all(folder.path().join("bin/hosts")).expect("a folder for hosts");
        let ssh = folder.path().join("bin/ssh");
        fs::write(&ssh, SSH).expect("a script");
        fs::set_permissions(&ssh, fs::Permissions::from_mode(0o755)).expect("a program");
        let mut machines = Machines { folder, machines: Vec::new() };
        names.iter().for_each(|name| machines.add(name));
        machines
    }

    /// Adds a machine that the others can call.
    pub(crate) fn add(&mut self, name: &str) {
        let program =
            Path::new(env!("CARGO_BIN_EXE_nudge")).parent().expect("a folder").display().to_string();
        let path = format!("{}/bin:{program}:/usr/bin:/bin", self.folder.path().display());
        let sandbox = Sandbox::new().env("PATH", &path);
        let home = sandbox.beside("home");
        let home = home.display();
        let host = format!(
            "export HOME='{home}' XDG_CONFIG_HOME='{home}/config' XDG_DATA_HOME='{home}/data' \
             XDG_CACHE_HOME='{home}/cache' NUDGE_RUNTIME_DIR='{home}/runtime' PATH='{program}:/usr/bin:/bin'\n"
        );
        fs::write(self.bin("hosts").join(name), host).expect("a host");
        self.machines.push((name.to_owned(), sandbox));
    }

    pub(crate) fn bin(&self, name: &str) -> PathBuf {
        self.folder.path().join("bin").join(name)
    }

    /// Returns a folder that all machines see.
    pub(crate) fn common_folder(&self) -> PathBuf {
        let folder = self.folder.path().join("common");
        fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    pub(crate) fn on(&self, name: &str) -> &Sandbox {
        &self.machines.iter().find(|(one, _)| one == name).expect("a machine").1
    }

    /// Lets an agent run a command on a machine.
    pub(crate) fn runs(&self, name: &str, command: &str) {
        let payload = bash(command).after().session(name).with("tool_use_id", command);
        self.on(name).hook("claude-code", payload);
    }

    /// Begins a session, in which the project's repository is recognised.
    pub(crate) fn starts(&self, name: &str) {
        let payload = event("SessionStart").session(name).with("source", "startup");
        self.on(name).hook("claude-code", payload);
    }

    pub(crate) fn sync(&self, name: &str, host: &str) -> Ran {
        self.on(name).run(["sync", "ssh", host])
    }

    pub(crate) fn sync_file(&self, name: &str) -> Ran {
        let folder = self.common_folder();
        self.on(name).run(["sync", "file", folder.to_str().expect("UTF-8")])
    }

    /// Starts a sync without waiting for it.
    pub(crate) fn start_sync(&self, name: &str, host: &str) -> Child {
        let mut command = self.on(name).command(env!("CARGO_BIN_EXE_nudge"));
        command.args(["sync", "ssh", host]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("the program starts")
    }

    /// Returns every row of a machine, without what is different on each.
    pub(crate) fn rows(&self, name: &str) -> Vec<Value> {
        rows(self.on(name))
    }

    /// Returns the commands that a machine remembers, in order, each as often as it is there.
    pub(crate) fn commands(&self, name: &str) -> Vec<String> {
        let of = |row: Value| row["content"].as_str().expect("a text").to_owned();
        let mut commands: Vec<String> =
            self.rows(name).into_iter().filter(|row| row["obs_type"] == "command").map(of).collect();
        commands.sort();
        commands
    }
}

/// Returns every row of a sandbox, without its number, in the order of keys.
pub(crate) fn rows(sandbox: &Sandbox) -> Vec<Value> {
    // Each sandbox would name its own folder, and the rows of others name that of theirs.
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
    let export = command.args(["observations", "export", "--all"]).output().expect("the program runs");
    let mut rows: Vec<Value> = String::from_utf8(export.stdout)
        .expect("UTF-8")
        .lines()
        .map(|line| {
            let mut row: Value = serde_json::from_str(line).expect("JSON");
            row.as_object_mut().expect("a row").remove("id");
            row
        })
        .collect();
    rows.sort_by_key(|row| row["event_key"].as_str().unwrap_or_default().to_owned());
    rows
}

/// Returns every byte of a machine's data folder.
pub(crate) fn bytes_of(folder: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            bytes.extend(bytes_of(&path));
        } else {
            bytes.extend(fs::read(&path).expect("a file"));
        }
    }
    bytes
}

pub(crate) fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}
