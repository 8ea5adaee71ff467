//! A sandbox: a home and a project of their own, and the built program run in them with a clean environment.

use std::borrow::Borrow;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use expect_test::Expect;
use serde_json::Value;
use tempfile::TempDir;

use crate::payload::Payload;

/// A home and a project that are deleted when the test ends.
pub(crate) struct Sandbox {
    /// Keeps the folder alive.
    _folder: TempDir,
    base: PathBuf,
    /// Where the process runs, which for hooks must not matter.
    here: PathBuf,
    variables: Vec<(String, String)>,
    /// The first of twenty ports that no other sandbox tries.
    port: u16,
}

/// The result of a run of the program.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Sandbox {
    pub(crate) fn new() -> Sandbox {
        let folder = TempDir::new().expect("a folder for the sandbox");
        #[expect(clippy::disallowed_methods, reason = "the crate's own way is not seen from here")]
        let base = folder.path().canonicalize().expect("the sandbox has a path");
        for part in ["home", "project/.git", "elsewhere"] {
            fs::create_dir_all(base.join(part)).expect("a folder in the sandbox");
        }
        let here = base.join("project");
        // Unoptimised and on a busy machine, an ordinary rule may take longer than a hook should.
        let variables = vec![("NUDGE_RULE_DEADLINE_MS".to_owned(), "60000".to_owned())];
        Sandbox { _folder: folder, base, here, variables, port: next_port() }
    }

    /// Adds a rule file to `.nudge/`.
    pub(crate) fn rule(self, name: &str, text: &str) -> Sandbox {
        self.file(&format!(".nudge/{name}"), text)
    }

    /// Adds a file to the project.
    pub(crate) fn file(self, path: &str, text: impl AsRef<[u8]>) -> Sandbox {
        self.put(path, text);
        self
    }

    /// Adds the user's own rules.
    pub(crate) fn user_rules(self, text: &str) -> Sandbox {
        let path = self.user_rules_path();
        put(&path, text.as_bytes());
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Sandbox {
        self.variables.push((name.to_owned(), value.replace("$BASE", self.base.to_str().expect("UTF-8"))));
        self
    }

    /// Runs the program from a folder below the project.
    pub(crate) fn from(mut self, folder: &str) -> Sandbox {
        self.here = self.path(folder);
        fs::create_dir_all(&self.here).expect("a folder to run in");
        self
    }

    /// Writes a file of the project, new or not.
    pub(crate) fn put(&self, path: &str, text: impl AsRef<[u8]>) {
        put(&self.path(path), text.as_ref());
    }

    /// Returns a path in the project.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.base.join("project").join(path)
    }

    /// Returns a path beside home and project.
    pub(crate) fn beside(&self, path: &str) -> PathBuf {
        self.base.join(path)
    }

    /// Returns the port that servers of this sandbox are started with.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Returns the runtime folder of this sandbox's servers.
    pub(crate) fn runtime_folder(&self) -> PathBuf {
        self.base.join("home/runtime")
    }

    /// Writes the user's own settings.
    pub(crate) fn put_user_settings(&self, text: &str) {
        let folder = if cfg!(target_os = "macos") {
            "home/Library/Application Support/nudge"
        } else {
            "home/config/nudge"
        };
        put(&self.base.join(folder).join("config.toml"), text.as_bytes());
    }

    pub(crate) fn user_rules_path(&self) -> PathBuf {
        if cfg!(target_os = "macos") {
            return self.base.join("home/Library/Application Support/com.attunehq.nudge/rules.yaml");
        }
        self.base.join("home/config/nudge/rules.yaml")
    }

    pub(crate) fn cache_folder(&self) -> PathBuf {
        self.base.join(if cfg!(target_os = "macos") {
            "home/Library/Caches/nudge"
        } else {
            "home/cache/nudge"
        })
    }

    pub(crate) fn data_folder(&self) -> PathBuf {
        let data = if cfg!(target_os = "macos") { "home/Library/Application Support" } else { "home/data" };
        self.base.join(data).join("nudge")
    }

    /// Sends an event to `nudge hook`; whatever the event, it ends with 0 and says nothing on stderr.
    pub(crate) fn hook(&self, harness: &str, payload: Payload) -> Ran {
        self.hook_bytes(harness, self.place(payload).to_string().as_bytes())
    }

    pub(crate) fn hook_bytes(&self, harness: &str, input: &[u8]) -> Ran {
        let ran = self.run_with(["hook", "--harness", harness], input);
        ran.assert_harmless();
        ran
    }

    /// Starts a hook without waiting for it.
    pub(crate) fn start_hook(&self, payload: Payload) -> Child {
        let mut child = self.spawn(&["hook", "--harness", "claude-code"]);
        let bytes = self.place(payload).to_string();
        child.stdin.take().expect("stdin is piped").write_all(bytes.as_bytes()).expect("the hook reads");
        child
    }

    pub(crate) fn run<const N: usize>(&self, args: [&str; N]) -> Ran {
        self.run_with(args, b"")
    }

    pub(crate) fn run_with<const N: usize>(&self, args: [&str; N], input: &[u8]) -> Ran {
        let mut child = self.spawn(&args);
        // A program that does not read its input closes the pipe; that is not tested here.
        drop(child.stdin.take().expect("stdin is piped").write_all(input));
        self.ran(&child.wait_with_output().expect("the program ends"))
    }

    /// Returns the command with the sandbox around it, for tests that set up their own pipes.
    pub(crate) fn command(&self, program: &str) -> Command {
        let home = self.base.join("home");
        let mut command = Command::new(program);
        command.current_dir(&self.here).env_clear();
        command.env("PATH", path_variable());
        command.env("HOME", &home);
        command.env("XDG_CONFIG_HOME", home.join("config"));
        command.env("XDG_DATA_HOME", home.join("data"));
        command.env("XDG_CACHE_HOME", home.join("cache"));
        // Servers of different tests must not find each other.
        command.env("NUDGE_RUNTIME_DIR", home.join("runtime"));
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Makes a run readable: the sandbox's own paths have names.
    pub(crate) fn ran(&self, output: &Output) -> Ran {
        let text = |bytes: &[u8]| {
            let text = String::from_utf8(bytes.to_vec()).expect("the program prints UTF-8");
            text.replace(self.base.to_str().expect("UTF-8"), "$BASE")
        };
        Ran { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }

    /// Fills in the places that an agent would name: absolute paths, and the folder it is in.
    pub(crate) fn place(&self, payload: Payload) -> Value {
        let Payload(mut value) = payload;
        let folder = value["cwd"].as_str().map_or_else(|| self.path(""), |cwd| self.path(cwd));
        if value["cwd"] != "" {
            value["cwd"] = folder.to_str().expect("UTF-8").trim_end_matches('/').into();
        }
        for key in ["file_path", "notebook_path"] {
            if let Some(path) = value["tool_input"][key].as_str().filter(|path| !path.starts_with(['~', '$']))
            {
                value["tool_input"][key] = self.path(path).to_str().expect("UTF-8").into();
            }
        }
        value
    }

    fn spawn(&self, args: &[&str]) -> Child {
        let mut command = self.command(env!("CARGO_BIN_EXE_nudge"));
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the program starts")
    }
}

impl Ran {
    /// Compares the reply to the agent, in words; `nothing` if it is empty.
    #[track_caller]
    pub(crate) fn reply(&self, expected: impl Borrow<Expect>) -> &Ran {
        expected.borrow().assert_eq(&self.in_words());
        self
    }

    /// Compares the problems that the user is shown.
    #[track_caller]
    pub(crate) fn problem(&self, expected: impl Borrow<Expect>) -> &Ran {
        expected.borrow().assert_eq(&self.notice().unwrap_or_else(|| "nothing".to_owned()));
        self
    }

    /// Compares every byte of stdout.
    #[track_caller]
    pub(crate) fn stdout(&self, expected: impl Borrow<Expect>) -> &Ran {
        expected.borrow().assert_eq(&self.stdout);
        self
    }

    #[track_caller]
    pub(crate) fn stderr(&self, expected: impl Borrow<Expect>) -> &Ran {
        expected.borrow().assert_eq(&self.stderr);
        self
    }

    #[track_caller]
    pub(crate) fn code(&self, expected: i32) -> &Ran {
        assert_eq!(self.code, Some(expected), "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }

    /// Returns whether the agent's action is refused.
    pub(crate) fn blocks(&self) -> bool {
        self.in_words().starts_with("deny: ") || self.in_words().starts_with("block: ")
    }

    /// Some agents take any other exit code, or text on stderr, for a verdict.
    #[track_caller]
    pub(crate) fn assert_harmless(&self) {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "stdout: {}", self.stdout);
    }

    /// Returns the reply in words, without the lines that say who speaks (`[nudge: …]`): `hook::signature` tests those.
    pub(crate) fn in_words(&self) -> String {
        if self.stdout.is_empty() {
            return "nothing".to_owned();
        }
        let reply = self.json();
        let specific = &reply["hookSpecificOutput"];
        let received = [
            ("deny", &specific["permissionDecisionReason"]),
            ("context", &specific["additionalContext"]),
            ("block", &reply["reason"]),
        ];
        let mut words: Vec<String> = received
            .iter()
            .filter_map(|(word, text)| Some(format!("{word}: {}", unsigned(text.as_str()?))))
            .collect();
        let to_user = self.system_message().map(|(text, _)| text).filter(|text| !text.is_empty());
        words.extend(to_user.map(|text| format!("user: {text}")));
        if words.is_empty() { "nothing".to_owned() } else { words.join("\n") }
    }

    fn notice(&self) -> Option<String> {
        self.system_message().and_then(|(_, notice)| notice)
    }

    /// Splits `systemMessage` into what a rule says and what is wrong.
    fn system_message(&self) -> Option<(String, Option<String>)> {
        let reply: Value = serde_json::from_str(&self.stdout).ok()?;
        let text = reply["systemMessage"].as_str()?;
        let problems = |line: &str| {
            let (_, problems) = line.strip_prefix("nudge: ")?.split_once(": ")?;
            Some(problems.rsplit_once(" (")?.0.to_owned())
        };
        let notice: Vec<String> = text.lines().filter_map(problems).collect();
        let said: Vec<&str> =
            text.lines().filter(|line| problems(line).is_none() && !is_signature(line)).collect();
        Some((said.join("\n").trim_end().to_owned(), (!notice.is_empty()).then(|| notice.join("; "))))
    }
}

/// Returns whether a line of a reply only says who speaks.
pub(crate) fn is_signature(line: &str) -> bool {
    line.starts_with("[nudge: ") && line.ends_with(']')
}

/// Returns a text of a reply without signatures.
pub(crate) fn unsigned(text: &str) -> String {
    text.split('\n').filter(|line| !is_signature(line)).collect::<Vec<_>>().join("\n")
}

/// Returns a rule file with these rules, each in one line of flow style.
pub(crate) fn rules(lines: &[&str]) -> String {
    let items: String = lines.iter().map(|line| format!("  - {line}\n")).collect();
    format!("version: 1\nrules:\n{items}")
}

/// A rule that blocks what every test may write.
pub(crate) const BLOCK_TODO: &str = "\
version: 1
rules:
  - name: no-todo
    on: { hook: PreToolUse, tool: Write|Edit|MultiEdit }
    match: { content: TODO }
    action: interrupt
    message: 'Do it now (lines {{ lines }}).'
";

/// Lets a command find the user's own Rust, which a home of its own would hide.
#[expect(clippy::disallowed_methods, reason = "rustup and cargo are found as usual")]
pub(crate) fn toolchain(mut command: Command) -> Command {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    for (name, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        command.env(name, std::env::var_os(name).map_or_else(|| home.join(folder), PathBuf::from));
    }
    command
}

#[expect(clippy::disallowed_methods, reason = "programs that tests start are found as usual")]
fn path_variable() -> std::ffi::OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

/// Below the ephemeral ports of all systems; two runs at the same time begin at different ones.
fn next_port() -> u16 {
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    let number = std::process::id().wrapping_mul(37) + TAKEN.fetch_add(1, Ordering::Relaxed);
    10_000 + u16::try_from(number % 1_100).expect("small") * 20
}

fn put(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a folder in the sandbox");
    fs::write(path, bytes).expect("a file in the sandbox");
}
