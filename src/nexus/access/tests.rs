//! Records of reads: counted exactly, also with concurrent readers, and without losing what others wrote.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use expect_test::expect;

use super::{NoteRead, reads};
use crate::files::slashes;
use crate::model::{Reads, Timestamp};
use crate::nexus::{Nexus, Result};

fn record(nexus: &Nexus, harness: &str, note: &Path, agent: &str, at: Timestamp) -> Result<()> {
    nexus.lock(Duration::from_secs(20))?.count_reads(harness, &[NoteRead { note, agent, at }])
}

const FILE: &str = ".nexus/state/claude-code/memory-access.jsonl";
/// Tells a child process in which project to read.
const PROJECT: &str = "NUDGE_TEST_PROJECT";

fn project() -> (tempfile::TempDir, Nexus) {
    let folder = tempfile::tempdir().unwrap();
    let nexus = Nexus::of(&crate::files::canonical(folder.path()).unwrap());
    fs::create_dir_all(nexus.path(".nexus/memory")).unwrap();
    for name in ["a-note.md", "b-note.md"] {
        fs::write(nexus.path(".nexus/memory").join(name), name).unwrap();
    }
    (folder, nexus)
}

fn note(nexus: &Nexus, name: &str) -> PathBuf {
    nexus.path(".nexus/memory").join(name)
}

fn put(nexus: &Nexus, file: &str, text: &str) {
    fs::create_dir_all(nexus.path(file).parent().unwrap()).unwrap();
    fs::write(nexus.path(file), text.replace("$", &slashes(nexus.project()))).unwrap();
}

fn written(nexus: &Nexus, file: &str) -> String {
    fs::read_to_string(nexus.path(file)).unwrap().replace(&slashes(nexus.project()), "$")
}

#[test]
fn a_second_read_adds_to_the_line_of_the_first() {
    let (_folder, nexus) = project();
    for (name, agent, at) in
        [("a-note.md", "lead", 0), ("b-note.md", "", 60), ("a-note.md", "agent-7", 3_600)]
    {
        record(&nexus, "claude-code", &note(&nexus, name), agent, Timestamp(at)).unwrap();
    }
    expect![[r#"
        {"path":"$/.nexus/memory/a-note.md","last_accessed_ts":"1970-01-01T01:00:00Z","access_count":2,"last_agent":"agent-7"}
        {"path":"$/.nexus/memory/b-note.md","last_accessed_ts":"1970-01-01T00:01:00Z","access_count":1,"last_agent":"unknown"}
    "#]]
    .assert_eq(&written(&nexus, FILE));
}

#[test]
fn reads_in_one_call_are_counted_separately() {
    let (_folder, nexus) = project();
    record(&nexus, "claude-code", &note(&nexus, "b-note.md"), "lead", Timestamp(0)).unwrap();
    let (a, b) = (note(&nexus, "a-note.md"), note(&nexus, "b-note.md"));
    let read = |note, agent, at| NoteRead { note, agent, at: Timestamp(at) };
    let all = [read(&a, "x", 60), read(&b, "y", 120), read(&a, "", 180)];
    nexus.lock(Duration::from_secs(20)).unwrap().count_reads("claude-code", &all).unwrap();
    expect![[r#"
        {"path":"$/.nexus/memory/b-note.md","last_accessed_ts":"1970-01-01T00:02:00Z","access_count":2,"last_agent":"y"}
        {"path":"$/.nexus/memory/a-note.md","last_accessed_ts":"1970-01-01T00:03:00Z","access_count":2,"last_agent":"unknown"}
    "#]]
    .assert_eq(&written(&nexus, FILE));
}

#[test]
fn unparsable_lines_are_kept_and_duplicates_become_one() {
    let (_folder, nexus) = project();
    let line = |count: u64| {
        format!(
            r#"{{"path":"$/.nexus/memory/a-note.md","last_accessed_ts":"2020-01-01T00:00:00Z","access_count":{count},"last_agent":"x"}}"#
        )
    };
    put(&nexus, FILE, &format!("not JSON\n{}\n{{\"path\":7}}\n{}", line(2), line(3)));
    record(&nexus, "claude-code", &note(&nexus, "a-note.md"), "y", Timestamp(0)).unwrap();
    expect![[r#"
        not JSON
        {"path":"$/.nexus/memory/a-note.md","last_accessed_ts":"1970-01-01T00:00:00Z","access_count":6,"last_agent":"y"}
        {"path":7}
    "#]]
    .assert_eq(&written(&nexus, FILE));
}

#[test]
fn fields_of_a_newer_version_are_kept() {
    let (_folder, nexus) = project();
    let line = |name: &str, rest: &str| {
        format!(
            "{{\"path\":\"$/.nexus/memory/{name}\",\"last_accessed_ts\":\"2020-01-01T00:00:00Z\",\"access_count\":1,\"last_agent\":\"x\",{rest}}}\n"
        )
    };
    let (a, b) = (
        line("a-note.md", r#""schema_version":2,"why":["x"]"#),
        line("b-note.md", r#""schema_version":"1""#),
    );
    put(&nexus, FILE, &format!("{a}{b}"));
    record(&nexus, "claude-code", &note(&nexus, "a-note.md"), "y", Timestamp(0)).unwrap();
    expect![[r#"
        {"path":"$/.nexus/memory/a-note.md","last_accessed_ts":"1970-01-01T00:00:00Z","access_count":2,"last_agent":"y","schema_version":2,"why":["x"]}
        {"path":"$/.nexus/memory/b-note.md","last_accessed_ts":"2020-01-01T00:00:00Z","access_count":1,"last_agent":"x","schema_version":"1"}
    "#]]
    .assert_eq(&written(&nexus, FILE));
}

#[test]
fn reads_are_summed_over_harnesses() {
    let (_folder, nexus) = project();
    let line = |path: &str, ts: &str, count: u64| {
        format!(
            "{{\"path\":\"{path}\",\"last_accessed_ts\":\"{ts}\",\"access_count\":{count},\"last_agent\":\"x\"}}\n"
        )
    };
    let gone = line("$/.nexus/memory/gone-note.md", "1970-01-01T00:00:05Z", 9);
    let elsewhere = line("/somewhere/else.md", "1970-01-01T00:00:05Z", 9);
    let own = line("$/.nexus/memory/a-note.md", "1970-01-01T00:00:05Z", 2);
    put(&nexus, FILE, &format!("{own}{gone}{elsewhere}"));
    let other = line(".nexus/memory/a-note.md", "1970-01-01T00:00:09+00:00", 3);
    let broken = line("$/.nexus/memory/b-note.md", "yesterday", 1);
    put(&nexus, ".nexus/state/opencode-nexus/memory-access.jsonl", &format!("{other}{broken}"));
    let a = ("a-note.md".to_owned(), Reads { count: 5, last_at: Some(Timestamp(9)) });
    let expected = [a, ("b-note.md".to_owned(), Reads { count: 1, last_at: None })].into();
    assert_eq!(reads(&nexus), expected);

    // Lines of deleted notes are removed, in the folders of the given harnesses.
    let locked = nexus.lock(Duration::from_secs(1)).unwrap();
    assert_eq!(locked.prune_accesses(&["claude-code".into(), "codex".into()]).unwrap(), 2);
    assert_eq!(written(&nexus, FILE), own);
    assert_eq!(reads(&nexus), expected);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "this test starts itself in other processes")]
fn twenty_processes_at_once_count_twenty() {
    let (_folder, nexus) = project();
    let test = "nexus::access::tests::a_process_reads_once";
    let start = || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", test]).env(PROJECT, nexus.project());
        command.stdout(std::process::Stdio::null()).spawn().unwrap()
    };
    let children: Vec<_> = (0..20).map(|_| start()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(reads(&nexus)["a-note.md"].count, 20);
}

/// The child process of the test above; without a project it does nothing.
#[test]
#[expect(clippy::disallowed_methods, reason = "the test that starts this says where to read")]
fn a_process_reads_once() {
    let Some(project) = std::env::var_os(PROJECT) else { return };
    let nexus = Nexus::of(&PathBuf::from(project));
    record(&nexus, "claude-code", &note(&nexus, "a-note.md"), "lead", Timestamp(1)).unwrap();
}
