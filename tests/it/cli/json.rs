//! What `--json` prints has one shape in all commands: lists have `items` and `total`, times are RFC 3339, and a failure
//! is one error object.

use std::process::Stdio;

use serde_json::Value;

use crate::hints::scene::Scene;
use crate::memory::scene::remembered;
use crate::repository::git;
use crate::sandbox::Sandbox;

/// What a command prints.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Shape {
    /// `{"items": […], "total": n}`, and perhaps more.
    List,
    /// A report or a result.
    Object,
    /// Exactly what the MCP tool of the same name answers.
    Tool,
}

use Shape::{List, Object, Tool};

/// Every command that takes `--json`, with arguments that succeed.
const COMMANDS: [(&str, &[&str], Shape); 75] = [
    ("allow", &["--list"], List),
    ("artifact", &[], List),
    ("artifact list", &[], List),
    ("artifact write", &["a.md", "file.txt"], Tool),
    ("artifact show", &["a.md"], Object),
    ("backfill", &["--dry-run"], Object),
    ("bump", &["web", "build"], Tool),
    ("check", &[], Object),
    ("context", &[], Object),
    ("day", &["week"], Object),
    ("delete", &["web", "old"], Tool),
    ("doctor", &[], Object),
    ("export", &[], Tool),
    ("failures", &[], List),
    ("forget", &["2", "--dry-run"], Object),
    ("gc", &["--dry-run"], List),
    ("get", &["web", "build"], Tool),
    ("history", &[], Tool),
    ("history search", &["x"], Tool),
    ("hint", &["ls"], Tool),
    ("import", &["hints.json"], Tool),
    ("init", &[], Object),
    ("learn", &[], Object),
    ("log", &[], List),
    ("ls", &[], Tool),
    ("nexus check", &[], Object),
    ("nexus merge-driver", &["--dry-run"], Object),
    ("nexus resume-check", &["--owner", "engineer"], Object),
    ("nexus vocabulary", &[], Object),
    ("note", &[], List),
    ("note add", &["test-note", "Tests need a database."], Tool),
    ("note gc", &[], Tool),
    ("note list", &[], List),
    ("note restore", &[], List),
    ("note rule", &[], List),
    ("note search", &["database"], Tool),
    ("note show", &["test-note"], Object),
    ("observations import", &["observations.jsonl"], Object),
    ("off", &["--for", "1h"], Object),
    ("on", &[], Object),
    ("pin", &["1"], Object),
    ("plan", &[], Tool),
    ("projects", &[], List),
    ("query", &[], Tool),
    ("recent", &[], List),
    ("rules", &[], List),
    ("rules add", &["self"], Object),
    ("rules disable", &["keep-rules"], Object),
    ("rules enable", &["keep-rules"], Object),
    ("rules import", &["default.rules"], Object),
    ("rules packs", &[], List),
    ("rules shadow", &["keep-rules"], Object),
    ("rules show", &["keep-rules"], List),
    ("search", &["linker"], List),
    ("sessions", &[], List),
    ("set", &["web", "test", "make test"], Tool),
    ("settings", &[], List),
    ("settings set", &["context.rows", "10"], Object),
    ("settings unset", &["context.rows"], Object),
    ("setup", &["claude", "--dry-run"], Object),
    ("show", &["1", "2"], List),
    ("stats", &[], Object),
    ("status", &[], Object),
    ("sync file", &["."], Object),
    ("sync ssh", &["away"], Object),
    ("task", &[], Tool),
    ("test", &["--tool", "Write", "--file", "a.ts", "--content", "x"], List),
    ("timeline", &["2"], Object),
    ("trust", &["--list"], List),
    ("uninstall", &["--dry-run"], Object),
    ("unpin", &["1"], Object),
    ("report", &["--html", "report.html"], Object),
    ("ui", &["--close"], Object),
    ("validate", &[], Object),
    ("why", &[], List),
];

#[test]
fn every_command_with_json_is_known_here() {
    let known: Vec<&str> = COMMANDS.iter().map(|(name, ..)| *name).chain(["stop", "note merge"]).collect();
    let sandbox = Sandbox::new();
    let mut unknown = Vec::new();
    for command in crate::cli::commands::listed(&help(&sandbox, &[])) {
        let page = help(&sandbox, &[&command]);
        let inner = crate::cli::commands::listed(&page);
        let names =
            std::iter::once(command.clone()).chain(inner.iter().map(|one| format!("{command} {one}")));
        for name in names.filter(|name| !name.ends_with(" help") && name != "help") {
            let page = help(&sandbox, &name.split(' ').collect::<Vec<_>>());
            // `plan` and `task` print what their tools answer, whichever command it is; `hint` repeats the verbs;
            // `projects merge` and `rename` need two projects, which `memory::projects` has, and `note merge` two notes in git;
            // `team` and `sync` need a server, which `team::` has.
            let is_covered = known.contains(&name.as_str())
                || ["plan ", "task ", "hint ", "projects ", "team ", "sync"]
                    .iter()
                    .any(|group| name.starts_with(group));
            if page.contains("-j, --json") && !is_covered {
                unknown.push(name);
            }
        }
    }
    assert_eq!(unknown, Vec::<String>::new(), "add them to COMMANDS");
}

#[test]
fn lists_have_items_and_a_total_and_times_are_rfc_3339() {
    let scene = scene();
    for (name, args, shape) in COMMANDS {
        let line: Vec<&str> = name.split(' ').chain(args.iter().copied()).chain(["--json"]).collect();
        let ran = scene.run(&line);
        let value: Value = serde_json::from_str(&ran.stdout)
            .unwrap_or_else(|error| panic!("{line:?} prints one JSON document: {error}\n{}", ran.stderr));
        assert!(value.is_object() && value.get("error").is_none(), "{line:?}: {value}");
        if shape == List {
            let (items, total) = (&value["items"], &value["total"]);
            let count =
                items.as_array().unwrap_or_else(|| panic!("{line:?} has items: {value}")).len() as u64;
            assert!(
                total.is_null() || total.as_u64().is_some_and(|total| total >= count),
                "{line:?}: {total}"
            );
        }
        let mut wrong = Vec::new();
        wrong_times("", &value, &mut wrong);
        assert_eq!(wrong, Vec::<String>::new(), "{line:?}");
    }
}

#[test]
fn a_failure_is_one_error_object() {
    let sandbox = remembered();
    let cases: [(&[&str], &str); 13] = [
        (&["timeline", "999"], "there is no observation 999"),
        (&["sessions", "zzz"], ""),
        (&["note", "show", "nothing"], ""),
        (&["plan", "decide", "9", "x"], ""),
        (&["task", "update", "9", "completed"], ""),
        (&["artifact", "write", "a", "missing"], ""),
        (&["validate", "missing.yaml"], ""),
        (&["check", "missing"], ""),
        (&["test"], "there is nothing to try the rules on"),
        (&["why", "@zzzz"], "no event `@zzzz` is kept"),
        (&["import", "missing.json"], ""),
        (&["observations", "import", "missing"], ""),
        (&["get", "a", "b"], "no server is running"),
    ];
    for (args, message) in cases {
        let ran = run(&sandbox, &[args, &["--json"]].concat());
        assert_ne!(ran.code, 0, "{args:?}");
        let value: Value =
            serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{args:?}: {error}"));
        let error = value["error"].as_object().unwrap_or_else(|| panic!("{args:?}: {value}"));
        assert!(error.keys().all(|key| ["message", "hint"].contains(&key.as_str())), "{args:?}: {value}");
        let said = error["message"].as_str().unwrap();
        assert!(!said.is_empty() && said.starts_with(message), "{args:?}: {said}");
        // People read the same on stderr.
        assert!(ran.stderr.contains(said.lines().next().unwrap()), "{args:?}: {}", ran.stderr);
    }
    let status: Value = serde_json::from_str(&run(&sandbox, &["status", "--json"]).stdout).unwrap();
    assert!(status["here"].is_object() && status["error"].is_null(), "no server is no error: {status}");
}

#[test]
fn a_refusal_of_the_hint_server_is_the_error_that_agents_get() {
    let scene = Scene::new();
    let refused: Value =
        serde_json::from_str(&scene.run(&["get", "web", "nothing", "--json"]).stdout).unwrap();
    assert_eq!(refused["error"]["code"], 40401);
    assert_eq!(refused["error"]["data"]["reason"], "E_NOT_FOUND");
}

/// Returns a sandbox with something of everything.
fn scene() -> Scene {
    let sandbox = remembered().rule("a.yaml", crate::sandbox::BLOCK_TODO).file("file.txt", "text");
    sandbox.run(["init"]).code(0);
    for args in [&["init", "-q"][..], &["add", "."], &["commit", "-q", "-m", "first"]] {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
        git(&sandbox, "", &[&identity, args].concat());
    }
    let exported = run(&sandbox, &["observations", "export", "--all"]).stdout;
    sandbox.put("observations.jsonl", exported);
    sandbox.put("default.rules", "prefix_rule(pattern=['rm'], decision='forbidden')\n");
    let scene = Scene::with(sandbox, &[]);
    for (key, value) in [("build", "make"), ("old", "make old")] {
        scene.done(&["set", "web", key, value]);
    }
    scene.done(&["export", "-o", "hints.json"]);
    scene
}

struct Printed {
    code: i32,
    stdout: String,
    stderr: String,
}

fn run(sandbox: &Sandbox, args: &[&str]) -> Printed {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
    let output =
        command.current_dir(sandbox.path("")).args(args).stdin(Stdio::null()).output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Printed {
        code: output.status.code().unwrap_or(-1),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
    }
}

fn help(sandbox: &Sandbox, command: &[&str]) -> String {
    let line: Vec<&str> = command.iter().copied().chain(["--help"]).collect();
    run(sandbox, &line).stdout
}

/// Names the values that are times by their name, and are not written as times.
fn wrong_times(name: &str, value: &Value, wrong: &mut Vec<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(name, value)| wrong_times(name, value, wrong)),
        Value::Array(items) => items.iter().for_each(|item| wrong_times(name, item, wrong)),
        Value::Null => {}
        value => {
            let is_time = name == "at" || name.ends_with("_at") || ["timestamp", "started"].contains(&name);
            let is_rfc_3339 = value.as_str().is_some_and(|text| text.parse::<jiff::Timestamp>().is_ok());
            if is_time && !is_rfc_3339 {
                wrong.push(format!("{name}: {value}"));
            }
        }
    }
}
