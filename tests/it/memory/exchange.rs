//! `nudge observations export` and `import`.

use std::fs;

use expect_test::expect;
use serde_json::{Value, json};

use crate::memory::scene::{files_with, import, line, play, remembered};
use crate::payload::{bash, write};
use crate::sandbox::Sandbox;

/// Returns an export of everything, without the ids, which differ in each database.
fn exported(sandbox: &Sandbox) -> Vec<Value> {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
    let output = command.args(["observations", "export", "--all"]).output().expect("the program ends");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let lines = text.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).expect("JSON in each line");
        line.as_object_mut().expect("a map").remove("id").expect("a number");
        line
    });
    lines.collect()
}

#[test]
fn an_export_comes_in_whole_elsewhere_and_only_once() {
    let here = remembered();
    let long = "many words ".repeat(1_000);
    play(
        &here,
        vec![bash(&long).after().session("long"), write("Ünï 日本.rs", "a\nb").after().session("long")],
    );
    here.run(["pin", "4"]).code(0);
    let rows = exported(&here);
    assert_eq!(rows.len(), 8);
    let file = here.beside("export.jsonl");
    here.run(["observations", "export", file.to_str().expect("UTF-8")]).code(0).stdout(expect![[""]]).stderr(
        expect![[r#"
            8 observations exported
        "#]],
    );
    let there = Sandbox::new();
    let file = file.to_str().expect("UTF-8");
    there.run(["observations", "import", file]).code(0).stdout(expect![[""]]).stderr(expect![[r#"
        8 observations imported, 0 were here already, 0 skipped
    "#]]);
    assert_eq!(exported(&there), rows);
    there.run(["observations", "import", file]).code(0).stderr(expect![[r#"
        0 observations imported, 8 were here already, 0 skipped
    "#]]);
    here.run(["observations", "import", file]).code(0).stderr(expect![[r#"
        0 observations imported, 8 were here already, 0 skipped
    "#]]);
    assert_eq!(exported(&there), rows);
    assert_eq!(there.run(["search", "linker", "--all", "--ids"]).stdout, "2\n");
}

#[test]
#[cfg(unix)]
fn an_export_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = remembered();
    let file = sandbox.beside("export.jsonl");
    sandbox.run(["observations", "export", file.to_str().expect("UTF-8")]).code(0);
    assert_eq!(fs::metadata(file).expect("a file").permissions().mode() & 0o777, 0o600);
}

#[test]
fn an_export_can_be_narrowed() {
    let sandbox = remembered();
    import(&sandbox, &[line("old", json!({})), line("other", json!({ "project": "other" }))]);
    let lines = |ran: crate::sandbox::Ran| ran.code(0).stdout.lines().count();
    assert_eq!(lines(sandbox.run(["observations", "export"])), 7);
    assert_eq!(lines(sandbox.run(["observations", "export", "-", "--all"])), 8);
    assert_eq!(lines(sandbox.run(["observations", "export", "--project", "other"])), 1);
    assert_eq!(lines(sandbox.run(["observations", "export", "--all", "--since", "1h"])), 6);
    sandbox.run(["observations", "export", "--project", "othr"]).code(1);
    sandbox.run(["observations", "export", "no/such/folder/file"]).code(1).stderr(expect![[r#"
        error: `no/such/folder/file` cannot be written: No such file or directory (os error 2)
    "#]]);
}

#[test]
fn lines_that_are_none_are_skipped_and_named() {
    let sandbox = Sandbox::new();
    let lines = [
        line("good", json!({})),
        "\n".to_owned(),
        "nonsense\n".to_owned(),
        "{}\n".to_owned(),
        line("no such type", json!({ "obs_type": "banana" })),
        line("tomorrow's tomorrow", json!({ "timestamp": 9_999_999_999_i64 })),
        line("before time", json!({ "timestamp": -1 })),
        line("nobody's", json!({ "session_id": "" })),
        line("no key", json!({ "event_key": "xyz" })),
        line("also good", json!({ "unknown": true })),
    ];
    let mut bytes = lines.concat().into_bytes();
    bytes.extend(b"\xff\xfe\n");
    bytes.extend(line("last", json!({})).trim_end().as_bytes());
    let ran = sandbox.run_with(["observations", "import", "-"], &bytes);
    ran.code(1).stdout(expect![[""]]).stderr(expect![[r#"
        skipped line 3: expected ident
        skipped line 4: missing field `timestamp`
        skipped line 5: unknown variant `banana`, expected one of `file_read`, `file_write`, `file_edit`, `command`, `command_error`, `search`, `user_prompt`, `session_start`, `session_end`, `mcp_call`, `outcome`, `summary`
        skipped line 6: `timestamp` 9999999999 is not in the past
        skipped line 7: `timestamp` -1 is not in the past
        skipped line 8: `session_id` is empty
        skipped line 9: invalid digit found in string
        skipped line 11: expected value
        3 observations imported, 0 were here already, 8 skipped
    "#]]);
    let again = sandbox.run_with(["observations", "import", "-", "--json"], &bytes).json();
    assert_eq!((&again["stored"], &again["duplicates"]), (&json!(0), &json!(3)));
    assert_eq!(again["skipped"][0], json!({ "line": 3, "why": "expected ident" }));
    assert_eq!(exported(&sandbox).len(), 3);
}

#[test]
fn what_comes_from_elsewhere_is_redacted_again() {
    const SECRET: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let sandbox = Sandbox::new().file(".nudge/config.toml", "[redact]\nbadge = 'badge-[0-9]+'");
    let raw = format!("git push https://me:{SECRET}@github.com/x and badge-4711");
    import(
        &sandbox,
        &[line(
            &raw,
            json!({
                "file_path": format!("keys/{SECRET}"),
                "tool_name": SECRET,
                "signature": raw,
                "program": raw,
                "project": SECRET,
                "project_root": format!("/{SECRET}"),
                "source_event": SECRET,
                "session_id": format!("s {SECRET}"),
                "metadata": { "command": raw, "deep": [{ "er": SECRET }], SECRET: 1, "redacted": ["[REDACTED:jwt]"] },
            }),
        )],
    );
    assert_eq!(files_with(&sandbox, SECRET), Vec::<std::path::PathBuf>::new());
    assert_eq!(files_with(&sandbox, "badge-4711"), Vec::<std::path::PathBuf>::new());
    let row = &exported(&sandbox)[0];
    assert_eq!(
        row["metadata"]["redacted"],
        json!(["[REDACTED:badge]", "[REDACTED:github-token]", "[REDACTED:jwt]"])
    );
}

#[test]
fn a_file_that_is_not_there_is_said() {
    Sandbox::new().run(["observations", "import", "none.jsonl"]).code(1).stdout(expect![[""]]).stderr(
        expect![[r#"
            error: `none.jsonl` cannot be read: No such file or directory (os error 2)
        "#]],
    );
    Sandbox::new().run(["observations", "import"]).code(2);
    Sandbox::new().run(["observations"]).code(2);
}

#[test]
#[cfg(target_os = "linux")]
fn an_export_that_does_not_fit_is_an_error() {
    let sandbox = remembered();
    let full = fs::File::options().write(true).open("/dev/full").expect("a full device");
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
    let output = command.args(["observations", "export"]).stdout(full).output().expect("it runs");
    sandbox.ran(&output).code(1);
}

#[test]
#[cfg(unix)]
fn an_export_follows_a_link() {
    let sandbox = remembered();
    std::os::unix::fs::symlink("real.jsonl", sandbox.path("link.jsonl")).expect("a link");
    sandbox.run(["observations", "export", "link.jsonl"]).code(0);
    assert!(fs::symlink_metadata(sandbox.path("link.jsonl")).expect("the link").is_symlink());
    assert_eq!(fs::read_to_string(sandbox.path("real.jsonl")).expect("a file").lines().count(), 6);
}

#[test]
#[cfg(unix)]
fn a_folder_that_does_not_exist_is_named_as_the_system_names_it() {
    let sandbox = remembered();
    for args in [&["observations", "export", "/nosuch/x"][..], &["report", "--html", "/nosuch/x"]] {
        let ran =
            sandbox.ran(&sandbox.command(env!("CARGO_BIN_EXE_nudge")).args(args).output().expect("it ends"));
        assert_eq!(ran.code, Some(1));
        assert!(
            ran.stderr.ends_with("cannot be written: No such file or directory (os error 2)\n"),
            "{}",
            ran.stderr
        );
    }
}
