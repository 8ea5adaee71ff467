//! Hints moved elsewhere and back: export, import, and errors in files.

use std::fs;

use expect_test::expect;
use serde_json::{Map, Value, json};

use crate::hints::scene::Scene;
use crate::sandbox::Sandbox;

/// Returns a store with this many hints of this many bytes.
fn store(hints: usize, length: usize) -> Value {
    let mut components = Map::new();
    for number in 0..hints {
        let component =
            components.entry(format!("c{}", number / 100)).or_insert_with(|| json!({ "hints": {} }));
        component["hints"][format!("k{number}")] = json!({ "value": "x ".repeat(length / 2) });
    }
    json!({ "schema_version": "1.0", "components": components })
}

#[test]
fn what_goes_out_comes_in_again() {
    let scene = Scene::new();
    scene.done(&["set", "api", "build", "make", "--tags", "a", "--reason", "why", "--priority", "3"]);
    scene.done(&["set", "api", "build", "make linux", "--scope-os", "linux", "--shell", "bash"]);
    scene.done(&["set", "web", "run", "{{a}}", "--format", "mustache", "--default", "a=1"]);
    scene.done(&["bump", "api", "build", "--delta", "3"]);
    let out = scene.done(&["export", "--format", "json"]);
    scene.sandbox.put("session.json", &out.stdout);
    scene.done(&["import", "session.json"]).stdout(expect![[r#"
        ✔ imported 0 hints, 3 were here already
    "#]]);
    let other = Scene::new();
    other.sandbox.put("session.json", &out.stdout);
    other.done(&["import", "session.json"]).stdout(expect![[r#"
        ✔ imported 3 hints
    "#]]);
    assert_eq!(other.done(&["export"]).json()["components"], out.json()["components"]);
    scene.done(&["export", "--component", "web", "-o", "web.json"]).stdout(expect![""]);
    let whole = other.sandbox.run_with(
        ["import", "-", "--mode", "replace"],
        &fs::read(scene.sandbox.path("web.json")).expect("a file"),
    );
    whole.code(0).stdout(expect![[r#"
        ✔ imported 1 hint
    "#]]);
    other.done(&["ls"]).stdout(expect![[r#"
        web  1 hint
    "#]]);
    // The whole result can be imported like the store in it.
    scene.sandbox.put("result.json", &scene.done(&["export", "--json"]).stdout);
    scene.done(&["import", "result.json"]).stdout(expect![[r#"
        ✔ imported 0 hints, 3 were here already
    "#]]);
}

#[test]
#[cfg(unix)]
fn a_file_of_hints_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let scene = Scene::new();
    scene.done(&["export", "-o", "out.json"]);
    let mode = fs::metadata(scene.sandbox.path("out.json")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    scene.run(&["export", "-o", "no/such/folder.json"]).code(1).stderr(expect![[r#"
        error: `no/such/folder.json` cannot be written: No such file or directory (os error 2)
    "#]]);
}

#[test]
fn a_file_larger_than_a_request_comes_in_whole() {
    let large = store(220, 40_000).to_string();
    assert!(large.len() > 8 << 20);
    let scene = Scene::with(Sandbox::new().file("large.json", &large), &[]);
    scene.done(&["import", "large.json"]).stdout(expect![[r#"
        ✔ imported 220 hints
    "#]]);
    let again = scene.done(&["import", "large.json", "--json"]);
    assert_eq!(again.json(), json!({ "imported": 0, "skipped": 220, "errors": [] }));
    scene.done(&["set", "old", "one", "1"]);
    scene.done(&["import", "large.json", "--mode", "replace"]).stdout(expect![[r#"
        ✔ imported 220 hints
    "#]]);
    scene.run(&["get", "old", "one"]).code(1);
    assert_eq!(
        scene.done(&["ls", "--json"]).json()["components"][2],
        json!({ "name": "c2", "hint_count": 20 })
    );
    assert_eq!(scene.done(&["get", "c2", "k219", "--value"]).stdout.trim_end().len(), 39_999);
}

#[test]
fn a_replacement_with_a_flaw_in_its_last_part_changes_nothing() {
    let mut large = store(220, 40_000);
    large["components"]["zz"] =
        json!({ "hints": { "bad": { "value": { "type": "path", "abs": "relative" } } } });
    let scene = Scene::with(Sandbox::new().file("large.json", large.to_string()), &[]);
    scene.done(&["set", "old", "one", "1"]);
    scene.run(&["import", "large.json", "--mode", "replace"]).code(1).stdout(expect![""]).stderr(expect![[r#"
        error: nothing was replaced: `value.abs` must be an absolute path: `/…`, `C:\…`, `C:/…` or `\\server\share`
          zz/bad: `value.abs` must be an absolute path: `/…`, `C:\…`, `C:/…` or `\\server\share`
    "#]]);
    scene.done(&["ls"]).stdout(expect![[r#"
        old  1 hint
    "#]]);
    scene
        .run(&["import", "large.json"])
        .code(1)
        .stdout(expect![[r#"
        ✔ imported 220 hints, 1 skipped
    "#]])
        .stderr(expect![[r#"
        skipped zz/bad: `value.abs` must be an absolute path: `/…`, `C:\…`, `C:/…` or `\\server\share`
    "#]]);
}

#[test]
fn a_hint_that_cannot_be_kept_costs_only_itself() {
    let mixed = json!({ "components": {
        "a": { "hints": {
            "good": { "value": "x" },
            "secret": { "value": "AKIAIOSFODNN7EXAMPLQ" },
            "glob": { "value": "x", "meta": { "scope": { "cwd_glob": ["../x"] } } },
            "bell\u{7}": { "value": "x" },
            "old": { "value": "x", "meta": { "ttl": "PT1S" }, "updated_at": "2001-01-01T00:00:00Z" },
        } },
        "b": 7,
    } });
    let scene = Scene::with(Sandbox::new().file("mixed.json", mixed.to_string()), &[]);
    let ran = scene.run(&["import", "mixed.json"]);
    ran.code(1).stdout(expect![[r#"
        ✔ imported 1 hint, 5 skipped
    "#]]).stderr(expect![[r#"
        skipped a/secret: the hint seems to contain a secret in `value` (aws-key): leave it out, or store it on purpose with `meta.sensitivity: "secret"`
        skipped a/glob: a glob of `scope.cwd_glob` must not contain `..`
        skipped a/bell: `key` must not contain control characters
        skipped a/old: it has expired
        skipped b/: a component must be an object, not a number
    "#]]);
    scene.done(&["ls", "a"]).stdout(expect![[r#"
        good
          x  v1  everywhere
    "#]]);
}

#[test]
fn a_file_that_is_none_is_refused_in_a_sentence() {
    let sandbox = Sandbox::new()
        .file("binary.json", b"\xff\xfe\x00")
        .file("broken.json", "{\"components\": {")
        .file("list.json", "[1, 2]")
        .file("empty.json", "")
        .file("future.json", r#"{ "schema_version": "2.0", "components": {} }"#)
        .file("deep.json", "[".repeat(100_000))
        .file("text.json", format!("\"{}\"", "x".repeat(20 << 20)))
        .file(
            "hint.json",
            json!({ "components": { "a": { "hints": { "b": { "value": "x".repeat(20 << 20) } } } } })
                .to_string(),
        )
        .file("bom.json", "\u{feff}{ \"components\": {} }");
    let scene = Scene::with(sandbox, &[]);
    let said: Vec<String> = [
        "binary.json",
        "broken.json",
        "list.json",
        "empty.json",
        "future.json",
        "deep.json",
        "text.json",
        "hint.json",
        ".git",
        "absent.json",
    ]
    .iter()
    .map(|file| {
        let ran = scene.run(&["import", file]);
        assert_eq!(ran.code, Some(1), "{file}: {}{}", ran.stdout, ran.stderr);
        ran.stderr
    })
    .collect();
    expect![[r#"
        error: `binary.json` is not UTF-8
        error: `broken.json` is not JSON: EOF while parsing an object at line 1 column 16
        hint: `nudge export` shows what such a file looks like
        error: `payload` must be an object, not a list
        error: `empty.json` is not JSON: EOF while parsing a value at line 1 column 0
        hint: `nudge export` shows what such a file looks like
        error: `payload.schema_version` must be "1.0"
        error: `deep.json` is not JSON: recursion limit exceeded at line 1 column 128
        hint: `nudge export` shows what such a file looks like
        error: the server refuses (413): a request may have 8 MiB; import in several parts: mode merge adds them up (`nudge import` does this by itself)
        skipped a/b: the hint is larger than the maximum request
        error: `.git` cannot be read: Is a directory (os error 21)
        error: `absent.json` cannot be read: No such file or directory (os error 2)
    "#]].assert_eq(&said.concat());
    scene.done(&["import", "bom.json"]).stdout(expect![[r#"
        ✔ imported 0 hints
    "#]]);
}

#[test]
#[cfg(target_os = "linux")]
fn what_a_full_disk_does_not_take_is_an_error() {
    let scene = Scene::new();
    scene.done(&["set", "api", "build", "make"]);
    for args in [vec!["export"], vec!["export", "--json"]] {
        let full = fs::File::options().write(true).open("/dev/full").expect("a full device");
        let mut command = scene.sandbox.command(env!("CARGO_BIN_EXE_nudge"));
        let output = command.args(args).stdout(full).output().expect("it runs");
        scene.sandbox.ran(&output).code(1).stderr(expect![[r#"
            error: cannot print: No space left on device (os error 28)
        "#]]);
    }
}

#[test]
#[cfg(unix)]
fn hints_go_through_links_and_into_pipes() {
    use std::os::unix::fs::FileTypeExt;
    let scene = Scene::with(Sandbox::new().file("real.json", "old"), &[]);
    scene.done(&["set", "api", "build", "make"]);
    let path = |name: &str| scene.sandbox.path(name);
    std::os::unix::fs::symlink("real.json", path("link.json")).expect("a link");
    scene.done(&["export", "-o", "link.json"]);
    assert!(fs::symlink_metadata(path("link.json")).expect("the link").is_symlink());
    assert_eq!(fs::read_to_string(path("real.json")).expect("a file"), scene.done(&["export"]).stdout);
    assert!(scene.sandbox.command("mkfifo").arg(path("pipe")).status().expect("mkfifo").success());
    // Open for both, so that nobody waits for the other end.
    let _end = fs::File::options().read(true).write(true).open(path("pipe")).expect("a pipe");
    scene.done(&["export", "-o", "pipe"]);
    assert!(fs::symlink_metadata(path("pipe")).expect("the pipe").file_type().is_fifo());
}
