//! `nudge forget`, `nudge pin`, `nudge unpin` and `nudge gc`.

use std::fs;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use expect_test::expect;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::memory::scene::{failed, files, files_with, import, line, play, remembered};
use crate::payload::{event, prompt};
use crate::sandbox::Sandbox;

const NOWHERE: Vec<PathBuf> = Vec::new();

/// Returns how many observations there are.
fn count(sandbox: &Sandbox) -> u64 {
    sandbox.run(["stats", "--all", "--json"]).json()["observations"].as_u64().expect("a number")
}

/// The list of nothing.
fn empty() -> Value {
    json!({ "items": [], "total": 0 })
}

#[test]
fn what_is_forgotten_is_in_no_byte_of_any_file() {
    let sandbox = remembered();
    play(
        &sandbox,
        vec![prompt("visit zanzibar").session("z"), failed("zanzibar --now", "Exit code 1\nno").session("z")],
    );
    sandbox.run(["recent"]).code(0);
    // One more waits in the spool.
    play(&sandbox, vec![prompt("again to Zanzibar").session("y")]);
    assert!(files_with(&sandbox, "zanzibar").len() >= 2);
    sandbox
        .run(["forget", "--query", "zanzibar", "--yes"])
        .code(0)
        .stdout(expect![[r#"
            9  just now  user_prompt    project  again to Zanzibar
            8  just now  command_error  project  zanzibar --now ⏎ no
            7  just now  user_prompt    project  visit zanzibar
        "#]])
        .stderr(expect![[r#"
            to forget: 3 observations
            forgotten: 3 observations
        "#]]);
    assert_eq!(files_with(&sandbox, "zanzibar"), NOWHERE);
    assert_eq!(count(&sandbox), 6);
    assert_eq!(sandbox.run(["search", "zanzibar", "--json"]).json(), empty());
    assert_eq!(sandbox.run(["doctor"]).code, Some(0));
}

#[test]
fn a_dry_run_and_a_missing_terminal_forget_nothing() {
    let sandbox = remembered();
    sandbox.run(["pin", "4"]).code(0);
    sandbox.run(["forget", "4", "#6", "--dry-run"]).code(0).stdout(expect![[r#"
        6  just now  command        project  cargo build
        4  just now  command_error  project  [pinned] cargo build ⏎ error: linking with `cc` failed: cannot find -lssl
    "#]]).stderr(expect![[r#"
        to forget: 2 observations, 1 of them pinned
    "#]]);
    sandbox.run(["forget", "4", "6"]).code(1).stderr(expect![[r#"
        to forget: 2 observations, 1 of them pinned
        error: there is no terminal to ask on
        hint: add `--yes` if you mean it
    "#]]);
    sandbox.run(["forget", "99", "--yes"]).code(0).stdout(expect![[""]]).stderr(expect![[r#"
        nothing to forget: no observation fits
    "#]]);
    assert_eq!(count(&sandbox), 6);
    sandbox.run(["forget", "4", "6", "--yes"]).code(0).stderr(expect![[r#"
        to forget: 2 observations, 1 of them pinned
        forgotten: 2 observations
    "#]]);
    assert_eq!(count(&sandbox), 4);
}

#[test]
fn whole_sessions_projects_and_times_can_be_forgotten() {
    let sandbox = remembered();
    let other = |changes| line("make", changes);
    import(
        &sandbox,
        &[
            other(json!({ "session_id": "a1", "timestamp": 1_000_000_001 })),
            other(json!({ "project": "other", "timestamp": 1_500_000_000 })),
            other(json!({ "project": "other", "timestamp": 1_600_000_000 })),
        ],
    );
    assert_eq!(count(&sandbox), 9);
    sandbox.run(["forget", "--session", "a1", "--yes"]).code(0);
    assert_eq!(count(&sandbox), 8);
    sandbox.run(["forget", "--before", "2018-01-01", "--yes"]).code(0);
    assert_eq!(count(&sandbox), 8, "they are of another project");
    sandbox.run(["forget", "--before", "2018-01-01", "--all", "--yes"]).code(0);
    assert_eq!(count(&sandbox), 7);
    sandbox.run(["forget", "--project", "othr", "--yes"]).code(1).stderr(expect![[r#"
        error: no project in the memory is named `othr`
        hint: did you mean `other`?
    "#]]);
    sandbox.run(["forget", "--project", "other", "--yes"]).code(0);
    assert_eq!(count(&sandbox), 6);
    sandbox.run(["forget", "--project", "other", "--yes"]).code(1).stderr(expect![[r#"
        error: no project in the memory is named `other`
        hint: known are `project`
    "#]]);
}

#[test]
fn forget_in_json() {
    let sandbox = remembered();
    sandbox.run(["pin", "4"]).code(0);
    let would = sandbox.run(["forget", "4", "--dry-run", "--json"]).json();
    assert_eq!(
        (&would["count"], &would["pinned"], &would["forgotten"]),
        (&json!(1), &json!(1), &json!(false))
    );
    assert_eq!(would["sample"][0]["id"], 4);
    let gone = sandbox.run(["forget", "4", "--yes", "--json"]).json();
    assert_eq!(
        (&gone["count"], &gone["forgotten"], &gone["scrubbed"]),
        (&json!(1), &json!(true), &json!(true))
    );
}

#[test]
fn one_thing_is_forgotten_at_a_time() {
    let sandbox = remembered();
    sandbox.run(["forget"]).code(2);
    sandbox.run(["forget", "4", "--session", "session-1"]).code(2);
    sandbox.run(["forget", "--query", "a", "--before", "3d"]).code(2);
    sandbox.run(["forget", "--before", "soon"]).code(2);
    sandbox.run(["forget", "4", "--yes", "--dry-run"]).code(2);
    sandbox.run(["forget", "--query", "\"a", "--yes"]).code(1);
    assert_eq!(count(&sandbox), 6);
}

#[test]
fn pins_are_set_and_taken_back() {
    let sandbox = remembered();
    sandbox.run(["pin", "#4", "5"]).code(0).stdout(expect![[""]]).stderr(expect![[r#"
        pinned 4 5
    "#]]);
    sandbox.run(["recent", "--limit", "3"]).stdout(expect![[r#"
        6  just now  command        cargo build
        5  just now  file_edit      [pinned] build.rs: fn main() {} → fn main() { link("ssl") }
        4  just now  command_error  [pinned] cargo build ⏎ error: linking with `cc` failed: cannot find -lssl
    "#]]);
    sandbox.run(["unpin", "5", "77"]).code(1).stderr(expect![[r#"
        unpinned 5
        error: there is no observation 77: it was deleted, or never existed
    "#]]);
    assert_eq!(
        sandbox.run(["pin", "5", "77", "--json"]).code(1).json(),
        json!({ "pinned": [5], "missing": [77] })
    );
    assert_eq!(
        sandbox.run(["unpin", "5", "--json"]).code(0).json(),
        json!({ "unpinned": [5], "missing": [] })
    );
}

/// Imports a memory that was used every ten days for this long, with these rows at the beginning.
#[expect(clippy::disallowed_methods, reason = "the rows are old as seen from the present")]
fn used_for(days: i64, first: &[Value]) -> Sandbox {
    let sandbox = Sandbox::new();
    let now = i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).expect("a time").as_secs())
        .expect("small");
    let at = |days: i64| json!({ "timestamp": now - days * 86_400 });
    let with = |mut row: Value, more: Value| {
        row.as_object_mut().expect("a map").extend(more.as_object().expect("a map").clone());
        row
    };
    let mut lines: Vec<String> = first.iter().map(|row| line("old", with(row.clone(), at(days)))).collect();
    for ago in (0..=days / 10).rev() {
        lines.push(line("still at work", with(json!({ "obs_type": "user_prompt" }), at(ago * 10))));
    }
    import(&sandbox, &lines);
    sandbox
}

#[test]
fn gc_removes_what_is_old_and_not_pinned() {
    let sandbox = used_for(
        200,
        &[
            json!({ "content": "make old" }),
            json!({ "content": "make kept" }),
            json!({ "content": "read old", "obs_type": "file_read", "file_path": "a.rs" }),
        ],
    );
    sandbox.run(["pin", "2"]).code(0);
    sandbox
        .run(["gc", "--dry-run"])
        .code(0)
        .stdout(expect![[r#"
        file_read            1  older than 90 days
        command              1  older than 180 days
    "#]])
        .stderr(expect![[r#"
        2 would go
    "#]]);
    assert_eq!(count(&sandbox), 24);
    let json = json!({ "items": [
        { "obs_type": "file_read", "count": 1, "days": 90 },
        { "obs_type": "command", "count": 1, "days": 180 },
    ], "total": 2 });
    assert_eq!(sandbox.run(["gc", "--dry-run", "--json"]).json(), json);
    assert_eq!(sandbox.run(["gc", "--json"]).code(0).json(), json);
    sandbox.run(["gc"]).code(0).stdout(expect![[""]]).stderr(expect![[r#"
        nothing to delete
    "#]]);
    assert_eq!(count(&sandbox), 22);
    sandbox.run(["show", "2"]).code(0);
    // For a week it can be restored; what is forgotten cannot.
    assert_eq!(sandbox.run(["gc", "--restore", "--json"]).json(), json!({ "restored": 2, "duplicates": 0 }));
    assert_eq!(sandbox.run(["gc", "--json"]).json(), empty(), "it is as old as its neighbours now");
    assert_eq!(count(&sandbox), 24);
}

#[test]
fn forgetting_deletes_the_copies_of_gc() {
    let sandbox = used_for(200, &[json!({ "content": "make zqxsecretzqx" })]);
    sandbox.run(["gc"]).code(0);
    assert_ne!(files_with(&sandbox, "zqxsecretzqx"), NOWHERE);
    sandbox.run(["forget", "--query", "zqxsecretzqx", "--yes"]).code(0).stderr(expect![[r#"
        to forget: 0 observations, and the 1 copy that `nudge gc` has kept
        forgotten: 0 observations
    "#]]);
    assert_eq!(files_with(&sandbox, "zqxsecretzqx"), NOWHERE);
}

#[test]
fn how_long_is_the_users_to_say_and_no_repositorys() {
    let sandbox = used_for(10, &[]).file(".nudge/config.toml", "[retention]\nuser_prompt = 1\n");
    assert_eq!(sandbox.run(["gc", "--json"]).json(), empty());
    sandbox.run(["doctor"]).code(1);
    sandbox.put_user_settings("[retention]\nuser_prompt = 1\ncommand = 0\n");
    assert_eq!(
        sandbox.run(["gc", "--json"]).json(),
        json!({ "items": [{ "obs_type": "user_prompt", "count": 1, "days": 1 }], "total": 1 })
    );
}

#[test]
fn a_session_that_starts_does_it_once_a_day() {
    let sandbox = used_for(400, &[]);
    let start = |id: &str| {
        sandbox.hook("claude-code", event("SessionStart").with("source", "startup").session(id));
    };
    assert_eq!(count(&sandbox), 41);
    let day = sandbox.data_folder().join("gc.day");
    fs::remove_file(&day).ok();
    start("s2");
    // Prompts are kept for 365 days: four are older, and four are at most a tenth of 41.
    assert_eq!(count(&sandbox), 41 - 4 + 1);
    sandbox.run(["gc", "--restore"]).code(0);
    start("s3");
    assert_eq!(count(&sandbox), 41 + 2);
}

#[test]
fn a_session_that_starts_removes_a_tenth_at_most() {
    let old: Vec<Value> = (0..59).map(|n| json!({ "content": format!("make {n}") })).collect();
    let sandbox = used_for(200, &old);
    let start = |id: &str| {
        fs::remove_file(sandbox.data_folder().join("gc.day")).ok();
        sandbox.hook("claude-code", event("SessionStart").with("source", "startup").session(id));
        count(&sandbox)
    };
    assert_eq!(count(&sandbox), 80);
    assert_eq!(start("s2"), 80 - 8 + 1);
    assert_eq!(start("s3"), 73 - 7 + 1);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "rows expire by the clock")]
fn copies_of_expired_rows_have_no_secret_that_an_older_version_derived() {
    const SECRET: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let sandbox = Sandbox::new();
    sandbox.put_user_settings("[retention]\ncommand = 10\n");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_secs();
    let lines: Vec<String> = (0..3_000)
        .map(|n| line(&format!("make target-{n}"), json!({ "timestamp": now - (3_000 - n) * 3_600 })))
        .collect();
    import(&sandbox, &lines);
    // The first rows are cleaned before they expire, so none of those does.
    let connection = Connection::open(sandbox.data_folder().join("nudge.db")).expect("a database");
    let old = format!(
        "UPDATE observations SET program = 'make', signature = 'denied: {SECRET}', pinned = id <= 1500;
         DELETE FROM cleaning; INSERT INTO cleaning (next) VALUES (1)"
    );
    connection.execute_batch(&old).expect("rows of an older version");
    drop(connection);
    drop(fs::remove_file(sandbox.data_folder().join("gc.day")));
    sandbox.hook("claude-code", event("SessionStart").with("source", "startup"));
    let copies = files(&sandbox.data_folder().join("nudge.removed"));
    let copies: String = copies.iter().map(|path| fs::read_to_string(path).expect("a copy")).collect();
    assert!(copies.lines().count() > 100, "rows have expired: {}", copies.lines().count());
    assert!(!copies.contains(SECRET) && copies.contains("make target-1"), "{copies}");
}

#[test]
fn copies_that_an_older_version_made_are_cleaned() {
    const SECRET: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let old: Vec<Value> = (0..3).map(|n| json!({ "content": format!("make {n}") })).collect();
    let sandbox = used_for(200, &old);
    sandbox.run(["gc"]).code(0);
    let copy = files(&sandbox.data_folder().join("nudge.removed")).remove(0);
    let text = fs::read_to_string(&copy).expect("a copy");
    fs::write(&copy, text.replacen("make 1", &format!("make 1 # {SECRET}"), 1)).expect("a copy");
    assert!(fs::read_to_string(&copy).expect("a copy").contains(SECRET));
    let connection = Connection::open(sandbox.data_folder().join("nudge.db")).expect("a database");
    connection
        .execute_batch("DELETE FROM cleaning; INSERT INTO cleaning (next) VALUES (1)")
        .expect("old rows");
    drop(connection);
    sandbox.run(["gc"]).code(0);
    let cleaned = fs::read_to_string(&copy).expect("a copy");
    assert!(!cleaned.contains(SECRET), "{cleaned}");
    assert!(cleaned.contains("make 0") && cleaned.contains("make 1"), "{cleaned}");
}

/// A word or a date fits rows of every project; only this one is meant unless `--all` says otherwise.
#[test]
fn forgetting_by_words_or_age_stays_in_this_project() {
    let sandbox = remembered();
    sandbox.put("../other/.git/HEAD", "ref: refs/heads/main\n");
    play(&sandbox, vec![prompt("one elephant").session("o").cwd("../other")]);
    play(&sandbox, vec![prompt("two elephants").session("p")]);
    let before = count(&sandbox);
    let elsewhere = sandbox.run(["forget", "--query", "one", "--yes"]);
    elsewhere.code(0).stderr(expect![[r#"
        nothing to forget: no observation of this project fits; `--all` looks in all projects
    "#]]);
    sandbox.run(["forget", "--query", "elephant*", "--yes"]).code(0);
    assert_eq!(count(&sandbox), before - 1);
    sandbox.run(["forget", "--query", "elephant*", "--all", "--yes"]).code(0);
    assert_eq!(count(&sandbox), before - 2);
}

/// What other events did can still be explained afterwards.
#[test]
fn forgetting_removes_only_its_own_lines_of_the_trace() {
    let sandbox = Sandbox::new();
    play(&sandbox, vec![crate::payload::bash("cat zanzibar.txt").session("z")]);
    play(&sandbox, vec![crate::payload::bash("cat zanzibar.txt").after().session("z")]);
    play(&sandbox, vec![crate::payload::bash("make all").after().session("kept")]);
    sandbox.run(["forget", "--query", "zanzibar", "--yes"]).code(0);
    let why = sandbox.run(["why", "--all", "--limit", "50"]).stdout;
    assert!(!why.contains("zanzibar") && why.contains("make all"), "{why}");
}
