//! What a hook says to the user about problems: each kind has a heading that is true, with its consequence and the command
//! that helps.

use std::fs;

use crate::payload::{bash, event, silent_stop};
use crate::sandbox::{Ran, Sandbox};

fn notice(ran: &Ran) -> String {
    let reply: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    reply["systemMessage"].as_str().unwrap_or("nothing").to_owned()
}

fn with_settings(text: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.put_user_settings(text);
    sandbox
}

#[test]
fn broken_settings_are_said_to_stop_the_memory() {
    for text in ["[observations\n", "[observations]\nenable = false\n", "[redact]\nbadge = 5\n"] {
        let sandbox = with_settings(text);
        let notice = notice(&sandbox.hook("claude-code", bash("ls").after()));
        assert!(
            notice.starts_with("nudge: nothing is remembered until the settings are fixed: $BASE/"),
            "{notice}"
        );
        assert!(notice.contains("config.toml") && notice.ends_with(" (see `nudge settings`)"), "{notice}");
        let shown = sandbox.run(["settings"]);
        assert!(
            shown.code(0).stdout.contains("nothing is remembered until this is fixed"),
            "{}",
            shown.stdout
        );
    }
    let notice = notice(&with_settings("[redact]\nbadge = '('\n").hook("claude-code", bash("ls").after()));
    assert!(notice.starts_with("nudge: nothing is remembered until the settings are fixed: "), "{notice}");
}

#[test]
fn a_wrong_setting_is_not_called_a_rule() {
    let sandbox = with_settings("[context]\nrows = 'many'\n");
    let notice = notice(&sandbox.hook("claude-code", bash("ls")));
    assert!(notice.starts_with("nudge: some settings are not used as written: $BASE/"), "{notice}");
    assert!(
        notice.ends_with("`context.rows` must be a whole number, 0 or more (see `nudge settings`)"),
        "{notice}"
    );
}

#[test]
fn each_kind_of_problem_has_a_line_of_its_own() {
    let sandbox = with_settings("[observations\n").rule("a.yaml", "version: 1\nrules: [1, 2, 3, 4, 5]\n");
    let notice = notice(&sandbox.hook("claude-code", bash("ls")));
    let lines: Vec<&str> = notice.lines().collect();
    assert_eq!(lines.len(), 2, "{notice}");
    assert!(
        lines[0].starts_with("nudge: some rules do not work as written: .nudge/a.yaml:2:9: "),
        "{notice}"
    );
    assert!(lines[0].ends_with("; and 2 more (see `nudge validate`)"), "{notice}");
    assert!(lines[1].starts_with("nudge: nothing is remembered until the settings are fixed: "), "{notice}");
}

#[test]
fn an_event_that_cannot_be_stored_is_a_problem_of_the_memory() {
    let sandbox = Sandbox::new();
    // A file where the folder of the spool should be.
    let spool = sandbox.data_folder().join("nudge.spool");
    fs::create_dir_all(sandbox.data_folder()).expect("a folder");
    fs::write(&spool, "").expect("a file");
    let notice = notice(&sandbox.hook("claude-code", bash("ls").after()));
    assert!(
        notice.starts_with("nudge: the memory has a problem: an event could not be remembered: "),
        "{notice}"
    );
    assert!(notice.ends_with(" (see `nudge doctor`)"), "{notice}");
}

#[test]
fn a_plan_that_cannot_be_read_is_not_called_a_rule() {
    let sandbox = Sandbox::new().file(".nexus/state", "not a folder");
    let notice = notice(&sandbox.hook("claude-code", event("SessionStart").with("source", "startup")));
    let heading = "nudge: plan and tasks of this project have a problem: the project's plan and tasks: ";
    assert!(notice.starts_with(heading) && notice.ends_with(" (see `nudge doctor`)"), "{notice}");
}

#[test]
fn a_wrong_variable_is_called_one() {
    let sandbox =
        Sandbox::new().file(".nexus/state/tasks.json", "{\"tasks\": []}").env("NEXUS_HARNESS_ID", "No Name");
    let notice = notice(&sandbox.hook("claude-code", silent_stop()));
    assert!(notice.contains("nudge: an environment variable has a wrong value: "), "{notice}");
}

#[test]
fn a_doubtful_clock_is_not_called_a_rule() {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", bash("make one").after());
    sandbox.hook("claude-code", silent_stop());
    let exported = sandbox.run(["observations", "export", "--all"]).stdout;
    let mut row: serde_json::Value =
        serde_json::from_str(exported.lines().next().expect("a row")).expect("JSON");
    row["timestamp"] = (row["timestamp"].as_i64().expect("a time") - 3 * 365 * 86_400).into();
    // The newest observation of this memory is three years old, so the clock may have jumped.
    let sandbox = Sandbox::new();
    fs::write(sandbox.beside("old.jsonl"), row.to_string()).expect("a file");
    sandbox.run(["observations", "import", sandbox.beside("old.jsonl").to_str().expect("UTF-8")]).code(0);
    let notice = notice(&sandbox.hook("claude-code", event("SessionStart").with("source", "startup")));
    let heading = "nudge: the date of this machine may be wrong: old observations are not removed automatically today: ";
    assert!(notice.starts_with(heading), "{notice}");
    assert!(
        notice.ends_with(" (correct the date, or run `nudge gc` to remove old observations now)"),
        "{notice}"
    );
}
