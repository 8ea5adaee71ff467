//! `nudge sync file`: one file for each machine, in a folder that something else carries.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use expect_test::expect;

use super::scene::Machines;

fn files(machines: &Machines) -> Vec<PathBuf> {
    let entries = fs::read_dir(machines.common_folder()).expect("a folder");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

#[test]
fn machines_that_never_meet_exchange_rows_by_a_folder() {
    let machines = Machines::new(&["a", "b", "c"]);
    for name in ["a", "b", "c"] {
        machines.runs(name, &format!("make {name}"));
        machines.sync_file(name).code(0);
    }
    let folder = machines.common_folder().display().to_string();
    let ran = machines.sync_file("a");
    ran.code(0);
    assert_eq!(ran.stdout, format!("{folder}: 0 observations written, 2 brought\n"));
    machines.sync_file("b").code(0);
    for name in ["a", "b", "c"] {
        assert_eq!(machines.commands(name), ["make a", "make b", "make c"], "{name}");
    }
    assert_eq!(files(&machines).len(), 3);
    for file in files(&machines) {
        assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
    }
    // Nothing new: no file is written again.
    let before: Vec<_> =
        files(&machines).iter().map(|file| fs::metadata(file).expect("a file").modified().ok()).collect();
    for name in ["a", "b", "c"] {
        machines.sync_file(name).code(0);
        assert_eq!(
            machines.on(name).run(["sync", "file"]).code(0).stdout,
            format!("{folder}: nothing new\n")
        );
    }
    let after: Vec<_> =
        files(&machines).iter().map(|file| fs::metadata(file).expect("a file").modified().ok()).collect();
    assert_eq!(before, after);
}

#[test]
fn rows_of_a_machine_without_a_file_are_in_the_files_of_others() {
    let machines = Machines::new(&["a", "b", "c"]);
    machines.runs("c", "make c");
    machines.sync("a", "c").code(0);
    machines.sync_file("a").code(0);
    machines.sync_file("b").code(0);
    assert_eq!(machines.commands("b"), ["make c"]);
    // It brings its own file later, and nothing is doubled.
    machines.runs("c", "make more");
    for name in ["c", "b", "a", "b"] {
        machines.sync_file(name).code(0);
    }
    for name in ["a", "b", "c"] {
        assert_eq!(machines.commands(name), ["make c", "make more"], "{name}");
    }
}

#[test]
fn a_folder_that_is_missing_is_not_created() {
    let machines = Machines::new(&["a"]);
    machines.runs("a", "make a");
    machines.on("a").run(["sync", "file", "/nowhere/at/all"]).code(75).stderr(expect![[r#"
        error: /nowhere/at/all: the folder cannot be used: entity not found
          hint: name a folder that exists; is the disk mounted?
    "#]]);
    machines.on("a").run(["sync", "file"]).code(2);
}

#[test]
fn a_partial_file_a_link_and_a_stranger_are_left_alone() {
    let machines = Machines::new(&["a", "b"]);
    for n in 0..3 {
        machines.runs("a", &format!("make {n}"));
    }
    machines.sync_file("a").code(0);
    let file = files(&machines).remove(0);
    let whole = fs::read(&file).expect("a file");
    let key = "0123456789abcdef0123456789abcdef";
    let (link, odd) = (format!("nudge-{key}.jsonl"), "nudge-notes.txt");
    std::os::unix::fs::symlink("/etc/passwd", machines.common_folder().join(&link)).expect("a link");
    fs::write(machines.common_folder().join(odd), "mine").expect("a file");
    // Every beginning of the file is either nothing or a part of it, and never more.
    for length in [0, 10, 100, whole.len() / 2, whole.len() - 2] {
        fs::write(&file, &whole[..length]).expect("a file");
        let ran = machines.sync_file("b");
        ran.code(0);
        assert!(ran.stderr.contains("it is not a regular file"), "{}", ran.stderr);
        assert!(
            ran.stderr.contains("was not read") || ran.stderr.contains("is not complete"),
            "{}",
            ran.stderr
        );
    }
    fs::write(&file, &whole).expect("a file");
    machines.sync_file("b").code(0);
    assert_eq!(machines.commands("b"), ["make 0", "make 1", "make 2"]);
    assert!(machines.common_folder().join(&link).is_symlink());
    assert_eq!(fs::read(machines.common_folder().join(odd)).expect("a file"), b"mine");
}

#[test]
fn two_copies_of_a_machine_do_not_share_a_file() {
    let mut machines = Machines::new(&["a"]);
    machines.runs("a", "make one");
    machines.sync_file("a").code(0);
    machines.add("copy");
    let (from, to) = (machines.on("a").data_folder(), machines.on("copy").data_folder());
    fs::create_dir_all(&to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        if entry.path().is_file() {
            fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
        }
    }
    machines.runs("a", "make a");
    machines.runs("copy", "make copy");
    machines.sync_file("a").code(0);
    let synced = machines.sync_file("copy");
    assert!(synced.code(0).stderr.contains("a key of its own now"), "{}", synced.stderr);
    machines.sync_file("a").code(0);
    assert_eq!(files(&machines).len(), 2);
    for name in ["a", "copy"] {
        assert_eq!(machines.commands(name), ["make a", "make copy", "make one"], "{name}");
    }
}
