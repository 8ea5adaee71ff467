//! The memory where it is missing, damaged, too new or out of reach; `nudge doctor` and `nudge settings`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use expect_test::expect;
use serde_json::{Value, json};

use crate::memory::scene::{import, line, remembered};
use crate::sandbox::{Ran, Sandbox};

/// Every command that needs a memory.
const COMMANDS: [&[&str]; 12] = [
    &["search", "a"],
    &["show", "1"],
    &["timeline", "1"],
    &["recent"],
    &["sessions"],
    &["sessions", "a"],
    &["stats"],
    &["forget", "1", "--yes"],
    &["pin", "1"],
    &["unpin", "1"],
    &["gc"],
    &["gc", "--dry-run"],
];

fn run(sandbox: &Sandbox, args: &[&str]) -> Ran {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
    command.args(args).stdin(Stdio::null());
    sandbox.ran(&command.output().expect("the program ends"))
}

/// Runs what the doctor says of the memory and the settings.
fn doctor(sandbox: &Sandbox) -> String {
    let ran = sandbox.run(["doctor"]);
    let from = ran.stdout.find("settings ").expect("settings come before the memory");
    let size = regex::Regex::new(r"\d+ (KiB|B)\b").expect("a pattern");
    format!("{}exit code {:?}", size.replace_all(&ran.stdout[from..], "SIZE"), ran.code)
}

fn database(sandbox: &Sandbox) -> std::path::PathBuf {
    sandbox.data_folder().join("nudge.db")
}

#[test]
fn where_nothing_is_remembered_yet_nothing_is_wrong() {
    let sandbox = Sandbox::new();
    for args in COMMANDS {
        let ran = run(&sandbox, args);
        // Who asks for one that does not exist is told so.
        let code = i32::from(["show", "pin", "unpin", "search"].contains(&args[0]));
        ran.code(code).stdout(expect![[""]]).stderr(expect![[r#"
            nothing is remembered yet: it begins when an agent's hooks call `nudge hook`
        "#]]);
        run(&sandbox, &[args, &["--json"]].concat()).code(code).json();
    }
    for args in [&["search", "a"][..], &["show", "1"], &["recent"], &["sessions"], &["gc"]] {
        assert_eq!(run(&sandbox, &[args, &["--json"]].concat()).json(), json!({ "items": [], "total": 0 }));
    }
    run(&sandbox, &["observations", "export"]).code(0).stdout(expect![[""]]);
    assert!(!database(&sandbox).exists(), "looking makes no database");
}

#[test]
fn a_damaged_database_is_moved_away_and_its_rows_come_back() {
    for args in COMMANDS {
        let sandbox = remembered();
        sandbox.run(["gc"]).code(0);
        let mut bytes = fs::read(database(&sandbox)).expect("a database");
        bytes[0..100].fill(0xa5);
        fs::write(database(&sandbox), &bytes).expect("a file");
        run(&sandbox, args);
        let kept = fs::read_dir(sandbox.data_folder()).expect("a folder").flatten();
        let kept: Vec<_> = kept
            .map(|entry| entry.path())
            .filter(|path| path.to_string_lossy().contains("nudge.db.damaged-"))
            .filter(|path| {
                !path.to_string_lossy().ends_with("-wal") && !path.to_string_lossy().ends_with("-shm")
            })
            .collect();
        assert_eq!(kept.len(), 1, "{args:?}");
        assert!(fs::read(&kept[0]).expect("a file") == bytes, "{args:?}: the damaged file has changed");
        let shown = doctor(&sandbox);
        assert!(shown.contains("; 6 observations were brought back"), "{args:?}: {shown}");
        assert!(shown.ends_with("exit code Some(0)"), "{args:?}: {shown}");
    }
}

#[test]
fn the_doctor_moves_a_damaged_database_away_on_request() {
    let sandbox = remembered();
    sandbox.run(["gc"]).code(0);
    let text = "this is no database".repeat(1_000);
    fs::write(database(&sandbox), &text).expect("a file");
    expect![[r#"
        settings            ok
        memory              SIZE, 1 problem:
        $BASE/home/data/nudge/nudge.db: error: the database is damaged: file is not a database (code 26)
          hint: `nudge doctor --fix` moves it away and restores what can be read
        exit code Some(1)"#]]
    .assert_eq(&doctor(&sandbox));
    let done = sandbox.run(["doctor", "--repair"]);
    done.code(0);
    assert!(done.stderr.contains("; 0 observations were brought back"), "{}", done.stderr);
    sandbox.run(["recent"]).code(0);
}

#[test]
fn a_newer_database_is_refused() {
    let sandbox = remembered();
    // Everything is in the file itself now, and its header has the version.
    sandbox.run(["gc"]).code(0);
    let mut bytes = fs::read(database(&sandbox)).expect("a database");
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    fs::write(database(&sandbox), bytes).expect("a file");
    for args in COMMANDS {
        run(&sandbox, args).code(1).stdout(expect![[""]]).stderr(expect![[r#"
            error: the database is of version 99, and this program knows only up to 9: it was written by a newer nudge
            hint: upgrade nudge
        "#]]);
    }
    expect![[r#"
        settings            ok
        memory              SIZE, 1 problem:
        $BASE/home/data/nudge/nudge.db: error: the database is of version 99, and this program knows only up to 9: it was written by a newer nudge
          hint: upgrade nudge
        exit code Some(1)"#]].assert_eq(&doctor(&sandbox));
}

#[test]
fn a_database_of_somebody_else_is_left_alone() {
    let sandbox = remembered().env("NUDGE_DB", "$BASE/other.db");
    let other = sandbox.beside("other.db");
    let mut bytes = fs::read(database(&remembered_and_quiet())).expect("a database");
    bytes[68..72].copy_from_slice(&[1, 2, 3, 4]);
    fs::write(&other, &bytes).expect("a file");
    run(&sandbox, &["recent"]).code(1).stderr(expect![[r#"
        error: the file is a database of another program
        hint: check what `NUDGE_DB` names
    "#]]);
    run(&sandbox, &["doctor", "--repair"]).code(1);
    assert_eq!(fs::read(other).expect("a file"), bytes);
}

/// A memory with everything in its file.
fn remembered_and_quiet() -> Sandbox {
    let sandbox = remembered();
    sandbox.run(["gc"]).code(0);
    sandbox
}

#[test]
fn a_place_that_cannot_be_written_is_said() {
    let sandbox = Sandbox::new().env("NUDGE_DB", "$BASE/file/nudge.db");
    fs::write(sandbox.beside("file"), "in the way").expect("a file");
    run(&sandbox, &["recent"]).code(0).stderr(expect![[r#"
        nothing is remembered yet: it begins when an agent's hooks call `nudge hook`
    "#]]);
    let ran = sandbox.run_with(["observations", "import", "-"], line("a", json!({})).as_bytes());
    ran.code(1).stdout(expect![[""]]).stderr(expect![[r#"
        error: the database cannot be written: entity already exists
        hint: check who owns the data folder and whether it may be written
    "#]]);
}

#[test]
fn the_doctor_looks_at_the_memory() {
    let sandbox = remembered();
    sandbox.run(["recent"]).code(0);
    expect![[r#"
        settings            ok
        memory              6 observations, 6 in the index, SIZE, schema 9, ok
        exit code Some(0)"#]]
    .assert_eq(&doctor(&sandbox));
    let memory = &sandbox.run(["doctor", "--json"]).code(0).json()["memory"];
    assert_eq!(
        (&memory["rows"], &memory["indexed"], &memory["schema_version"]),
        (&json!(6), &json!(6), &json!(9))
    );
    assert_eq!(
        (&memory["faults"], &memory["problems"], &memory["spool_bytes"]),
        (&json!([]), &json!([]), &json!(0))
    );
    sandbox.run(["doctor", "--repair"]).code(0).stderr(expect![[r#"
        the index was rebuilt
    "#]]);
    assert_eq!(sandbox.run(["search", "linker", "--ids"]).stdout, "2\n");
}

#[test]
fn the_doctor_sees_what_waits_and_what_was_torn() {
    let sandbox = remembered();
    let waiting = sandbox.data_folder().join("nudge.spool/waiting.jsonl");
    let mut text = fs::read_to_string(&waiting).unwrap_or_default();
    text.push_str("12345678 {\"torn\n");
    fs::write(&waiting, text).expect("the spool");
    let before = sandbox.run(["doctor", "--json"]).json();
    assert!(before["memory"]["spool_bytes"].as_u64() > Some(0));
    sandbox.run(["recent"]).code(0);
    expect![[r#"
        settings            ok
        memory              6 observations, 6 in the index, SIZE, schema 9, 1 problem:
        warning: torn lines in the spool: 1
          hint: look at `$BASE/home/data/nudge/nudge.spool/rejected.jsonl`, and delete it
        exit code Some(0)"#]]
    .assert_eq(&doctor(&sandbox));
    sandbox.run(["forget", "4", "--yes"]).code(0).stderr(expect![[r#"
        to forget: 1 observation
        forgotten: 1 observation
        warning: torn lines lie beside the spool (1); `nudge doctor` says where
    "#]]);
}

#[test]
fn the_doctor_reads_the_settings() {
    let sandbox = Sandbox::new().file(
        ".nudge/config.toml",
        "[context]\nrow = 3\nbudget = 'much'\n[retention]\ncommand = 1\n[redact]\nbad = '('\n",
    );
    expect![[r#"
        settings            4 problems:
        $BASE/project/.nudge/config.toml: error: `context.budget` must be a whole number, 0 or more
          hint: 0 is used until this is fixed
        $BASE/project/.nudge/config.toml: error: unknown setting `context.row`
          hint: known are project.name, project.private, observations.enabled, context.rows, context.other_projects, context.budget, context.warnings, hints.suggestions, nexus.edit_gate, nexus.block_stop, nexus.task_status, nexus.core, retention.TYPE, notes.stale_days, notes.auto_delete, notes.auto_days, notes.auto_cycles, notes.auto_reads, sync.exclude, team.url, team.projects.KEY, team.unasked, team.unasked_ci, team.rows, team.keep, team.days, team.most_a_day, team.share, ui.enabled, rules.trust, redact.NAME
        $BASE/project/.nudge/config.toml: error: `retention` concerns all projects, so a project cannot set it
          hint: move it to your own config.toml
        error: a pattern under `redact` does not work: pattern `bad`: regex parse error:
            (
            ^
        error: unclosed group
          hint: nothing is remembered until it is fixed
        memory              empty yet, ok
        exit code Some(1)"#]].assert_eq(&doctor(&sandbox));
    let broken = Sandbox::new().file(".nudge/config.toml", "[context\n");
    assert!(doctor(&broken).contains("not valid TOML"));
}

#[test]
fn settings_are_listed_with_what_they_are_here() {
    let sandbox = Sandbox::new().file(
        ".nudge/config.toml",
        "[context]\nrows = 3\n[project]\nname = 'shop'\n[redact]\nbadge = 'b\\d+'",
    );
    sandbox.put_user_settings("[retention]\nfile_read = 7\n");
    sandbox.run(["settings"]).code(0).stdout(expect![[r#"
        project.name = "shop"  # of this project
          Name of the project (default: the name of its repository's folder)
        project.private = false
          Show nothing of this project in sessions of other projects, and recognise it by its folder only, not by its `origin` (default: false)
        observations.enabled = true
          Remember what agents do (default: true)
        context.rows = 3  # of this project
          Rows of this project that a new session sees (default: 20)
        context.other_projects = 10
          Rows of other projects (default: 10); 0 for none
        context.budget = 3000
          Maximum characters of that text (default: 3000, up to 9000); 0 disables it
        context.warnings = true
          Warn an agent before a command of a shape that keeps failing here, and before an edit of a file whose last change was refused or taken back (default: true)
        hints.suggestions = 5
          Hints that an agent is shown automatically, within ten minutes (default: 5); 0 for none
        nexus.edit_gate = false
          Refuse edits in a project with `.nexus/` while no tasks are open (default: false)
        nexus.block_stop = false
          After `[run]`, keep the agent from stopping while tasks are open or the cycle is not closed (default: false)
        nexus.task_status = false
          Set a task in progress and completed when the subagent that owns it starts and stops (default: false)
        nexus.core  not set
          Folder of nexus-core whose `agents/ID/body.md` and `skills/ID/body.md` replace the built-in texts; read from your own file only (not set)
        retention.file_read = 7  # yours
        retention.file_write = 365
        retention.file_edit = 365
        retention.command = 180
        retention.command_error = 180
        retention.search = 90
        retention.user_prompt = 365
        retention.session_start = 365
        retention.session_end = 365
        retention.mcp_call = 180
        retention.outcome = 365
        retention.summary = 365
          Days for which observations of a type are kept, as in `file_read = 30`; 0 keeps them forever; read from your own file only; what `nudge why` knows is deleted after the shortest of them
        notes.stale_days = 180
          Days without a read after which `nudge note gc` proposes a note (default: 180)
        notes.auto_delete = false
          Let `nudge note gc --auto` delete notes (default: false); needs the three signals below, all of them true
        notes.auto_days  not set
          Signal: the last read is at least this many days ago, 1 or more (not set)
        notes.auto_cycles  not set
          Signal: at least this many cycles, 1 or more, were closed since the last read (not set)
        notes.auto_reads  not set
          Signal: the note was read at most this many times, up to 10 (not set)
        sync.exclude = []
          Projects that `nudge sync ssh` and `nudge sync file` neither send nor take: a list of names, folders (`~/private`) and addresses (`github.com/acme/*`); read from your own file only (default: none)
        team.url  not set
          The PostgreSQL of your team, as `nudge team join` writes it; without it nothing leaves your machine; read from your own file only (not set)
        team.projects.KEY  not set
          How much of a project you share: `off`, `fixes`, `work` or `all`; rows of colleagues are brought for every project in this list; read from your own file only
        team.unasked = false
          Show an agent how a colleague overcame the failure that it has just met, if you never did: commands and file names in one line (default: false); their rows answer searches either way; read from your own file only
        team.unasked_ci = false
          With `team.unasked`, also what CI accounts did (default: false)
        team.rows = 0
          With `team.unasked`, lines that a new session sees about what went wrong for several colleagues and never for you (default: 0, because few of them proved useful)
        team.keep = 100000
          Maximum number of colleagues' rows of a project here; the oldest are deleted (default: 100000)
        team.days = 90
          Maximum age in days of colleagues' rows here (default: 90)
        team.most_a_day = 20000
          Maximum number of colleagues' rows of a project that are brought in a day; the rest stays on the server (default: 20000)
        team.share  not set
          In a project's own file, `off`: nothing of it leaves, whatever you have chosen (not set)
        ui.enabled = true
          Let `nudge ui` show what is remembered in a browser on this machine (default: true); read from your own file only
        rules.trust = "told"
          `required`: rules of a repository that you have not trusted with `nudge trust` may block, but their own texts reach no agent; read from your own file only (default: `told`, a session tells you of new and changed rules)
        redact.badge = "b\\d+"  # of this project
          A regex for secrets of your own, stored as [REDACTED:NAME]
    "#]]).stderr(expect![[r#"
        read from ~/config/nudge/config.toml and $BASE/project/.nudge/config.toml; `nudge settings set KEY VALUE` changes one
    "#]]);
    let shown = sandbox.run(["settings", "--json"]).json();
    assert_eq!(shown["items"][3]["values"], json!({ "context.rows": "3" }));
    assert_eq!(shown["problems"], json!([]));
}

#[test]
fn a_reader_that_has_seen_enough_is_not_a_failure() {
    let sandbox = Sandbox::new();
    let many: Vec<String> =
        (0..3_000).map(|index| line(&format!("make {index} {}", "x ".repeat(60)), json!({}))).collect();
    import(&sandbox, &many);
    for args in [
        &["observations", "export", "--all"][..],
        &["search", "make", "--all", "--limit", "1000"],
        &["search", "make", "--all", "--limit", "1000", "--json"],
        &["sessions", "old"],
        &["recent", "--all", "--limit", "1000"],
    ] {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
        command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut first = String::new();
        let mut reader = BufReader::new(child.stdout.take().expect("stdout is piped"));
        reader.read_line(&mut first).expect("a first line");
        drop(reader);
        let ran = sandbox.ran(&child.wait_with_output().expect("the program ends"));
        ran.code(0).stderr(expect![[""]]);
        assert!(!first.is_empty(), "{args:?}");
    }
    assert_eq!(sandbox.run(["stats", "--all", "--json"]).json()["observations"], Value::from(3_000));
}

#[cfg(target_os = "linux")]
#[test]
fn doctor_names_what_is_in_the_place_of_the_memory() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    #[cfg(unix)]
    use std::os::unix::net::UnixListener;
    for shape in ["pipe", "socket", "folder"] {
        let sandbox = Sandbox::new();
        let path = sandbox.data_folder().join("nudge.db");
        fs::create_dir_all(sandbox.data_folder()).expect("a folder");
        match shape {
            "pipe" => mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe"),
            "socket" => drop(UnixListener::bind(&path).expect("a socket")),
            _ => fs::create_dir(&path).expect("a folder"),
        }
        let found = sandbox.run(["doctor"]);
        assert_eq!(found.code, Some(1), "{shape}: {}", found.stdout);
        assert!(found.stdout.contains("it is not a regular file"), "{shape}: {}", found.stdout);
        assert!(
            found.stdout.contains("move it away; nudge makes a new database"),
            "{shape}: {}",
            found.stdout
        );
        let fixed = sandbox.run(["doctor", "--fix"]);
        assert!(fixed.code == Some(1) && fixed.stderr.contains("not a regular file"), "{}", fixed.stderr);
    }
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.data_folder()).expect("a folder");
    fs::write(sandbox.data_folder().join("nudge.spool"), "").expect("a file");
    let found = sandbox.run(["doctor"]);
    assert_eq!(found.code, Some(1), "{}", found.stdout);
    assert!(found.stdout.contains("this is not a folder, so no event can be remembered"), "{}", found.stdout);
    assert!(found.stdout.contains("move it away; nudge creates the folder itself"), "{}", found.stdout);
}

#[test]
fn an_empty_answer_says_what_keeps_the_memory_from_remembering() {
    let sandbox = Sandbox::new().file(".nudge/config.toml", "[observations]\nenabled = 'maybe'\n");
    let ran = sandbox.run(["recent"]);
    assert!(
        ran.stderr.contains("nothing is remembered yet")
            && ran.stderr.contains("nothing is remembered until this is fixed"),
        "{}",
        ran.stderr
    );
}
