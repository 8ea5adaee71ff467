//! Plays a short session of an agent in a temporary project: every event goes through the real hook, as a process.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::rules::explain::{Explained, explain};
use crate::config::env;
use crate::harness;
use crate::rules::Sample;

/// One step of the session.
pub(crate) struct Scene {
    pub(crate) title: &'static str,
    /// What the agent or its user does, as it is shown.
    pub(crate) action: String,
    /// The hook's answer, as the agent reads it, empty if it had nothing to say; `None` if it was not called.
    pub(crate) reply: Option<Value>,
    /// The result of each rule.
    pub(crate) rules: Vec<Explained>,
}

impl Scene {
    /// A scene in which only a person acts.
    fn words(title: &'static str, action: String) -> Scene {
        Scene { title, action, reply: None, rules: Vec::new() }
    }
}

/// The rules of the demo's project.
pub(crate) const RULES: &str = r#"version: 1
rules:
  - name: no-console-log
    description: Prevent console.log in production code
    on:
      hook: PreToolUse
      tool: Write|Edit
      file: ["**/*.ts", "!**/*.test.ts"]
    match:
      content: "console\\.(log|debug)"
    action: interrupt
    message: "Use `log.info` from src/log.ts instead of `{{ matched }}` (line {{ lines }})."

  - name: dev-server
    description: Say how the server is started here
    on:
      hook: UserPromptSubmit
    match:
      prompt: "start.*(server|dev)"
      case_sensitive: false
    action: continue
    message: "The dev server of this project is started with `make dev` and listens on port 3000."
"#;

const BROKEN: &str = "version: 1\nrules:\n  - name: no-force-push\n    on: { hook: PreToolUse, tool: Bash }\n    mach: { content: \"push --force\" }\n    action: interrupt\n    message: never\n";

/// Is called with each scene when it is over.
pub(crate) type Show<'s> = dyn FnMut(Scene) -> io::Result<()> + 's;

/// What the agent writes at first, and the rule forbids.
const FORBIDDEN: &str = "import { serve } from \"./serve\";\n\nconsole.log(\"starting\");\nserve(3000);\n";

const ERROR: &str = "Error: connect ECONNREFUSED 127.0.0.1:5432";
const FIX: &str = "make db";

/// Plays three scenes: a write is blocked, a failure is recognised, a session starts with what happened before.
pub(crate) fn play_short(show: &mut Show<'_>) -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let stage = DemoStage::open(folder.path())?;
    let blocked = stage.write("An agent writes a file, and a rule of the project blocks it", FORBIDDEN)?;
    let action = "Write src/app.ts: console.log(\"starting\");".to_owned();
    show(Scene { action, ..blocked })?;
    stage.prompt("", "make the tests pass")?;
    stage.failure("demo", "t1")?;
    stage.ran("t2", FIX)?;
    stage.ran("t3", "npm test")?;
    stage.stop("The tests pass again: the database was not running.")?;
    let title = "A command fails as it did before: the agent sees what worked then";
    let action = format!("npm test: {ERROR}");
    show(Scene { title, action, ..stage.failure("demo-2", "t4")? })?;
    show(stage.start("A new session starts, and knows what happened", "demo-3")?)
}

/// Plays all scenes; the project is deleted afterwards.
pub(crate) fn play_all(show: &mut Show<'_>) -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let stage = DemoStage::open(folder.path())?;
    show(stage.write("The agent writes a file", FORBIDDEN)?)?;
    let command = format!("cat > src/app.ts <<'EOF'\n{FORBIDDEN}EOF");
    show(stage.tool(
        "It tries the same through the shell",
        "Bash",
        &json!({ "command": command }),
        &command,
    )?)?;
    let fixed = FORBIDDEN.replace("console.log", "log.info");
    show(stage.write("It follows the message", &fixed)?)?;
    show(stage.prompt("The user asks for something", "please start the dev server")?)?;
    fs::write(stage.project.join(".nudge/git.yaml"), BROKEN)?;
    show(stage.write("Somebody adds a rule file with a mistake in it", FORBIDDEN)?)?;
    fs::remove_file(stage.project.join(".nudge/git.yaml"))?;
    remember(&stage, show)?;
    hint(&stage, show)?;
    plan(&stage, show)
}

/// The part of the session about memory: a failure, its fix, and the next session.
fn remember(stage: &DemoStage, show: &mut Show<'_>) -> io::Result<()> {
    show(Scene { title: "A command fails; nothing like it is known yet", ..stage.failure("demo", "t1")? })?;
    stage.ran("t2", FIX)?;
    let action = format!("{FIX}\nnpm test");
    show(Scene { title: "What fixes it is remembered, too", action, ..stage.ran("t3", "npm test")? })?;
    stage.stop("done")?;
    show(Scene {
        action: "(session start)".to_owned(),
        ..stage.start("The next day a new session starts", "demo-2")?
    })?;
    show(Scene {
        title: "The same failure again: this time the agent sees what worked",
        ..stage.failure("demo-2", "t4")?
    })
}

/// The part of the session about hints: a person leaves one, and it is shown when it helps.
fn hint(stage: &DemoStage, show: &mut Show<'_>) -> io::Result<()> {
    let _server = stage.serve()?;
    let command = ["set", "web", "build", "npm run build:web", "--tags", "build", "--scope-here"];
    let output = stage.run(&command)?;
    let error = "Exit code 1\nnpm error Missing script: \"build\"";
    let failure = json!({
        "hook_event_name": "PostToolUseFailure", "session_id": "demo-2", "tool_use_id": "t5", "error": error,
        "tool_name": "Bash", "tool_input": { "command": "npm run build" },
    });
    let action = format!(
        "$ nudge set web build \"npm run build:web\" --tags build --scope-here\n{output}\nnpm run build\n{error}"
    );
    show(stage.send("A person leaves a hint, and the agent sees it when a build fails", &action, failure)?)
}

/// The part of the session about the project: a plan, a task that is completed, a note that is deleted and restored.
fn plan(stage: &DemoStage, show: &mut Show<'_>) -> io::Result<()> {
    fs::remove_dir_all(stage.project.join(".git"))?;
    let mut done = Vec::new();
    if !stage.git(&["init", "--quiet"])? {
        return show(Scene::words(
            "Plans and notes",
            "git is not installed here, and notes live in git".to_owned(),
        ));
    }
    for args in [
        &["init"][..],
        &["plan", "start", "Faster builds", "--issue", "Where does the time go?"],
        &["plan", "decide", "1", "Dependencies are cached."],
        &["task", "add", "Cache the dependencies", "--plan-issue", "1", "--goal", "Faster builds"],
    ] {
        done.push(stage.shown(args)?);
    }
    let prompt = "go on with the builds";
    done.push(format!("❯ {prompt}"));
    let event = json!({ "hook_event_name": "UserPromptSubmit", "session_id": "demo-2", "prompt": prompt });
    show(stage.send(
        "The project gets a plan, and every prompt shows its progress",
        &done.join("\n"),
        event,
    )?)?;

    let mut done = Vec::new();
    for args in
        [&["task", "update", "1", "completed"][..], &["task", "close"], &["history", "search", "cached"]]
    {
        done.push(stage.shown(args)?);
    }
    show(Scene::words("The task is done, and the cycle moves to the history", done.join("\n")))?;

    let mut done = Vec::new();
    for args in [
        &[
            "note",
            "add",
            "pattern-warm-cache",
            "Run `npm ci` once before the build, or the cache stays cold.",
        ][..],
        &["note", "gc", "pattern-warm-cache", "--apply", "--yes"],
        &["note", "restore", "pattern-warm-cache"],
    ] {
        done.push(stage.shown(args)?);
    }
    show(Scene::words("A note is deleted in its own commit, and restored", done.join("\n")))
}

/// A server process, stopped at the end of the scene by closing its input.
struct DemoServer(Child);

impl Drop for DemoServer {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        drop(self.0.wait());
    }
}

struct DemoStage {
    home: std::path::PathBuf,
    project: std::path::PathBuf,
}

impl DemoStage {
    /// Makes a home and a project with the demo's rules.
    fn open(folder: &Path) -> io::Result<DemoStage> {
        let stage = DemoStage { home: folder.join("home"), project: folder.join("project") };
        fs::create_dir_all(stage.project.join(".git"))?;
        fs::create_dir_all(stage.project.join(".nudge"))?;
        fs::create_dir_all(&stage.home)?;
        fs::write(stage.project.join(".nudge.yaml"), RULES)?;
        Ok(stage)
    }

    /// The tests fail because the database does not run.
    fn failure(&self, session: &str, id: &str) -> io::Result<Scene> {
        let error = format!("Exit code 1\n{ERROR}");
        let event = json!({
            "hook_event_name": "PostToolUseFailure", "session_id": session, "tool_use_id": id, "error": error,
            "tool_name": "Bash", "tool_input": { "command": "npm test" },
        });
        self.send("", &format!("npm test\n{error}"), event)
    }

    /// A command succeeds.
    fn ran(&self, id: &str, command: &str) -> io::Result<Scene> {
        let event = json!({
            "hook_event_name": "PostToolUse", "tool_use_id": id, "tool_response": { "stdout": "" },
            "tool_name": "Bash", "tool_input": { "command": command },
        });
        self.send("", command, event)
    }

    fn stop(&self, message: &str) -> io::Result<Scene> {
        self.send("", "", json!({ "hook_event_name": "Stop", "last_assistant_message": message }))
    }

    fn start(&self, title: &'static str, session: &str) -> io::Result<Scene> {
        let start = json!({ "hook_event_name": "SessionStart", "source": "startup", "session_id": session });
        self.send(title, "", start)
    }

    fn write(&self, title: &'static str, content: &str) -> io::Result<Scene> {
        let input = json!({ "file_path": self.project.join("src/app.ts"), "content": content });
        self.tool(title, "Write", &input, &format!("src/app.ts\n{content}"))
    }

    fn tool(&self, title: &'static str, tool: &str, input: &Value, shown: &str) -> io::Result<Scene> {
        let content = input["content"].as_str().or(input["command"].as_str()).map(str::to_owned);
        let file = input["file_path"].as_str().map(str::to_owned);
        let sample = Sample { tool: Some(tool.to_owned()), file, content, ..Sample::default() };
        let event = json!({ "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input });
        self.scene(title, &format!("{tool} {shown}"), event, &sample)
    }

    fn prompt(&self, title: &'static str, prompt: &str) -> io::Result<Scene> {
        let sample = Sample { prompt: Some(prompt.to_owned()), ..Sample::default() };
        self.scene(title, prompt, json!({ "hook_event_name": "UserPromptSubmit", "prompt": prompt }), &sample)
    }

    fn scene(&self, title: &'static str, action: &str, event: Value, sample: &Sample) -> io::Result<Scene> {
        let scene = self.send(title, action, event)?;
        let rules = explain(&self.project, &self.project, sample, None).unwrap_or_default();
        let rules = rules.into_iter().filter(|one| one.rule.place.file.starts_with(".nudge")).collect();
        Ok(Scene { rules, ..scene })
    }

    /// Sends one event to the hook.
    fn send(&self, title: &'static str, action: &str, mut event: Value) -> io::Result<Scene> {
        if event["session_id"].is_null() {
            event["session_id"] = json!("demo");
        }
        event["cwd"] = json!(self.project);
        let reply = Some(self.hook(&event)?);
        Ok(Scene { title, action: action.to_owned(), reply, rules: Vec::new() })
    }

    /// Starts the server as agents do, and waits until it answers.
    fn serve(&self) -> io::Result<DemoServer> {
        let mut command = self.nudge(&["serve"])?;
        let server = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let server = DemoServer(server);
        for _ in 0..500 {
            if self.nudge(&["status"])?.stdout(Stdio::null()).stderr(Stdio::null()).status()?.success() {
                return Ok(server);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Err(io::Error::other("the demo's server did not start"))
    }

    /// Runs a command as a person would, and returns the command line and its output.
    fn shown(&self, args: &[&str]) -> io::Result<String> {
        let word = |word: &&str| if word.contains(' ') { format!("\"{word}\"") } else { (*word).to_owned() };
        let line: Vec<String> = args.iter().map(word).collect();
        Ok(format!("$ nudge {}\n{}", line.join(" "), self.run(args)?))
    }

    /// Runs git in the project; returns whether it succeeded, `false` if git is not installed.
    fn git(&self, args: &[&str]) -> io::Result<bool> {
        let ran = Command::new("git").args(args).current_dir(&self.project).stdout(Stdio::null()).status();
        match ran {
            Ok(status) => Ok(status.success()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Runs a command to its end, and returns its output.
    fn run(&self, args: &[&str]) -> io::Result<String> {
        let output = self.nudge(args)?.stdin(Stdio::null()).output()?;
        if !output.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        let output = [output.stdout, output.stderr].concat();
        Ok(String::from_utf8_lossy(&output).trim_end().to_owned())
    }

    fn nudge(&self, args: &[&str]) -> io::Result<Command> {
        let program =
            env::current_exe().ok_or_else(|| io::Error::other("the program does not know where it is"))?;
        let mut command = Command::new(program);
        command.args(args).env_clear().current_dir(Path::new(&self.project));
        command.env("HOME", &self.home).env("USERPROFILE", &self.home);
        // Notes are deleted in commits, which need an author.
        command.envs(env::path_variable().map(|path| ("PATH", path)));
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "nudge demo");
            command.env(format!("GIT_{role}_EMAIL"), "demo@localhost");
        }
        command.env("NUDGE_RUNTIME_DIR", self.home.join("runtime"));
        // A person who watches the demo would rather wait than miss something.
        command.env("NUDGE_PUSH_PATIENCE_MS", "2000").env("NUDGE_RULE_DEADLINE_MS", "5000");
        Ok(command)
    }

    fn hook(&self, event: &Value) -> io::Result<Value> {
        let mut child = self
            .nudge(&["hook", "--harness", harness::DEFAULT])?
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(event.to_string().as_bytes())?;
        }
        let output = child.wait_with_output()?;
        Ok(serde_json::from_slice(&output.stdout).unwrap_or(Value::Null))
    }
}
