//! A process that dies at any step of a write leaves intact files, with nothing lost and nothing duplicated.
//!
//! A history that cannot be read stops only what needs it.
//!
//! The test starts itself again for every step; that process makes one change, and aborts at the step.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use super::*;
use crate::api::nexus::{
    ArtifactWriteRequest, PlanDecideRequest, PlanStartRequest, PreviousPlanChoice, TaskAddRequest,
    TaskUpdateRequest,
};
use crate::model::{Consultation, TaskStatus};
use crate::nexus::crash;
use crate::ops::nexus::{artifact, plan, task};

const PROJECT: &str = "NUDGE_TEST_PROJECT";
const CHANGE: &str = "NUDGE_TEST_CHANGE";
const STEP: &str = "NUDGE_TEST_STEP";

/// Steps left until the process aborts.
static LEFT: AtomicUsize = AtomicUsize::new(0);

const CHANGES: [&str; 7] = ["start", "decide", "add", "update", "close", "carry", "artifact"];

#[test]
fn a_crash_at_any_step_leaves_whole_files_and_loses_nothing() {
    if let Some(change) = variable(CHANGE) {
        abort_during(&change);
        return;
    }
    let mut crashes = Vec::new();
    for change in CHANGES {
        let mut step = 0;
        loop {
            let folder = prepared();
            let before = Contents::of(folder.path());
            let crashed = run_until(folder.path(), change, step);
            let after = Contents::of(folder.path());
            after.assert_whole(&format!("{change}, step {step}"));
            assert!(
                after.plans >= before.plans && after.tasks >= before.tasks,
                "{change}, step {step}: lost"
            );
            assert_recovered(folder.path(), change, step);
            if !crashed {
                break;
            }
            step += 1;
        }
        crashes.push((change, step));
    }
    // A write is created, half written, written, flushed and renamed. A close writes journal and history, and removes plan,
    // tasks and journal; one that carries a task over also writes the extension and the tasks.
    assert_eq!(
        crashes,
        [
            ("start", 17),
            ("decide", 5),
            ("add", 5),
            ("update", 5),
            ("close", 13),
            ("carry", 22),
            ("artifact", 5),
        ]
    );
}

#[test]
fn a_crash_while_the_folder_is_created_leaves_a_working_one() {
    let mut step = 0;
    loop {
        let folder = tempfile::tempdir().unwrap();
        let crashed = run_until(folder.path(), "add", step);
        let ignored = || fs::read_to_string(folder.path().join(".nexus/.gitignore")).ok();
        assert!(ignored().is_none_or(|text| text == "state/\n"), "step {step}: {:?}", ignored());
        task::add(&Nexus::of(folder.path()), new_task("after")).unwrap();
        assert_eq!(ignored().as_deref(), Some("state/\n"), "step {step}");
        if !crashed {
            break;
        }
        step += 1;
    }
    assert_eq!(step, 10, "two files of five steps");
}

#[test]
fn a_history_that_cannot_be_read_stops_only_what_needs_it() {
    let folder = prepared();
    let nexus = Nexus::of(folder.path());
    let history = "{ \"cycles\": [\n<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> other\n] }\n";
    fs::write(folder.path().join(HISTORY), history).unwrap();
    let message = "`.nexus/history.json` is malformed (expected value at line 2 column 1) and was left as it is; no cycle \
                   is closed until it is whole: `nudge doctor --fix` joins both sides of a conflict in it, and git \
                   restores it";
    // The second attempt fails like the first.
    for _ in 0..2 {
        let refused = [
            plan::start(&nexus, new_plan("second")).map(drop),
            close(&nexus, OpenTasksChoice::Archive).map(drop),
        ];
        for refused in refused {
            assert_eq!(refused.unwrap_err().to_string(), message);
        }
    }
    let decision = PlanDecideRequest {
        issue_id: 1,
        decision: "yes".to_owned(),
        how: Consultation::default(),
        plan_id: None,
    };
    plan::decide(&nexus, decision).unwrap();
    task::add(&nexus, new_task("second")).unwrap();
    let done =
        TaskUpdateRequest { id: 1, status: Some(TaskStatus::Completed), ..TaskUpdateRequest::default() };
    task::update(&nexus, done).unwrap();
    artifact::write(&nexus, &new_artifact("new")).unwrap();
    assert_eq!(fs::read_to_string(folder.path().join(HISTORY)).unwrap(), history);
    fs::write(folder.path().join(HISTORY), "{ \"cycles\": [{}, {}] }").unwrap();
    assert_eq!(close(&nexus, OpenTasksChoice::Archive).unwrap().total_cycles, 3);
}

/// Checks that the next change succeeds, and that each plan and each task is in the history once in the end.
fn assert_recovered(project: &Path, change: &str, step: usize) {
    let nexus = Nexus::of(project);
    let at = format!("{change}, step {step}");
    task::add(&nexus, new_task("after")).expect(&at);
    close(&nexus, OpenTasksChoice::Archive).expect(&at);
    close(&nexus, OpenTasksChoice::Archive).expect(&at);
    let history: Value = serde_json::from_slice(&fs::read(project.join(HISTORY)).unwrap()).unwrap();
    let cycles = history["cycles"].as_array().unwrap();
    let of = |name: &str| cycles.iter().filter(|cycle| cycle["plan"]["topic"] == name).count();
    assert_eq!(of("first"), 1, "{at}: {history:#}");
    let tasks = cycles.iter().flat_map(|cycle| cycle["tasks"].as_array().unwrap());
    let titles: Vec<&str> = tasks.filter_map(|task| task["title"].as_str()).collect();
    let once = |title: &str| titles.iter().filter(|other| **other == title).count();
    assert_eq!((once("before"), once("after")), (1, 1), "{at}: {titles:?}");
    let mut left: Vec<String> = fs::read_dir(project.join(".nexus/state"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| !["artifacts", ".lock", "nudge"].contains(&name.as_str()))
        .collect();
    // A half-written file stays until the same file is written again; nobody mistakes it for the file.
    left.retain(|name| !(name.starts_with('.') && name.ends_with(".new")));
    assert_eq!(left, [""; 0], "{at}");
}

/// A project with an open plan, a task, and an artifact.
fn prepared() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let nexus = Nexus::of(folder.path());
    plan::start(&nexus, new_plan("first")).unwrap();
    task::add(&nexus, new_task("before")).unwrap();
    artifact::write(&nexus, &new_artifact("old")).unwrap();
    folder
}

/// What the files contain: plans and tasks, whether open or in the history.
struct Contents {
    plans: usize,
    tasks: usize,
    artifact: String,
}

impl Contents {
    fn of(project: &Path) -> Contents {
        let read = |name: &str| match fs::read(project.join(name)) {
            Ok(bytes) => {
                serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{name} is torn: {error}"))
            }
            Err(_) => Value::Null,
        };
        let (open, tasks, history) = (read(PLAN), read(TASKS), read(HISTORY));
        let cycles = history["cycles"].as_array().cloned().unwrap_or_default();
        let is_first = |plan: &Value| usize::from(plan["topic"] == "first");
        let count = |tasks: &Value| tasks.as_array().map_or(0, Vec::len);
        Contents {
            plans: is_first(&open).max(cycles.iter().map(|cycle| is_first(&cycle["plan"])).sum()),
            tasks: count(&tasks["tasks"]).max(cycles.iter().map(|cycle| count(&cycle["tasks"])).sum()),
            artifact: fs::read_to_string(project.join(".nexus/state/artifacts/a.md")).unwrap(),
        }
    }

    fn assert_whole(&self, at: &str) {
        assert!(["old", "new and longer"].contains(&self.artifact.as_str()), "{at}: {}", self.artifact);
    }
}

/// Makes a change in another process that aborts at a step; returns whether it got that far.
fn run_until(project: &Path, change: &str, step: usize) -> bool {
    let status = Command::new(this_program())
        .args([
            "--exact",
            "ops::nexus::cycle::tests::a_crash_at_any_step_leaves_whole_files_and_loses_nothing",
        ])
        .env(PROJECT, project)
        .env(CHANGE, change)
        .env(STEP, step.to_string())
        .output()
        .unwrap()
        .status;
    !status.success()
}

/// Makes the change that the environment names, and aborts at its step.
fn abort_during(change: &str) {
    let nexus = Nexus::of(Path::new(&variable(PROJECT).unwrap()));
    LEFT.store(variable(STEP).unwrap().parse().unwrap(), Ordering::SeqCst);
    crash::AT_STEP
        .set(|_| {
            if LEFT.fetch_sub(1, Ordering::SeqCst) == 0 {
                std::process::abort();
            }
        })
        .unwrap();
    match change {
        "start" => drop(plan::start(&nexus, new_plan("second")).unwrap()),
        "decide" => {
            let request = PlanDecideRequest {
                issue_id: 1,
                decision: "yes".to_owned(),
                how: Consultation::default(),
                plan_id: None,
            };
            drop(plan::decide(&nexus, request).unwrap());
        }
        "add" => drop(task::add(&nexus, new_task("second")).unwrap()),
        "update" => {
            let request = TaskUpdateRequest {
                id: 1,
                status: Some(TaskStatus::Completed),
                ..TaskUpdateRequest::default()
            };
            drop(task::update(&nexus, request).unwrap());
        }
        "close" => drop(close(&nexus, OpenTasksChoice::Archive).unwrap()),
        "carry" => drop(close(&nexus, OpenTasksChoice::Carry).unwrap()),
        _ => drop(artifact::write(&nexus, &new_artifact("new and longer")).unwrap()),
    }
}

fn new_plan(topic: &str) -> PlanStartRequest {
    let issues = vec!["How?".to_owned(), "When?".to_owned()];
    PlanStartRequest {
        topic: topic.to_owned(),
        issues,
        research_summary: String::new(),
        previous: PreviousPlanChoice::Archive,
    }
}

fn new_task(title: &str) -> TaskAddRequest {
    TaskAddRequest { title: title.to_owned(), context: "c".to_owned(), ..TaskAddRequest::default() }
}

fn new_artifact(content: &str) -> ArtifactWriteRequest {
    ArtifactWriteRequest { filename: "a.md".to_owned(), content: content.to_owned() }
}

#[expect(clippy::disallowed_methods, reason = "the test starts itself, with instructions")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[expect(clippy::disallowed_methods, reason = "the test starts itself")]
fn this_program() -> std::path::PathBuf {
    std::env::current_exe().unwrap()
}
